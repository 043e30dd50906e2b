/* SPDX-License-Identifier: MIT */
#include "harness/device/device.h"

#include "harness/core/arch.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

Suite *bc_test_reference(void);

#define KERNELS BC_TEST_TMP "/reference"
#define PTX KERNELS "/ptx/unit.ptx"
#define LANES 32

/*
 * All kernels take (u64 in, u64 out, u32 n). The line numbers in the tests count from the first line of this text.
 * plus: out[i] = in[i] + n. stride: each thread stores to shared memory once and loads from it twice, n bytes apart.
 * unwritten: a load of shared memory that nobody stored to. race: two warps store to one word. hang: an endless loop.
 */
static const char text[] =
	".version 8.0\n"
	".target sm_90\n"
	".address_size 64\n"
	".extern .shared .align 16 .b8 window[];\n"
	".visible .entry plus(.param .u64 in, .param .u64 out, .param .u32 n) {\n"
	"	.reg .b32 %r<8>; .reg .b64 %rd<8>;\n"
	"	ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; ld.param.u32 %r1, [n];\n"
	"	mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mad.lo.s32 %r2, %r3, %r4, %r2;\n"
	"	mul.wide.u32 %rd3, %r2, 4; add.s64 %rd1, %rd1, %rd3; add.s64 %rd2, %rd2, %rd3;\n"
	"	ld.global.u32 %r5, [%rd1]; add.s32 %r5, %r5, %r1; st.global.u32 [%rd2], %r5;\n"
	"	ret;\n"
	"}\n"
	".visible .entry stride(.param .u64 in, .param .u64 out, .param .u32 n) {\n"
	"	.reg .b32 %r<8>; .reg .b64 %rd<8>;\n"
	"	ld.param.u64 %rd2, [out]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x;\n"
	"	mov.u32 %r3, window; mad.lo.s32 %r3, %r2, %r1, %r3;\n"
	"	st.shared.u32 [%r3], %r2;\n"
	"	bar.sync 0;\n"
	"	ld.shared.u32 %r4, [%r3]; ld.shared.u32 %r4, [%r3];\n"
	"	mul.wide.u32 %rd3, %r2, 4; add.s64 %rd2, %rd2, %rd3; st.global.u32 [%rd2], %r4;\n"
	"	ret;\n"
	"}\n"
	".visible .entry unwritten(.param .u64 in, .param .u64 out, .param .u32 n) {\n"
	"	.reg .b32 %r<8>; .reg .pred %p<2>;\n"
	"	mov.u32 %r1, %tid.x; mov.u32 %r2, window;\n"
	"	setp.ne.u32 %p1, %r1, 7;\n"
	"	@%p1 bra DONE;\n"
	"	ld.shared.u32 %r3, [%r2+64];\n"
	"DONE:	ret;\n"
	"}\n"
	".visible .entry race(.param .u64 in, .param .u64 out, .param .u32 n) {\n"
	"	.reg .b32 %r<8>;\n"
	"	mov.u32 %r1, %tid.x; shr.u32 %r1, %r1, 5; mov.u32 %r2, window;\n"
	"	st.shared.u32 [%r2], %r1;\n"
	"	ret;\n"
	"}\n"
	".visible .entry hang(.param .u64 in, .param .u64 out, .param .u32 n) {\n"
	"AGAIN:	bra AGAIN;\n"
	"}\n";

#define UNWRITTEN_LINE "unit.ptx:28"

struct params {
	uint64_t in, out;
	uint32_t n;
};

static void write_text(void)
{
	FILE *f;

	(void)mkdir(KERNELS, 0777);
	(void)mkdir(KERNELS "/ptx", 0777);
	f = fopen(PTX, "w");
	ck_assert_msg(f != NULL, "%s cannot be written", PTX);
	ck_assert_uint_eq(fwrite(text, 1, sizeof(text) - 1, f), sizeof(text) - 1);
	ck_assert_int_eq(fclose(f), 0);
}

static const struct bc_device_ops *const ops = &bc_device_reference;

