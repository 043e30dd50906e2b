/* SPDX-License-Identifier: MIT */
#include "harness/device/reference/ptx.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "harness/tests/ptx/ptx_run.h"

Suite *bc_test_ptx_control(void);

static struct bc_error err;
static struct bc_ptx_result result;

/* ---------------------------------------------------------------- plain kernels, against the same thing in C */

#define N 300
static int32_t in[N], out[N + 2], want[N + 2];

/* Small numbers, both signs, fixed. */
static void fill_in(int32_t least, uint32_t range)
{
	uint32_t x = 12345;

	for (unsigned i = 0; i < N; i++) {
		x = x * 1664525u + 1013904223u;
		in[i] = least + (int32_t)(x >> 8) % (int32_t)range;
	}
}

static int32_t wrap_mul(int32_t a, int32_t b)
{
	return (int32_t)((uint32_t)a * (uint32_t)b);
}

static int32_t wrap_add(int32_t a, int32_t b)
{
	return (int32_t)((uint32_t)a + (uint32_t)b);
}

static int32_t one_control(unsigned i, unsigned n)
{
	int32_t acc = 0;

	for (int k = 0; k < in[i] && k <= 40; k++) {
		if (k == 5)
			continue;
		switch (k % 7) {
		case 0: acc += 1; break;
		case 1: acc = wrap_mul(acc, 3); break;
		case 2: acc -= k; break;
		case 3: acc ^= 0x55; break;
		case 4: acc += in[(i + (unsigned)k) % n]; break;
		case 5: acc = wrap_mul(acc, 2); break;
		default: acc = ~acc; break;
		}
		for (int j = 0; j < (k & 3); j++) {
			if ((acc + j) % 5 == 0) {
				acc += j;
				if (acc & 1)
					break;
			} else {
				acc -= 1;
			}
			if (acc > 100000)
				return -1;
		}
	}
	return acc;
}

static void want_control(unsigned threads, unsigned n)
{
	for (unsigned i = 0; i < threads && i < n; i++)
		want[i] = one_control(i, n);
}

static void want_locals(unsigned threads, unsigned n)
{
	static const int32_t table[8] = { 1, -2, 3, -4, 5, -6, 7, -8 };

	for (unsigned i = 0; i < threads; i++) {
		int32_t buf[16], r = 0;

		for (unsigned k = 0; k < 16; k++)
			buf[k] = in[(i + k) % n];
		for (int k = 0; k < 16; k++) {
			const int j = (in[i] + k) & 15;
			const int32_t t = buf[k];

			buf[k] = buf[j];
			buf[j] = t;
		}
		for (int k = 0; k < 16; k++)
			r = wrap_add(wrap_mul(r, 31), buf[wrap_mul(k, in[i]) & 15]);
		want[i] = wrap_add(r, table[i & 7]);
	}
}

static void want_lock(unsigned threads, unsigned n)
{
	int32_t sum = 0;

	for (unsigned i = 0; i < threads; i++)
		sum += in[i % n];
	for (unsigned i = 0; i < threads; i++)
		want[i] = sum;
}

static void want_reduce(unsigned threads, unsigned n)
{
	for (unsigned b = 0; b * 96 < threads; b++) {
		want[b] = 0;
		for (unsigned i = b * 96; i < b * 96 + 96 && i < n; i++)
			want[b] += in[i];
	}
}

static void want_votes(unsigned threads, unsigned n)
{
	for (unsigned i = 0; i < threads; i++) {
		uint32_t odd = 0, big = 0, same = 0, positive = 0;

		for (unsigned l = 0; l < 32; l++) {
			const int32_t v = in[l % n];

			odd |= (uint32_t)(v & 1) << l;
			big |= (uint32_t)(v > 10) << l;
			same |= (uint32_t)((v & 6) == (in[i % n] & 6)) << l;
			positive += v > 0;
		}
		if (in[i % n] & 1)
			want[i] = wrap_add((int32_t)((big & odd) ^ (same & odd)), in[__builtin_ctz(odd)]);
		else
			want[i] = in[i % n] * 3;
		want[i] = wrap_add(want[i], (int32_t)positive);
	}
}

