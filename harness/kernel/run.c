/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/demangle.h"
#include "harness/base/textfile.h"
#include "harness/kernel/kernel.h"

#define MEMORY_MAX (UINT64_C(4) << 30)
#define WORKERS_MAX 64
#define PARAMETERS_MAX 4096u

/* All that a launch needs while it is made. */
struct run {
	const struct bc_kernel_options *o;
	struct bc_kernel_report *r;
	struct bc_text ptx;
	struct bc_ptx_module *module;
	struct bc_ptx_mem *mem;
	struct bc_ptx_image *image;
	struct bc_ptx_kernel *kernel;
	struct bc_kernel_tally *tally;
	struct bc_kernel_arg *arg; /* [nargs] */
	size_t nargs, entry;
	unsigned char params[PARAMETERS_MAX];
	unsigned workers;
};

static bool ends_in(const char *s, const char *end)
{
	const size_t n = strlen(s), k = strlen(end);

	return n >= k && strcmp(s + n - k, end) == 0;
}

static enum bc_status read_ptx(struct run *x, struct bc_error *err)
{
	const struct bc_kernel_options *o = x->o;
	char shown[BC_PATH_MAX];
	enum bc_status st;

	if (ends_in(o->file, ".cu"))
		st = bc_kernel_compile(o->file, o->arch->name, o->nvcc_flags, &x->ptx, err);
	else if (o->nvcc_flags)
		st = bc_fail(err, BC_EUSAGE, "--nvcc-flags are for a .cu file; %s is taken as PTX", o->file);
	else
		st = bc_file_read(o->file, BC_PTX_TEXT_MAX, &x->ptx, err);
	if (!st && !x->ptx.len)
		st = bc_fail(err, BC_EDATA, "%s:1: it is empty", o->file);
	if (!st && memchr(x->ptx.data, '\0', x->ptx.len))
		st = bc_fail(
			err, BC_EDATA,
			"%s: no text: PTX is wanted, or a .cu file (a .cubin or .fatbin needs a GPU, and is not taken)",
			o->file);
	if (st)
		return st;
	(void)snprintf(shown, sizeof(shown), "%s%s", o->file, ends_in(o->file, ".cu") ? " (its PTX)" : "");
	st = bc_ptx_parse(x->ptx.data, x->ptx.len, shown, &x->module, err);
	return st ? st : bc_source_lines_read(x->ptx.data, &x->r->lines, err);
}

/* ---- the entry ---- */

/* Is @word the entry @name, in whatever form? */
static bool is_called(const char *name, const char *word)
{
	char *full = bc_demangle(name), *core = full ? bc_name_core(full) : NULL;
	const bool is =
		strcmp(name, word) == 0 || (full && strcmp(full, word) == 0) || (core && strcmp(core, word) == 0);

	free(core);
	free(full);
	return is;
}

static enum bc_status list_entries(const struct run *x, const char *what, struct bc_error *err)
{
	struct bc_text list = { 0 };
	const size_t n = bc_ptx_nentries(x->module);
	enum bc_status st = BC_OK;

	for (size_t i = 0; !st && i < n && i < 20; i++) {
		char *name = bc_demangle(bc_ptx_entry_name(x->module, i));

		st = bc_text_addf(&list, err, "%s--entry '%s'", i ? ", " : ": ",
				  name ? name : bc_ptx_entry_name(x->module, i));
		free(name);
	}
	if (!st && n > 20)
		st = bc_text_addf(&list, err, ", and %zu more", n - 20);
	if (!st)
		st = bc_fail(err, BC_EUSAGE, "%s: %s%.900s", x->o->file, what,
			     list.data ? list.data : ": none (a __global__ function is one)");
	bc_text_release(&list);
	return st;
}

static enum bc_status find_entry(struct run *x, struct bc_error *err)
{
	const size_t n = bc_ptx_nentries(x->module);
	size_t found = 0;

	if (!x->o->entry && n == 1)
		found = 1;
	for (size_t i = 0; x->o->entry && i < n; i++) {
		if (!is_called(bc_ptx_entry_name(x->module, i), x->o->entry))
			continue;
		x->entry = i;
		found++;
	}
	if (found > 1)
		return list_entries(x, "several kernels have that name; name one of", err);
	if (!found)
		return list_entries(x, x->o->entry ? "there is no such kernel; there are" : "which kernel? There are",
				    err);
	x->r->entry = strdup(bc_ptx_entry_name(x->module, x->entry));
	x->r->name = bc_demangle(bc_ptx_entry_name(x->module, x->entry));
	return x->r->entry && x->r->name ? BC_OK : bc_fail(err, BC_ENOMEM, "kernel: out of memory");
}

