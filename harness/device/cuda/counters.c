/* SPDX-License-Identifier: MIT */
#include "harness/device/cuda/counters.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/device/cuda/layout.h"

#define SMALL_SESSION 16 /* ranges; buffers for all take 0.1 s more, which a run of a few cases need not wait for */

/* CUPTI's metric of each counter. Source: the metric lists of 29 chips, TU102 to GB20B, CUPTI 13.0. */
static const char *const metrics[BC_NCOUNTERS] = {
	[BC_CTR_LD_REQUESTS] = "smsp__inst_executed_op_shared_ld.sum",
	[BC_CTR_LD_WAVEFRONTS] = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
	[BC_CTR_LD_CONFLICTS] = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
	[BC_CTR_ST_REQUESTS] = "smsp__inst_executed_op_shared_st.sum",
	[BC_CTR_ST_WAVEFRONTS] = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
	[BC_CTR_ST_CONFLICTS] = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
	[BC_CTR_ATOM_REQUESTS] = "smsp__inst_executed_op_shared_atom.sum",
	[BC_CTR_ATOM_WAVEFRONTS] = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum",
	[BC_CTR_ATOM_CONFLICTS] = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum",
	[BC_CTR_LDSM_REQUESTS] = "smsp__inst_executed_op_ldsm.sum",
	[BC_CTR_STSM_REQUESTS] = "smsp__inst_executed_op_shared_stsm.sum",
	[BC_CTR_LDGSTS_REQUESTS] = "smsp__inst_executed_op_ldgsts.sum",
	[BC_CTR_LDGSTS_CONFLICTS] = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts.sum",
	[BC_CTR_GLOBAL_LD_REQUESTS] = "smsp__inst_executed_op_global_ld.sum",
	[BC_CTR_GLOBAL_LD_SECTORS] = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
	[BC_CTR_GLOBAL_ST_REQUESTS] = "smsp__inst_executed_op_global_st.sum",
	[BC_CTR_GLOBAL_ST_SECTORS] = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
	[BC_CTR_ARBITRATION] = "l1tex__data_bank_conflicts_type_arbitration.sum",
	[BC_CTR_INSTRUCTIONS] = "smsp__inst_executed.sum",
	[BC_CTR_GMMA_WAVEFRONTS] = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_gmma.sum",
	[BC_CTR_GMMA_CONFLICTS] = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_gmma.sum",
	[BC_CTR_TMA_LD_SECTORS] = "l1tex__m_xbar2l1tex_read_sectors_mem_global_op_tma_ld.sum",
	[BC_CTR_TMA_ST_SECTORS] = "l1tex__m_l1tex2xbar_write_sectors_mem_global_op_tma_st.sum",
	[BC_CTR_DURATION] = "gpu__time_duration.sum",
};

const char *bc_cuda_metric(enum bc_counter c)
{
	return (unsigned)c < BC_NCOUNTERS ? metrics[c] : NULL;
}

/* One set of counters, made ready once: the host object that evaluates it, its images. */
struct config {
	uint32_t want;
	const char *name[BC_NCOUNTERS];
	enum bc_counter counter[BC_NCOUNTERS];
	size_t n;
	CUpti_Profiler_Host_Object *host;
	uint8_t *image;
	size_t image_size;
	uint8_t *pristine; /* counter data image as initialised: a copy starts a session */
	size_t data_size;
};

struct bc_cuda_counters {
	const struct bc_cupti_api *api;
	CUcontext ctx;
	const char *chip;
	uint8_t *availability;
	struct config
		config; /* the one set that is ready; another takes its place: sets are used one after the other */
	uint8_t *data;	/* counter data image of the session */
	size_t data_size;
	/* The profiler stays enabled from session to session: enabling, and the first start after it, cost 0.2 s. It is
	 * enabled anew for another set of counters. */
	CUpti_RangeProfiler_Object *enabled;
	size_t capacity; /* maxRangesPerPass since it was enabled; 0: it never was */
};

