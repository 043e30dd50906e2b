/* SPDX-License-Identifier: MIT */
/* harness/device/images.h - what the kernel images that a GPU runs are, and what made them.
 *
 * A folder of images has a file `toolkit` beside them (tools/toolkit-file.sh writes it): lines "release 13.0",
 * "route nvcc" or "route nvrtc", "nvcc 13.0.88" or "ptxas 12.4.131", and "image HASH  NAME.fatbin" for each image.
 */
#ifndef BC_DEVICE_IMAGES_H
#define BC_DEVICE_IMAGES_H

#include "harness/core/facts.h"

enum bc_image_code {
	BC_IMAGE_UNKNOWN = 0, /* not the form of file that is known */
	BC_IMAGE_MACHINE,     /* machine code for the GPU is in it */
	BC_IMAGE_PTX,	      /* only PTX, which the driver compiles */
	BC_IMAGE_NEITHER,     /* nothing that the GPU can run */
};

/**
 * bc_image_code - what of an image a GPU takes
 * @data: [len] a .fatbin
 * @cc:   the GPU's, 90 for sm_90
 * @arch: the architecture of what it takes; set for BC_IMAGE_MACHINE and BC_IMAGE_PTX
 *
 * Machine code of the same major version and at most the same minor runs, the highest first; PTX of any lower
 * architecture is compiled when there is none. Pure.
 */
enum bc_image_code bc_image_code(const void *data, size_t len, unsigned cc, unsigned *arch);

/* What is gathered of the images of a folder, one by one. */
struct bc_images {
	struct bc_text toolkit; /* the file; empty when there is none */
	bool stale;		/* an image is not the one that the file names */
	unsigned cc;
	size_t machine, ptx, other; /* images by code */
	unsigned arch;		    /* of the machine code */
	char first_ptx[64];	    /* the first image with none */
};

/* Read <dir>/toolkit; a folder without one is no failure. Return: BC_ENOMEM. */
enum bc_status bc_images_begin(struct bc_images *im, const char *dir, unsigned cc, struct bc_error *err);

/* The value of the first line "@key VALUE" of the file `toolkit`; "" when there is none. */
void bc_images_value(const struct bc_images *im, const char *key, char *out, size_t size);

/* What made the images, by the file `toolkit` and the images looked at: "CUDA 13.0 by nvcc 13.0.88"; "": not known. */
void bc_images_toolkit(const struct bc_images *im, char *out, size_t size);

/* Look at the image @name ("sync"), whose file holds @data. */
void bc_images_add(struct bc_images *im, const char *name, const void *data, size_t len);

/**
 * bc_images_facts - say what was gathered
 * @f: toolkit and code are filled; toolkit is "" when nothing is known of it
 */
void bc_images_facts(const struct bc_images *im, struct bc_facts *f);

void bc_images_release(struct bc_images *im);

#endif
