/* SPDX-License-Identifier: MIT */
/* harness/device/refusal.h - why the driver or CUPTI said no, and the cure. Pure, and without their headers. */
#ifndef BC_DEVICE_REFUSAL_H
#define BC_DEVICE_REFUSAL_H

#include "harness/base/base.h"

/**
 * bc_refusal_cupti - the cure for a CUPTI result that is no success
 * @code:   CUptiResult, as CUDA 13 numbers them
 * @kernel: release of the running kernel (uname -r); one that names Microsoft is WSL's, where permission (35, 45) is
 * not Linux's to give
 *
 * Return: what to do; never NULL or "": results without a cure of their own have the general one.
 */
const char *bc_refusal_cupti(int code, const char *kernel);

/* "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES", of the results that refuse counters; "" for another. */
const char *bc_refusal_cupti_name(int code);

/* The cure for a CUDA driver result (CUresult); "" for one that has none: it is the kernel's or the launch's. */
const char *bc_refusal_cuda(int code);

/**
 * bc_refusal_mps - add to why counters are refused that the process runs under MPS, which may be why
 * @msg: [size] an error's text; extended when there is room
 */
void bc_refusal_mps(char *msg, size_t size);

/* Each CUPTI result that refuses counters, for the device that has CUPTI's header to check the numbers against. */
enum bc_refusal_code {
	BC_REFUSED_INVALID_OPERATION = 7,
	BC_REFUSED_OUT_OF_MEMORY = 8,
	BC_REFUSED_HARDWARE = 9,
	BC_REFUSED_NOT_IMPLEMENTED = 11,
	BC_REFUSED_MAX_LIMIT = 12,
	BC_REFUSED_NOT_COMPATIBLE = 14,
	BC_REFUSED_NOT_INITIALIZED = 15,
	BC_REFUSED_METRIC_NAME = 17,
	BC_REFUSED_DISABLED = 23,
	BC_REFUSED_BUSY = 26,
	BC_REFUSED_NOT_SUPPORTED = 27,
	BC_REFUSED_MPS = 31,
	BC_REFUSED_VIRTUAL = 33,
	BC_REFUSED_PRIVILEGES = 35,
	BC_REFUSED_OLD_API = 36,
	BC_REFUSED_LEGACY = 38,
	BC_REFUSED_SUBSCRIBERS = 39,
	BC_REFUSED_VIRTUAL_PRIVILEGES = 40,
	BC_REFUSED_CONFIDENTIAL = 41,
	BC_REFUSED_CMP = 42,
	BC_REFUSED_MIG = 43,
	BC_REFUSED_SLI = 44,
	BC_REFUSED_WSL = 45,
	BC_REFUSED_CHIP = 46,
	BC_REFUSED_UNKNOWN = 999,
};

#endif
