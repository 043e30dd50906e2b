/* SPDX-License-Identifier: MIT */
#include "harness/tests/ptx/ptx_run.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEMORY (64u << 20)

static const char head[] =
	".version 8.0\n"
	".target sm_90\n"
	".address_size 64\n"
	".extern .shared .align 16 .b8 window[];\n"
	".visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n) {\n"
	".reg .pred %p<16>; .reg .b16 %h<32>; .reg .b32 %r<64>; .reg .b64 %d<64>; .reg .b32 %gid;\n"
	"ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out]; ld.param.u32 %r0, [n]; mov.u32 %r1, %tid.x;"
	" mov.u32 %r2, window;\n"
	"mov.u32 %r3, %ctaid.x; mov.u32 %gid, %ntid.x; mad.lo.u32 %r3, %r3, %gid, %r1;"
	" mad.wide.u32 %d2, %r3, 4, %d0; mad.wide.u32 %d3, %r3, 4, %d1;\n";

struct bc_arch bc_ptx_run_arch(void)
{
	return (struct bc_arch){
		.name = "sm_00",
		.cc = 0,
		.warp_lanes = 32,
		.banks = 32,
		.bank_bytes = 4,
		.window_base = 1024,
		.optin_bytes = 232448,
		.sm_bytes = 233472,
		.reserved_bytes = 1024,
		.static_bytes = 49152,
		.pair_rule = 1,
		.ldmatrix = 1,
		.stmatrix = 1,
		.cp_async = 1,
		.ldgsts_conflicts = 1,
		.redux = 1,
		.mma_sync = 1,
		.mbarrier = 1,
		.cluster = 1,
		.bulk_copy = 1,
		.wgmma = 1,
		.tensor_atoms = 0,
	};
}

struct params {
	uint64_t in, out;
	uint32_t n;
};

static enum bc_status launch(const struct bc_ptx_run_spec *s, struct bc_ptx_mem *mem, const struct bc_ptx_kernel *k,
			     struct bc_ptx_result *r, struct bc_error *err)
{
	struct bc_ptx_launch l = s->launch;
	struct params p = { .n = s->n };
	enum bc_status st = bc_ptx_mem_alloc(mem, s->in_bytes ? s->in_bytes : 1, &p.in, err);

	if (!st)
		st = bc_ptx_mem_alloc(mem, s->out_bytes ? s->out_bytes : 1, &p.out, err);
	if (!st)
		st = bc_ptx_mem_write(mem, p.in, s->in, s->in_bytes, err);
	if (s->out_bytes > 0 && !s->keep_out)
		memset(s->out, BC_PTX_RUN_FILL, s->out_bytes);
	if (!st)
		st = bc_ptx_mem_write(mem, p.out, s->out, s->out_bytes, err);
	for (unsigned i = 0; i < 3; i++)
		l.grid[i] = l.grid[i] ? l.grid[i] : 1;
	if (l.block[0] == 0)
		l.block[0] = 32;
	for (unsigned i = 1; i < 3; i++)
		l.block[i] = l.block[i] ? l.block[i] : 1;
	l.params = &p;
	l.params_size = 20;
	if (!st)
		st = bc_ptx_launch(k, &l, r, err);
	if (!st)
		st = bc_ptx_mem_read(mem, p.out, s->out, s->out_bytes, err);
	return st;
}

static enum bc_status load_and_launch(const struct bc_ptx_run_spec *s, const struct bc_ptx_module *m,
				      struct bc_ptx_result *r, struct bc_error *err)
{
	const struct bc_arch arch = s->arch ? *s->arch : bc_ptx_run_arch();
	const char *entry = s->entry ? s->entry : bc_ptx_entry_name(m, 0);
	struct bc_ptx_mem *mem = NULL;
	struct bc_ptx_image *image = NULL;
	struct bc_ptx_kernel *k = NULL;
	enum bc_status st = bc_ptx_mem_create(MEMORY, &mem, err);

	if (!st)
		st = bc_ptx_load(m, mem, &image, err);
	if (!st)
		st = bc_ptx_prepare(image, entry ? entry : "", &arch, &k, err);
	if (!st)
		st = launch(s, mem, k, r, err);
	bc_ptx_release(k);
	bc_ptx_unload(image);
	bc_ptx_mem_destroy(mem);
	return st;
}

enum bc_status bc_ptx_run_kernel(const struct bc_ptx_run_spec *s, struct bc_ptx_result *r, struct bc_error *err)
{
	struct bc_ptx_result *own = r ? NULL : malloc(sizeof(*own));
	struct bc_ptx_module *m = NULL;
	struct bc_text text = { 0 };
	enum bc_status st;

	ck_assert_ptr_nonnull(r ? r : own);
	if (s->text)
		st = bc_text_add(&text, s->text, strlen(s->text), err);
	else
		st = bc_text_addf(&text, err, "%s%s\nret;\n}\n", head, s->body);
	if (!st)
		st = bc_ptx_parse(text.data, text.len, s->path ? s->path : "test.ptx", &m, err);
	if (!st)
		st = load_and_launch(s, m, r ? r : own, err);
	bc_ptx_free(m);
	bc_text_release(&text);
	free(own);
	return st;
}

char *bc_ptx_run_file(const char *name)
{
	char path[512];
	struct bc_text text = { 0 };
	struct bc_error err;

	(void)snprintf(path, sizeof(path), "%s/ptx/%s", BC_TEST_DATA, name);
	ck_assert_msg(bc_file_read(path, 1u << 24, &text, &err) == BC_OK, "%s", err.msg);
	return text.data;
}