static void want_pipe(unsigned threads, unsigned n)
{
	(void)threads;
	for (unsigned t = 0; t < 64; t++)
		want[t] = in[63 - t] * (int32_t)(n * (n + 1) / 2);
}

static void want_counts(unsigned threads, unsigned n)
{
	int32_t more = 0;
	bool all = true, any = false;

	for (unsigned i = 0; i < threads; i++) {
		more += in[i % n] > 3;
		all = all && in[i % n] > 0;
		any = any || in[i % n] > 100;
	}
	for (unsigned i = 0; i < threads; i++)
		want[i] = more * 4 + all * 2 + any;
}

static void want_last(unsigned threads, unsigned n)
{
	(void)threads;
	want[0] = 0;
	want[1 + n] = 0;
	for (unsigned i = 0; i < n; i++) {
		want[1 + i] = in[i] * 2;
		want[1 + n] += want[1 + i];
	}
}

static const struct {
	const char *entry;
	void (*want)(unsigned threads, unsigned n);
	uint32_t grid, block, n;
	int32_t least;
	uint32_t range;
	unsigned nout;
	bool zero_first; /* the kernel counts in out[0] */
} programs[] = {
	{ "control", want_control, 5, 64, 300, -3, 60, 300, false },
	{ "control", want_control, 3, 50, 140, 0, 45, 140, false },
	{ "locals", want_locals, 1, 96, 100, -100, 300, 96, false },
	{ "lock", want_lock, 1, 32, 7, 1, 9, 32, false },
	{ "lock", want_lock, 1, 80, 80, 1, 9, 80, false },
	{ "reduce", want_reduce, 3, 96, 250, -1000, 2000, 3, false },
	{ "votes", want_votes, 1, 32, 32, -20, 64, 32, false },
	{ "votes", want_votes, 1, 32, 5, -20, 64, 32, false },
	{ "pipe", want_pipe, 1, 128, 6, -50, 100, 64, false },
	{ "counts", want_counts, 1, 96, 90, 1, 100, 96, false },
	{ "counts", want_counts, 1, 40, 40, -1, 5, 40, false },
	{ "last", want_last, 5, 64, 290, -9, 30, 292, true },
};

static const char *const dialects[] = { "programs_90.ptx", "programs_100.ptx" };

START_TEST(programs_compute_what_c_does)
{
	for (unsigned d = 0; d < BC_ARRAY_LEN(dialects); d++) {
		char *text = bc_ptx_run_file(dialects[d]);
		const struct bc_ptx_run_spec s = {
			.text = text,
			.entry = programs[_i].entry,
			.path = dialects[d],
			.n = programs[_i].n,
			.launch = { .grid = { programs[_i].grid }, .block = { programs[_i].block }, .workers = 2 },
			.in = in,
			.in_bytes = sizeof(in),
			.out = out,
			.out_bytes = sizeof(out),
			.keep_out = programs[_i].zero_first,
		};

		fill_in(programs[_i].least, programs[_i].range);
		memset(want, BC_PTX_RUN_FILL, sizeof(want));
		programs[_i].want(programs[_i].grid * programs[_i].block, programs[_i].n);
		if (programs[_i].zero_first)
			want[0] = out[0] = 0;
		ck_assert_msg(bc_ptx_run_kernel(&s, &result, &err) == BC_OK, "%s", err.msg);
		ck_assert_msg(result.nfindings == 0, "%s", result.finding[0].text);
		for (unsigned i = 0; i < programs[_i].nout; i++)
			ck_assert_msg(out[i] == want[i], "%s of %s: element %u is %d, not %d", programs[_i].entry,
				      dialects[d], i, out[i], want[i]);
		free(text);
	}
}
END_TEST

/* ---------------------------------------------------------------- hand-written bodies: out[i] for 32 lanes */