enum bc_status bc_cuda_counters_open(const struct bc_cupti_api *api, CUcontext ctx, unsigned index,
				     struct bc_cuda_counters **out, struct bc_error *err)
{
	struct bc_cuda_counters *c = calloc(1, sizeof(*c));
	enum bc_status st;

	if (!c)
		return bc_fail(err, BC_ENOMEM, "counters: out of memory");
	c->api = api;
	c->ctx = ctx;

	CUpti_Profiler_Initialize_Params init = { .structSize = BC_CUPTI_BYTES(Profiler_Initialize) };
	CUpti_Device_GetChipName_Params chip = { .structSize = BC_CUPTI_BYTES(Device_GetChipName),
						 .deviceIndex = index };
	CUpti_Profiler_GetCounterAvailability_Params avail = { .structSize =
								       BC_CUPTI_BYTES(Profiler_GetCounterAvailability),
							       .ctx = ctx };

	st = bc_cupti_check(c->api->cuptiProfilerInitialize(&init), "cuptiProfilerInitialize", err);
	if (!st)
		st = bc_cupti_check(c->api->cuptiDeviceGetChipName(&chip), "cuptiDeviceGetChipName", err);
	if (!st)
		st = bc_cupti_check(c->api->cuptiProfilerGetCounterAvailability(&avail),
				    "cuptiProfilerGetCounterAvailability", err);
	if (st)
		goto out;
	c->chip = chip.pChipName;
	c->availability = malloc(avail.counterAvailabilityImageSize);
	if (!c->availability) {
		st = bc_fail(err, BC_ENOMEM, "counters: out of memory");
		goto out;
	}
	avail.pCounterAvailabilityImage = c->availability;
	st = bc_cupti_check(c->api->cuptiProfilerGetCounterAvailability(&avail), "cuptiProfilerGetCounterAvailability",
			    err);
	if (st)
		goto out;
	*out = c;
	c = NULL;
out:
	bc_cuda_counters_close(c);
	return st;
}

static enum bc_status host_open(struct bc_cuda_counters *c, CUpti_Profiler_Host_Object **host, struct bc_error *err)
{
	CUpti_Profiler_Host_Initialize_Params p = {
		.structSize = BC_CUPTI_BYTES(Profiler_Host_Initialize),
		.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER,
		.pChipName = c->chip,
		.pCounterAvailabilityImage = c->availability,
	};
	enum bc_status st = bc_cupti_check(c->api->cuptiProfilerHostInitialize(&p), "cuptiProfilerHostInitialize", err);

	if (!st)
		*host = p.pHostObject;
	return st;
}

static void host_close(struct bc_cuda_counters *c, CUpti_Profiler_Host_Object *host)
{
	CUpti_Profiler_Host_Deinitialize_Params p = { .structSize = BC_CUPTI_BYTES(Profiler_Host_Deinitialize),
						      .pHostObject = host };

	if (host)
		(void)c->api->cuptiProfilerHostDeinitialize(&p); /* nothing to do about a failure */
}

static CUptiResult add_metrics(struct bc_cuda_counters *c, CUpti_Profiler_Host_Object *host, const char **names,
			       size_t n)
{
	CUpti_Profiler_Host_ConfigAddMetrics_Params p = { .structSize = BC_CUPTI_BYTES(Profiler_Host_ConfigAddMetrics),
							  .pHostObject = host,
							  .ppMetricNames = names,
							  .numMetrics = n };

	return c->api->cuptiProfilerHostConfigAddMetrics(&p);
}

/* Which of the wanted metrics the chip has. A host object that refused one metric refuses all later ones, so each is
 * asked in an object of its own. */
static enum bc_status probe(struct bc_cuda_counters *c, struct config *k, struct bc_error *err)
{
	size_t kept = 0;

	for (size_t i = 0; i < k->n; i++) {
		CUpti_Profiler_Host_Object *host = NULL;
		enum bc_status st = host_open(c, &host, err);

		if (st)
			return st;
		if (add_metrics(c, host, &k->name[i], 1) == CUPTI_SUCCESS) {
			k->name[kept] = k->name[i];
			k->counter[kept++] = k->counter[i];
		}
		host_close(c, host);
	}
	k->n = kept;
	return BC_OK;
}