static struct bc_device *open_as(const char *arch, const char *fault, bool racecheck)
{
	const struct bc_open_options o = {
		.kernels_dir = KERNELS, .expected_dir = BC_TEST_EXPECTED, .fault = fault, .racecheck = racecheck
	};
	struct bc_facts f = { .kind = BC_DEVICE_REFERENCE };
	struct bc_device *d = NULL;
	struct bc_error err = { .msg = "" };

	(void)bc_strlcpy(f.arch, arch, sizeof(f.arch));
	ck_assert_msg(!ops->open(&o, &f, &d, &err), "%s", err.msg);
	return d;
}

/* One block of a warp; in: 100, 101 ...; out is poison. */
struct shot {
	struct bc_launch l;
	uint32_t in[LANES], out[LANES];
};

static void load(struct shot *s, const char *kernel, uint32_t n)
{
	const struct params p = { .n = n };

	memset(s, 0, sizeof(*s));
	for (uint32_t i = 0; i < LANES; i++)
		s->in[i] = 100 + i;
	s->l = (struct bc_launch){ .image = "unit",
				   .kernel = kernel,
				   .label = "a/case",
				   .grid = { 1, 1, 1 },
				   .block = { LANES, 1, 1 },
				   .shared_bytes = 4096,
				   .params_size = sizeof(p),
				   .nbuffers = 2 };
	memcpy(s->l.params, &p, sizeof(p));
	s->l.buffers[0] = (struct bc_buffer){ .bytes = sizeof(s->in),
					      .init = s->in,
					      .param_offset = offsetof(struct params, in) };
	s->l.buffers[1] = (struct bc_buffer){
		.bytes = sizeof(s->out), .poison = 0xa5, .out = s->out, .param_offset = offsetof(struct params, out)
	};
}

START_TEST(every_architecture_is_listed)
{
	const struct bc_open_options o = { .expected_dir = BC_TEST_EXPECTED };
	struct bc_facts *f = NULL;
	struct bc_error err = { .msg = "" };
	size_t n = 0, sm_90 = 0, sm_75 = 0;

	ck_assert_msg(!ops->list(&o, &f, &n, &err), "%s", err.msg);
	ck_assert_uint_ge(n, 12);
	for (size_t i = 0; i < n; i++) {
		ck_assert_int_eq(f[i].kind, BC_DEVICE_REFERENCE);
		ck_assert_uint_eq(f[i].index, i);
		sm_90 = strcmp(f[i].arch, "sm_90") == 0 ? i : sm_90;
		sm_75 = strcmp(f[i].arch, "sm_75") == 0 ? i : sm_75;
	}
	ck_assert_uint_eq(f[sm_90].optin_bytes, 227 * 1024);
	ck_assert_uint_eq(f[sm_75].optin_bytes, 64 * 1024);
	ck_assert_uint_lt(sm_75, sm_90);
	free(f);
}
END_TEST

/* A planted fault is the device's: all cases have to meet it, also after one that went astray. */
START_TEST(a_faulty_device_goes_on)
{
	struct bc_device *d = open_as("sm_90", "store-lost", false);
	struct bc_error err = { .msg = "" };
	struct shot s;

	load(&s, "plus", 0);
	s.l.block[0] = 64; /* twice as many as there are words */
	ck_assert_int_eq(ops->run(d, &s.l, 1, &err), BC_EDEVICE);
	ck_assert_msg(strstr(err.msg, "out of bounds") != NULL, "%s", err.msg);
	ck_assert(ops->alive(d));
	load(&s, "plus", 1);
	ck_assert_msg(!ops->run(d, &s.l, 1, &err), "afterwards: %s", err.msg);
	ops->close(d);
}
END_TEST

START_TEST(facts_say_what_it_is)
{
	struct bc_device *d = open_as("sm_80", NULL, false);
	const struct bc_facts *f = ops->facts(d);

	ck_assert_int_eq(f->kind, BC_DEVICE_REFERENCE);
	ck_assert_str_eq(f->arch, "sm_80");
	ck_assert_str_eq(f->name, "reference device");
	ck_assert_uint_eq(f->optin_bytes, 163 * 1024);
	ck_assert_uint_eq(f->sm_bytes, 164 * 1024);
	ck_assert_uint_eq(f->reserved_bytes, 1024);
	ck_assert_uint_eq(f->static_bytes, 48 * 1024);
	ck_assert_int_eq(f->ecc, -1);
	ck_assert(f->counters_are_model);
	ck_assert_str_eq(f->counters_absent, "");
	ck_assert_str_eq(f->clock_absent, "the reference device has no clock");
	ck_assert(ops->alive(d));
	ops->close(d);
	ops->close(NULL);
}
END_TEST

