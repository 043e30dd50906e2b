/* SPDX-License-Identifier: MIT */
/* harness/device/cuda/facts.h - the GPUs that are here, and what each says of itself. */
#ifndef BC_DEVICE_CUDA_FACTS_H
#define BC_DEVICE_CUDA_FACTS_H

#include "harness/device/cuda/api.h"
#include "harness/device/device.h"

/* A number the driver says of the device; 0: it does not know it, or says 0 or less. */
uint32_t bc_cuda_attribute(const struct bc_cuda_api *cu, CUdevice dev, CUdevice_attribute a);

/**
 * bc_cuda_facts - what the driver says of one GPU
 * @index: CUDA's, among those that CUDA_VISIBLE_DEVICES leaves
 *
 * cuInit must have been called. Numbers that it does not know are 0, texts "". Return: BC_EDEVICE.
 */
enum bc_status bc_cuda_facts(const struct bc_cuda_api *cu, unsigned index, struct bc_facts *f, struct bc_error *err);

/* The list of struct bc_device_ops; @o plays no part. */
enum bc_status bc_cuda_list(const struct bc_open_options *o, struct bc_facts **out, size_t *n, struct bc_error *err);

#endif