/* ---- the arguments ---- */

static enum bc_status wrong_args(const struct run *x, const char *what, struct bc_error *err)
{
	struct bc_text list = { 0 };
	const size_t n = bc_ptx_entry_nparams(x->module, x->entry);
	enum bc_status st = BC_OK;

	for (size_t k = 0; !st && k < n; k++) {
		const struct bc_ptx_param p = bc_ptx_entry_param(x->module, x->entry, k);
		const char *like = p.bytes == 8	  ? "buf=SIZE:FILL, out=SIZE, u64=, s64= or f64="
				   : p.bytes == 4 ? "u32=, s32= or f32="
				   : p.bytes == 2 ? "u16= or s16="
				   : p.bytes == 1 ? "u8= or s8="
						  : "struct=HEX";

		st = bc_text_addf(&list, err, "%s%zu. %zu bytes: --arg %s", k ? "; " : ": ", k + 1, p.bytes, like);
	}
	if (!st)
		st = bc_fail(err, BC_EUSAGE, "%s: %s; its parameters%.800s", x->r->name, what,
			     n ? list.data : ": none");
	bc_text_release(&list);
	return st;
}

static enum bc_status take_args(struct run *x, struct bc_error *err)
{
	const size_t n = bc_ptx_entry_nparams(x->module, x->entry);
	const struct bc_option_list *given = x->o->args;
	char what[200];
	enum bc_status st = BC_OK;

	if (bc_ptx_entry_params(x->module, x->entry) > sizeof(x->params))
		return bc_fail(err, BC_EUSAGE, "%s: more than %u bytes of parameters", x->r->name, PARAMETERS_MAX);
	x->arg = calloc(given->n + 1, sizeof(*x->arg));
	if (!x->arg)
		return bc_fail(err, BC_ENOMEM, "kernel: out of memory");
	for (size_t k = 0; !st && k < given->n; k++) {
		st = bc_kernel_arg_parse(given->item[k], &x->arg[k], err);
		x->nargs++;
	}
	if (!st && given->n != n) {
		(void)snprintf(what, sizeof(what), "%zu --arg, %zu parameters", given->n, n);
		return wrong_args(x, what, err);
	}
	for (size_t k = 0; !st && k < n; k++) {
		const struct bc_ptx_param p = bc_ptx_entry_param(x->module, x->entry, k);
		struct bc_kernel_arg *a = &x->arg[k];

		if (p.bytes != (a->pointer ? 8 : a->bytes)) {
			(void)snprintf(what, sizeof(what), "--arg %.80s is of %zu bytes, parameter %zu of %zu", a->text,
				       a->pointer ? (size_t)8 : a->bytes, k + 1, p.bytes);
			return wrong_args(x, what, err);
		}
		if (a->pointer) {
			st = bc_ptx_mem_alloc(x->mem, a->bytes, &a->address, err);
			if (!st)
				st = bc_ptx_mem_write(x->mem, a->address, a->data, a->bytes, err);
			memcpy(x->params + p.offset, &a->address, 8);
		} else {
			memcpy(x->params + p.offset, a->data, a->bytes);
		}
	}
	return st;
}

/* --symbol NAME=FILL: the fillings of buf=, for as many bytes as the variable has. */
static enum bc_status set_symbol(struct run *x, const char *text, struct bc_error *err)
{
	const char *equals = strchr(text, '=');
	struct bc_kernel_arg a = { 0 };
	char name[256], what[400];
	uint64_t address = 0;
	size_t bytes = 0;
	enum bc_status st;