static const struct {
	const char *what, *body;
	uint32_t want[4]; /* lanes 0, 1, 16, 31 */
} bodies[] = {
	{ "a branch that no lane takes",
	  "mov.u32 %r4, 5; setp.eq.u32 %p1, %r1, 99; @%p1 bra L; mov.u32 %r4, 6; "
	  "L: st.global.u32 [%d3], %r4;",
	  { 6, 6, 6, 6 } },
	{ "a branch that all lanes take",
	  "mov.u32 %r4, 5; setp.ne.u32 %p1, %r1, 99; @%p1 bra L; mov.u32 %r4, 6; "
	  "L: st.global.u32 [%d3], %r4;",
	  { 5, 5, 5, 5 } },
	{ "if and else meet again",
	  "setp.lt.u32 %p1, %r1, 16; @%p1 bra A; mov.u32 %r4, 1; bra J; A: mov.u32 %r4, 2; J: activemask.b32 %r5;"
	  " mad.lo.u32 %r4, %r5, 1, %r4; st.global.u32 [%d3], %r4;",
	  { 1, 1, 0, 0 } },
	{ "a negated guard",
	  "setp.lt.u32 %p1, %r1, 16; mov.u32 %r4, 0; @!%p1 mov.u32 %r4, 7; "
	  "st.global.u32 [%d3], %r4;",
	  { 0, 0, 7, 7 } },
	{ "a guarded exit takes its lanes out",
	  "mov.u32 %r4, 9; st.global.u32 [%d3], %r4; setp.eq.u32 %p1, %r1, 1; @%p1 exit;"
	  " activemask.b32 %r4; st.global.u32 [%d3], %r4;",
	  { 0xfffffffd, 9, 0xfffffffd, 0xfffffffd } },
	{ "lanes that return inside an if do not keep the others apart",
	  "setp.lt.u32 %p1, %r1, 16; setp.eq.u32 %p2, %r1, 1; mov.u32 %r4, 3; "
	  "st.global.u32 [%d3], %r4; @!%p1 bra J; @%p2 ret;"
	  " J: activemask.b32 %r4; st.global.u32 [%d3], %r4;",
	  { 0xfffffffd, 3, 0xfffffffd, 0xfffffffd } },
	{ "lanes that branch to a common end do not keep the others apart",
	  "setp.lt.u32 %p1, %r1, 16; setp.eq.u32 %p2, %r1, 1; mov.u32 %r4, 3; @!%p1 bra J; @%p2 bra E;"
	  " add.u32 %r4, %r4, 1; J: activemask.b32 %r4; E: st.global.u32 [%d3], %r4;",
	  { 0xfffffffd, 3, 0xfffffffd, 0xfffffffd } },
	{ "loops of different length meet behind the loop",
	  "mov.u32 %r4, 0; L: add.u32 %r4, %r4, 1; setp.le.u32 %p1, %r4, %r1; @%p1 bra L; "
	  "activemask.b32 %r5; add.u32 %r4, %r4, %r5;"
	  " st.global.u32 [%d3], %r4;",
	  { 0, 1, 16, 31 } },
	{ "the loop's exit lies before its body in the text",
	  "mov.u32 %r4, 0; bra H; X: activemask.b32 %r5; add.u32 %r4, %r4, %r5; st.global.u32 [%d3], %r4; ret;"
	  " H: setp.ge.u32 %p1, %r4, %r1; @%p1 bra X; add.u32 %r4, %r4, 1; bra H;",
	  { 0xffffffff, 0, 15, 30 } },
	{ "brx.idx by lane",
	  "and.b32 %r4, %r1, 3; T: .branchtargets A, B, C, A; brx.idx %r4, T;"
	  " A: mov.u32 %r5, 10; bra J; B: mov.u32 %r5, 20; bra J; C: mov.u32 %r5, 30; J: activemask.b32 %r6;"
	  " setp.eq.u32 %p1, %r6, 0xffffffff; selp.u32 %r5, %r5, 0, %p1; st.global.u32 [%d3], %r5;",
	  { 10, 20, 10, 10 } },
	{ "registers and labels of an inner block are its own",
	  "mov.u32 %r4, 1; { .reg .b32 %r4; .reg .pred p; mov.u32 %r4, 50; "
	  "setp.eq.u32 p, %r4, 50; @p bra L; mov.u32 %r4, 2; L: add.u32 %r4, %r4, 1; }"
	  " { .reg .b32 t; mov.u32 t, 4; L: add.u32 %r4, %r4, t; } st.global.u32 [%d3], %r4;",
	  { 5, 5, 5, 5 } },
	{ "a register first named behind a block with registers of its own",
	  "{ .reg .b32 t<3>; mov.u32 t2, 3; add.u32 %r4, t2, 1; } mov.u32 %r40, 9; add.u32 %r4, %r4, %r40;"
	  " st.global.u32 [%d3], %r4;",
	  { 13, 13, 13, 13 } },
	{ "a branch out of an inner block",
	  "mov.u32 %r4, 3; { { bra L; } mov.u32 %r4, 4; } L: st.global.u32 [%d3], %r4;",
	  { 3, 3, 3, 3 } },
	{ "lanes wait where branches meet while others loop for long",
	  "mov.u32 %r4, 0; setp.lt.u32 %p1, %r1, 16; @!%p1 bra J; L: add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, 4000;"
	  " @%p2 bra L; J: activemask.b32 %r4; st.global.u32 [%d3], %r4;",
	  { 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff } },
	{ "the same with a guarded return in the longer arm",
	  "mov.u32 %r4, 0; st.global.u32 [%d3], %r4; setp.eq.u32 %p3, %r1, 1; setp.lt.u32 %p1, %r1, 16; @!%p1 bra J;"
	  " @%p3 ret; L: add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, 4000; @%p2 bra L; J: activemask.b32 %r4;"
	  " st.global.u32 [%d3], %r4;",
	  { 0xfffffffd, 0, 0xfffffffd, 0xfffffffd } },
	{ "lanes that are behind go first, wherever their code lies in the text",
	  "mov.u32 %r4, 3; bra S; J: activemask.b32 %r4; bra E; S: setp.lt.u32 %p1, %r1, 16; setp.eq.u32 %p2, %r1, 1;"
	  " @!%p1 bra J; @%p2 bra E; add.u32 %r4, %r4, 1; bra J; E: st.global.u32 [%d3], %r4;",
	  { 0xfffffffd, 3, 0xfffffffd, 0xfffffffd } },
	{ "shfl up",
	  "shfl.sync.up.b32 %r4|%p1, %r1, 1, 0, 0xffffffff; selp.u32 %r5, 100, 200, %p1; add.u32 %r4, %r4, %r5;"
	  " st.global.u32 [%d3], %r4;",
	  { 200, 100, 115, 130 } },
	{ "shfl down in halves of the warp",
	  "shfl.sync.down.b32 %r4|%p1, %r1, 15, 0x101f, 0xffffffff; selp.u32 %r5, 100, 200, %p1;"
	  " add.u32 %r4, %r4, %r5; st.global.u32 [%d3], %r4;",
	  { 115, 201, 131, 231 } },
	{ "shfl bfly",
	  "shfl.sync.bfly.b32 %r4|%p1, %r1, 17, 31, 0xffffffff; selp.u32 %r5, 100, 200, %p1;"
	  " add.u32 %r4, %r4, %r5; st.global.u32 [%d3], %r4;",
	  { 117, 116, 101, 114 } },
	{ "shfl idx clamped",
	  "shfl.sync.idx.b32 %r4|%p1, %r1, 9, 0x1807, 0xffffffff; selp.u32 %r5, 100, 200, %p1; add.u32 %r4, %r4, %r5;"
	  " st.global.u32 [%d3], %r4;",
	  { 101, 101, 117, 125 } },
	{ "shfl idx beyond its clamp value",
	  "shfl.sync.idx.b32 %r4|%p1, %r1, 3, 0x1802, 0xffffffff; selp.u32 %r5, 100, 200, %p1; add.u32 %r4, %r4, %r5;"
	  " st.global.u32 [%d3], %r4;",
	  { 200, 201, 216, 231 } },
	{ "a lane spins until another one lets it go",
	  "mov.u32 %r4, 0; st.shared.u32 [%r2], %r4; setp.eq.u32 %p1, %r1, 31; @%p1 bra SET;"
	  " W: ld.volatile.shared.u32 %r4, [%r2]; setp.eq.u32 %p2, %r4, 0; @%p2 bra W; bra J;"
	  " SET: mov.u32 %r4, 77; st.volatile.shared.u32 [%r2], %r4; J: st.global.u32 [%d3], %r4;",
	  { 77, 77, 77, 77 } },
	{ "the same with the setting lane first in the text",
	  "mov.u32 %r4, 0; st.shared.u32 [%r2], %r4; setp.ne.u32 %p1, %r1, 31; @%p1 bra W;"
	  " mov.u32 %r4, 77; st.volatile.shared.u32 [%r2], %r4; bra J;"
	  " W: ld.volatile.shared.u32 %r4, [%r2]; setp.eq.u32 %p2, %r4, 0; @%p2 bra W; J: st.global.u32 [%d3], %r4;",
	  { 77, 77, 77, 77 } },
	{ "bar.warp.sync in both arms",
	  "setp.lt.u32 %p1, %r1, 16; st.shared.u32 [%r2], %r1; @%p1 bra A; "
	  "bar.warp.sync 0xffffffff; mov.u32 %r4, 8; bra J;"
	  " A: mov.u32 %r5, 44; st.shared.u32 [%r2], %r5; bar.warp.sync 0xffffffff; "
	  "ld.shared.u32 %r4, [%r2]; J: st.global.u32 [%d3], %r4;",
	  { 44, 44, 8, 8 } },
	{ "shfl.sync waits for lanes that come later",
	  "mov.u32 %r4, 0; setp.lt.u32 %p1, %r1, 16; @%p1 bra S; L: add.u32 %r4, %r4, 1; "
	  "setp.lt.u32 %p2, %r4, 40; @%p2 bra L;"
	  " S: shfl.sync.idx.b32 %r5, %r4, 20, 31, 0xffffffff; st.global.u32 [%d3], %r5;",
	  { 40, 40, 40, 40 } },
	{ "the end of the body is a return",
	  "st.global.u32 [%d3], %r1; bra E; st.global.u32 [%d3], %r0; E:",
	  { 0, 1, 16, 31 } },
	{ "%clock counts instructions of the warp",
	  "mov.u32 %r4, %clock; add.u32 %r6, %r1, 1; add.u32 %r6, %r6, 1; mov.u32 %r5, %clock;"
	  " sub.u32 %r4, %r5, %r4; st.global.u32 [%d3], %r4;",
	  { 3, 3, 3, 3 } },
	{ "elect.sync elects one lane of the members",
	  "mov.u32 %r4, 5; setp.ge.u32 %p2, %r1, 16; @!%p2 bra L; "
	  "elect.sync %r4|%p1, 0xffff0000; selp.u32 %r4, %r4, 99, %p1;"
	  " L: st.global.u32 [%d3], %r4;",
	  { 5, 5, 16, 99 } },
	{ "tiles of eight lanes, each with its own mask, in one instruction",
	  "and.b32 %r5, %r1, 24; mov.u32 %r6, 0xff; shl.b32 %r6, %r6, %r5; "
	  "add.u32 %r7, %r1, 1; redux.sync.add.u32 %r4, %r7, %r6;"
	  " shfl.sync.idx.b32 %r8, %r7, 1, 0x181f, %r6; mad.lo.u32 %r4, %r4, 1000, %r8; st.global.u32 [%d3], %r4;",
	  { 36002, 36002, 164018, 228026 } },
	{ "tiles whose lanes come to the instruction at three different times",
	  "and.b32 %r5, %r1, 24; mov.u32 %r6, 0xff; shl.b32 %r6, %r6, %r5; and.b32 %r7, %r1, 4; setp.eq.u32 %p1, %r7, "
	  "0;"
	  " @%p1 bra S; setp.lt.u32 %p2, %r1, 8; selp.u32 %r8, 3000, 6000, %p2; mov.u32 %r9, 0; L: add.u32 %r9, %r9, 1;"
	  " setp.gt.u32 %p4, %r9, 60000; @%p4 bra OUT; setp.lt.u32 %p3, %r9, %r8; @%p3 bra L;"
	  " S: redux.sync.add.u32 %r4, %r1, %r6; st.global.u32 [%d3], %r4; ret; OUT: st.global.u32 [%d3], %r0;",
	  { 28, 28, 156, 220 } },
	{ "a barrier of the warp is met at different places",
	  "mov.u32 %r4, 0; setp.lt.u32 %p1, %r1, 16; @!%p1 bra J; mov.u32 %r4, 33; "
	  "st.shared.u32 [%r2], %r4; bar.warp.sync 0xffffffff; bra E;"
	  " J: bar.warp.sync 0xffffffff; ld.shared.u32 %r4, [%r2]; add.u32 %r4, %r4, 1; E: st.global.u32 [%d3], %r4;",
	  { 33, 33, 34, 34 } },
	{ "a barrier of the warp inside and behind an if",
	  "mov.u32 %r4, 0; setp.lt.u32 %p1, %r1, 16; @!%p1 bra J; mov.u32 %r4, 33; "
	  "bar.warp.sync 0xffffffff; J: @%p1 bra E;"
	  " bar.warp.sync 0xffffffff; E: st.global.u32 [%d3], %r4;",
	  { 33, 33, 0, 0 } },
};

