/* SPDX-License-Identifier: MIT */
/* harness/device/environment.h - what of this process's environment changes what a GPU runs, for the report. */
#ifndef BC_DEVICE_ENVIRONMENT_H
#define BC_DEVICE_ENVIRONMENT_H

#include "harness/base/base.h"

/**
 * bc_environment - the variables that are set and that the CUDA driver or CUPTI acts on
 * @out: [size] "CUDA_FORCE_PTX_JIT=1 CUDA_MODULE_LOADING=EAGER", in the order of our table; "" when none is set. What
 * does not fit is cut, and "..." says so.
 */
void bc_environment(char *out, size_t size);

/* @path with the user's home folder, if it begins with it, written as ~. Cut to @size - 1 bytes. */
void bc_without_home(const char *path, char *out, size_t size);

#endif
