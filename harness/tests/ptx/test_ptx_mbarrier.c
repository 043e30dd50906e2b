/* SPDX-License-Identifier: MIT */
/* mbarrier objects: what a program may see of them, what it may not do, and what the race check learns from them. */
#include "harness/tests/ptx/ptx_run.h"

#include <check.h>
#include <string.h>

Suite *bc_test_ptx_mbarrier(void);

static struct bc_error err;
static struct bc_ptx_result result;

#define B "mbarrier."
#define INIT(n) B "init.shared.b64 [%r2], " #n "; "
#define ARRIVE B "arrive.shared.b64 %d4, [%r2]; "
#define FIRST "setp.eq.u32 %p0, %r1, 0; "
#define ANSWER "selp.u32 %r4, 1, 0, %p1; st.global.u32 [%d3], %r4; "

/* One warp; what lane 0 stores to its word. */
static const struct {
	const char *what, *body;
	uint32_t want;
} bodies[] = {
	{ "a new object: parity 1 has ended",
	  FIRST "@%p0 " INIT(1) B "test_wait.parity.shared.b64 %p1, [%r2], 1;" ANSWER, 1 },
	{ "a new object: parity 0 has not", FIRST "@%p0 " INIT(1) B "test_wait.parity.shared.b64 %p1, [%r2], 0;" ANSWER,
	  0 },
	{ "32 arrivals of a warp end a phase of 32",
	  FIRST "@%p0 " INIT(32) ARRIVE B "test_wait.shared.b64 %p1, [%r2], %d4;" ANSWER, 1 },
	{ "a generic address",
	  "cvt.u64.u32 %d5, %r2; cvta.shared.u64 %d5, %d5; " FIRST "@%p0 mbarrier.init.b64 [%d5], 32; "
	  "mbarrier.arrive.b64 %d4, [%d5]; mbarrier.test_wait.acquire.cta.b64 %p1, [%d5], %d4;" ANSWER,
	  1 },
	{ "an address with an offset",
	  FIRST
	  "@%p0 mbarrier.init.shared::cta.b64 [%r2+16], 32; mbarrier.arrive.release.cta.shared::cta.b64 _, [%r2+16]; "
	  "mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r2+16], 0, 1000;" ANSWER,
	  1 },
	{ "what lane 0 finds pending",
	  FIRST "@%p0 " INIT(32) ARRIVE B "pending_count.b64 %r4, %d4; st.global.u32 [%d3], %r4;", 32 },
	{ "bytes that come before they are expected",
	  FIRST "@!%p0 ret; " INIT(1) B "complete_tx.shared::cta.relaxed.cta.b64 [%r2], 64; " B
					"arrive.expect_tx.shared::cta.b64 _, [%r2], 64; " B
					"test_wait.parity.shared.b64 %p1, [%r2], 0;" ANSWER,
	  1 },
	{ "an object after inval is made anew",
	  FIRST "@!%p0 ret; " INIT(2) B "inval.shared.b64 [%r2]; " INIT(1) ARRIVE B
	  "test_wait.shared.b64 %p1, [%r2], %d4;" ANSWER,
	  1 },
	{ "the memory of an object that was overwritten can be made one",
	  FIRST "@!%p0 ret; " INIT(2) "st.shared.u32 [%r2], 7; " INIT(1) ARRIVE B
	  "test_wait.shared.b64 %p1, [%r2], %d4;" ANSWER,
	  1 },
	{ "parities of eight phases",
	  FIRST "@!%p0 ret; " INIT(1) ARRIVE ARRIVE ARRIVE ARRIVE ARRIVE ARRIVE ARRIVE ARRIVE ARRIVE B
	  "test_wait.parity.shared.b64 %p1, [%r2], 0;" ANSWER,
	  1 },
};

START_TEST(bodies_do_as_written)
{
	uint32_t got[32] = { 0 };
	const struct bc_ptx_run_spec s = { .body = bodies[_i].body,
					   .out = got,
					   .out_bytes = sizeof(got),
					   .launch = { .shared_bytes = 64, .budget = 20000 } };

	ck_assert_msg(bc_ptx_run_kernel(&s, &result, &err) == BC_OK, "%s: %s", bodies[_i].what, err.msg);
	ck_assert_msg(got[0] == bodies[_i].want, "%s: %u", bodies[_i].what, got[0]);
}
END_TEST

