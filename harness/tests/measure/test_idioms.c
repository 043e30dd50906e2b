/* SPDX-License-Identifier: MIT */
/* harness/tests/measure/test_idioms.c - kernels of the idiom suites on the reference device: free of races, and checked
 * whole.
 *
 * Here, not in a suite, are the kernels that have a bug: what finds it is the reference device's own check.
 */
#include "harness/device/device.h"
#include "harness/measure/measure.h"
#include "harness/measure/launch.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *bc_test_idioms(void);

static const struct bc_device_ops *const ops = &bc_device_reference;
static struct bc_device *dev;
static struct bc_catalog cat;
static struct bc_arch arch;
static struct bc_error err;

static void need(enum bc_status st, const char *what)
{
	ck_assert_msg(st == BC_OK, "%s: %s", what, err.msg);
}

static void open_all(void)
{
	const struct bc_open_options o = { .kernels_dir = BC_TEST_KERNELS,
					   .expected_dir = BC_TEST_EXPECTED,
					   .racecheck = true };
	struct bc_facts which = { .kind = BC_DEVICE_REFERENCE, .arch = "sm_90" };

	need(bc_catalog_build(bc_suites, &cat, &err), "catalogue");
	need(bc_arch_load(BC_TEST_EXPECTED, "sm_90", &arch, &err), "sm_90");
	need(ops->open(&o, &which, &dev, &err), "reference device");
}

static void close_all(void)
{
	ops->close(dev);
	bc_catalog_release(&cat);
}

static const struct bc_case *find(const char *id)
{
	const struct bc_case *c = bc_catalog_find(&cat, id);

	ck_assert_msg(c != NULL, "%s is gone", id);
	return c;
}

static void make(const struct bc_case *c, unsigned seed, struct bc_case_launch *r)
{
	need(bc_case_launch_program(c, &arch, 1, seed, r, &err), c->id);
}

/* The launch of a case with another kernel of the same image and parameters: what the device then says.
 * @unwritten: but for reads of what was never written. */
static enum bc_status run_instead(const char *id, const char *kernel, bool unwritten)
{
	struct bc_case_launch r;
	enum bc_status st;

	make(find(id), 0, &r);
	if (kernel)
		r.launch.kernel = kernel;
	r.launch.reads_unwritten = unwritten;
	err.msg[0] = '\0';
	st = ops->run(dev, &r.launch, 1, &err);
	bc_case_launch_release(&r);
	return st;
}

/* A bug, the case whose launch it is given, and words of what must be said of it. Without its barrier a kernel may
 * also read what nobody has written yet: that is left out, so that the race itself must be found. */
static const struct {
	const char *id, *kernel, *want;
	bool unwritten;
} bugs[] = {
	{ "sync/reverse/64", "bc_sync_missing", "race", true },
	{ "sync/reverse/1024", "bc_sync_missing", "race", true },
	{ "sync/reverse/64", "bc_sync_missing", "never written", false },
	{ "declare/reuse/2", "bc_declare_needs_zeros", "never written", false },
	{ "mbarrier/pipe/2_for_3", "bc_mbarrier_missing", "race", true },
	{ "cluster/ld/2", "bc_cluster_missing", "no barrier of the cluster is between", true },
	{ "cluster/ld/8", "bc_cluster_missing", "never written", false },
	{ "cluster/ld/2", "bc_cluster_early", "which has ended", false },
};

START_TEST(a_planted_bug_is_found)
{
	ck_assert_msg(run_instead(bugs[_i].id, NULL, false) == BC_OK, "%s: %s", bugs[_i].id, err.msg);
	ck_assert_msg(run_instead(bugs[_i].id, bugs[_i].kernel, bugs[_i].unwritten) != BC_OK, "%s is not found",
		      bugs[_i].kernel);
	ck_assert_msg(strstr(err.msg, bugs[_i].want) != NULL, "no '%s' in: %s", bugs[_i].want, err.msg);
}
END_TEST

static const char *const suites[] = { "coalesce", "reduction", "sync", "shuffle", "declare", "clock" };

