/* SPDX-License-Identifier: MIT */
#include "harness/device/cuda/choose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/device/image_sets.h"
#include "harness/device/images.h"

#define IMAGE_MAX (64u << 20)

/* Results by which a driver refuses an image, whatever the GPU's state: it is too old for it, or there is no code. */
static bool is_refusal(CUresult r)
{
	return r == CUDA_ERROR_INVALID_IMAGE || r == CUDA_ERROR_NO_BINARY_FOR_GPU || r == CUDA_ERROR_INVALID_PTX ||
	       r == CUDA_ERROR_JIT_COMPILER_NOT_FOUND || r == CUDA_ERROR_UNSUPPORTED_PTX_VERSION ||
	       r == CUDA_ERROR_JIT_COMPILATION_DISABLED || r == CUDA_ERROR_INVALID_SOURCE ||
	       r == CUDA_ERROR_NOT_SUPPORTED;
}

/* "kernels-12.9 (CUDA 12.9): needs a driver of 525.60.13 or newer" */
static void say_too_new(const struct bc_image_set *s, char *why, size_t size)
{
	const char *driver = bc_image_set_driver(s->major);

	(void)snprintf(why, size, "%s (CUDA %s) needs a driver of %s%s or newer", s->name, s->release,
		       driver[0] ? "" : "CUDA ", driver[0] ? driver : s->release);
}

/* Load the folder's first image. Return: BC_OK also when the driver refuses it: then @why is not "". */
static enum bc_status try_set(const struct bc_cuda_api *cu, const struct bc_image_set *s, unsigned cc,
			      unsigned driver_major, bool only_one, char *why, size_t size, struct bc_error *err)
{
	struct bc_text text = { 0 };
	struct bc_error bad = { .msg = "" };
	CUmodule module = NULL;
	unsigned arch = 0;
	char path[1400];
	CUresult r;
	enum bc_status st;

	why[0] = '\0';
	if (!s->first[0])
		return BC_OK;
	if (!only_one && s->major > driver_major) {
		say_too_new(s, why, size);
		return BC_OK;
	}
	(void)snprintf(path, sizeof(path), "%s/%s.fatbin", s->dir, s->first);
	st = bc_file_read(path, IMAGE_MAX, &text, &bad);
	if (st == BC_ENOMEM)
		return bc_fail(err, st, "%s", bad.msg);
	if (st) {
		(void)bc_strlcpy(why, bad.msg, size);
		return BC_OK;
	}
	r = cu->cuModuleLoadData(&module, text.data);
	if (r == CUDA_SUCCESS)
		(void)cu->cuModuleUnload(module);
	else if (s->major > driver_major)
		say_too_new(s, why, size);
	else if (is_refusal(r) && bc_image_code(text.data, text.len, cc, &arch) == BC_IMAGE_NEITHER)
		(void)snprintf(why, size, "%s (CUDA %s) has no code for sm_%u", s->name, s->release, cc);
	else if (bc_cuda_check(r, "cuModuleLoadData", s->first, &bad))
		(void)snprintf(why, size, "%s (CUDA %s): %.280s", s->name, s->release, bad.msg);
	bc_text_release(&text);
	return why[0] && r != CUDA_SUCCESS && !is_refusal(r) && s->major <= driver_major
		       ? bc_fail(err, BC_EDEVICE, "%s", why)
		       : BC_OK;
}

static void append_reason(char *all, size_t size, const char *why)
{
	const size_t len = strlen(all);

	if (len < size)
		(void)snprintf(all + len, size - len, "%s%s", len ? "; " : "", why);
}

enum bc_status bc_cuda_choose_images(const struct bc_cuda_api *cu, const char *dir, bool beside, struct bc_facts *f,
				     char *out, size_t size, struct bc_error *err)
{
	const unsigned cc = (unsigned)strtoul(f->arch + 3, NULL, 10);
	struct bc_image_set *sets = NULL;
	char why[400], all[700] = "";
	size_t n = 0, i = 0;
	int version = 0;
	enum bc_status st = bc_cuda_check(cu->cuDriverGetVersion(&version), "cuDriverGetVersion", NULL, err);

	if (!st)
		st = bc_image_sets_find(dir, beside, &sets, &n, err);
	for (i = 0; !st && i < n; i++) {
		st = try_set(cu, &sets[i], cc, (unsigned)version / 1000, !beside, why, sizeof(why), err);
		if (st || !why[0])
			break;
		append_reason(all, sizeof(all), why);
	}
	if (!st && i == n)
		st = bc_fail(
			err, BC_EIMAGES,
			"the driver%s%s (CUDA %d.%d) takes none of the kernel images: %s: update the driver, or make "
			"images of a release that it takes (`make toolkit-images`, docs/install.md)",
			f->driver[0] ? " " : "", f->driver, version / 1000, version % 1000 / 10, all);
	if (!st && !bc_strlcpy(out, sets[i].dir, size))
		st = bc_fail(err, BC_EUSAGE, "kernels folder: the path is too long");
	if (!st && sets[i].first[0])
		(void)snprintf(f->images, sizeof(f->images), "%s%s%.300s%s", sets[i].name, all[0] ? " (" : "", all,
			       all[0] ? ")" : "");
	free(sets);
	return st;
}