/* What must fail, and how it says so. */
static const struct {
	const char *body, *message;
} wrong[] = {
	{ ARRIVE, "no mbarrier at shared address 0x400: mbarrier.init makes one" },
	{ FIRST "@%p0 " INIT(0), "mbarrier.init with a count of 0; it is 1 to 1048575" },
	{ FIRST "@%p0 " INIT(1048576), "mbarrier.init with a count of 1048576" },
	{ FIRST "@%p0 " INIT(1) "@%p0 " INIT(1), "where there is one: mbarrier.inval first" },
	{ FIRST "@%p0 mbarrier.init.shared.b64 [%r2+4], 1; ", "misaligned" },
	{ FIRST "@%p0 mbarrier.init.shared.b64 [%r2+64], 1; ", "outside the block's shared memory" },
	{ FIRST "@%p0 mbarrier.init.b64 [%d1], 1; ", "is no address of shared memory" },
	{ FIRST "@!%p0 ret; " INIT(1) B "arrive_drop.shared.b64 _, [%r2]; " ARRIVE,
	  "1 arrivals at the mbarrier at shared address 0x400, of which 0 of 0 are pending" },
	{ FIRST "@%p0 " INIT(32) "@%p0 st.shared.u32 [%r2+4], 5; " ARRIVE, "at shared address 0x400 was overwritten" },
	{ FIRST "@%p0 " INIT(4) "@%p0 mbarrier.inval.shared.b64 [%r2]; " ARRIVE, "no mbarrier at shared address" },
	{ FIRST "@%p0 " INIT(4) "@%p0 mbarrier.arrive.noComplete.shared.b64 _, [%r2], 4; ",
	  "an arrival with .noComplete completes the phase" },
	{ FIRST "@%p0 " INIT(4) "@%p0 mbarrier.arrive.shared::cta.b64 _, [%r2], 5; ", "5 arrivals at the mbarrier" },
	{ FIRST "@%p0 " INIT(1) B "test_wait.parity.shared.b64 %p1, [%r2], 2; ", "a phase parity of 2; it is 0 or 1" },
	{ FIRST "@!%p0 ret; " INIT(1) ARRIVE B "arrive.shared.b64 _, [%r2]; " B "arrive.shared.b64 _, [%r2]; " B
					       "test_wait.shared.b64 %p1, [%r2], %d4;",
	  "the state is not of the current phase" },
	{ FIRST "@!%p0 ret; " INIT(1) B "expect_tx.relaxed.cta.shared::cta.b64 [%r2], 1048575; " B
					"expect_tx.relaxed.cta.shared::cta.b64 [%r2], 1; ",
	  "would have 1048576 bytes pending; the most is 1048575" },
	{ FIRST "@%p0 " INIT(33) ARRIVE "W: " B "test_wait.shared.b64 %p1, [%r2], %d4; @!%p1 bra W;",
	  "waits for the mbarrier at 0x400, of which 1 of 33 arrivals and 0 bytes are pending" },
	{ FIRST "@!%p0 ret; " INIT(1) B "arrive.expect_tx.shared::cta.b64 _, [%r2], 48; W: " B
					"try_wait.parity.shared::cta.b64 %p1, [%r2], 0; @!%p1 bra W;",
	  "0 of 1 arrivals and 48 bytes are pending" },
};

START_TEST(what_is_wrong_is_told)
{
	uint32_t got[32] = { 0 };
	const struct bc_ptx_run_spec s = { .body = wrong[_i].body,
					   .out = got,
					   .out_bytes = sizeof(got),
					   .launch = { .shared_bytes = 64, .budget = 20000 } };

	ck_assert_msg(bc_ptx_run_kernel(&s, &result, &err) == BC_EDEVICE, "%s: no failure", wrong[_i].body);
	ck_assert_msg(strstr(err.msg, wrong[_i].message) != NULL, "%s: %s", wrong[_i].body, err.msg);
	ck_assert_msg(strstr(err.msg, "test.ptx:9") != NULL, "%s", err.msg);
}
END_TEST

/* 8.0 has objects that count arrivals one by one; what came with bulk copies it lacks. */
static const char *const newer[] = {
	B "try_wait.parity.shared.b64 %p1, [%r2], 0;",
	B "arrive.expect_tx.shared.b64 _, [%r2], 16;",
	B "expect_tx.relaxed.cta.shared.b64 [%r2], 16;",
	B "arrive.shared.b64 _, [%r2], 2;",
};

