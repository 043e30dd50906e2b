/* SPDX-License-Identifier: MIT */
#include "harness/device/cuda/layout.h"

#include "harness/device/cuda/api.h"
#include "harness/device/refusal.h"

/* These headers still have each member where CUDA 12.6 Update 2 had it; what newer ones added comes after. */
#define SAME_LAYOUT(name, last, bytes)                                                                                \
	_Static_assert(offsetof(CUpti_##name##_Params, last) + sizeof(((CUpti_##name##_Params *)0)->last) == (bytes), \
		       "CUpti_" #name "_Params is not laid out as in CUDA 12.6 Update 2");                            \
	_Static_assert((bytes) <= sizeof(CUpti_##name##_Params), #name);
BC_CUPTI_STRUCTS(SAME_LAYOUT)

/* The numbers of refusal.h are CUPTI's. */
#define SAME(ours, theirs) _Static_assert((int)BC_REFUSED_##ours == (int)CUPTI_ERROR_##theirs, #theirs)
SAME(INVALID_OPERATION, INVALID_OPERATION);
SAME(OUT_OF_MEMORY, OUT_OF_MEMORY);
SAME(HARDWARE, HARDWARE);
SAME(NOT_IMPLEMENTED, API_NOT_IMPLEMENTED);
SAME(MAX_LIMIT, MAX_LIMIT_REACHED);
SAME(NOT_COMPATIBLE, NOT_COMPATIBLE);
SAME(NOT_INITIALIZED, NOT_INITIALIZED);
SAME(METRIC_NAME, INVALID_METRIC_NAME);
SAME(DISABLED, DISABLED);
SAME(BUSY, HARDWARE_BUSY);
SAME(NOT_SUPPORTED, NOT_SUPPORTED);
SAME(MPS, UM_PROFILING_NOT_SUPPORTED_WITH_MPS);
SAME(VIRTUAL, VIRTUALIZED_DEVICE_NOT_SUPPORTED);
SAME(PRIVILEGES, INSUFFICIENT_PRIVILEGES);
SAME(OLD_API, OLD_PROFILER_API_INITIALIZED);
SAME(LEGACY, LEGACY_PROFILER_NOT_SUPPORTED);
SAME(SUBSCRIBERS, MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
SAME(VIRTUAL_PRIVILEGES, VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES);
SAME(CONFIDENTIAL, CONFIDENTIAL_COMPUTING_NOT_SUPPORTED);
SAME(CMP, CMP_DEVICE_NOT_SUPPORTED);
#if CUPTI_API_VERSION >= 26 /* CUDA 12.8 named these */
SAME(MIG, MIG_DEVICE_NOT_SUPPORTED);
SAME(SLI, SLI_DEVICE_NOT_SUPPORTED);
SAME(WSL, WSL_DEVICE_NOT_SUPPORTED);
#endif
#if CUPTI_API_VERSION >= 130001 /* and CUDA 13.0 this one */
SAME(CHIP, INVALID_CHIP_NAME);
#endif
SAME(UNKNOWN, UNKNOWN);