	if (!equals || equals == text || (size_t)(equals - text) >= sizeof(name))
		return bc_fail(err, BC_EUSAGE, "--symbol %.80s: NAME=FILL is wanted: table=iota, table=file=PATH",
			       text);
	(void)bc_strlcpy(name, text, (size_t)(equals - text) + 1);
	if (bc_ptx_symbol(x->image, name, &address, &bytes, NULL))
		return bc_fail(err, BC_EUSAGE, "--symbol %.80s: %s has no .global or .const variable of that name",
			       text, x->o->file);
	if (strncmp(equals + 1, "file=", 5) == 0)
		(void)snprintf(what, sizeof(what), "buf=%.380s", equals + 1);
	else
		(void)snprintf(what, sizeof(what), "buf=%zu:%.300s", bytes, equals + 1);
	st = bc_kernel_arg_parse(what, &a, err);
	if (!st && a.bytes != bytes)
		st = bc_fail(err, BC_EUSAGE, "--symbol %.80s: the file has %zu bytes, the variable %zu", text, a.bytes,
			     bytes);
	if (!st)
		st = bc_ptx_mem_write(x->mem, address, a.data, a.bytes, err);
	bc_kernel_arg_release(&a);
	return st;
}

/* ---- the launch ---- */

static enum bc_status take_geometry(struct run *x, struct bc_error *err)
{
	uint64_t bytes = 0;
	enum bc_status st = bc_kernel_dim_parse("--grid", x->o->grid ? x->o->grid : "1", x->r->grid, err);

	if (!st)
		st = bc_kernel_dim_parse("--block", x->o->block ? x->o->block : "32", x->r->block, err);
	if (!st && x->o->shared_bytes &&
	    (!bc_kernel_size_parse(x->o->shared_bytes, strlen(x->o->shared_bytes), &bytes) ||
	     bytes > BC_PTX_SHARED_MAX))
		st = bc_fail(err, BC_EUSAGE, "--shared %.40s: bytes of dynamic shared memory are wanted: 4096, 48K",
			     x->o->shared_bytes);
	x->r->dynamic_bytes = (uint32_t)bytes;
	return st;
}

static enum bc_status prepare(struct run *x, struct bc_error *err)
{
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	enum bc_status st = take_geometry(x, err);

	x->workers = cpus < 1 ? 1 : cpus > WORKERS_MAX ? WORKERS_MAX : (unsigned)cpus;
	(void)bc_strlcpy(x->r->arch, x->o->arch->name, sizeof(x->r->arch));
	if (!st)
		st = read_ptx(x, err);
	if (!st)
		st = find_entry(x, err);
	if (!st)
		st = bc_ptx_mem_create(MEMORY_MAX, &x->mem, err);
	if (!st)
		st = bc_ptx_load(x->module, x->mem, &x->image, err);
	for (size_t i = 0; !st && i < x->o->symbols->n; i++)
		st = set_symbol(x, x->o->symbols->item[i], err);
	if (!st)
		st = take_args(x, err);
	if (!st)
		st = bc_ptx_prepare(x->image, x->r->entry, x->o->arch, &x->kernel, err);
	if (!st)
		x->r->static_bytes = bc_ptx_static_shared(x->kernel);
	x->tally = st ? NULL : bc_kernel_tally_create(x->r->lines.nlines, x->workers, x->o->arch);
	return st || x->tally ? st : bc_fail(err, BC_ENOMEM, "kernel: out of memory");
}

/* A finding's text, with the source line in front. */
static enum bc_status add_finding(struct bc_kernel_report *r, unsigned line, const char *text, struct bc_error *err)
{
	char **more = realloc(r->finding, (r->nfindings + 1) * sizeof(*more));
	const struct bc_source_place p =
		line && line <= r->lines.nlines ? r->lines.at[line] : (struct bc_source_place){ 0 };
	struct bc_text t = { 0 };
	enum bc_status st = more ? BC_OK : bc_fail(err, BC_ENOMEM, "kernel: out of memory");

	if (more)
		r->finding = more;
	if (!st && p.file)
		st = bc_text_addf(&t, err, "%s:%u: ", bc_kernel_file(r, p), p.line);
	if (!st)
		st = bc_text_addf(&t, err, "%s", text);
	if (st) {
		bc_text_release(&t);
		return st;
	}
	r->finding[r->nfindings++] = t.data;
	return BC_OK;
}

static enum bc_status launch(struct run *x, struct bc_error *err)
{
	struct bc_kernel_report *r = x->r;
	const struct bc_ptx_launch l = {
		.grid = { r->grid[0], r->grid[1], r->grid[2] },
		.block = { r->block[0], r->block[1], r->block[2] },
		.shared_bytes = r->dynamic_bytes,
		.params = x->params,
		.params_size = bc_ptx_entry_params(x->module, x->entry),
		.budget = x->o->max_instructions,
		.workers = x->workers,
		.racecheck = true,
		.hooks = bc_kernel_tally_hooks(x->tally),
	};
	struct bc_ptx_result *result = calloc(1, sizeof(*result));
	struct bc_error why = { .msg = "" };
	enum bc_status st;