/* Cases that are light enough to be run one by one here; many are alike but for a size. */
static bool chosen(const struct bc_case *c, const char *suite)
{
	char why[200];

	if (strcmp(c->suite->name, suite) != 0 || bc_case_unmet(c, &arch, why, sizeof(why)))
		return false;
	return strcmp(c->rule->name, "refused") != 0 && strcmp(c->rule->name, "resident") != 0 &&
	       (strcmp(c->rule->name, "kilobytes") != 0 || c->shared_bytes % 65536 == 0);
}

/* Buffers whose every byte is an answer. Not: cycles, told figures, and what a kernel only uses on its way. */
static bool is_answer(const struct bc_case *c, const struct bc_program *p, size_t i)
{
	if (p->buffers[i].use == BC_BUFFER_IN || p->buffers[i].use == BC_BUFFER_DEVICE_LIMITS || !p->buffers[i].bytes)
		return false;
	if (strcmp(c->suite->name, "clock") == 0)
		return i == 1 && strcmp(c->rule->name, "latency") != 0;
	if (strcmp(c->suite->name, "sync") == 0)
		return i == 1;
	if (strcmp(c->suite->name, "coalesce") ==
	    0) /* of stores the second buffer is not used; inactive lanes give nothing */
		return c->arg[0] ? i == 0 : i == 1 && c->arg[4] == BC_LANES;
	return strcmp(c->rule->name, "geometry") != 0 && strcmp(c->rule->name, "occupancy") != 0;
}

/* All that comes back is right; with any one byte changed it is not. Bytes at both ends, and some between. */
START_TEST(every_answer_is_compared)
{
	unsigned cases = 0;

	for (size_t k = 0; k < cat.n; k++) {
		const struct bc_case *c = &cat.cases[k];
		struct bc_case_launch r;
		char detail[400];

		if (!chosen(c, suites[_i]) || strcmp(c->rule->name, "occupancy") == 0 ||
		    strcmp(c->rule->name, "geometry") == 0)
			continue;
		cases++;
		make(c, (unsigned)k % 2, &r);
		need(ops->run(dev, &r.launch, 1, &err), c->id);
		ck_assert_msg(bc_case_launch_check_program(&r, c, &arch, detail, sizeof(detail)), "%s: %s", c->id,
			      detail);
		for (size_t i = 0; i < r.program.nbuffers; i++) {
			unsigned char *byte = r.data[i];
			const size_t n = r.program.buffers[i].bytes;

			for (size_t at = 0; is_answer(c, &r.program, i) && at < n;
			     at += at + 1 < n ? 1 + (n - at) / 2 : 1) {
				byte[at] ^= 0x10;
				ck_assert_msg(!bc_case_launch_check_program(&r, c, &arch, detail, sizeof(detail)),
					      "%s: byte %zu of buffer %zu may be anything", c->id, at, i);
				byte[at] ^= 0x10;
			}
		}
		bc_case_launch_release(&r);
	}
	ck_assert_uint_gt(cases, 5);
}
END_TEST

/* Invented clock reads: the case, cycles of the two settings, the value. Warps start 3 cycles one after another. */
static const struct {
	const char *id;
	unsigned warps;
	uint32_t cycles[2];
	double want;
} reads[] = {
	{ "clock/chain/2", 1, { 32 * 23, 32 * 25 }, 2 },
	{ "clock/chain/32", 1, { 32 * 23, 32 * 85 }, 2 },
	{ "clock/one_warp_st/4", 1, { 32 * 8 + 30, 32 * 64 + 30 }, 2 },
	{ "clock/one_warp_cas/16", 1, { 32 * 64, 32 * 128 }, 4 },
	{ "clock/four_warps_ld/8", 4, { 32 * 32, 32 * 128 }, 1 },
	{ "clock/four_warps_st/16", 4, { 32 * 64, 32 * 128 }, 1 },
	{ "clock/cas_over_add/32", 1, { 2000, 4000 }, 2 },
	{ "clock/bandwidth/8", 8, { 1024 + 50, 3 * 1024 + 50 }, 128 },
	{ "clock/latency/l2_over_shared", 1, { 1000, 9000 }, 9 },
	{ "clock/latency/l1_over_shared", 1, { 1000, 500 }, 0.5 },
	{ "sync/cost/256", 0, { 900, 600 }, 1.5 },
};