START_TEST(bodies_do_as_written)
{
	static const unsigned lanes[] = { 0, 1, 16, 31 };
	uint32_t got[32] = { 0 };
	const struct bc_ptx_run_spec s = { .body = bodies[_i].body,
					   .out = got,
					   .out_bytes = sizeof(got),
					   .launch = { .shared_bytes = 64, .budget = 200000 } };

	ck_assert_msg(bc_ptx_run_kernel(&s, &result, &err) == BC_OK, "%s: %s", bodies[_i].what, err.msg);
	for (unsigned i = 0; i < BC_ARRAY_LEN(lanes); i++)
		ck_assert_msg(got[lanes[i]] == bodies[_i].want[i], "%s: lane %u has 0x%x, not 0x%x", bodies[_i].what,
			      lanes[i], got[lanes[i]], bodies[_i].want[i]);
}
END_TEST

/* ---------------------------------------------------------------- what must fail, and how it says so */

static const struct {
	const char *what, *body, *message;
	uint32_t block;
} failures[] = {
	{ "an endless loop", "L: add.u32 %r4, %r4, 1; bra L;", "hang: instruction budget used up", 32 },
	{ "a trap", "setp.eq.u32 %p1, %r1, 3; @%p1 trap;", "trap, executed by lanes 0x8", 32 },
	{ "a barrier that one warp never reaches",
	  "setp.ge.u32 %p1, %r1, 32; @%p1 bra W; bar.sync 0; ret; W: bar.sync 1;", "deadlock: barrier", 64 },
	{ "a count that is never reached", "bar.sync 3, 96;", "deadlock: barrier 3 has 64 of 96 threads", 64 },
	{ "a count that is no multiple of 32", "bar.sync 0, 33;", "no multiple of 32", 32 },
	{ "barrier 16", "bar.sync 16;", "there are barriers 0 to 15", 32 },
	{ "different counts", "setp.ge.u32 %p1, %r1, 32; @%p1 bra W; bar.sync 1, 64; ret; W: bar.sync 1, 96;",
	  "different thread counts", 64 },
	{ "two barriers in one warp", "setp.ge.u32 %p1, %r1, 16; @%p1 bra W; bar.sync 0; bra J; W: bar.sync 1; J:",
	  "wait at different barriers", 32 },
	{ "arriving twice", "bar.arrive 1, 96; bar.arrive 1, 96;", "twice before it completes", 32 },
	{ "a shuffle that half of the warp passes by",
	  "setp.ge.u32 %p1, %r1, 16; @%p1 bra W; "
	  "shfl.sync.idx.b32 %r4, %r1, 0, 31, 0xffffffff; ret; W: bar.sync 0;",
	  "wait for lanes that do not come", 32 },
	{ "a lane that is not in its own mask", "shfl.sync.idx.b32 %r4, %r1, 0, 31, 0xffff;", "its own bit is not set",
	  32 },
	{ "masks that differ",
	  "setp.ge.u32 %p1, %r1, 16; selp.u32 %r4, 0xffffffff, 0x7fffffff, %p1; "
	  "or.b32 %r4, %r4, 0; vote.sync.any.pred %p2, %p1, %r4;",
	  "other lanes in it give another one", 32 },
	{ "ldmatrix with lanes missing",
	  "setp.eq.u32 %p1, %r1, 5; @%p1 exit; "
	  "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r4}, [%r2];",
	  "all 32 are needed", 32 },
	{ "brx.idx out of range", "T: .branchtargets A, A; brx.idx %r1, T; A:", "index 2 of 2 targets", 32 },
};

