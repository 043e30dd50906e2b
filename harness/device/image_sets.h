/* SPDX-License-Identifier: MIT */
/* harness/device/image_sets.h - folders of kernel images made by different CUDA releases, side by side.
 *
 *   kernels/           the images that come with the program
 *   kernels-12.9/      the same kernels by another release, for drivers that do not take the first
 *
 * A folder says by its file `toolkit` (harness/device/images.h) which release made it.
 */
#ifndef BC_DEVICE_IMAGE_SETS_H
#define BC_DEVICE_IMAGE_SETS_H

#include "harness/base/base.h"

struct bc_image_set {
	char dir[1200];
	char name[64];	       /* the folder's, without what is above it: "kernels-12.9" */
	char release[16];      /* "12.9"; "": no file says which */
	unsigned major, minor; /* of the release */
	char toolkit[96];      /* "CUDA 12.9 by NVRTC and ptxas 12.9.86"; "": not known */
	char archs[128];       /* machine code in them: "70 75 80 86"; "": not known */
	char first[64];	       /* the first image that the file names, "async"; "": none */
};

/**
 * bc_image_sets_find - the folders of images that a run may take
 * @dir:    a folder; it need not be there
 * @beside: also those beside it that are named "<dir>-<anything>" and whose file `toolkit` names images
 * @out:    [n] malloc'ed, the caller frees it: @dir first, then the newest release first; @dir comes last when it has
 *          no file `toolkit`
 *
 * Return: BC_ENOMEM; BC_EREAD for a folder above them that is there and cannot be listed.
 */
enum bc_status bc_image_sets_find(const char *dir, bool beside, struct bc_image_set **out, size_t *n,
				  struct bc_error *err);

/* What made them, each folder's toolkit once: "CUDA 13.0 by nvcc 13.0.88; CUDA 12.9 by NVRTC and ptxas 12.9.86"; "":
 * nothing is known. */
void bc_image_sets_toolkits(const struct bc_image_set *sets, size_t n, char *out, size_t size);

/* The oldest driver for the machine code of a CUDA release, of its major version: "580.65.06"; "": not known. */
const char *bc_image_set_driver(unsigned major);

#endif
