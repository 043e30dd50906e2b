/* SPDX-License-Identifier: MIT */
#include "harness/core/case.h"
#include "harness/tests/invented.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

Suite *bc_test_case(void);

static struct bc_catalog cat;
static struct bc_arch arch;

static void set_up(void)
{
	cat = bc_invented_catalog();
	arch = bc_invented_arch();
}

static void tear_down(void)
{
	bc_catalog_release(&cat);
}

static const struct bc_case *get(const char *id)
{
	const struct bc_case *c = bc_catalog_find(&cat, id);

	ck_assert_msg(c, "no case %s", id);
	return c;
}

START_TEST(catalogue_is_in_order)
{
	static const char *const want[] = {
		"alpha/ld/1",	   "alpha/ld/2",	 "alpha/ld/32",	     "alpha/st/1",
		"alpha/st/2",	   "alphabet/uniform/0", "beta/edge/last",   "beta/edge/abs",
		"beta/edge/low",   "beta/edge/deep",	 "beta/needs/ldsm",  "beta/needs/stsm",
		"beta/needs/copy", "beta/needs/counter", "beta/needs/clock", "beta/needs/code",
	};

	ck_assert_uint_eq(cat.n, BC_ARRAY_LEN(want));
	for (size_t i = 0; i < cat.n; i++) {
		ck_assert_str_eq(cat.cases[i].id, want[i]);
		ck_assert_ptr_eq(bc_catalog_find(&cat, want[i]), &cat.cases[i]);
	}
	ck_assert_str_eq(get("alpha/ld/2")->suite->name, "alpha");
	ck_assert_str_eq(get("alpha/ld/2")->rule->name, "ld");
	ck_assert_str_eq(get("alpha/ld/1")->twin, "");
	ck_assert_str_eq(get("alpha/ld/2")->twin, "alpha/ld/1");
	ck_assert_str_eq(get("alpha/ld/32")->twin, "alpha/ld/1");
}
END_TEST

START_TEST(other_ids_are_not_found)
{
	static const char *const none[] = { "",		  "alpha",	 "alpha/ld", "alpha/ld/",
					    "alpha/ld/3", "alpha/ld/1/", "zeta/x/y", "A/B/C" };
	const struct bc_catalog empty = { 0 };

	for (size_t i = 0; i < BC_ARRAY_LEN(none); i++)
		ck_assert_ptr_null(bc_catalog_find(&cat, none[i]));
	ck_assert_ptr_null(bc_catalog_find(&empty, "alpha/ld/1"));
}
END_TEST

/* One broken case beside two good ones: a rule whose second variant is changed by the row under test. */
static void (*damage)(struct bc_case *c);

static bool build_damaged(unsigned i, struct bc_case *c)
{
	if (i > 1)
		return false;
	bc_strlcpy(c->variant, i ? "second" : "first", sizeof(c->variant));
	c->pattern = (struct bc_pattern){ .op = BC_OP_LD64, .mask = UINT32_MAX, .count = 1 };
	for (uint32_t lane = 0; lane < BC_LANES; lane++)
		c->pattern.offset[lane] = lane * 8;
	if (i == 1)
		damage(c);
	return true;
}

static bool build_nothing(unsigned i, struct bc_case *c)
{
	(void)i;
	(void)c;
	return false;
}

static bool build_for_ever(unsigned i, struct bc_case *c)
{
	build_damaged(0, c);
	snprintf(c->variant, sizeof(c->variant), "v%u", i);
	return true;
}

