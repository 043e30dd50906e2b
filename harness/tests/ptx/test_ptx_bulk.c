/* SPDX-License-Identifier: MIT */
/* Bulk copies without a tensor map: which bytes come, when, and what is refused. */
#include "harness/device/reference/ptx.h"

#include <check.h>
#include <string.h>

#include "harness/tests/ptx/ptx_run.h"

Suite *bc_test_ptx_bulk(void);

#define WINDOW 8192u /* bytes of shared memory, and of global memory */

static struct bc_error err;
static struct bc_ptx_result result;
static struct bc_arch arch;
static unsigned char shared[WINDOW], global[WINDOW], shared_was[WINDOW], global_was[WINDOW];

/* The kernel's parameters: @at and @from are offsets into shared and global memory, @from of shared for a copy there.
 */
static struct {
	uint64_t global, window; /* shared memory is filled from the window, and goes back there */
	uint32_t at, from, bytes, expected;
} params;

/* One lane fills shared memory, does @body, and brings it back. %r6: shared + at, %d6: global + from, %r5: shared +
 * from, %r7: bytes, %r15: the barrier. */
#define TEXT(body)                                                                                               \
	".version 8.0\n.target sm_90\n.address_size 64\n.extern .shared .align 128 .b8 window[];\n"              \
	".visible .entry k(.param .align 8 .b8 p[32]) {\n"                                                       \
	".reg .pred %p<4>; .reg .b32 %r<32>; .reg .b64 %d<16>; .shared .align 8 .b64 barrier;\n"                 \
	"ld.param.u64 %d6, [p]; ld.param.u64 %d1, [p+8]; ld.param.u32 %r6, [p+16]; ld.param.u32 %r5, [p+20];\n"  \
	"ld.param.u32 %r7, [p+24]; ld.param.u32 %r4, [p+28]; mov.u32 %r8, window; add.u32 %r6, %r6, %r8;\n"      \
	"cvt.u64.u32 %d5, %r5; add.u64 %d6, %d6, %d5; add.u32 %r5, %r5, %r8;\n"                                  \
	"mov.u32 %r9, 0; fill: add.u32 %r10, %r8, %r9; cvt.u64.u32 %d2, %r9; add.u64 %d2, %d2, %d1;\n"           \
	"ld.global.v4.u32 {%r11, %r12, %r13, %r14}, [%d2]; st.shared.v4.u32 [%r10], {%r11, %r12, %r13, %r14};\n" \
	"add.u32 %r9, %r9, 16; setp.lt.u32 %p1, %r9, 8192; @%p1 bra fill; mov.u32 %r15, barrier;\n"              \
	"mbarrier.init.shared::cta.b64 [%r15], 1; fence.proxy.async.shared::cta;\n" body                         \
	"mov.u32 %r9, 0; dump: add.u32 %r10, %r8, %r9; cvt.u64.u32 %d2, %r9; add.u64 %d2, %d2, %d1;\n"           \
	"ld.shared.v4.u32 {%r11, %r12, %r13, %r14}, [%r10]; st.global.v4.u32 [%d2], {%r11, %r12, %r13, %r14};\n" \
	"add.u32 %r9, %r9, 16; setp.lt.u32 %p1, %r9, 8192; @%p1 bra dump; ret; }\n"
#define EXPECT "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r15], %r4;\n"
#define WAIT                                                                                                        \
	"mov.u32 %r16, 0; wait: mbarrier.test_wait.parity.shared::cta.b64 %p2, [%r15], 0; add.u32 %r16, %r16, 1;\n" \
	"setp.lt.u32 %p3, %r16, 1000; and.pred %p3, %p3, !%p2; @%p3 bra wait; @!%p2 trap;\n"
#define COPY "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r6], [%d6], %r7, [%r15];\n"
#define SHARE "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r6], [%r5], %r7, [%r15];\n"
#define SEND "cp.async.bulk.global.shared::cta.bulk_group [%d6], [%r6], %r7;\n"
#define COMMIT "cp.async.bulk.commit_group;\n"
#define DONE "cp.async.bulk.wait_group 0;\n"
#define REDUCE(op) TEXT("cp.reduce.async.bulk.global.shared::cta.bulk_group." op " [%d6], [%r6], %r7;\n" COMMIT DONE)

