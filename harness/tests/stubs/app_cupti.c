/* SPDX-License-Identifier: MIT */
/* harness/tests/stubs/app_cupti.c - a libcupti.so.13 that counts what app_cuda.c tells it, range by range.
 *
 * A set of at most eight counters fits in one pass. BC_STUB_APP says what goes wrong:
 *
 *	refuse      no permission (35)
 *	void        every count is twice what it is
 *	push        the 20th range cannot be opened
 *	no_metric   the chip lacks gmma, atomics and arbitration
 * While a stream is being captured, any call but a query of ours ends the capture, as with the driver.
 */
#include <cupti_callbacks.h>
#include <cupti_driver_cbid.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>
#include <cupti_target.h>
#include <cupti_version.h>

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "harness/tests/stubs/app_stub.h"

#define GPUS 2
#define METRICS 40
#define HOSTS 256
#define RANGES 200
#define IMAGE_BYTES 16

static CUpti_CallbackFunc subscriber;
static int subscription;
static struct host {
	const char *name[METRICS];
	size_t n;
} hosts[HOSTS];
static size_t nhosts;
static size_t pushes;

/* The session of a GPU; its address is the profiler's object, and stands in the images of its counters. */
static struct session {
	const struct host *active; /* whose configuration it has */
	uint64_t counts[RANGES][METRICS];
	size_t nranges;
	bool open_range, started, automatic;
} sessions[GPUS];

bc_stub_call_fn bc_stub_call;
bc_stub_count_fn bc_stub_count;

static bool goes_wrong(const char *how)
{
	const char *mode = getenv("BC_STUB_APP");

	return mode && strcmp(mode, how) == 0;
}

/* The profiler works on the context: a capture does not survive that. */
static void touch(void)
{
	void *lib = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
	void *f = lib ? dlsym(lib, "bc_stub_disturb") : NULL;
	void (*disturb)(void);

	memcpy(&disturb, &f, sizeof(f));
	if (f)
		disturb();
}

/* That of the GPU whose context is current. */
static struct session *current(void)
{
	void *lib = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
	void *f = lib ? dlsym(lib, "cuCtxGetDevice") : NULL;
	CUresult (*get)(CUdevice *);
	CUdevice dev = 0;

	memcpy(&get, &f, sizeof(f));
	if (f)
		(void)get(&dev);
	return &sessions[dev];
}

/* That of an image of counters. */
static struct session *of_image(const uint8_t *image)
{
	struct session *s;

	memcpy(&s, image, sizeof(s));
	return s;
}

static bool is_launch(unsigned cbid)
{
	return cbid == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel || cbid == BC_STUB_GRAPH_NODE;
}

void bc_stub_call(unsigned cbid, bool after, const char *symbol, const void *params, CUresult *result, CUcontext ctx)
{
	CUpti_CallbackData d = { .callbackSite = after ? CUPTI_API_EXIT : CUPTI_API_ENTER,
				 .symbolName = symbol,
				 .functionParams = params,
				 .functionReturnValue = result,
				 .context = ctx };
	CUpti_ResourceData r = { .context = (CUcontext)(uintptr_t)params };

	if (subscriber && cbid == BC_STUB_CONTEXT_DESTROYED)
		subscriber(NULL, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING, &r);
	else if (subscriber && cbid < BC_STUB_CONTEXT_DESTROYED)
		subscriber(NULL, CUPTI_CB_DOMAIN_DRIVER_API, cbid, &d);
	if (!after && current()->automatic && current()->started && is_launch(cbid) && current()->nranges < RANGES)
		current()->nranges++;
}

void bc_stub_count(const char *metric, uint64_t n)
{
	struct session *s = current();

	if (!s->started || !s->nranges || (!s->automatic && !s->open_range))
		return;
	for (size_t i = 0; s->active && i < s->active->n; i++)
		if (strcmp(s->active->name[i], metric) == 0)
			s->counts[s->nranges - 1][i] += n;
}

CUptiResult cuptiGetVersion(uint32_t *version)
{
	*version = CUPTI_API_VERSION;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiGetResultString(CUptiResult result, const char **text)
{
	*text = result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES ? "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES" : "CUPTI_ERROR";
	return CUPTI_SUCCESS;
}

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle *handle, CUpti_CallbackFunc callback, void *user)
{
	(void)user;
	*handle = (void *)&subscription;
	subscriber = callback;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle handle, CUpti_CallbackDomain domain,
				CUpti_CallbackId cbid)
{
	(void)enable;
	(void)domain;
	(void)cbid;
	return handle ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

CUptiResult cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params *p)
{
	(void)p;
	return goes_wrong("refuse") ? CUPTI_ERROR_INSUFFICIENT_PRIVILEGES : CUPTI_SUCCESS;
}