static void none(struct bc_case *c)
{
	(void)c;
}
static void same_name(struct bc_case *c)
{
	bc_strlcpy(c->variant, "first", sizeof(c->variant));
}
static void no_name(struct bc_case *c)
{
	c->variant[0] = '\0';
}
static void minus(struct bc_case *c)
{
	bc_strlcpy(c->variant, "-3", sizeof(c->variant));
}
static void upper(struct bc_case *c)
{
	bc_strlcpy(c->variant, "Second", sizeof(c->variant));
}
static void slash(struct bc_case *c)
{
	bc_strlcpy(c->variant, "a/b", sizeof(c->variant));
}
static void long_name(struct bc_case *c)
{
	memset(c->variant, 'x', sizeof(c->variant) - 1);
}
static void no_end(struct bc_case *c)
{
	memset(c->variant, 'x', sizeof(c->variant));
}
static void twin_missing(struct bc_case *c)
{
	bc_strlcpy(c->twin, "r/third", sizeof(c->twin));
}
static void twin_bare(struct bc_case *c)
{
	bc_strlcpy(c->twin, "first", sizeof(c->twin));
}
static void twin_self(struct bc_case *c)
{
	bc_strlcpy(c->twin, "r/second", sizeof(c->twin));
}
static void twin_good(struct bc_case *c)
{
	bc_strlcpy(c->twin, "r/first", sizeof(c->twin));
}
static void no_op(struct bc_case *c)
{
	c->pattern.op = BC_OP_NONE;
}
static void no_lane(struct bc_case *c)
{
	c->pattern.mask = 0;
}
static void some_rows(struct bc_case *c)
{
	c->pattern.op = BC_OP_LDSM1;
	c->pattern.mask = 0xff;
}
static void no_request(struct bc_case *c)
{
	c->pattern.count = 0;
}
static void odd_count(struct bc_case *c)
{
	c->pattern.count = 12;
}
static void big_count(struct bc_case *c)
{
	c->pattern.count = 64;
}
static void odd_step(struct bc_case *c)
{
	c->pattern.step = 12;
}
static void no_origin(struct bc_case *c)
{
	c->pattern.origin = (enum bc_origin)7;
}
static void odd_offset(struct bc_case *c)
{
	c->pattern.offset[31] = 252;
}
static void odd_but_idle(struct bc_case *c)
{
	c->pattern.offset[31] = 252;
	c->pattern.mask >>= 1;
}
static void twin_of_twin(struct bc_case *c)
{
	bc_strlcpy(c->twin, "r/first", sizeof(c->twin));
	c->pattern.op = BC_OP_ST64;
}

static const struct {
	void (*damage)(struct bc_case *c);
	const char *want; /* the start of the message; NULL: a good catalogue */
} damages[] = {
	{ none, NULL },
	{ twin_good, NULL },
	{ odd_but_idle, NULL },
	{ same_name, "s/r/first: the id is there twice" },
	{ no_name, "s/r: variant '': only a-z" },
	{ minus, "s/r: variant '-3': only a-z" },
	{ upper, "s/r: variant 'Second': only a-z" },
	{ slash, "s/r: variant 'a/b': only a-z" },
	{ long_name, NULL },
	{ no_end, "s/r: a variant or twin without end" },
	{ twin_missing, "s/r/second: its twin s/r/third does not exist" },
	{ twin_bare, "s/r/second: its twin first does not exist" },
	{ twin_self, "s/r/second: the case is its own twin" },
	{ twin_of_twin, "s/r/second: st64, but its twin s/r/first is ld64" },
	{ no_op, "s/r/second: the pattern has no operation" },
	{ no_lane, "s/r/second: the pattern has no active lane" },
	{ some_rows, "s/r/second: ldsm1 needs all 32 lanes, the mask is 000000ff" },
	{ no_request, "s/r/second: 0 requests" },
	{ odd_count, "s/r/second: 12 requests" },
	{ big_count, "s/r/second: 64 requests" },
	{ odd_step, "s/r/second: a step of 12 bytes is not a multiple of the 8 of ld64" },
	{ no_origin, "s/r/second: the pattern has no origin" },
	{ odd_offset, "s/r/second: lane 31's offset 252 is not a multiple of the 8 bytes of ld64" },
};