static const struct {
	const char *arch, *fault, *want;
	enum bc_status st;
} refused[] = {
	{ "sm_01", NULL, "sm_01", BC_EREAD },
	{ "sm_90", "no-such-thing", "no-such-thing", BC_EUSAGE },
	{ "sm_90", "", "no such fault", BC_EUSAGE },
};

START_TEST(what_cannot_be_opened)
{
	const struct bc_open_options o = { .kernels_dir = KERNELS,
					   .expected_dir = BC_TEST_EXPECTED,
					   .fault = refused[_i].fault };
	struct bc_facts f = { .kind = BC_DEVICE_REFERENCE };
	struct bc_device *d = NULL;
	struct bc_error err = { .msg = "" };

	(void)bc_strlcpy(f.arch, refused[_i].arch, sizeof(f.arch));
	ck_assert_int_eq(ops->open(&o, &f, &d, &err), refused[_i].st);
	ck_assert_ptr_null(d);
	ck_assert_msg(strstr(err.msg, refused[_i].want) != NULL, "%s", err.msg);
}
END_TEST

START_TEST(an_image_is_its_bytes)
{
	struct bc_device *d = open_as("sm_90", NULL, false);
	struct bc_error err = { .msg = "" };
	uint64_t hash = 0;

	ck_assert_msg(!ops->image(d, "unit", &hash, &err), "%s", err.msg);
	ck_assert_uint_eq(hash, bc_hash(BC_HASH_INIT, text, sizeof(text) - 1));
	ck_assert_int_eq(ops->image(d, "absent", &hash, &err), BC_EREAD);
	ck_assert_msg(strstr(err.msg, KERNELS "/ptx/absent.ptx") != NULL, "%s", err.msg);
	ops->close(d);
}
END_TEST

START_TEST(buffers_go_there_and_back)
{
	struct bc_device *d = open_as("sm_90", NULL, false);
	struct bc_error err = { .msg = "" };
	struct shot s;

	load(&s, "plus", 7);
	s.l.block[0] = 20; /* lanes 20 to 31 are not there */
	ck_assert_msg(!ops->run(d, &s.l, 1, &err), "%s", err.msg);
	for (uint32_t i = 0; i < LANES; i++) {
		ck_assert_uint_eq(s.out[i], i < 20 ? 107 + i : 0xa5a5a5a5);
		ck_assert_uint_eq(s.in[i], 100 + i);
	}
	ops->close(d);
}
END_TEST

/* More than have their buffers there at once, and several threads. */
START_TEST(many_launches_each_their_own)
{
	enum { MANY = 600 };
	struct bc_device *d = open_as("sm_90", NULL, false);
	struct shot *s = calloc(MANY, sizeof(*s));
	struct bc_launch *l = calloc(MANY, sizeof(*l));
	struct bc_counts *c = calloc(MANY, sizeof(*c));
	struct bc_error err = { .msg = "" };

	ck_assert(s && l && c);
	for (uint32_t i = 0; i < MANY; i++) {
		load(&s[i], i % 2 ? "stride" : "plus", i % 2 ? 4 + i % 31 * 4 : i);
		l[i] = s[i].l;
	}
	ck_assert_msg(!ops->count(d, l, MANY, ~0u, c, &err), "%s", err.msg);
	for (uint32_t i = 0; i < MANY; i++) {
		const uint32_t words = 1 + i % 31;

		ck_assert_uint_eq(s[i].out[5], i % 2 ? 5 : 105 + i);
		ck_assert_uint_eq(c[i].v[BC_CTR_LD_WAVEFRONTS], i % 2 ? 2 * (words & -words) : 0); /* gcd(words, 32) */
	}
	free(c);
	free(l);
	free(s);
	ops->close(d);
}
END_TEST

