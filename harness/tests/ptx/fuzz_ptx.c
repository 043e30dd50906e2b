/* SPDX-License-Identifier: MIT */
/* harness/tests/ptx/fuzz_ptx.c - libFuzzer target: any bytes as PTX, parsed, and its first entry run for a little
 * while. */
#include "harness/device/reference/ptx.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MEMORY (4u << 20)
#define BUFFER 4096
#define PARAMS_MAX 256

static const struct bc_arch arch = {
	.name = "sm_00",
	.warp_lanes = 32,
	.banks = 32,
	.bank_bytes = 4,
	.window_base = 1024,
	.optin_bytes = 65536,
	.sm_bytes = 65536,
	.reserved_bytes = 1024,
	.static_bytes = 49152,
	.pair_rule = 1,
	.ldmatrix = 1,
	.stmatrix = 1,
	.cp_async = 1,
	.redux = 1,
	.mma_sync = 1,
	.mbarrier = 1,
	.cluster = 1,
	.bulk_copy = 1,
	.wgmma = 1,
	.tensor_atoms = 0,
};

/* Every eight bytes of the parameters are the address of one buffer. */
static void launch(struct bc_ptx_mem *mem, const struct bc_ptx_kernel *k, size_t nparams, struct bc_ptx_result *r)
{
	static const struct bc_ptx_hooks hooks = { .share_blocks = true };
	uint64_t params[PARAMS_MAX / 8 + 2], buffer = 0;
	struct bc_error err;
	struct bc_ptx_launch l = { .grid = { 2, 1, 1 },
				   .block = { 48, 1, 1 },
				   .shared_bytes = 2048,
				   .params = params,
				   .params_size = nparams,
				   .budget = 4000,
				   .workers = 1,
				   .racecheck = true };

	if (nparams > PARAMS_MAX || bc_ptx_mem_alloc(mem, BUFFER, &buffer, &err))
		return;
	for (size_t i = 0; i < BC_ARRAY_LEN(params); i++)
		params[i] = buffer;
	if (bc_ptx_launch(k, &l, r, &err) != BC_OK && err.msg[0] == '\0')
		abort(); /* a failure without a message */
	if (r->counts.instructions % 4 != 0)
		return; /* threads are slow to start */
	l.hooks = &hooks;
	l.workers = 2;
	(void)bc_ptx_launch(k, &l, r, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct bc_ptx_result r;
	struct bc_ptx_module *m = NULL;
	struct bc_ptx_mem *mem = NULL;
	struct bc_ptx_image *image = NULL;
	struct bc_ptx_kernel *k = NULL;
	struct bc_error err = { 0 };
	enum bc_status st = bc_ptx_parse((const char *)data, size, "fuzz.ptx", &m, &err);

	if (st && strncmp(err.msg, "fuzz.ptx:", 9) != 0)
		abort(); /* an error that does not say where */
	if (!st && bc_ptx_nentries(m) > 0)
		st = bc_ptx_mem_create(MEMORY, &mem, &err);
	if (!st && mem)
		st = bc_ptx_load(m, mem, &image, &err);
	if (!st && image)
		st = bc_ptx_prepare(image, bc_ptx_entry_name(m, 0), &arch, &k, &err);
	if (!st && k)
		launch(mem, k, bc_ptx_entry_params(m, 0), &r);
	bc_ptx_release(k);
	bc_ptx_unload(image);
	bc_ptx_mem_destroy(mem);
	bc_ptx_free(m);
	return 0;
}