START_TEST(clock_reads_become_a_value)
{
	const struct bc_case *c = find(reads[_i].id);
	const unsigned warps = reads[_i].warps;
	uint32_t samples[2 * BC_TIME_SAMPLES * 8 * 2];
	void *data[BC_PROGRAM_BUFFERS] = { samples, samples, samples };
	struct bc_clock_reading k;

	if (!warps)
		memcpy(samples, reads[_i].cycles, sizeof(reads[_i].cycles));
	for (unsigned i = 0; i < 2 * BC_TIME_SAMPLES * warps; i++) {
		const unsigned run = i / warps, setting = run / BC_TIME_SAMPLES, warp = i % warps;
		const uint32_t start = 0xffffff00u + run * 77; /* the clock wraps around on the way */
		const bool odd = run % BC_TIME_SAMPLES == 5;   /* one run is far off */

		samples[2 * i] = start + 3 * warp;
		samples[2 * i + 1] = start + reads[_i].cycles[setting] - 3 * (warps - 1 - warp) + (odd ? 100000 : 0);
	}
	ck_assert(c->rule->clock(c, &arch, data, &k));
	ck_assert_msg(k.value > reads[_i].want - 1e-9 && k.value < reads[_i].want + 1e-9, "%s: %g, not %g", c->id,
		      k.value, reads[_i].want);
	ck_assert_uint_eq(k.n, warps ? 2 * BC_TIME_SAMPLES : 2);
	memset(samples, 0, sizeof(samples));
	ck_assert_msg(!c->rule->clock(c, &arch, data, &k), "%s: no time at all makes sense", c->id);
}
END_TEST

/* Blocks of two [32][33] tiles and of two swizzled ones that an SM holds at 64 threads, worked out by hand. */
static const struct {
	const char *arch;
	unsigned padded, swizzled;
} residency[] = {
	{ "sm_70", 11, 12 }, { "sm_75", 7, 8 },	  { "sm_80", 17, 18 },	{ "sm_86", 10, 11 },  { "sm_87", 16, 16 },
	{ "sm_89", 10, 11 }, { "sm_90", 24, 25 }, { "sm_100", 24, 25 }, { "sm_110", 24, 24 }, { "sm_120", 10, 11 },
};

static bool occupancy_is(const char *id, const struct bc_arch *a, uint32_t blocks)
{
	const struct bc_case *c = find(id);
	struct bc_device_limits told = { .blocks_per_sm = blocks };
	void *data[BC_PROGRAM_BUFFERS] = { NULL, NULL, &told };
	struct bc_mismatch bad;

	return c->rule->check(c, a, data, 0, &bad);
}

START_TEST(an_sm_holds_what_a_hand_worked_out)
{
	struct bc_arch a;

	need(bc_arch_load(BC_TEST_EXPECTED, residency[_i].arch, &a, &err), residency[_i].arch);
	for (uint32_t n = 0; n < 40; n++) {
		ck_assert_msg(occupancy_is("declare/occupancy/two_padded_tiles", &a, n) == (n == residency[_i].padded),
			      "%s: %u padded", a.name, n);
		ck_assert_msg(occupancy_is("declare/occupancy/two_swizzled_tiles", &a, n) ==
				      (n == residency[_i].swizzled),
			      "%s: %u swizzled", a.name, n);
	}
}
END_TEST

/* ---- refusals and what the device tells, through the measuring of a batch ---- */

static struct bc_program altered; /* what the invented rule launches */

static bool altered_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	(void)c;
	(void)a;
	*out = altered;
	return true;
}

static struct bc_observation observe(const struct bc_case *c)
{
	struct bc_measure *m = NULL;
	struct bc_observation o;

	need(bc_measure_open(ops, dev, &arch, NULL, &(struct bc_measure_options){ .counters = true }, &m, &err), c->id);
	need(bc_measure_batch(m, &c, 1, &o, &err), c->id);
	bc_measure_close(m);
	return o;
}

/* A refusal with other sizes: what is launched, what is then launched, how it ends. */
static const struct {
	const char *id;
	uint32_t bytes, accepted;
	bool ok;
	const char *want;
} alterations[] = {
	{ "declare/refused/dynamic_64k", 65536, 49152, true, "" },
	{ "declare/refused/dynamic_64k", 49152, 49152, false, "the launch was not refused" },
	{ "declare/refused/dynamic_64k", 65536, 65536, false, "refused, but with 65536 bytes too" },
	{ "declare/refused/optin_and_1", 232449, 232448, true, "" },
	{ "declare/refused/optin_and_1", 232448, 232448, false, "the launch was not refused" },
	{ "declare/refused/static_48k_and_1", 0, 0, false, "the launch was not refused" },
};