/* The host object with all metrics added; metrics the chip lacks are dropped. */
static enum bc_status add_wanted(struct bc_cuda_counters *c, struct config *k, struct bc_error *err)
{
	enum bc_status st = host_open(c, &k->host, err);

	if (st)
		return st;
	if (add_metrics(c, k->host, k->name, k->n) == CUPTI_SUCCESS)
		return BC_OK;
	host_close(c, k->host);
	k->host = NULL;
	st = probe(c, k, err);
	if (!st && !k->n)
		return bc_fail(err, BC_EDEVICE, "chip %s has none of the counters asked for", c->chip);
	if (!st)
		st = host_open(c, &k->host, err);
	if (!st)
		st = bc_cupti_check(add_metrics(c, k->host, k->name, k->n), "cuptiProfilerHostConfigAddMetrics", err);
	return st;
}

static enum bc_status config_image(struct bc_cuda_counters *c, struct config *k, struct bc_error *err)
{
	CUpti_Profiler_Host_GetConfigImageSize_Params size = { .structSize =
								       BC_CUPTI_BYTES(Profiler_Host_GetConfigImageSize),
							       .pHostObject = k->host };
	enum bc_status st = bc_cupti_check(c->api->cuptiProfilerHostGetConfigImageSize(&size),
					   "cuptiProfilerHostGetConfigImageSize", err);

	if (st)
		return st;
	k->image_size = size.configImageSize;
	k->image = malloc(k->image_size);
	if (!k->image)
		return bc_fail(err, BC_ENOMEM, "counters: out of memory");

	CUpti_Profiler_Host_GetConfigImage_Params image = { .structSize = BC_CUPTI_BYTES(Profiler_Host_GetConfigImage),
							    .pHostObject = k->host,
							    .configImageSize = k->image_size,
							    .pConfigImage = k->image };

	return bc_cupti_check(c->api->cuptiProfilerHostGetConfigImage(&image), "cuptiProfilerHostGetConfigImage", err);
}

static void config_release(struct bc_cuda_counters *c)
{
	host_close(c, c->config.host);
	free(c->config.image);
	free(c->config.pristine);
	memset(&c->config, 0, sizeof(c->config));
}

/* Make the set @want ready in c->config. The profiler must not be enabled for another one. */
static enum bc_status config_make(struct bc_cuda_counters *c, uint32_t want, struct bc_error *err)
{
	struct config *k = &c->config;
	enum bc_status st = BC_OK;

	config_release(c);
	k->want = want;
	for (unsigned i = 0; i < BC_NCOUNTERS; i++) {
		if (!(want >> i & 1u) || !metrics[i])
			continue;
		k->name[k->n] = metrics[i];
		k->counter[k->n++] = (enum bc_counter)i;
	}
	if (!k->n)
		st = bc_fail(err, BC_EDEVICE, "no CUPTI metric for the counters asked for");
	if (!st)
		st = add_wanted(c, k, err);
	if (!st)
		st = config_image(c, k, err);
	if (st)
		config_release(c); /* made anew next time */
	return st;
}

/* The session's counter data image: initialised once a configuration, copied afterwards (initialising is slow). */
static enum bc_status counter_data(struct bc_cuda_counters *c, struct config *k, CUpti_RangeProfiler_Object *rp,
				   struct bc_error *err)
{
	enum bc_status st = BC_OK;