static void start(uint32_t at, uint32_t from, uint32_t bytes)
{
	arch = bc_ptx_run_arch();
	for (unsigned i = 0; i < WINDOW; i++) {
		shared_was[i] = (unsigned char)(i * 7 + i / 256);
		global_was[i] = (unsigned char)(i * 13 + i / 256 + 100);
	}
	params.at = at;
	params.from = from;
	params.bytes = params.expected = bytes;
}

static enum bc_status run(const char *text)
{
	struct bc_ptx_module *m = NULL;
	struct bc_ptx_image *image = NULL;
	struct bc_ptx_kernel *k = NULL;
	struct bc_ptx_mem *mem = NULL;
	struct bc_ptx_launch l = { .grid = { 1, 1, 1 },
				   .block = { 1, 1, 1 },
				   .shared_bytes = WINDOW,
				   .params = &params,
				   .params_size = sizeof(params) };
	enum bc_status st = bc_ptx_parse(text, strlen(text), "t.ptx", &m, &err);

	if (!st)
		st = bc_ptx_mem_create(1u << 20, &mem, &err);
	if (!st)
		st = bc_ptx_mem_alloc(mem, WINDOW, &params.global, &err);
	if (!st)
		st = bc_ptx_mem_alloc(mem, WINDOW, &params.window, &err);
	if (!st)
		st = bc_ptx_mem_write(mem, params.global, global_was, WINDOW, &err);
	if (!st)
		st = bc_ptx_mem_write(mem, params.window, shared_was, WINDOW, &err);
	if (!st)
		st = bc_ptx_load(m, mem, &image, &err);
	if (!st)
		st = bc_ptx_prepare(image, "k", &arch, &k, &err);
	if (!st)
		st = bc_ptx_launch(k, &l, &result, &err);
	if (!st)
		st = bc_ptx_mem_read(mem, params.window, shared, WINDOW, &err);
	if (!st)
		st = bc_ptx_mem_read(mem, params.global, global, WINDOW, &err);
	bc_ptx_release(k);
	bc_ptx_unload(image);
	bc_ptx_free(m);
	bc_ptx_mem_destroy(mem);
	return st;
}

static const uint32_t sizes[] = { 16, 32, 48, 112, 128, 1024, 4080, 4096 };

START_TEST(bytes_come_to_their_places)
{
	start(1040, 2064, sizes[_i]);
	ck_assert_msg(run(TEXT(EXPECT COPY WAIT)) == BC_OK, "%s", err.msg);
	ck_assert(memcmp(global, global_was, WINDOW) == 0);
	memcpy(shared_was + 1040, global_was + 2064, sizes[_i]);
	ck_assert(memcmp(shared, shared_was, WINDOW) == 0);
	ck_assert_uint_eq(result.nfindings, 0);

	start(4096, 16, sizes[_i] < 4080 ? sizes[_i] : 4080);
	ck_assert_msg(run(TEXT(EXPECT SHARE WAIT)) == BC_OK, "%s", err.msg);
	memcpy(shared_was + 4096, shared_was + 16, params.bytes);
	ck_assert(memcmp(shared, shared_was, WINDOW) == 0);

	start(1040, 2064, sizes[_i]);
	ck_assert_msg(run(TEXT(SEND COMMIT DONE)) == BC_OK, "%s", err.msg);
	ck_assert(memcmp(shared, shared_was, WINDOW) == 0);
	memcpy(global_was + 2064, shared_was + 1040, sizes[_i]);
	ck_assert(memcmp(global, global_was, WINDOW) == 0);
}
END_TEST

/* What nobody waits for does not move. */
START_TEST(a_missing_wait_is_seen)
{
	static const char *const texts[] = { TEXT(EXPECT COPY), TEXT(SEND COMMIT), TEXT(SEND DONE),
					     TEXT(SEND COMMIT "cp.async.bulk.wait_group.read 1;\n") };

	start(0, 0, 64);
	ck_assert_msg(run(texts[_i]) == BC_OK, "%s", err.msg);
	ck_assert(memcmp(shared, shared_was, WINDOW) == 0);
	ck_assert(memcmp(global, global_was, WINDOW) == 0);
}
END_TEST