START_TEST(failures_are_told)
{
	const struct bc_ptx_run_spec s = { .body = failures[_i].body,
					   .launch = { .block = { failures[_i].block },
						       .shared_bytes = 256,
						       .budget = 100000,
						       .reads_unwritten = true } };
	const enum bc_status st = bc_ptx_run_kernel(&s, &result, &err);

	ck_assert_msg(st == BC_EDEVICE, "%s: status %d", failures[_i].what, st);
	ck_assert_msg(strstr(err.msg, failures[_i].message) != NULL, "%s: %s", failures[_i].what, err.msg);
	ck_assert_msg(strstr(err.msg, "test.ptx:9") != NULL && strstr(err.msg, "kernel k") != NULL, "%s: %s",
		      failures[_i].what, err.msg);
}
END_TEST

START_TEST(the_lowest_block_that_fails_is_told)
{
	/* Blocks 9, 10, 11 ... fail at once, block 5 after a long loop. */
	const struct bc_ptx_run_spec s = {
		.body = "mov.u32 %r4, %ctaid.x; setp.ge.u32 %p1, %r4, 9; @%p1 trap; setp.ne.u32 %p1, %r4, 5; "
			"@%p1 exit; mov.u32 %r5, 0;"
			" L: add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 20000; @%p1 bra L; trap;",
		.launch = { .grid = { 100 }, .workers = 3 },
	};

	for (unsigned i = 0; i < 5; i++) {
		ck_assert_int_eq(bc_ptx_run_kernel(&s, &result, &err), BC_EDEVICE);
		ck_assert_msg(strstr(err.msg, "block (5,0,0)") != NULL, "%s", err.msg);
	}
}
END_TEST