static enum bc_status build_one(const char *suite, const char *rule, const char *sentence,
				bool (*build)(unsigned i, struct bc_case *c), struct bc_error *err)
{
	const struct bc_rule r = { .name = rule, .sentence = sentence, .build = build };
	const struct bc_suite s = { suite, "one rule", &r, 1, false, false };
	const struct bc_suite *const suites[] = { &s, NULL };
	struct bc_catalog one = { 0 };
	const enum bc_status st = bc_catalog_build(suites, &one, err);

	ck_assert((st == BC_OK) == (one.n > 0));
	bc_catalog_release(&one);
	return st;
}

START_TEST(catalogue_refuses_what_is_malformed)
{
	struct bc_error err = { 0 };

	damage = damages[_i].damage;

	const enum bc_status st = build_one("s", "r", "a sentence", build_damaged, &err);

	ck_assert_msg(st == (damages[_i].want ? BC_EDATA : BC_OK), "%s", err.msg);
	if (damages[_i].want)
		ck_assert_msg(strncmp(err.msg, damages[_i].want, strlen(damages[_i].want)) == 0, "%s", err.msg);
}
END_TEST

START_TEST(catalogue_refuses_names_and_empty_rules)
{
	static const char name31[] = "abcdefghijklmnopqrstuvwxyz01234";
	struct bc_error err = { 0 };

	damage = none;
	ck_assert_int_eq(build_one("S", "r", "x", build_damaged, &err), BC_EDATA);
	ck_assert_str_eq(err.msg, "suite 'S': only a-z, 0-9 and _ are allowed in a name");
	ck_assert_int_eq(build_one(NULL, "r", "x", build_damaged, &err), BC_EDATA);
	ck_assert_int_eq(build_one("s", "r 1", "x", build_damaged, &err), BC_EDATA);
	ck_assert_str_eq(err.msg, "s: rule 'r 1': only a-z, 0-9 and _ are allowed in a name");
	ck_assert_int_eq(build_one("s", "r", NULL, build_damaged, &err), BC_EDATA);
	ck_assert_int_eq(build_one("s", "r", "x", NULL, &err), BC_EDATA);
	ck_assert_int_eq(build_one("s", "r", "x", build_nothing, &err), BC_EDATA);
	ck_assert_str_eq(err.msg, "s/r: the rule has no case");
	ck_assert_int_eq(build_one("s", "r", "x", build_for_ever, &err), BC_EDATA);
	ck_assert_ptr_nonnull(strstr(err.msg, "more than 100000 cases"));
	damage = long_name;
	ck_assert_int_eq(build_one(name31, name31, "x", build_damaged, &err), BC_EDATA);
	ck_assert_ptr_nonnull(strstr(err.msg, "the id is longer than 95 bytes"));
}
END_TEST

/* v1's twin is v0; v2's is v1, which conflicts itself. */
static bool build_chain(unsigned i, struct bc_case *c)
{
	build_damaged(0, c);
	snprintf(c->variant, sizeof(c->variant), "v%u", i);
	if (i > 0)
		snprintf(c->twin, sizeof(c->twin), "r/v%u", i - 1);
	return i < 3;
}

START_TEST(a_twin_names_no_twin)
{
	struct bc_error err = { 0 };

	ck_assert_int_eq(build_one("s", "r", "x", build_chain, &err), BC_EDATA);
	ck_assert_str_eq(err.msg, "s/r/v2: its twin s/r/v1 names a twin itself, so it is not clean");
}
END_TEST

START_TEST(release_leaves_nothing)
{
	struct bc_catalog c = bc_invented_catalog();

	bc_catalog_release(&c);
	ck_assert_ptr_null(c.cases);
	ck_assert_ptr_null(c.by_id);
	ck_assert_uint_eq(c.n, 0);
	bc_catalog_release(&c);
	bc_catalog_release(NULL);
}
END_TEST