	if (!k->pristine) {
		CUpti_RangeProfiler_GetCounterDataSize_Params size = { .structSize = BC_CUPTI_BYTES(
									       RangeProfiler_GetCounterDataSize),
								       .pRangeProfilerObject = rp,
								       .pMetricNames = k->name,
								       .numMetrics = k->n,
								       .maxNumOfRanges = BC_SESSION_RANGES,
								       .maxNumRangeTreeNodes = BC_SESSION_RANGES };

		st = bc_cupti_check(c->api->cuptiRangeProfilerGetCounterDataSize(&size),
				    "cuptiRangeProfilerGetCounterDataSize", err);
		if (st)
			return st;
		k->data_size = size.counterDataSize;
		k->pristine = malloc(k->data_size);
		if (!k->pristine)
			return bc_fail(err, BC_ENOMEM, "counters: out of memory");

		CUpti_RangeProfiler_CounterDataImage_Initialize_Params init = {
			.structSize = BC_CUPTI_BYTES(RangeProfiler_CounterDataImage_Initialize),
			.pRangeProfilerObject = rp,
			.counterDataSize = k->data_size,
			.pCounterData = k->pristine
		};

		st = bc_cupti_check(c->api->cuptiRangeProfilerCounterDataImageInitialize(&init),
				    "cuptiRangeProfilerCounterDataImageInitialize", err);
		if (st) {
			free(k->pristine);
			k->pristine = NULL;
			return st;
		}
	}
	if (c->data_size < k->data_size) {
		uint8_t *p = realloc(c->data, k->data_size);

		if (!p)
			return bc_fail(err, BC_ENOMEM, "counters: out of memory");
		c->data = p;
		c->data_size = k->data_size;
	}
	memcpy(c->data, k->pristine, k->data_size);
	return BC_OK;
}

/* Let the session that starts next fill c->data. */
static enum bc_status set_config(struct bc_cuda_counters *c, bool replay, struct bc_error *err)
{
	CUpti_RangeProfiler_SetConfig_Params set = { .structSize = BC_CUPTI_BYTES(RangeProfiler_SetConfig),
						     .pRangeProfilerObject = c->enabled,
						     .configSize = c->config.image_size,
						     .pConfig = c->config.image,
						     .counterDataImageSize = c->config.data_size,
						     .pCounterDataImage = c->data,
						     .range = replay ? CUPTI_AutoRange : CUPTI_UserRange,
						     .replayMode = replay ? CUPTI_KernelReplay : CUPTI_UserReplay,
						     .maxRangesPerPass = c->capacity,
						     .numNestingLevels = 1,
						     .minNestingLevel = 1,
						     .passIndex = 0,
						     .targetNestingLevel = 1 };

	return bc_cupti_check(c->api->cuptiRangeProfilerSetConfig(&set), "cuptiRangeProfilerSetConfig", err);
}

static enum bc_status start(struct bc_cuda_counters *c, struct bc_error *err)
{
	CUpti_RangeProfiler_Start_Params p = { .structSize = BC_CUPTI_BYTES(RangeProfiler_Start),
					       .pRangeProfilerObject = c->enabled };

	return bc_cupti_check(c->api->cuptiRangeProfilerStart(&p), "cuptiRangeProfilerStart", err);
}

/* @all: all passes that the set needs have been made */
static enum bc_status stop(struct bc_cuda_counters *c, bool *all, struct bc_error *err)
{
	CUpti_RangeProfiler_Stop_Params p = { .structSize = BC_CUPTI_BYTES(RangeProfiler_Stop),
					      .pRangeProfilerObject = c->enabled };
	enum bc_status st = bc_cupti_check(c->api->cuptiRangeProfilerStop(&p), "cuptiRangeProfilerStop", err);

	*all = p.isAllPassSubmitted != 0;
	return st;
}

static enum bc_status decode(struct bc_cuda_counters *c, size_t n, struct bc_error *err)
{
	CUpti_RangeProfiler_DecodeData_Params p = { .structSize = BC_CUPTI_BYTES(RangeProfiler_DecodeData),
						    .pRangeProfilerObject = c->enabled };
	enum bc_status st =
		bc_cupti_check(c->api->cuptiRangeProfilerDecodeData(&p), "cuptiRangeProfilerDecodeData", err);

	if (!st && p.numOfRangeDropped)
		st = bc_fail(err, BC_EDEVICE, "CUPTI dropped %zu of %zu ranges", p.numOfRangeDropped, n);
	return st;
}

static enum bc_status collect(struct bc_cuda_counters *c, size_t n, bc_launch_all *launch, void *ctx,
			      struct bc_error *err)
{
	enum bc_status st = set_config(c, false, err);