START_TEST(the_budget_is_of_the_whole_launch)
{
	/* 12 instructions of the wrapper's head and the body, and the return, in each of 10 warps. */
	struct bc_ptx_run_spec s = { .body = "", .launch = { .grid = { 5 }, .block = { 64 }, .budget = 1000 } };

	ck_assert_int_eq(bc_ptx_run_kernel(&s, &result, &err), BC_OK);
	ck_assert_uint_eq(result.counts.instructions % 10, 0);
	s.launch.budget = result.counts.instructions;
	ck_assert_int_eq(bc_ptx_run_kernel(&s, &result, &err), BC_OK);
	s.launch.budget--;
	ck_assert_int_eq(bc_ptx_run_kernel(&s, &result, &err), BC_EDEVICE);
	ck_assert_ptr_nonnull(strstr(err.msg, "hang"));
}
END_TEST

static const struct {
	const char *what;
	struct bc_ptx_launch launch;
	size_t n;
	const char *message;
} launches[] = {
	{ "too many threads", { .block = { 32, 32, 2 } }, 0, "2048 threads" },
	{ "z above 64", { .block = { 1, 1, 65 } }, 0, "not possible" },
	{ "too much shared memory", { .shared_bytes = 232449 }, 0, "232449 bytes of shared memory" },
	{ "grid y above 65535", { .grid = { 1, 65536, 1 } }, 0, "not possible" },
};