START_TEST(a_grid_runs_whole)
{
	struct bc_device *d = open_as("sm_90", NULL, false);
	struct bc_error err = { .msg = "" };
	struct shot s;

	load(&s, "plus", 1);
	s.l.grid[0] = 8;
	s.l.block[0] = 4;
	ck_assert_msg(!ops->run(d, &s.l, 1, &err), "%s", err.msg);
	for (uint32_t i = 0; i < LANES; i++)
		ck_assert_uint_eq(s.out[i], 101 + i);
	ops->close(d);
}
END_TEST

START_TEST(counters_are_exact)
{
	struct bc_device *d = open_as("sm_90", NULL, false);
	struct bc_error err = { .msg = "" };
	struct bc_counts c;
	struct shot s;

	load(&s, "stride", 128);
	ck_assert_msg(!ops->count(d, &s.l, 1, 1u << BC_CTR_LD_REQUESTS, &c, &err), "%s", err.msg);
	ck_assert_uint_eq(c.present, (1u << BC_CTR_DURATION) - 1);
	ck_assert_uint_eq(c.v[BC_CTR_LD_REQUESTS], 2);
	ck_assert_uint_eq(c.v[BC_CTR_LD_WAVEFRONTS], 64);
	ck_assert_uint_eq(c.v[BC_CTR_LD_CONFLICTS], 62);
	ck_assert_uint_eq(c.v[BC_CTR_ST_REQUESTS], 1);
	ck_assert_uint_eq(c.v[BC_CTR_ST_WAVEFRONTS], 32);
	ck_assert_uint_eq(c.v[BC_CTR_ST_CONFLICTS], 31);
	ck_assert_uint_eq(c.v[BC_CTR_ATOM_REQUESTS], 0);
	ck_assert_uint_eq(c.v[BC_CTR_GLOBAL_LD_REQUESTS], 0);
	ck_assert_uint_eq(c.v[BC_CTR_GLOBAL_ST_REQUESTS], 1);
	ck_assert_uint_eq(c.v[BC_CTR_GLOBAL_ST_SECTORS], 4);
	ck_assert_uint_eq(c.v[BC_CTR_ARBITRATION], 0);
	ck_assert_uint_eq(c.v[BC_CTR_BARRIERS], 1);
	ck_assert_uint_eq(c.v[BC_CTR_INSTRUCTIONS], 13);
	for (uint32_t i = 0; i < LANES; i++)
		ck_assert_uint_eq(s.out[i], i);
	ops->close(d);
}
END_TEST

START_TEST(a_counter_the_chip_lacks_is_absent)
{
	struct bc_device *d = open_as("sm_70", NULL, false);
	struct bc_error err = { .msg = "" };
	struct bc_counts c;
	struct shot s;

	load(&s, "stride", 4);
	ck_assert_msg(!ops->count(d, &s.l, 1, ~0u, &c, &err), "%s", err.msg);
	ck_assert_uint_eq(c.present, ((1u << BC_CTR_DURATION) - 1) & ~(1u << BC_CTR_LDGSTS_CONFLICTS));
	ck_assert_uint_eq(c.v[BC_CTR_LD_WAVEFRONTS], 2);
	ops->close(d);
}
END_TEST

/* What fails says which case, where and why, and leaves the device usable. */
static const struct {
	const char *kernel, *arch;
	uint32_t n, shared, block;
	bool racecheck;
	bool dies; /* the kernel did what leaves no context on a GPU */
	const char *want[5];
} failures[] = {
	{ "unwritten",
	  "sm_90",
	  0,
	  4096,
	  32,
	  false,
	  false,
	  { "a/case: ", "never written", UNWRITTEN_LINE, "lane 7", "shared address 0x440" } },
	{ "unwritten", "sm_70", 0, 4096, 32, false, false, { "a/case: ", "kernel unwritten", "shared address 0x40" } },
	{ "stride",
	  "sm_90",
	  256,
	  4096,
	  32,
	  false,
	  true,
	  { "a/case: ", "unit.ptx:17", "lane 16", "shared address 0x1400" } },
	{ "stride", "sm_90", 2, 4096, 32, false, true, { "a/case: ", "misaligned", "lane 1:", "0x402" } },
	{ "stride", "sm_90", 4, 227 * 1024 + 16, 32, false, false, { "a/case: ", "232464", "232448" } },
	{ "stride", "sm_75", 4, 64 * 1024 + 16, 32, false, false, { "a/case: ", "65552", "65536" } },
	{ "plus", "sm_90", 0, 0, 64, false, true, { "a/case: ", "out of bounds", "unit.ptx:10", "global" } },
	{ "race", "sm_90", 0, 4096, 64, true, false, { "a/case: ", "race", "unit.ptx:34", "shared address 0x400" } },
	{ "hang", "sm_90", 0, 0, 32, false, true, { "a/case: ", "hang" } },
	{ "nowhere", "sm_90", 0, 0, 32, false, false, { "a/case: ", "nowhere", "unit.ptx" } },
};

