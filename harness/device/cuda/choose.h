/* SPDX-License-Identifier: MIT */
/* harness/device/cuda/choose.h - which of the folders of kernel images a GPU and its driver take. */
#ifndef BC_DEVICE_CUDA_CHOOSE_H
#define BC_DEVICE_CUDA_CHOOSE_H

#include "harness/core/facts.h"
#include "harness/device/cuda/api.h"

/**
 * bc_cuda_choose_images - the first folder whose images the driver loads on this GPU
 * @cu:     with a context that is current
 * @dir:    the folder of images
 * @beside: those beside it count too (bc_image_sets_find), and one of a newer major version than the driver's is not
 *          tried; false: @dir alone, and the driver decides
 * @f:      arch, driver and cuda are read; images is filled: the folder's name, and why none before it was taken
 * @out:    [size] the folder. One that has no file `toolkit` is taken when no other was: nothing is known of it.
 *
 * Return: BC_EIMAGES with the reason for each folder and the cure.
 */
enum bc_status bc_cuda_choose_images(const struct bc_cuda_api *cu, const char *dir, bool beside, struct bc_facts *f,
				     char *out, size_t size, struct bc_error *err);

#endif