	for (bool done = false; !st && !done;) {
		enum bc_status launched;

		st = start(c, err);
		if (st)
			break;
		launched = launch(ctx, err);
		st = stop(c, &done, launched ? NULL : err);
		if (launched)
			st = launched;
	}
	return st ? st : decode(c, n, err);
}

static enum bc_status evaluate(struct bc_cuda_counters *c, struct config *k, size_t range, struct bc_counts *out,
			       struct bc_error *err)
{
	double value[BC_NCOUNTERS];
	CUpti_Profiler_Host_EvaluateToGpuValues_Params p = { .structSize =
								     BC_CUPTI_BYTES(Profiler_Host_EvaluateToGpuValues),
							     .pHostObject = k->host,
							     .pCounterDataImage = c->data,
							     .counterDataImageSize = k->data_size,
							     .rangeIndex = range,
							     .ppMetricNames = k->name,
							     .numMetrics = k->n,
							     .pMetricValues = value };
	enum bc_status st = bc_cupti_check(c->api->cuptiProfilerHostEvaluateToGpuValues(&p),
					   "cuptiProfilerHostEvaluateToGpuValues", err);

	if (st)
		return st;
	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < k->n; i++) {
		if (!isfinite(value[i]) || value[i] < 0 || value[i] > 9e15)
			return bc_fail(err, BC_EDEVICE, "CUPTI reads %s as %g", k->name[i], value[i]);
		out->v[k->counter[i]] = (uint64_t)llround(value[i]);
		out->present |= UINT32_C(1) << k->counter[i];
	}
	return BC_OK;
}

static enum bc_status disable(struct bc_cuda_counters *c, struct bc_error *err)
{
	CUpti_RangeProfiler_Disable_Params p = { .structSize = BC_CUPTI_BYTES(RangeProfiler_Disable),
						 .pRangeProfilerObject = c->enabled };

	if (!c->enabled)
		return BC_OK;
	c->enabled = NULL;
	return bc_cupti_check(c->api->cuptiRangeProfilerDisable(&p), "cuptiRangeProfilerDisable", err);
}

/* Ready for @n ranges of the set @want: as it is, or enabled anew. CUPTI sizes its buffers by the maxRangesPerPass of
 * the first session after enabling (twice that many ranges fit; further ones read as NaN), so it stays as it is from
 * then on; and a configuration of other metrics that is set without enabling anew is silently not taken. */
static enum bc_status enable(struct bc_cuda_counters *c, uint32_t want, size_t n, struct bc_error *err)
{
	CUpti_RangeProfiler_Enable_Params p = { .structSize = BC_CUPTI_BYTES(RangeProfiler_Enable), .ctx = c->ctx };
	const bool same = c->config.n && c->config.want == want;
	enum bc_status st;

	if (c->enabled && same && n <= c->capacity)
		return BC_OK;
	st = disable(c, err);
	if (!st && !same)
		st = config_make(c, want, err);
	if (!st)
		st = bc_cupti_check(c->api->cuptiRangeProfilerEnable(&p), "cuptiRangeProfilerEnable", err);
	if (!st) { /* a run that enables it again is no small one */
		c->capacity = !c->capacity && n <= SMALL_SESSION ? SMALL_SESSION : BC_SESSION_RANGES;
		c->enabled = p.pRangeProfilerObject;
	}
	return st;
}

enum bc_status bc_cuda_counters_push(struct bc_cuda_counters *c, size_t index, struct bc_error *err)
{
	char name[32];
	CUpti_RangeProfiler_PushRange_Params p = { .structSize = BC_CUPTI_BYTES(RangeProfiler_PushRange),
						   .pRangeProfilerObject = c->enabled,
						   .pRangeName = name };

	(void)snprintf(name, sizeof(name), "%zu", index);
	return bc_cupti_check(c->api->cuptiRangeProfilerPushRange(&p), "cuptiRangeProfilerPushRange", err);
}

enum bc_status bc_cuda_counters_pop(struct bc_cuda_counters *c, struct bc_error *err)
{
	CUpti_RangeProfiler_PopRange_Params p = { .structSize = BC_CUPTI_BYTES(RangeProfiler_PopRange),
						  .pRangeProfilerObject = c->enabled };

