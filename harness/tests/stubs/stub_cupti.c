/* SPDX-License-Identifier: MIT */
/* harness/tests/stubs/stub_cupti.c - a libcupti.so.13 for tests: it goes wrong where BC_STUB_CUPTI says.
 *
 *   open_segv      SIGSEGV when the profiler is initialised
 *   session_segv   SIGSEGV when the first session enables it
 *   session_hang   the first session never comes back
 *   refuse         no permission (35) for anything
 *   chips_segv     SIGSEGV when it is asked which chips it knows
 *   chips_refuse   no answer to that
 *   counts         it counts the shared loads of the stub of libcuda; as the folder that it lies in says:
 *                  double/       twice as many of everything
 *                  sly/          the same, but of what has neither one wavefront a request nor 32
 *                  refuse/       no permission
 * Otherwise everything succeeds and every counter reads 0, which no canary takes for a count. It knows three chips:
 * GV11B, which it refuses, GA102 without ldgsts conflicts, and GH100 with all. As a library of CUDA 12.6 does, it
 * refuses the longer structs of newer headers, whichever headers it is built with.
 */
#include <cuda.h>

#include <cupti_callbacks.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>
#include <cupti_target.h>
#include <cupti_version.h>

#include <dlfcn.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define IMAGE_BYTES 16

#define HOST_BYTES 48	/* of CUpti_Profiler_Host_Initialize_Params in CUDA 12.6 Update 2 */
#define ENABLE_BYTES 32 /* of CUpti_RangeProfiler_Enable_Params */

static int host_object, profiler_object;
static const char *chip = "";

#define RANGES 4096

/* What each range of the session counted; the range that is open began at @began. */
static uint64_t counted[RANGES][3], began[3];
static size_t ranges;

/* Is it the library of the folder @name? */
static bool lies_in(const char *name)
{
	Dl_info me;

	return dladdr(&ranges, &me) && me.dli_fname && strstr(me.dli_fname, name);
}

static const uint64_t *gpu(void)
{
	static const uint64_t nothing[3];
	void *cuda = dlopen("libcuda.so.1", RTLD_NOLOAD | RTLD_LAZY);
	const uint64_t *all = cuda ? dlsym(cuda, "bc_stub_counted") : NULL;

	return all ? all : nothing;
}