/* Names of two suites that are alike make ids that are there twice. */
START_TEST(a_suite_twice_is_refused)
{
	const struct bc_suite *const twice[] = { bc_invented_suites[0], bc_invented_suites[0], NULL };
	const struct bc_suite *const nothing[] = { NULL };
	struct bc_catalog c = { 0 };
	struct bc_error err = { 0 };

	ck_assert_int_eq(bc_catalog_build(twice, &c, &err), BC_EDATA);
	ck_assert_ptr_nonnull(strstr(err.msg, "the id is there twice"));
	ck_assert_int_eq(bc_catalog_build(nothing, &c, &err), BC_OK);
	ck_assert_uint_eq(c.n, 0);
	bc_catalog_release(&c);
}
END_TEST

/* A case of its own: @op, lanes of @mask at @first + 4 or more * lane. */
static struct bc_case make(enum bc_op op, enum bc_origin origin, uint32_t mask, uint32_t first, uint32_t count,
			   uint32_t step)
{
	struct bc_case c = { .pattern = { .op = op, .origin = origin, .mask = mask, .count = count, .step = step } };

	for (uint32_t lane = 0; lane < BC_LANES; lane++)
		c.pattern.offset[lane] = first + lane * bc_op_info(op)->bytes;
	return c;
}

START_TEST(extent_is_what_is_touched)
{
	static const struct {
		const char *what;
		enum bc_op op;
		enum bc_origin origin;
		uint32_t mask, first, count, step;
		uint64_t want;
	} rows[] = {
		{ "32 words", BC_OP_LD32, BC_FROM_START, UINT32_MAX, 0, 1, 0, 128 },
		{ "32 bytes", BC_OP_LD8, BC_FROM_START, UINT32_MAX, 0, 1, 0, 32 },
		{ "32 times 16 bytes from 1024 on", BC_OP_ST128, BC_FROM_START, UINT32_MAX, 1024, 1, 0, 1536 },
		{ "32 requests", BC_OP_LD32, BC_FROM_START, UINT32_MAX, 0, 32, 128, 4096 },
		{ "2 requests of a huge step", BC_OP_LD32, BC_FROM_START, 1, 0, 2, 0xfffffff0, 0xfffffff4 },
		{ "32 requests of a huge step", BC_OP_LD32, BC_FROM_START, 1, 0, 32, 0x10000000, 0x1f0000004 },
		{ "idle lanes do not count", BC_OP_LD32, BC_FROM_START, 0x3, 0, 1, 0, 8 },
		{ "lanes of one row of matrices", BC_OP_LDSM1, BC_FROM_START, UINT32_MAX, 0, 1, 0, 128 },
		{ "two matrices", BC_OP_STSM2, BC_FROM_START, UINT32_MAX, 0, 1, 0, 256 },
		{ "four matrices", BC_OP_LDSM4, BC_FROM_START, UINT32_MAX, 0, 1, 0, 512 },
		{ "absolute, at the window's first byte", BC_OP_LD32, BC_FROM_ABSOLUTE, UINT32_MAX, 1024, 1, 0, 128 },
		{ "absolute, 4 bytes below", BC_OP_LD32, BC_FROM_ABSOLUTE, UINT32_MAX, 1020, 1, 0, 0 },
		{ "absolute, only an idle lane below", BC_OP_LD32, BC_FROM_ABSOLUTE, UINT32_MAX - 1, 1020, 1, 0, 124 },
		{ "the whole window", BC_OP_LD32, BC_FROM_OPTIN_END, UINT32_MAX, 0, 1, 0, 65536 },
		{ "more than the window", BC_OP_LD32, BC_FROM_OPTIN_END, UINT32_MAX, 65536, 1, 0, 65664 },
	};

	for (size_t i = 0; i < BC_ARRAY_LEN(rows); i++) {
		const struct bc_case c =
			make(rows[i].op, rows[i].origin, rows[i].mask, rows[i].first, rows[i].count, rows[i].step);
		const uint64_t got = bc_case_extent(&c, &arch);

		ck_assert_msg(got == rows[i].want, "%s: got %llu", rows[i].what, (unsigned long long)got);
	}
}
END_TEST