static const struct {
	const char *text;
	unsigned bytes; /* of an element */
	uint64_t old, v, want;
} reductions[] = {
	{ REDUCE("add.u32"), 4, 0xffffffff, 2, 1 },
	{ REDUCE("add.s32"), 4, 0xffffffff, 2, 1 },
	{ REDUCE("add.u64"), 8, UINT64_MAX, 5, 4 },
	{ REDUCE("min.u32"), 4, 0xffffffff, 2, 2 },
	{ REDUCE("max.u32"), 4, 0xffffffff, 2, 0xffffffff },
	{ REDUCE("min.s32"), 4, 0xffffffff, 2, 0xffffffff },
	{ REDUCE("max.s64"), 8, UINT64_MAX, 2, 2 },
	{ REDUCE("inc.u32"), 4, 7, 7, 0 },
	{ REDUCE("dec.u32"), 4, 0, 7, 7 },
	{ REDUCE("and.b32"), 4, 0xc, 0xa, 0x8 },
	{ REDUCE("or.b64"), 8, 0xc, 0xa, 0xe },
	{ REDUCE("xor.b32"), 4, 0xc, 0xa, 0x6 },
};

START_TEST(bytes_are_reduced_to_global_memory)
{
	const unsigned bytes = reductions[_i].bytes;

	start(32, 64, 48);
	for (unsigned i = 0; i < 48; i += bytes) {
		memcpy(global_was + 64 + i, &reductions[_i].old, bytes);
		memcpy(shared_was + 32 + i, &reductions[_i].v, bytes);
	}
	ck_assert_msg(run(reductions[_i].text) == BC_OK, "%s", err.msg);
	for (unsigned i = 0; i < 48; i += bytes)
		memcpy(global_was + 64 + i, &reductions[_i].want, bytes);
	ck_assert(memcmp(global, global_was, WINDOW) == 0);
}
END_TEST

static const struct {
	const char *text;
	uint32_t at, from, bytes, expected;
	const char *why;
} refusals[] = {
	{ TEXT(EXPECT COPY WAIT), 0, 0, 24, 24, "24 bytes, which is no multiple of 16" },
	{ TEXT(EXPECT COPY WAIT), 8, 0, 32, 32, "destination address" },
	{ TEXT(EXPECT COPY WAIT), 0, 8, 32, 32, "source address" },
	{ TEXT(SEND COMMIT DONE), 8, 0, 32, 32, "source address" },
	{ TEXT(SEND COMMIT DONE), 0, 8, 32, 32, "destination address" },
	{ TEXT(EXPECT COPY WAIT), 8176, 0, 32, 32, "shared" }, /* past the end */
	{ TEXT(EXPECT COPY WAIT), 0, 8176, 32, 32, "t.ptx:" }, /* past the end */
	{ TEXT(EXPECT COPY WAIT), 0, 0, 32, 48, "trap" },      /* bytes that never come: told, no hang */
	{ REDUCE("add.b32"), 0, 0, 32, 32, "add.b32" },
	{ REDUCE("inc.u64"), 0, 0, 32, 32, "inc.u64" },
	{ REDUCE("xor.u32"), 0, 0, 32, 32, "xor.u32" },
};

START_TEST(what_cannot_be_copied_is_named)
{
	start(refusals[_i].at, refusals[_i].from, refusals[_i].bytes);
	params.expected = refusals[_i].expected;
	ck_assert_int_ne(run(refusals[_i].text), BC_OK);
	ck_assert_msg(strstr(err.msg, refusals[_i].why) != NULL, "%s", err.msg);
}
END_TEST

Suite *bc_test_ptx_bulk(void)
{
	Suite *s = suite_create("ptx_bulk");
	TCase *tc = tcase_create("copies");

	tcase_add_loop_test(tc, bytes_come_to_their_places, 0, BC_ARRAY_LEN(sizes));
	tcase_add_loop_test(tc, a_missing_wait_is_seen, 0, 4);
	tcase_add_loop_test(tc, bytes_are_reduced_to_global_memory, 0, BC_ARRAY_LEN(reductions));
	tcase_add_loop_test(tc, what_cannot_be_copied_is_named, 0, BC_ARRAY_LEN(refusals));
	suite_add_tcase(s, tc);
	return s;
}