START_TEST(impossible_launches_are_refused)
{
	const struct bc_ptx_run_spec s = { .body = "st.shared.u32 [%r2], %r1;", .launch = launches[_i].launch };

	ck_assert_msg(bc_ptx_run_kernel(&s, &result, &err) == BC_EUSAGE, "%s", launches[_i].what);
	ck_assert_msg(strstr(err.msg, launches[_i].message) != NULL, "%s: %s", launches[_i].what, err.msg);
}
END_TEST

START_TEST(special_registers)
{
	static const char body[] = "mov.u32 %r4, %tid.y; mov.u32 %r5, %tid.z; mov.u32 %r6, %ctaid.y; "
				   "mov.u32 %r7, %ctaid.z; mov.u32 %r8, %ntid.y;"
				   "mov.u32 %r9, %nctaid.z; mov.u32 %r10, %laneid; mov.u32 %r11, %warpid; "
				   "mov.u32 %r12, %lanemask_lt; mov.u32 %r13, %dynamic_smem_size;"
				   "mov.u32 %r14, %total_smem_size; mov.u32 %r15, WARP_SZ;"
				   /* thread (2, 1, 3) of block (1, 2, 0) alone writes */
				   "setp.eq.u32 %p1, %r1, 2; setp.eq.and.u32 %p1, %r4, 1, %p1; "
				   "setp.eq.and.u32 %p1, %r5, 3, %p1; setp.eq.and.u32 %p1, %r6, 2, %p1;"
				   "mov.u32 %r16, %ctaid.x; setp.eq.and.u32 %p1, %r16, 1, %p1; @!%p1 exit;"
				   "st.global.v4.u32 [%d1], {%r6, %r7, %r8, %r9}; "
				   "st.global.v4.u32 [%d1+16], {%r10, %r11, %r12, %r13}; "
				   "st.global.v2.u32 [%d1+32], {%r14, %r15};";
	/* Linear thread 2 + 5 * 1 + 20 * 3 = 67: lane 3 of warp 2. */
	static const uint32_t expected[] = { 2, 0, 4, 2, 3, 2, 7, 80, 80 + 1024, 32 };
	uint32_t got[10] = { 0 };
	const struct bc_ptx_run_spec s = { .body = body,
					   .out = got,
					   .out_bytes = sizeof(got),
					   .launch = {
						   .grid = { 2, 3, 2 }, .block = { 5, 4, 4 }, .shared_bytes = 80 } };
	uint32_t z[10];

	ck_assert_msg(bc_ptx_run_kernel(&s, &result, &err) == BC_OK, "%s", err.msg);
	memcpy(z, expected, sizeof(z));
	z[1] = got[1]; /* ctaid.z is 0 or 1, whichever block came last */
	ck_assert_uint_le(got[1], 1);
	for (unsigned i = 0; i < 10; i++)
		ck_assert_msg(got[i] == z[i], "word %u is %u, not %u", i, got[i], z[i]);
}
END_TEST