START_TEST(addresses_count_from_their_origin)
{
	static const struct {
		enum bc_origin origin;
		uint32_t first, k, lane0, lane31;
	} rows[] = {
		/* a step of 256, 4 requests: the last request ends at first + 768 + 128 */
		{ BC_FROM_START, 0, 0, 1024, 1148 },
		{ BC_FROM_START, 64, 3, 1024 + 64 + 768, 1148 + 64 + 768 },
		{ BC_FROM_ABSOLUTE, 4096, 0, 4096, 4220 },
		{ BC_FROM_ABSOLUTE, 4096, 2, 4608, 4732 },
		{ BC_FROM_OPTIN_END, 0, 0, 1024 + 65536 - 896, 1024 + 65536 - 772 },
		{ BC_FROM_OPTIN_END, 0, 3, 1024 + 65536 - 128, 1024 + 65536 - 4 },
		{ BC_FROM_OPTIN_END, 64, 3, 1024 + 65536 - 128, 1024 + 65536 - 4 },
	};

	for (size_t i = 0; i < BC_ARRAY_LEN(rows); i++) {
		const struct bc_case c = make(BC_OP_LD32, rows[i].origin, 0x80000003, rows[i].first, 4, 256);
		uint32_t addr[BC_LANES];

		memset(addr, 0xff, sizeof(addr));
		bc_case_addresses(&c, &arch, rows[i].k, addr);
		ck_assert_msg(addr[0] == rows[i].lane0 && addr[31] == rows[i].lane31, "row %zu: %u and %u", i, addr[0],
			      addr[31]);
		ck_assert_uint_eq(addr[1], rows[i].lane0 + 4);
		ck_assert_msg(addr[2] == 0 && addr[30] == 0, "row %zu: idle lanes are 0", i);
	}
}
END_TEST

START_TEST(model_applies_the_laws_to_all_requests)
{
	struct bc_arch usual = bc_invented_arch();
	struct bc_error err = { 0 };
	uint64_t w = 0, x = 0;

	usual.banks = 32;
	usual.bank_bytes = 4;
	ck_assert_int_eq(bc_case_model(get("alpha/ld/2"), &usual, &w, &x, NULL), BC_OK);
	ck_assert(w == 2 && x == 1);
	ck_assert_int_eq(bc_case_model(get("alpha/ld/2"), &arch, &w, &x, NULL), BC_OK); /* 16 banks of 8 bytes */
	ck_assert(w == 2 && x == 1);
	ck_assert_int_eq(bc_case_model(get("alpha/ld/1"), &arch, &w, &x, NULL), BC_OK);
	ck_assert(w == 1 && x == 0);
	ck_assert_int_eq(bc_case_model(get("alpha/ld/32"), &usual, &w, &x, NULL), BC_OK);
	ck_assert(w == 32 && x == 31);

	struct bc_case c = *get("alpha/ld/32");

	c.pattern.count = 8; /* request k: 4k bytes on, still one bank */
	c.pattern.step = 4;
	ck_assert_int_eq(bc_case_model(&c, &usual, &w, &x, NULL), BC_OK);
	ck_assert(w == 8 * 32 && x == 8 * 31);
	c.pattern.step = 2; /* the second request is misaligned */
	ck_assert_int_eq(bc_case_model(&c, &usual, &w, &x, &err), BC_EDATA);
	ck_assert_str_eq(err.msg, "ld32: lane 0's address 0x402 is not a multiple of 4 bytes");
	ck_assert(w == 8 * 32 && x == 8 * 31);
}
END_TEST

/* A rule with programs: three requests of 32, 1 and 2 wavefronts; the suite is asked nothing else. */
static bool program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	(void)c;
	(void)a;
	*out = (struct bc_program){ .image = "none" };
	return true;
}

static bool check_nothing(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
			  struct bc_mismatch *bad)
{
	(void)c;
	(void)a;
	(void)data;
	(void)seed;
	(void)bad;
	return true;
}