static bool goes_wrong(const char *how)
{
	const char *mode = getenv("BC_STUB_CUPTI");

	return mode && strcmp(mode, how) == 0;
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

CUptiResult cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params *p)
{
	(void)p;
	if (goes_wrong("open_segv"))
		(void)raise(SIGSEGV);
	return goes_wrong("refuse") || lies_in("refuse/") ? CUPTI_ERROR_INSUFFICIENT_PRIVILEGES : CUPTI_SUCCESS;
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
	static const char *const chips[] = { "GV11B", "GA102", "GH100" };

	if (goes_wrong("chips_segv"))
		(void)raise(SIGSEGV);
	p->numChips = sizeof(chips) / sizeof(chips[0]);
	p->ppChipNames = chips;
	return goes_wrong("chips_refuse") ? CUPTI_ERROR_UNKNOWN : CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostInitialize(CUpti_Profiler_Host_Initialize_Params *p)
{
	if (p->structSize > HOST_BYTES)
		return CUPTI_ERROR_INVALID_PARAMETER;
	if (strcmp(p->pChipName, "GV11B") == 0)
		return CUPTI_ERROR_NOT_SUPPORTED;
	chip = p->pChipName;
	p->pHostObject = (void *)&host_object;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostDeinitialize(CUpti_Profiler_Host_Deinitialize_Params *p)
{
	(void)p;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostConfigAddMetrics(CUpti_Profiler_Host_ConfigAddMetrics_Params *p)
{
	if (strcmp(chip, "GA102") == 0 && strstr(p->ppMetricNames[0], "op_ldgsts") &&
	    strstr(p->ppMetricNames[0], "conflicts"))
		return CUPTI_ERROR_INVALID_METRIC_NAME;
	return p->numMetrics ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

CUptiResult cuptiProfilerHostGetConfigImageSize(CUpti_Profiler_Host_GetConfigImageSize_Params *p)
{
	p->configImageSize = IMAGE_BYTES;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetConfigImage(CUpti_Profiler_Host_GetConfigImage_Params *p)
{
	memset(p->pConfigImage, 0, p->configImageSize);
	return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetNumOfPasses(CUpti_Profiler_Host_GetNumOfPasses_Params *p)
{
	p->numOfPasses = 1;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostEvaluateToGpuValues(CUpti_Profiler_Host_EvaluateToGpuValues_Params *p)
{
	static const char *const names[] = { "smsp__inst_executed_op_shared_ld.sum",
					     "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
					     "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum" };
	const uint64_t *is = counted[p->rangeIndex < RANGES ? p->rangeIndex : 0];
	const bool canary = is[1] == is[0] || is[1] == 32 * is[0];
	const double times = lies_in("double/") || (lies_in("sly/") && !canary) ? 2 : 1;

	memset(p->pMetricValues, 0, p->numMetrics * sizeof(*p->pMetricValues));
	for (size_t i = 0; goes_wrong("counts") && i < p->numMetrics; i++)
		for (size_t k = 0; k < 3; k++)
			if (strcmp(p->ppMetricNames[i], names[k]) == 0)
				p->pMetricValues[i] = (double)is[k] * (k ? times : 1);
	return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerEnable(CUpti_RangeProfiler_Enable_Params *p)
{
	if (p->structSize > ENABLE_BYTES)
		return CUPTI_ERROR_INVALID_PARAMETER;
	if (goes_wrong("session_segv"))
		(void)raise(SIGSEGV);
	while (goes_wrong("session_hang"))
		(void)pause();
	p->pRangeProfilerObject = (void *)&profiler_object;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerDisable(CUpti_RangeProfiler_Disable_Params *p)
{
	(void)p;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerSetConfig(CUpti_RangeProfiler_SetConfig_Params *p)
{
	(void)p;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerStart(CUpti_RangeProfiler_Start_Params *p)
{
	(void)p;
	ranges = 0;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerStop(CUpti_RangeProfiler_Stop_Params *p)
{
	p->isAllPassSubmitted = 1;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerPushRange(CUpti_RangeProfiler_PushRange_Params *p)
{
	(void)p;
	memcpy(began, gpu(), sizeof(began));
	return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerPopRange(CUpti_RangeProfiler_PopRange_Params *p)
{
	(void)p;
	for (size_t k = 0; ranges < RANGES && k < 3; k++)
		counted[ranges][k] = gpu()[k] - began[k];
	ranges += ranges < RANGES;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerDecodeData(CUpti_RangeProfiler_DecodeData_Params *p)
{
	p->numOfRangeDropped = 0;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerGetCounterDataSize(CUpti_RangeProfiler_GetCounterDataSize_Params *p)
{
	p->counterDataSize = IMAGE_BYTES;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerCounterDataImageInitialize(CUpti_RangeProfiler_CounterDataImage_Initialize_Params *p)
{
	memset(p->pCounterData, 0, p->counterDataSize);
	return CUPTI_SUCCESS;
}

/* What `app` needs and a run does not. */
CUptiResult cuptiSubscribe(CUpti_SubscriberHandle *handle, CUpti_CallbackFunc callback, void *user)
{
	(void)handle;
	(void)callback;
	(void)user;
	return CUPTI_ERROR_NOT_SUPPORTED;
}

CUptiResult cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle handle, CUpti_CallbackDomain domain,
				CUpti_CallbackId id)
{
	(void)enable;
	(void)handle;
	(void)domain;
	(void)id;
	return CUPTI_ERROR_NOT_SUPPORTED;
}

CUptiResult cuptiRangeProfilerGetCounterDataInfo(CUpti_RangeProfiler_GetCounterDataInfo_Params *p)
{
	(void)p;
	return CUPTI_ERROR_NOT_SUPPORTED;
}