START_TEST(a_failure_names_its_place)
{
	struct bc_device *d = open_as(failures[_i].arch, NULL, failures[_i].racecheck);
	struct bc_error err = { .msg = "" };
	struct shot s;

	load(&s, failures[_i].kernel, failures[_i].n);
	s.l.block[0] = failures[_i].block;
	s.l.shared_bytes = failures[_i].shared;
	s.l.multi_writer = true;
	ck_assert_int_eq(ops->run(d, &s.l, 1, &err), BC_EDEVICE);
	for (size_t k = 0; k < BC_ARRAY_LEN(failures[_i].want) && failures[_i].want[k]; k++)
		ck_assert_msg(strstr(err.msg, failures[_i].want[k]) != NULL, "no `%s` in: %s", failures[_i].want[k],
			      err.msg);
	ck_assert(ops->alive(d) == !failures[_i].dies);
	load(&s, "plus", 1);
	if (failures[_i].dies) { /* sticky: every later call fails with the same words */
		struct bc_error again = { .msg = "" };
		struct bc_counts counts;

		ck_assert_int_eq(ops->run(d, &s.l, 1, &again), BC_EDEVICE);
		ck_assert_str_eq(again.msg, err.msg);
		ck_assert_int_eq(ops->count(d, &s.l, 1, 1, &counts, &again), BC_EDEVICE);
		ck_assert_str_eq(again.msg, err.msg);
	} else {
		ck_assert_msg(!ops->run(d, &s.l, 1, &err), "afterwards: %s", err.msg);
		ck_assert_uint_eq(s.out[31], 132);
	}
	ops->close(d);
}
END_TEST

START_TEST(the_first_failure_is_reported)
{
	static const struct {
		const char *kernel;
		uint32_t n;
	} shots[] = { { "plus", 1 }, { "plus", 1 },	{ "unwritten", 0 },
		      { "plus", 1 }, { "stride", 256 }, { "unwritten", 0 } };
	enum { N = BC_ARRAY_LEN(shots) };
	struct bc_device *d = open_as("sm_90", NULL, false);

	for (unsigned round = 0; round < 50; round++) {
		char label[N][16];
		struct bc_launch l[N];
		struct bc_error err = { .msg = "" };
		struct shot s[N];

		for (unsigned i = 0; i < N; i++) {
			load(&s[i], shots[i].kernel, shots[i].n);
			(void)snprintf(label[i], sizeof(label[i]), "case/%u", i);
			l[i] = s[i].l;
			l[i].label = label[i];
		}
		ck_assert_int_eq(ops->run(d, l, N, &err), BC_EDEVICE);
		ck_assert_msg(strncmp(err.msg, "case/2: ", 8) == 0, "%s", err.msg);
	}
	ops->close(d);
}
END_TEST

START_TEST(what_a_case_means_to_read_is_no_finding)
{
	struct bc_device *d = open_as("sm_90", NULL, false);
	struct bc_error err = { .msg = "" };
	struct shot s;

	load(&s, "unwritten", 0);
	s.l.reads_unwritten = true;
	ck_assert_msg(!ops->run(d, &s.l, 1, &err), "%s", err.msg);
	load(&s, "race", 0);
	s.l.block[0] = 64;
	ck_assert_msg(!ops->run(d, &s.l, 1, &err), "races are reported when asked for only: %s", err.msg);
	ops->close(d);
}
END_TEST

