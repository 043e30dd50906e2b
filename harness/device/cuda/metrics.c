/* SPDX-License-Identifier: MIT */
#include "harness/device/cuda/metrics.h"

#include "harness/device/cuda/counters.h"
#include "harness/device/cuda/layout.h"

static CUptiResult host_open(const struct bc_cupti_api *api, const char *chip, CUpti_Profiler_Host_Object **host)
{
	CUpti_Profiler_Host_Initialize_Params p = {
		.structSize = BC_CUPTI_BYTES(Profiler_Host_Initialize),
		.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER,
		.pChipName = chip,
	};
	const CUptiResult r = api->cuptiProfilerHostInitialize(&p);

	*host = r == CUPTI_SUCCESS ? p.pHostObject : NULL;
	return r;
}

static void host_close(const struct bc_cupti_api *api, CUpti_Profiler_Host_Object *host)
{
	CUpti_Profiler_Host_Deinitialize_Params p = { .structSize = BC_CUPTI_BYTES(Profiler_Host_Deinitialize),
						      .pHostObject = host };

	if (host)
		(void)api->cuptiProfilerHostDeinitialize(&p);
}

/* An object of its own for each metric: one that refused a metric refuses all later ones. */
static bool has_metric(const struct bc_cupti_api *api, const char *chip, const char *name)
{
	CUpti_Profiler_Host_Object *host = NULL;
	CUpti_Profiler_Host_ConfigAddMetrics_Params p = {
		.structSize = BC_CUPTI_BYTES(Profiler_Host_ConfigAddMetrics),
		.ppMetricNames = &name,
		.numMetrics = 1,
	};
	bool has;

	if (host_open(api, chip, &host) != CUPTI_SUCCESS)
		return false;
	p.pHostObject = host;
	has = api->cuptiProfilerHostConfigAddMetrics(&p) == CUPTI_SUCCESS;
	host_close(api, host);
	return has;
}

static enum bc_status put_chips(const struct bc_cupti_api *api, const char *const *chips, size_t n, struct bc_text *out,
				struct bc_error *err)
{
	enum bc_status st = BC_OK;

	for (size_t i = 0; !st && i < n; i++) {
		CUpti_Profiler_Host_Object *host = NULL;
		struct bc_error why = { .msg = "" };

		(void)bc_cupti_check(host_open(api, chips[i], &host), "cuptiProfilerHostInitialize", &why);
		host_close(api, host);
		st = bc_text_addf(out, err, "chip\t%s\t%s\n", chips[i], why.msg);
	}
	return st;
}

static enum bc_status put_counters(const struct bc_cupti_api *api, const char *const *chips, size_t n,
				   struct bc_text *out, struct bc_error *err)
{
	enum bc_status st = BC_OK;

	for (unsigned c = 0; !st && c < BC_NCOUNTERS; c++) {
		const char *metric = bc_cuda_metric((enum bc_counter)c);
		const char *blank = "";

		if (!metric)
			continue;
		st = bc_text_addf(out, err, "counter\t%s\t%s\t", bc_counter_name((enum bc_counter)c), metric);
		for (size_t i = 0; !st && i < n; i++) {
			if (!has_metric(api, chips[i], metric))
				continue;
			st = bc_text_addf(out, err, "%s%s", blank, chips[i]);
			blank = " ";
		}
		if (!st)
			st = bc_text_addf(out, err, "\n");
	}
	return st;
}

enum bc_status bc_cuda_metrics(const struct bc_open_options *o, struct bc_text *out, struct bc_error *err)
{
	const struct bc_cupti_api *api = NULL;
	CUpti_Profiler_Host_GetSupportedChips_Params chips = { .structSize = BC_CUPTI_BYTES(
								       Profiler_Host_GetSupportedChips) };
	uint32_t version = 0;
	enum bc_status st = bc_cupti_api_open(o->cupti, &api, err);

	if (st)
		return st;
	if (api->cuptiGetVersion(&version) != CUPTI_SUCCESS)
		version = 0;
	st = bc_text_addf(out, err, "library\t%s\t%u\n", api->path, version);
	if (!st)
		st = bc_cupti_check(api->cuptiProfilerHostGetSupportedChips(&chips),
				    "cuptiProfilerHostGetSupportedChips", err);
	if (!st)
		st = put_chips(api, chips.ppChipNames, chips.numChips, out, err);
	if (!st)
		st = put_counters(api, chips.ppChipNames, chips.numChips, out, err);
	return st;
}