START_TEST(a_refusal_is_one_and_nothing_else)
{
	const struct bc_case *c = find(alterations[_i].id);
	struct bc_rule rule = *c->rule;
	struct bc_case other = *c;
	struct bc_observation o;

	ck_assert(c->rule->program(c, &arch, &altered));
	altered.shared_bytes = alterations[_i].bytes;
	altered.accepted_bytes = alterations[_i].accepted;
	rule.program = altered_program;
	other.rule = &rule;
	o = observe(&other);
	ck_assert(o.data_checked);
	ck_assert_msg(o.data_ok == alterations[_i].ok, "%s: %s", c->id, o.data_detail);
	ck_assert_msg(strstr(o.data_detail, alterations[_i].want) != NULL, "%s", o.data_detail);
}
END_TEST

START_TEST(the_device_tells_its_figures)
{
	static const char *const ids[] = { "declare/geometry/optin_bytes", "declare/geometry/sm_bytes",
					   "declare/geometry/reserved_bytes", "declare/geometry/static_bytes",
					   "declare/occupancy/two_padded_tiles" };

	for (size_t i = 0; i < BC_ARRAY_LEN(ids); i++) {
		struct bc_observation o = observe(find(ids[i]));

		ck_assert_msg(o.data_checked && o.data_ok, "%s: %s", ids[i], o.data_detail);
	}
	arch.optin_bytes -= 1024; /* as if arch.txt said less */
	ck_assert(!observe(find(ids[0])).data_ok);
	arch.optin_bytes += 1024;
}
END_TEST

/* ---- docs/claims.md ---- */

/* A case, or what all cases of a suite or rule start with. */
static bool names_cases(const char *word, size_t len)
{
	for (size_t i = 0; i < cat.n; i++)
		if (strncmp(cat.cases[i].id, word, len) == 0 &&
		    (cat.cases[i].id[len] == '\0' || cat.cases[i].id[len] == '/'))
			return true;
	return false;
}

/* Every word in back quotes that starts with a suite's name names cases. */
START_TEST(the_ledger_names_cases_that_exist)
{
	struct bc_text text = { 0 };
	unsigned named = 0;

	need(bc_file_read(BC_TEST_EXPECTED "/../docs/claims.md", 1u << 20, &text, &err), "claims");
	for (char *at = strchr(text.data, '`'); at; at = strchr(at, '`')) {
		const size_t len = strcspn(at + 1, "`\n"), suite = strcspn(at + 1, "/`\n");

		if (suite < len && strncmp(at + 1, "reports/", 8) != 0 && strncmp(at + 1, "tools/", 6) != 0) {
			ck_assert_msg(names_cases(at + 1, len), "claims.md: no case starts with %.*s", (int)len,
				      at + 1);
			named++;
		}
		at += len + 1;
		at += *at == '`';
	}
	ck_assert_uint_gt(named, 80);
	bc_text_release(&text);
}
END_TEST

Suite *bc_test_idioms(void)
{
	Suite *s = suite_create("idioms");
	TCase *tc = tcase_create("kernels");

	tcase_add_unchecked_fixture(tc, open_all, close_all);
	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, a_planted_bug_is_found, 0, (int)BC_ARRAY_LEN(bugs));
	tcase_add_loop_test(tc, every_answer_is_compared, 0, (int)BC_ARRAY_LEN(suites));
	tcase_add_loop_test(tc, a_refusal_is_one_and_nothing_else, 0, (int)BC_ARRAY_LEN(alterations));
	tcase_add_test(tc, the_device_tells_its_figures);
	suite_add_tcase(s, tc);

	tc = tcase_create("figures");
	tcase_add_unchecked_fixture(tc, open_all, close_all);
	tcase_add_loop_test(tc, clock_reads_become_a_value, 0, (int)BC_ARRAY_LEN(reads));
	tcase_add_loop_test(tc, an_sm_holds_what_a_hand_worked_out, 0, (int)BC_ARRAY_LEN(residency));
	tcase_add_test(tc, the_ledger_names_cases_that_exist);
	suite_add_tcase(s, tc);
	return s;
}