START_TEST(faults_reach_the_launch)
{
	struct bc_device *d = open_as("sm_90", "store-lost", false);
	struct bc_error err = { .msg = "" };
	struct bc_counts c;
	struct shot s;

	ck_assert_str_eq(ops->facts(d)->name, "reference device, planted fault store-lost");
	load(&s, "stride", 4);
	ck_assert_msg(!ops->run(d, &s.l, 1, &err), "no finding, for the fault is the device's: %s", err.msg);
	for (uint32_t i = 0; i < LANES; i++)
		ck_assert_msg((s.out[i] == i) == (i != 21), "lane %u reads %u", i, s.out[i]);
	ops->close(d);

	d = open_as("sm_90", "banks-16", false);
	load(&s, "stride", 4);
	ck_assert_msg(!ops->count(d, &s.l, 1, ~0u, &c, &err), "%s", err.msg);
	ck_assert_uint_eq(c.v[BC_CTR_LD_WAVEFRONTS], 4);
	ck_assert_uint_eq(c.v[BC_CTR_LD_CONFLICTS], 2);
	ops->close(d);

	d = open_as("sm_90", "counters-zero", false);
	ck_assert_msg(!ops->count(d, &s.l, 1, ~0u, &c, &err), "%s", err.msg);
	for (unsigned k = 0; k < BC_NCOUNTERS; k++)
		ck_assert_uint_eq(c.v[k], 0);
	ops->close(d);

	d = open_as("sm_90", "optin-small", false);
	ck_assert_uint_eq(ops->facts(d)->optin_bytes, 226 * 1024);
	s.l.shared_bytes = 227 * 1024;
	ck_assert_int_eq(ops->run(d, &s.l, 1, &err), BC_EDEVICE);
	s.l.shared_bytes = 226 * 1024;
	ck_assert_msg(!ops->run(d, &s.l, 1, &err), "%s", err.msg);
	ops->close(d);
}
END_TEST

START_TEST(parameters_are_bounded)
{
	struct bc_device *d = open_as("sm_90", NULL, false);
	struct bc_error err = { .msg = "" };
	struct shot s;

	load(&s, "plus", 1);
	s.l.buffers[1].param_offset = sizeof(struct params) - 4; /* half of the address would lie outside */
	ck_assert_int_eq(ops->run(d, &s.l, 1, &err), BC_EDEVICE);
	ck_assert_msg(strncmp(err.msg, "a/case: buffer 1", 16) == 0, "%s", err.msg);
	load(&s, "plus", 1);
	s.l.params_size = 8;
	s.l.nbuffers = 1;
	ck_assert_int_eq(ops->run(d, &s.l, 1, &err), BC_EDEVICE);
	ck_assert_msg(strncmp(err.msg, "a/case: ", 8) == 0, "%s", err.msg);
	ck_assert_msg(!ops->run(d, &s.l, 0, &err), "nothing to run: %s", err.msg);
	ops->close(d);
}
END_TEST

Suite *bc_test_reference(void)
{
	Suite *s = suite_create("reference");
	TCase *tc = tcase_create("device"), *launches = tcase_create("launches");

	tcase_add_checked_fixture(tc, write_text, NULL);
	tcase_add_checked_fixture(launches, write_text, NULL);
	tcase_add_test(tc, every_architecture_is_listed);
	tcase_add_test(tc, facts_say_what_it_is);
	tcase_add_loop_test(tc, what_cannot_be_opened, 0, (int)BC_ARRAY_LEN(refused));
	tcase_add_test(tc, an_image_is_its_bytes);
	tcase_add_test(launches, buffers_go_there_and_back);
	tcase_add_test(launches, many_launches_each_their_own);
	tcase_add_test(launches, a_grid_runs_whole);
	tcase_add_test(launches, counters_are_exact);
	tcase_add_test(launches, a_counter_the_chip_lacks_is_absent);
	tcase_add_loop_test(launches, a_failure_names_its_place, 0, (int)BC_ARRAY_LEN(failures));
	tcase_add_test(launches, a_faulty_device_goes_on);
	tcase_add_test(launches, the_first_failure_is_reported);
	tcase_add_test(launches, what_a_case_means_to_read_is_no_finding);
	tcase_add_test(launches, faults_reach_the_launch);
	tcase_add_test(launches, parameters_are_bounded);
	suite_add_tcase(s, tc);
	suite_add_tcase(s, launches);
	return s;
}