static bool three_requests(const struct bc_case *c, const struct bc_arch *a, uint64_t k, struct bc_program_request *out)
{
	static const uint32_t strides[] = { 128, 4, 8 };

	(void)a;
	if (k >= (uint64_t)c->arg[0])
		return false;
	*out = (struct bc_program_request){ .op = BC_OP_LD32, .mask = UINT32_MAX };
	for (uint32_t lane = 0; lane < BC_LANES; lane++)
		out->addr[lane] = lane * strides[k];
	return true;
}

START_TEST(model_of_a_program_is_its_requests)
{
	struct bc_rule rule = { .name = "r", .program = program, .check = check_nothing, .request = three_requests };
	struct bc_case c = { .rule = &rule, .arg = { 3 }, .shared_bytes = 65536 };
	struct bc_arch usual = bc_invented_arch();
	struct bc_error err = { 0 };
	struct bc_model m;
	char need[200];

	usual.banks = 32;
	usual.bank_bytes = 4;
	ck_assert_int_eq(bc_case_model_all(&c, &usual, &m, NULL), BC_OK);
	ck_assert(m.requests == 3 && m.wavefronts == 35 && m.conflicts == 32);
	ck_assert_uint_eq(bc_case_extent(&c, &usual), 65536);
	ck_assert(!bc_case_unmet(&c, &usual, need, sizeof(need)));
	c.shared_bytes++;
	ck_assert(bc_case_unmet(&c, &usual, need, sizeof(need)));
	ck_assert_str_eq(need, "65537 bytes of shared memory (sm_00 has 65536)");
	c.arg[0] = 0;
	ck_assert_int_eq(bc_case_model_all(&c, &usual, &m, &err), BC_EDATA);
	ck_assert_str_eq(err.msg, "the rule lists no request");
	rule.request = NULL;
	ck_assert_int_eq(bc_case_model_all(&c, &usual, &m, &err), BC_EDATA);
	ck_assert_ptr_nonnull(strstr(err.msg, "the rule lists no addresses"));

	ck_assert_int_eq(bc_case_model_all(get("alpha/ld/32"), &usual, &m, NULL), BC_OK); /* a pattern */
	ck_assert(m.requests == 1 && m.wavefronts == 32 && m.conflicts == 31);
}
END_TEST

static bool build_program(unsigned i, struct bc_case *c)
{
	bc_strlcpy(c->variant, "v", sizeof(c->variant));
	return i == 0;
}

START_TEST(programs_are_checked)
{
	static const struct {
		bool (*build)(unsigned i, struct bc_case *c);
		bool checked;
		const char *want; /* NULL: good */
	} kinds[] = {
		{ build_program, true, NULL },
		{ build_program, false, "s/r/v: a rule with programs needs a check function" },
		{ build_damaged, true, "s/r/first: a case of a rule with programs has no pattern" },
	};

	damage = none;
	for (size_t i = 0; i < BC_ARRAY_LEN(kinds); i++) {
		const struct bc_rule r = { .name = "r",
					   .sentence = "x",
					   .build = kinds[i].build,
					   .program = program,
					   .check = kinds[i].checked ? check_nothing : NULL };
		const struct bc_suite s = { .name = "s", .rules = &r, .nrules = 1 };
		const struct bc_suite *const suites[] = { &s, NULL };
		struct bc_catalog one = { 0 };
		struct bc_error err = { 0 };
		const enum bc_status st = bc_catalog_build(suites, &one, &err);

		ck_assert_int_eq(st, kinds[i].want ? BC_EDATA : BC_OK);
		if (kinds[i].want)
			ck_assert_msg(strncmp(err.msg, kinds[i].want, strlen(kinds[i].want)) == 0, "%s", err.msg);
		bc_catalog_release(&one);
	}
}
END_TEST