	return bc_cupti_check(c->api->cuptiRangeProfilerPopRange(&p), "cuptiRangeProfilerPopRange", err);
}

enum bc_status bc_cuda_counters_session(struct bc_cuda_counters *c, uint32_t want, size_t n, bc_launch_all *launch,
					void *ctx, struct bc_counts *counts, struct bc_error *err)
{
	struct config *k = &c->config;
	enum bc_status st = enable(c, want, n, err);

	if (!st)
		st = counter_data(c, k, c->enabled, err);
	if (!st)
		st = collect(c, n, launch, ctx, err);
	for (size_t i = 0; !st && i < n; i++)
		st = evaluate(c, k, i, &counts[i], err);
	if (st)
		(void)disable(c, NULL); /* start anew after a failure; its own failure adds nothing */
	return st;
}

enum bc_status bc_cuda_counters_passes(struct bc_cuda_counters *c, uint32_t want, size_t *passes, uint32_t *has,
				       struct bc_error *err)
{
	enum bc_status st = disable(c, err);

	*passes = 0;
	*has = 0;
	if (!st)
		st = config_make(c, want, err);
	if (st)
		return st;

	CUpti_Profiler_Host_GetNumOfPasses_Params p = { .structSize = BC_CUPTI_BYTES(Profiler_Host_GetNumOfPasses),
							.configImageSize = c->config.image_size,
							.pConfigImage = c->config.image };

	st = bc_cupti_check(c->api->cuptiProfilerHostGetNumOfPasses(&p), "cuptiProfilerHostGetNumOfPasses", err);
	*passes = p.numOfPasses;
	for (size_t i = 0; i < c->config.n; i++)
		*has |= UINT32_C(1) << c->config.counter[i];
	return st;
}

enum bc_status bc_cuda_counters_begin(struct bc_cuda_counters *c, uint32_t want, bool replay, struct bc_error *err)
{
	enum bc_status st = enable(c, want, BC_SESSION_RANGES, err);

	if (!st)
		st = counter_data(c, &c->config, c->enabled, err);
	if (!st)
		st = set_config(c, replay, err);
	if (!st)
		st = start(c, err);
	if (st)
		(void)disable(c, NULL);
	return st;
}

enum bc_status bc_cuda_counters_end(struct bc_cuda_counters *c, size_t *n, struct bc_counts *counts,
				    struct bc_error *err)
{
	CUpti_RangeProfiler_GetCounterDataInfo_Params info = { .structSize =
								       BC_CUPTI_BYTES(RangeProfiler_GetCounterDataInfo),
							       .pCounterDataImage = c->data,
							       .counterDataImageSize = c->config.data_size };
	bool all = false;
	enum bc_status st = stop(c, &all, err);

	*n = 0;
	if (!st && !all)
		st = bc_fail(err, BC_EDEVICE, "the counters of one session need more than one pass");
	if (!st)
		st = decode(c, BC_SESSION_RANGES, err);
	if (!st)
		st = bc_cupti_check(c->api->cuptiRangeProfilerGetCounterDataInfo(&info),
				    "cuptiRangeProfilerGetCounterDataInfo", err);
	if (!st && info.numTotalRanges > BC_SESSION_RANGES)
		st = bc_fail(err, BC_EDEVICE, "CUPTI has %zu ranges", info.numTotalRanges);
	for (size_t i = 0; !st && i < info.numTotalRanges; i++)
		st = evaluate(c, &c->config, i, &counts[i], err);
	if (st)
		(void)disable(c, NULL);
	else
		*n = info.numTotalRanges;
	return st;
}

enum bc_status bc_cuda_counters_rest(struct bc_cuda_counters *c, struct bc_error *err)
{
	return disable(c, err);
}

bool bc_cuda_counters_are_enabled(const struct bc_cuda_counters *c)
{
	return c->enabled != NULL;
}

void bc_cuda_counters_close(struct bc_cuda_counters *c)
{
	if (!c)
		return;
	(void)disable(c, NULL);
	config_release(c);
	free(c->data);
	free(c->availability);
	free(c);
}
