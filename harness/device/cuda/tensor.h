/* SPDX-License-Identifier: MIT */
/* harness/device/cuda/tensor.h - the tensor maps of a launch, made by the driver. */
#ifndef BC_DEVICE_CUDA_TENSOR_H
#define BC_DEVICE_CUDA_TENSOR_H

#include "harness/device/cuda/api.h"
#include "harness/device/device.h"

/**
 * bc_cuda_tensor_maps - write the tensor maps of a launch into its parameters
 * @addresses: [l->nbuffers] of its buffers on the device
 * @params:    [l->params_size]
 *
 * Return: BC_EDEVICE when the driver refuses one, with its reason; no error of the context comes of it. BC_EUSAGE when
 * one names a buffer or a place that is not there.
 */
enum bc_status bc_cuda_tensor_maps(const struct bc_cuda_api *cu, const struct bc_launch *l, const uint64_t *addresses,
				   unsigned char *params, struct bc_error *err);

#endif