START_TEST(unmet_needs_are_named)
{
	static const struct {
		const char *id, *want; /* NULL: all needs are met on sm_00 */
	} rows[] = {
		{ "alpha/ld/1", NULL },
		{ "beta/edge/last", NULL },
		{ "beta/edge/abs", NULL },
		{ "beta/edge/low", "shared address 0x3fc (the window starts at 0x400 on sm_00)" },
		{ "beta/edge/deep", "65540 bytes of shared memory (sm_00 has 65536)" },
		{ "beta/needs/ldsm", NULL },
		{ "beta/needs/stsm", "stmatrix (not on sm_00)" },
		{ "beta/needs/copy", NULL },
		{ "beta/needs/counter", "the op_ldgsts conflict counter (not on sm_00)" },
		{ "beta/needs/clock", NULL },
		{ "beta/needs/code", NULL },
	};

	for (size_t i = 0; i < BC_ARRAY_LEN(rows); i++) {
		char need[200] = "";
		const bool unmet = bc_case_unmet(get(rows[i].id), &arch, need, sizeof(need));

		ck_assert_msg(unmet == (rows[i].want != NULL), "%s: %s", rows[i].id, need);
		if (unmet)
			ck_assert_str_eq(need, rows[i].want);
	}

	struct bc_arch bare = arch;
	char need[200];

	bare.ldmatrix = 0;
	bare.cp_async = 0;
	ck_assert(bc_case_unmet(get("beta/needs/ldsm"), &bare, need, sizeof(need)));
	ck_assert_str_eq(need, "ldmatrix (not on sm_00)");
	ck_assert(bc_case_unmet(get("beta/needs/counter"), &bare, need, sizeof(need)));
	ck_assert_str_eq(need, "cp.async (not on sm_00)");
	ck_assert(bc_case_unmet(get("beta/needs/counter"), &bare, need, 9)); /* cut, never past the end */
	ck_assert_str_eq(need, "cp.async");
}
END_TEST

/* A window of exactly the size, and one byte less. */
START_TEST(the_window_may_be_filled_to_its_end)
{
	char need[200];
	struct bc_arch small = arch;
	const struct bc_case c = make(BC_OP_LD32, BC_FROM_ABSOLUTE, UINT32_MAX, 1024, 32, 128);

	small.optin_bytes = 4096;
	ck_assert(!bc_case_unmet(&c, &small, need, sizeof(need)));
	small.optin_bytes = 4095;
	ck_assert(bc_case_unmet(&c, &small, need, sizeof(need)));
	ck_assert_str_eq(need, "4096 bytes of shared memory (sm_00 has 4095)");
}
END_TEST

Suite *bc_test_case(void)
{
	Suite *s = suite_create("case");
	TCase *c = tcase_create("catalogue"), *p = tcase_create("pattern");

	tcase_add_checked_fixture(c, set_up, tear_down);
	tcase_add_test(c, catalogue_is_in_order);
	tcase_add_test(c, other_ids_are_not_found);
	tcase_add_loop_test(c, catalogue_refuses_what_is_malformed, 0, (int)BC_ARRAY_LEN(damages));
	tcase_add_test(c, catalogue_refuses_names_and_empty_rules);
	tcase_add_test(c, a_twin_names_no_twin);
	tcase_add_test(c, release_leaves_nothing);
	tcase_add_test(c, a_suite_twice_is_refused);
	suite_add_tcase(s, c);
	tcase_add_checked_fixture(p, set_up, tear_down);
	tcase_add_test(p, extent_is_what_is_touched);
	tcase_add_test(p, addresses_count_from_their_origin);
	tcase_add_test(p, model_applies_the_laws_to_all_requests);
	tcase_add_test(p, model_of_a_program_is_its_requests);
	tcase_add_test(c, programs_are_checked);
	tcase_add_test(p, unmet_needs_are_named);
	tcase_add_test(p, the_window_may_be_filled_to_its_end);
	suite_add_tcase(s, p);
	return s;
}
