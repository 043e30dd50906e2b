/* SPDX-License-Identifier: MIT */
/* harness/device/cuda/metrics.h - which chips a CUPTI knows, and which counters it has for each. */
#ifndef BC_DEVICE_CUDA_METRICS_H
#define BC_DEVICE_CUDA_METRICS_H

#include "harness/device/device.h"

/**
 * bc_cuda_metrics - the metrics of struct bc_device_ops
 *
 * Asks CUPTI's host API, which needs no GPU; up to CUDA 13.1 it needs no driver either. Return: BC_EDEVICE naming the
 * library and the call when it lists no chips.
 */
enum bc_status bc_cuda_metrics(const struct bc_open_options *o, struct bc_text *out, struct bc_error *err);

#endif