CUptiResult cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params *p)
{
	p->pChipName = "GH100";
	return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerGetCounterAvailability(CUpti_Profiler_GetCounterAvailability_Params *p)
{
	p->counterAvailabilityImageSize = IMAGE_BYTES;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetSupportedChips(CUpti_Profiler_Host_GetSupportedChips_Params *p)
{
	p->numChips = 0;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostInitialize(CUpti_Profiler_Host_Initialize_Params *p)
{
	if (nhosts == HOSTS)
		return CUPTI_ERROR_OUT_OF_MEMORY;
	p->pHostObject = (void *)&hosts[nhosts++];
	return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostDeinitialize(CUpti_Profiler_Host_Deinitialize_Params *p)
{
	(void)p;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostConfigAddMetrics(CUpti_Profiler_Host_ConfigAddMetrics_Params *p)
{
	struct host *host = (void *)p->pHostObject;

	for (size_t i = 0; i < p->numMetrics; i++)
		if (goes_wrong("no_metric") &&
		    (strstr(p->ppMetricNames[i], "gmma") || strstr(p->ppMetricNames[i], "atom") ||
		     strstr(p->ppMetricNames[i], "arbitration")))
			return CUPTI_ERROR_INVALID_METRIC_NAME;
	host->n = p->numMetrics < METRICS ? p->numMetrics : METRICS;
	for (size_t i = 0; i < host->n; i++)
		host->name[i] = p->ppMetricNames[i];
	return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetConfigImageSize(CUpti_Profiler_Host_GetConfigImageSize_Params *p)
{
	p->configImageSize = IMAGE_BYTES;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetConfigImage(CUpti_Profiler_Host_GetConfigImage_Params *p)
{
	const struct host *host = (void *)p->pHostObject;

	memcpy(p->pConfigImage, &host, sizeof(host));
	return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetNumOfPasses(CUpti_Profiler_Host_GetNumOfPasses_Params *p)
{
	const struct host *host;

	memcpy(&host, p->pConfigImage, sizeof(host));
	p->numOfPasses = (host->n + 7) / 8;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostEvaluateToGpuValues(CUpti_Profiler_Host_EvaluateToGpuValues_Params *p)
{
	const struct session *s = of_image(p->pCounterDataImage);

	for (size_t m = 0; m < p->numMetrics; m++) {
		p->pMetricValues[m] = 0;
		for (size_t i = 0; i < s->active->n; i++)
			if (strcmp(s->active->name[i], p->ppMetricNames[m]) == 0)
				p->pMetricValues[m] =
					(double)s->counts[p->rangeIndex][i] * (goes_wrong("void") ? 2 : 1);
	}
	return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerEnable(CUpti_RangeProfiler_Enable_Params *p)
{
	touch();
	p->pRangeProfilerObject = (void *)current();
	return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerDisable(CUpti_RangeProfiler_Disable_Params *p)
{
	(void)p;
	touch();
	return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerSetConfig(CUpti_RangeProfiler_SetConfig_Params *p)
{
	struct session *s = (void *)p->pRangeProfilerObject;

	s->automatic = p->range == CUPTI_AutoRange;
	memcpy(&s->active, p->pConfig, sizeof(s->active));
	return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerStart(CUpti_RangeProfiler_Start_Params *p)
{
	struct session *s = (void *)p->pRangeProfilerObject;

	touch();
	memset(s->counts, 0, sizeof(s->counts));
	s->nranges = 0;
	s->started = true;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerStop(CUpti_RangeProfiler_Stop_Params *p)
{
	struct session *s = (void *)p->pRangeProfilerObject;

	touch();
	s->started = false;
	p->isAllPassSubmitted = 1;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerPushRange(CUpti_RangeProfiler_PushRange_Params *p)
{
	struct session *s = (void *)p->pRangeProfilerObject;

	touch();
	if (s->open_range || !s->started || s->nranges == RANGES || (goes_wrong("push") && ++pushes == 20))
		return CUPTI_ERROR_INVALID_OPERATION;
	s->open_range = true;
	s->nranges++;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerPopRange(CUpti_RangeProfiler_PopRange_Params *p)
{
	struct session *s = (void *)p->pRangeProfilerObject;

	touch();
	if (!s->open_range)
		return CUPTI_ERROR_INVALID_OPERATION;
	s->open_range = false;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerDecodeData(CUpti_RangeProfiler_DecodeData_Params *p)
{
	p->numOfRangeDropped = 0;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerGetCounterDataInfo(CUpti_RangeProfiler_GetCounterDataInfo_Params *p)
{
	p->numTotalRanges = of_image(p->pCounterDataImage)->nranges;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerGetCounterDataSize(CUpti_RangeProfiler_GetCounterDataSize_Params *p)
{
	p->counterDataSize = IMAGE_BYTES;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerCounterDataImageInitialize(CUpti_RangeProfiler_CounterDataImage_Initialize_Params *p)
{
	const struct session *s = (void *)p->pRangeProfilerObject;

	memset(p->pCounterData, 0, p->counterDataSize);
	memcpy(p->pCounterData, &s, sizeof(s));
	return CUPTI_SUCCESS;
}
