/* SPDX-License-Identifier: MIT */
#include "harness/device/images.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/sha256.h"

#define TOOLKIT_MAX (64u << 10)
#define FATBIN_MAGIC 0xba55ed50u
#define FATBIN_HEAD 16 /* magic u32, version u16, bytes of this head u16, bytes that follow u64 */
#define ENTRY_HEAD 32  /* at least: kind u16, version u16, bytes of this head u32, bytes that follow u64 ... */
#define ENTRY_ARCH 28  /* the architecture, u32, "90" */
#define KIND_PTX 1
#define KIND_MACHINE 2

/* Little-endian, as the file is. */
static uint64_t number(const unsigned char *p, unsigned bytes)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < bytes; i++)
		v |= (uint64_t)p[i] << (8 * i);
	return v;
}

enum bc_image_code bc_image_code(const void *data, size_t len, unsigned cc, unsigned *arch)
{
	const unsigned char *p = data;
	uint64_t at, end;
	unsigned machine = 0, ptx = 0;

	if (len < FATBIN_HEAD || number(p, 4) != FATBIN_MAGIC)
		return BC_IMAGE_UNKNOWN;
	at = number(p + 6, 2);
	end = number(p + 8, 8);
	if (at < FATBIN_HEAD || at > len || end > len - at)
		return BC_IMAGE_UNKNOWN;
	for (end += at; at < end;) {
		uint64_t head, body;
		unsigned of, kind;

		if (end - at < ENTRY_HEAD)
			return BC_IMAGE_UNKNOWN;
		kind = (unsigned)number(p + at, 2);
		head = number(p + at + 4, 4);
		body = number(p + at + 8, 8);
		of = (unsigned)number(p + at + ENTRY_ARCH, 4);
		if (head < ENTRY_HEAD || head > end - at || body > end - at - head)
			return BC_IMAGE_UNKNOWN;
		if (kind == KIND_MACHINE && of / 10 == cc / 10 && of <= cc && of > machine)
			machine = of;
		if (kind == KIND_PTX && of <= cc && of > ptx)
			ptx = of;
		at += head + body;
	}
	*arch = machine ? machine : ptx;
	return machine ? BC_IMAGE_MACHINE : ptx ? BC_IMAGE_PTX : BC_IMAGE_NEITHER;
}

enum bc_status bc_images_begin(struct bc_images *im, const char *dir, unsigned cc, struct bc_error *err)
{
	struct bc_error why = { .msg = "" };
	char path[1200];

	memset(im, 0, sizeof(*im));
	im->cc = cc;
	(void)snprintf(path, sizeof(path), "%s/toolkit", dir);
	if (bc_file_read(path, TOOLKIT_MAX, &im->toolkit, &why) == BC_ENOMEM)
		return bc_fail(err, BC_ENOMEM, "%s", why.msg);
	return BC_OK;
}

void bc_images_value(const struct bc_images *im, const char *key, char *out, size_t size)
{
	const size_t n = strlen(key);

	out[0] = '\0';
	for (const char *line = im->toolkit.data; line && *line; line += strcspn(line, "\n"), line += *line == '\n') {
		if (strncmp(line, key, n) != 0 || line[n] != ' ')
			continue;
		(void)snprintf(out, size, "%.*s", (int)strcspn(line + n + 1, "\n"), line + n + 1);
		return;
	}
}

/* Does the file name @name with the hash of @data? */
static bool is_named(const struct bc_images *im, const char *name, const void *data, size_t len)
{
	char hash[65], line[160];

	bc_sha256_hex(data, len, hash);
	(void)snprintf(line, sizeof(line), "image %s  %s.fatbin\n", hash, name);
	return strstr(im->toolkit.data, line) != NULL;
}

void bc_images_add(struct bc_images *im, const char *name, const void *data, size_t len)
{
	unsigned arch = 0;
	const enum bc_image_code code = bc_image_code(data, len, im->cc, &arch);

	if (im->toolkit.data && !is_named(im, name, data, len))
		im->stale = true;
	if (code == BC_IMAGE_MACHINE) {
		im->machine++;
		im->arch = arch;
		return;
	}
	if (code == BC_IMAGE_PTX)
		im->ptx++;
	else
		im->other++;
	if (!im->first_ptx[0])
		(void)bc_strlcpy(im->first_ptx, name, sizeof(im->first_ptx));
}

/* A variable that makes the driver compile PTX even where there is machine code; NULL: none is set. */
static const char *forced(void)
{
	static const char *const names[] = { "CUDA_FORCE_PTX_JIT", "CUDA_FORCE_JIT" };

	for (size_t i = 0; i < BC_ARRAY_LEN(names); i++) {
		const char *v = getenv(names[i]);

		if (v && *v && strcmp(v, "0") != 0)
			return names[i];
	}
	return NULL;
}

void bc_images_toolkit(const struct bc_images *im, char *out, size_t size)
{
	char release[24], route[24], nvcc[32], ptxas[32];

	bc_images_value(im, "release", release, sizeof(release));
	bc_images_value(im, "route", route, sizeof(route));
	bc_images_value(im, "nvcc", nvcc, sizeof(nvcc));
	bc_images_value(im, "ptxas", ptxas, sizeof(ptxas));
	if (!release[0])
		out[0] = '\0';
	else if (im->stale)
		(void)snprintf(out, size, "unknown: the file toolkit (CUDA %s) is not of these images", release);
	else
		(void)snprintf(out, size, "CUDA %s by %s%s%s", release,
			       strcmp(route, "nvrtc") == 0 ? "NVRTC and ptxas" : route, nvcc[0] || ptxas[0] ? " " : "",
			       nvcc[0] ? nvcc : ptxas);
}

void bc_images_facts(const struct bc_images *im, struct bc_facts *f)
{
	const size_t n = im->machine + im->ptx + im->other;
	const char *jit = forced();

	bc_images_toolkit(im, f->toolkit, sizeof(f->toolkit));
	f->code[0] = '\0';
	if (!n || im->other == n)
		return;
	if (jit || !im->machine)
		(void)snprintf(f->code, sizeof(f->code), "PTX, compiled by the driver%s%s%s", jit ? " (" : "",
			       jit ? jit : "", jit ? ")" : "");
	else if (im->machine == n)
		(void)snprintf(f->code, sizeof(f->code), "machine code for sm_%u", im->arch);
	else
		(void)snprintf(f->code, sizeof(f->code), "machine code for sm_%u, but %zu of %zu images have none (%s)",
			       im->arch, n - im->machine, n, im->first_ptx);
}

void bc_images_release(struct bc_images *im)
{
	bc_text_release(&im->toolkit);
}