START_TEST(older_architectures_lack_it)
{
	struct bc_arch arch = bc_ptx_run_arch();
	struct bc_ptx_run_spec s = { .body = newer[_i], .arch = &arch, .launch = { .shared_bytes = 64 } };

	arch.bulk_copy = 0;
	ck_assert_int_eq(bc_ptx_run_kernel(&s, NULL, &err), BC_EDATA);
	ck_assert_msg(strstr(err.msg, "this form of mbarrier does not exist on sm_00"), "%s", err.msg);
	s.body = FIRST "@%p0 " INIT(32) ARRIVE;
	ck_assert_msg(bc_ptx_run_kernel(&s, NULL, &err) == BC_OK, "%s", err.msg);
	arch.mbarrier = 0;
	ck_assert_int_eq(bc_ptx_run_kernel(&s, NULL, &err), BC_EDATA);
	ck_assert_msg(strstr(err.msg, "mbarrier does not exist on sm_00"), "%s", err.msg);
}
END_TEST

/* Two warps: thread t stores its word; then what is between; then it loads the word of the other warp. */
#define EXCHANGE(between)                                                                                              \
	FIRST "@%p0 " INIT(                                                                                            \
		64) "bar.sync 0; shl.b32 %r5, %r1, 2; add.u32 %r5, %r5, %r2; "                                         \
		    "st.shared.u32 [%r5+64], %r1; " between                                                            \
		    " xor.b32 %r6, %r1, 32; shl.b32 %r6, %r6, 2; add.u32 %r6, %r6, %r2; ld.shared.u32 %r7, [%r6+64]; " \
		    "st.global.u32 [%d3], %r7;"
#define WAIT " W: " B "test_wait.shared.b64 %p1, [%r2], %d4; @!%p1 bra W; "

static const struct {
	const char *what, *body;
	bool races;
} orders[] = {
	{ "all arrive and wait", EXCHANGE(ARRIVE WAIT), false },
	{ "all arrive, nobody waits", EXCHANGE(ARRIVE), true },
	{ "an arrival that orders nothing", EXCHANGE("mbarrier.arrive.relaxed.cta.shared::cta.b64 %d4, [%r2]; " WAIT),
	  true },
	{ "a wait for the phase before", EXCHANGE(ARRIVE " W: " B "test_wait.parity.shared.b64 %p1, [%r2], 1; "),
	  true },
	{ "an init that nobody is told of",
	  FIRST "@%p0 " INIT(64) "mov.u32 %r4, 0; setp.lt.u32 %p2, %r1, 32; @%p2 ret; L: add.u32 %r4, %r4, 1; "
				 "setp.lt.u32 %p3, %r4, 400; @%p3 bra L; " ARRIVE,
	  true },
};

START_TEST(arrivals_and_waits_order_accesses)
{
	uint32_t got[64] = { 0 };
	const struct bc_ptx_run_spec s = { .body = orders[_i].body,
					   .out = got,
					   .out_bytes = sizeof(got),
					   .launch = { .block = { 64, 1, 1 },
						       .shared_bytes = 384,
						       .budget = 200000,
						       .racecheck = true,
						       .reads_unwritten = true } };

	ck_assert_msg(bc_ptx_run_kernel(&s, &result, &err) == BC_OK, "%s: %s", orders[_i].what, err.msg);
	ck_assert_msg((result.nfindings > 0) == orders[_i].races, "%s: %zu findings%s%s", orders[_i].what,
		      result.nfindings, result.nfindings ? ": " : "", result.nfindings ? result.finding[0].text : "");
}
END_TEST

Suite *bc_test_ptx_mbarrier(void)
{
	Suite *s = suite_create("ptx_mbarrier");
	TCase *tc = tcase_create("mbarrier");

	tcase_add_loop_test(tc, bodies_do_as_written, 0, (int)BC_ARRAY_LEN(bodies));
	tcase_add_loop_test(tc, what_is_wrong_is_told, 0, (int)BC_ARRAY_LEN(wrong));
	tcase_add_loop_test(tc, older_architectures_lack_it, 0, (int)BC_ARRAY_LEN(newer));
	tcase_add_loop_test(tc, arrivals_and_waits_order_accesses, 0, (int)BC_ARRAY_LEN(orders));
	suite_add_tcase(s, tc);
	return s;
}
