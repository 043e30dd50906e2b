/* SPDX-License-Identifier: MIT */
#include "harness/measure/code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/sha256.h"
#include "harness/measure/operation.h"

#define LISTING_MAX (16u << 20)
#define IMAGE_MAX (256u << 20)

struct listing {
	char image[64];
	struct bc_text text; /* of the .code; empty when absent says why */
	char absent[300];
};

struct bc_code {
	const char *dir;
	struct listing *list;
	size_t n;
};

enum bc_status bc_code_open(const char *kernels_dir, struct bc_code **out, struct bc_error *err)
{
	struct bc_code *c = calloc(1, sizeof(*c));

	if (!c)
		return bc_fail(err, BC_ENOMEM, "code: out of memory");
	c->dir = kernels_dir;
	*out = c;
	return BC_OK;
}

void bc_code_close(struct bc_code *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n; i++)
		bc_text_release(&c->list[i].text);
	free(c->list);
	free(c);
}

static enum bc_status read_beside(const struct bc_code *c, const char *image, const char *suffix, size_t max,
				  struct bc_text *out, struct bc_error *err)
{
	char path[1024];
	const int n = snprintf(path, sizeof(path), "%s/%s%s", c->dir, image, suffix);

	if (n < 0 || (size_t)n >= sizeof(path))
		return bc_fail(err, BC_EREAD, "%.80s ...: the path is too long", path);
	return bc_file_read(path, max, out, err);
}

/* The field after the first tab of the line at @line, up to the next tab or the end of the line. */
static const char *field(const char *line, size_t *len)
{
	const char *end = line + strcspn(line, "\n"), *at = line + strcspn(line, "\t\n");

	if (at == end) {
		*len = 0;
		return at;
	}
	*len = strcspn(at + 1, "\t\n");
	return at + 1;
}

static const char *next_line(const char *line)
{
	line += strcspn(line, "\n");
	return *line ? line + 1 : line;
}

/* Read a listing and compare its hash with the image's. */
static enum bc_status load(const struct bc_code *c, struct listing *l, struct bc_error *err)
{
	struct bc_text image = { 0 };
	struct bc_error one = { .msg = "" };
	char hash[65];
	size_t len = 0;
	enum bc_status st = read_beside(c, l->image, ".code", LISTING_MAX, &l->text, &one);

	if (!st)
		st = read_beside(c, l->image, ".fatbin", IMAGE_MAX, &image, &one);
	if (st == BC_ENOMEM) {
		bc_text_release(&image);
		return bc_fail(err, BC_ENOMEM, "%s", one.msg);
	}
	if (st) {
		(void)snprintf(l->absent, sizeof(l->absent),
			       "%.240s (`make kernels` writes it where cuobjdump is found)", one.msg);
	} else {
		const char *stored = l->text.data ? field(l->text.data, &len) : "";

		bc_sha256_hex(image.data, image.len, hash);
		if (!l->text.data || strncmp(l->text.data, "sha256\t", 7) != 0 || len != 64 ||
		    memcmp(stored, hash, 64) != 0)
			(void)snprintf(l->absent, sizeof(l->absent),
				       "%.180s/%s.code is not of the image beside it: run `make kernels`", c->dir,
				       l->image);
	}
	bc_text_release(&image);
	return BC_OK;
}

static enum bc_status listing_of(struct bc_code *c, const char *image, struct listing **out, struct bc_error *err)
{
	struct listing *more;
	enum bc_status st;

	for (size_t i = 0; i < c->n; i++) {
		if (strcmp(c->list[i].image, image) == 0) {
			*out = &c->list[i];
			return BC_OK;
		}
	}
	more = realloc(c->list, (c->n + 1) * sizeof(*more));
	if (!more)
		return bc_fail(err, BC_ENOMEM, "code: out of memory");
	c->list = more;
	memset(&more[c->n], 0, sizeof(*more));
	(void)bc_strlcpy(more[c->n].image, image, sizeof(more[c->n].image));
	st = load(c, &more[c->n], err);
	if (st) {
		bc_text_release(&more[c->n].text);
		return st;
	}
	*out = &more[c->n++];
	return BC_OK;
}

/* "sm_90" to 90; 0 for the kinds that run on one chip only (sm_90a) and for what is no architecture. */
static unsigned arch_number(const char *name, size_t len)
{
	unsigned n = 0;

	if (len < 5 || strncmp(name, "sm_", 3) != 0)
		return 0;
	for (size_t i = 3; i < len; i++) {
		if (name[i] < '0' || name[i] > '9' || n > 1000)
			return 0;
		n = n * 10 + (unsigned)(name[i] - '0');
	}
	return n;
}