START_TEST(blocks_are_shared_out_to_workers)
{
	enum { BLOCKS = 500 };
	static uint32_t got[BLOCKS * 32];
	struct bc_ptx_run_spec s = { .body = "st.global.u32 [%d3], %r3; atom.global.add.u32 %r4, [%d0], 1;",
				     .out = got,
				     .out_bytes = sizeof(got),
				     .in = got,
				     .in_bytes = 4,
				     .launch = { .grid = { BLOCKS } } };
	uint64_t instructions[3];

	for (unsigned w = 1; w <= 3; w++) {
		got[0] = 0;
		s.launch.workers = w;
		ck_assert_msg(bc_ptx_run_kernel(&s, &result, &err) == BC_OK, "%s", err.msg);
		instructions[w - 1] = result.counts.instructions;
		for (unsigned i = 0; i < BLOCKS * 32; i++)
			ck_assert_uint_eq(got[i], i);
	}
	ck_assert_uint_eq(instructions[0], instructions[1]);
	ck_assert_uint_eq(instructions[0], instructions[2]);
}
END_TEST

Suite *bc_test_ptx_control(void)
{
	Suite *s = suite_create("ptx_control");
	TCase *tc = tcase_create("control");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, programs_compute_what_c_does, 0, (int)BC_ARRAY_LEN(programs));
	tcase_add_loop_test(tc, bodies_do_as_written, 0, (int)BC_ARRAY_LEN(bodies));
	tcase_add_loop_test(tc, failures_are_told, 0, (int)BC_ARRAY_LEN(failures));
	tcase_add_test(tc, the_lowest_block_that_fails_is_told);
	tcase_add_test(tc, the_budget_is_of_the_whole_launch);
	tcase_add_loop_test(tc, impossible_launches_are_refused, 0, (int)BC_ARRAY_LEN(launches));
	tcase_add_test(tc, special_registers);
	tcase_add_test(tc, blocks_are_shared_out_to_workers);
	suite_add_tcase(s, tc);
	return s;
}