	if (!result)
		return bc_fail(err, BC_ENOMEM, "kernel: out of memory");
	st = bc_ptx_launch(x->kernel, &l, result, &why);
	if (st && st != BC_EDEVICE) {
		free(result);
		return bc_fail(err, st, "%s: %s", r->name, why.msg);
	}
	r->counts = result->counts;
	if (st)
		st = add_finding(r, result->nfindings ? result->finding[0].line : 0, why.msg, err);
	for (size_t i = 0; !st && i < result->nfindings && i < BC_PTX_FINDINGS_MAX; i++)
		if (strcmp(result->finding[i].text, why.msg) != 0)
			st = add_finding(r, result->finding[i].line, result->finding[i].text, err);
	free(result);
	return st;
}

/* The sources, where they are here. */
static enum bc_status read_sources(struct run *x, struct bc_error *err)
{
	struct bc_kernel_report *r = x->r;
	const size_t n = r->lines.nfiles ? r->lines.nfiles : 1;

	r->source = calloc(n, sizeof(*r->source));
	if (!r->source)
		return bc_fail(err, BC_ENOMEM, "kernel: out of memory");
	for (size_t i = 0; i < n; i++) {
		const char *path = i ? r->lines.file[i] : x->o->file;

		if (path && i && bc_file_read(path, BC_TEXTFILE_MAX, &r->source[i].text, NULL))
			bc_text_release(&r->source[i].text);
		r->source[i].path = path ? strdup(path) : NULL;
		if (path && !r->source[i].path)
			return bc_fail(err, BC_ENOMEM, "kernel: out of memory");
	}
	r->source[0].text = x->ptx;
	x->ptx = (struct bc_text){ 0 };
	return BC_OK;
}

static enum bc_status save(struct run *x, struct bc_error *err)
{
	enum bc_status st = BC_OK;

	if (x->o->save && mkdir(x->o->save, 0777) && access(x->o->save, W_OK) != 0)
		return bc_fail(err, BC_EWRITE, "--save %s: the folder cannot be made", x->o->save);
	for (size_t k = 0; x->o->save && !st && k < x->nargs; k++) {
		struct bc_kernel_arg *a = &x->arg[k];
		char name[32];

		if (!a->keep)
			continue;
		(void)snprintf(name, sizeof(name), "arg%zu.bin", k + 1);
		st = bc_ptx_mem_read(x->mem, a->address, a->data, a->bytes, err);
		if (!st)
			st = bc_file_replace(&bc_file_system, x->o->save, name, a->data, a->bytes, err);
	}
	return st;
}

enum bc_status bc_kernel_run(const struct bc_kernel_options *o, struct bc_kernel_report *out, struct bc_error *err)
{
	struct run *x = calloc(1, sizeof(*x));
	enum bc_status st;

	*out = (struct bc_kernel_report){ 0 };
	if (!x)
		return bc_fail(err, BC_ENOMEM, "kernel: out of memory");
	x->o = o;
	x->r = out;
	st = prepare(x, err);
	if (!st)
		st = read_sources(x, err);
	if (!st)
		st = launch(x, err);
	if (!st)
		st = bc_kernel_rows(x->tally, o->arch, out, err);
	if (!st)
		st = save(x, err);
	for (size_t k = 0; k < x->nargs; k++)
		bc_kernel_arg_release(&x->arg[k]);
	free(x->arg);
	bc_kernel_tally_destroy(x->tally);
	bc_ptx_release(x->kernel);
	bc_ptx_unload(x->image);
	bc_ptx_mem_destroy(x->mem);
	bc_ptx_free(x->module);
	bc_text_release(&x->ptx);
	free(x);
	return st;
}

void bc_kernel_report_release(struct bc_kernel_report *r)
{
	const size_t n = r->lines.nfiles ? r->lines.nfiles : 1;

	for (size_t i = 0; r->source && i < n; i++) {
		free(r->source[i].path);
		bc_text_release(&r->source[i].text);
	}
	for (size_t i = 0; i < r->nfindings; i++)
		free(r->finding[i]);
	free(r->finding);
	free(r->source);
	free(r->row);
	free(r->entry);
	free(r->name);
	bc_source_lines_release(&r->lines);
	*r = (struct bc_kernel_report){ 0 };
}