/* The first line after the `arch` line whose code runs on @cc, NULL when there is none; @number: which it is. */
static const char *section(const char *text, unsigned cc, unsigned *number)
{
	const char *best = NULL;

	*number = 0;
	for (const char *line = text; *line; line = next_line(line)) {
		size_t len;
		const char *name = field(line, &len);
		const unsigned n = strncmp(line, "arch\t", 5) == 0 ? arch_number(name, len) : 0;

		if (n == 0 || n / 10 != cc / 10 || n > cc || n < *number)
			continue;
		*number = n;
		best = next_line(line);
	}
	return best;
}

static bool is_kernel(const char *line, const char *kernel)
{
	const size_t len = strlen(kernel);

	return strncmp(line, kernel, len) == 0 && line[len] == '\t';
}

static bool is_mnemonic(const char *name, size_t len, const char *mnemonic)
{
	const size_t n = strlen(mnemonic);

	return len >= n && memcmp(name, mnemonic, n) == 0 && (len == n || name[n] == '.');
}

enum bc_status bc_code_find(struct bc_code *c, const struct bc_arch *a, const char *image, const char *kernel,
			    const char *mnemonic, struct bc_code_answer *out, struct bc_error *err)
{
	struct listing *l = NULL;
	const enum bc_status st = listing_of(c, image, &l, err);
	const char *line = NULL;
	unsigned number = 0;

	if (st)
		return st;
	memset(out, 0, sizeof(*out));
	if (l->absent[0]) {
		(void)bc_strlcpy(out->absent, l->absent, sizeof(out->absent));
		return BC_OK;
	}
	line = section(l->text.data, a->cc, &number);
	if (!line) {
		(void)snprintf(out->absent, sizeof(out->absent),
			       "%s.code lists no machine code for %s: the driver compiles the image's PTX", image,
			       a->name);
		return BC_OK;
	}
	for (; *line && strncmp(line, "arch\t", 5) != 0; line = next_line(line)) {
		size_t len;
		const char *name = field(line, &len);

		if (is_kernel(line, kernel) && is_mnemonic(name, len, mnemonic))
			out->there = true;
	}
	if (!out->there)
		(void)snprintf(out->text, sizeof(out->text),
			       "%s of %s has no %s on sm_%u: another instruction was chosen, so the law under "
			       "test does not apply (see %s.code)",
			       kernel, image, mnemonic, number, image);
	return BC_OK;
}

/* What to look for in which kernel. @kernel: room for the name of a pattern's. False: the suite does not say. */
static bool wanted(const struct bc_case *of, const struct bc_arch *a, char *kernel, size_t size, struct bc_program *out)
{
	const struct bc_op_info *info = bc_op_info(of->pattern.op);
	const struct bc_operation *op = bc_operation_of(of->pattern.op);

	memset(out, 0, sizeof(*out));
	if (of->rule->program)
		return of->rule->program(of, a, out) && out->image && out->kernel && out->mnemonic;
	if (!op || snprintf(kernel, size, "bc_%s", info->name) < 0)
		return false;
	out->image = op->image;
	out->kernel = kernel;
	out->mnemonic = info->mnemonic;
	return true;
}

enum bc_status bc_code_observe(struct bc_code *c, const struct bc_case *of, const struct bc_arch *a,
			       struct bc_observation *o, struct bc_error *err)
{
	struct bc_code_answer answer = { .there = true };
	struct bc_program p;
	char kernel[48];
	enum bc_status st = BC_OK;

	if (!(of->needs & BC_NEED_CODE))
		return BC_OK;
	if (!c) {
		(void)bc_strlcpy(o->code_absent, "no folder of kernel images was given", sizeof(o->code_absent));
		return BC_OK;
	}
	if (wanted(of, a, kernel, sizeof(kernel), &p)) {
		st = bc_code_find(c, a, p.image, p.kernel, p.mnemonic, &answer, err);
	} else {
		answer.there = false;
		(void)bc_strlcpy(answer.text,
				 "the case needs the code of its kernel, and names no instruction to look for",
				 sizeof(answer.text));
	}
	if (st)
		return st;
	(void)bc_strlcpy(o->code_absent, answer.absent, sizeof(o->code_absent));
	if (!answer.absent[0] && !answer.there) {
		o->outcome = BC_TOOL_ERROR;
		(void)bc_strlcpy(o->reason, answer.text, sizeof(o->reason));
	}
	return BC_OK;
}
