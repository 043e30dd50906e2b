/* SPDX-License-Identifier: MIT */
/* harness/device/cuda/nvml.h - the GPU's state by NVML (libnvidia-ml.so.1), opened at run time; its header is not needed. */
#ifndef BC_DEVICE_CUDA_NVML_H
#define BC_DEVICE_CUDA_NVML_H

#include "harness/device/device.h"

/* Read what can be read of the GPU with this UUID ("GPU-..."). Without NVML nothing is: every has_* is false. */
void bc_nvml_read(const char *uuid, struct bc_gpu_reading *out);

#endif
