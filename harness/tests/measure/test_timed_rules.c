/* SPDX-License-Identifier: MIT */
/*
 * Rules that only hardware can judge, judged on the reference device with a clock put over it: it runs the kernels, and
 * their clock reads are written over with the cycles that the figures below make. Sound figures must pass, and each
 * figure made wrong must fail the rules that are about it; each rule of the list must have such a figure.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "harness/cli/selftest_rules.h"
#include "harness/core/judge.h"
#include "harness/device/device.h"
#include "harness/measure/measure.h"
#include "kernels/bc_kernel.h"

Suite *bc_test_timed_rules(void);

#define RULES_A_FAULT 3
#define SOME_CYCLES 40 /* that any timed section takes besides */

/* An H200's figures, in cycles where nothing else is said; "a wavefront" is each further one of an access. */
struct figures {
	double chain;		 /* a wavefront in a chain of dependent loads */
	double ld, st, add, cas; /* a wavefront, or a lane in the bank, of one warp's burst */
	double sm_ld, sm_st;	 /* a wavefront of four warps' bursts, for the SM */
	double bytes;		 /* a cycle, of 16-byte loads */
	double shared, l1, l2;	 /* a load that waits for the one before */
	double remote;	/* how many times a local load's cycles one of another block's memory takes; 0: as measured */
	double barrier; /* 1: a step with a barrier of the block takes what one without does; 0: as measured */
	double bank;	/* bank 9's loads take so many times what the others' do; 0: as many */
	double blocks;	/* on an SM beside those that fit */
};

static const struct figures sound = { .chain = 2,
				      .ld = 2,
				      .st = 2,
				      .add = 2,
				      .cas = 4,
				      .sm_ld = 1,
				      .sm_st = 1,
				      .bytes = 128,
				      .shared = 23,
				      .l1 = 34,
				      .l2 = 284 };

static const struct fault {
	const char *what;
	size_t figure; /* offset in struct figures */
	double value;
	const char *outcome;		  /* of the cases that catch it */
	const char *rules[RULES_A_FAULT]; /* each has such a case */
} faults[] = {
	{ "a wavefront of a chain costs a cycle more", offsetof(struct figures, chain), 3, "ratio", { "clock/chain" } },
	{ "wavefronts of a chain cost nothing", offsetof(struct figures, chain), 0, "ratio", { "clock/chain" } },
	{ "a wavefront of loads costs a cycle more",
	  offsetof(struct figures, ld),
	  3,
	  "ratio",
	  { "clock/one_warp_ld" } },
	{ "a wavefront of stores costs a cycle more",
	  offsetof(struct figures, st),
	  3,
	  "ratio",
	  { "clock/one_warp_st" } },
	{ "adds take what compare-and-swaps take",
	  offsetof(struct figures, add),
	  4,
	  "ratio",
	  { "clock/one_warp_add", "clock/cas_over_add" } },
	{ "compare-and-swaps take what adds take",
	  offsetof(struct figures, cas),
	  2,
	  "ratio",
	  { "clock/one_warp_cas", "clock/cas_over_add" } },
	{ "an SM loads a wavefront in 2 cycles",
	  offsetof(struct figures, sm_ld),
	  2,
	  "ratio",
	  { "clock/four_warps_ld" } },
	{ "an SM stores a wavefront in 2 cycles",
	  offsetof(struct figures, sm_st),
	  2,
	  "ratio",
	  { "clock/four_warps_st" } },
	{ "an SM loads 64 bytes a cycle", offsetof(struct figures, bytes), 64, "ratio", { "clock/bandwidth" } },
	{ "shared memory is slower than the L1 cache",
	  offsetof(struct figures, shared),
	  40,
	  "ratio",
	  { "clock/latency" } },
	{ "the L2 cache answers as soon as the L1 cache",
	  offsetof(struct figures, l2),
	  34,
	  "ratio",
	  { "clock/latency" } },
	{ "another block's shared memory is as near as one's own",
	  offsetof(struct figures, remote),
	  1,
	  "ratio",
	  { "cluster/time_ld" } },
	{ "barriers of the block take no time", offsetof(struct figures, barrier), 1, "ratio", { "sync/cost" } },
	{ "a bank is slow", offsetof(struct figures, bank), 1.05, "ratio", { "cells/speed" } },
	{ "a bank is fast", offsetof(struct figures, bank), 0.9, "ratio", { "cells/speed" } },
	{ "an SM never holds as many blocks as fit",
	  offsetof(struct figures, blocks),
	  -1,
	  "ratio",
	  { "declare/resident" } },
	{ "an SM holds a block more than fit", offsetof(struct figures, blocks), 1, "data", { "declare/resident" } },
};

static struct bc_catalog cat;
static struct bc_expect expect;
static struct bc_arch arch;
static struct bc_facts facts; /* of the device: with a clock */
static struct bc_device *dev;
static struct figures now;
static struct bc_error err;

/* ---- a reference device with a clock ---- */

/* What came back in the buffer whose address is at @offset of the parameters. */
static uint32_t *words_at(const struct bc_launch *l, size_t offset)
{
	for (size_t i = 0; i < l->nbuffers; i++)
		if (l->buffers[i].param_offset == offset)
			return l->buffers[i].out;
	return NULL;
}

/* Cycles of one run of a kernel of clock.cu; its sections are BC_TIMED_ACCESSES accesses a warp and repetition. */
static double cycles_of(const char *kernel, unsigned setting, const struct bc_time_params *p, uint32_t warps)
{
	const double accesses = BC_TIMED_ACCESSES * (double)p->reps[setting], ways = p->ways[setting];
	const bool burst = warps > 1;

	if (strcmp(kernel, "bc_time_chain") == 0)
		return SOME_CYCLES + accesses * (23 + now.chain * (ways - 1));
	if (strcmp(kernel, "bc_time_ld") == 0)
		return SOME_CYCLES + accesses * ways * (burst ? now.sm_ld * warps : now.ld);
	if (strcmp(kernel, "bc_time_st") == 0)
		return SOME_CYCLES + accesses * ways * (burst ? now.sm_st * warps : now.st);
	if (strcmp(kernel, "bc_time_add") == 0 || (strcmp(kernel, "bc_time_add_cas") == 0 && setting == 0))
		return SOME_CYCLES + accesses * ways * now.add;
	if (strcmp(kernel, "bc_time_cas") == 0 || strcmp(kernel, "bc_time_add_cas") == 0)
		return SOME_CYCLES + accesses * ways * now.cas;
	if (strcmp(kernel, "bc_time_ld128") == 0)
		return SOME_CYCLES + accesses * warps * BC_LANES * 16 / now.bytes;
	if (strcmp(kernel, "bc_time_latency") == 0)
		return BC_TIMED_ACCESSES * (setting == 0 ? now.shared : p->ways[1] == 1 ? now.l1 : now.l2);
	ck_abort_msg("%s: no figure for it", kernel);
	return 0;
}

/* The clock goes on from run to run, and wraps around. */
static void time_clock(const struct bc_launch *l)
{
	uint32_t *samples = words_at(l, offsetof(struct bc_time_params, samples));
	const uint32_t warps = l->block[0] / BC_LANES;
	uint32_t at = UINT32_MAX - 5000;
	struct bc_time_params p;

	ck_assert_ptr_nonnull(samples);
	memcpy(&p, l->params, sizeof(p));
	for (unsigned setting = 0; setting < 2; setting++) {
		for (unsigned run = 0; run < BC_TIME_SAMPLES; run++) {
			for (uint32_t w = 0; w < warps; w++, samples += 2) {
				samples[0] = at;
				samples[1] = at + (uint32_t)cycles_of(l->kernel, setting, &p, warps);
			}
			at += 100000;
		}
	}
}

/* Measured on an H200: how much longer the steps with a barrier of the block took, by threads. */
static void time_barriers(const struct bc_launch *l)
{
	static const struct {
		uint32_t threads;
		double ratio;
	} measured[] = { { 64, 1.37 }, { 128, 1.49 }, { 256, 1.83 }, { 512, 2.29 }, { 1024, 2.75 } };
	uint32_t *cycles = words_at(l, offsetof(struct bc_sync_params, cycles));

	ck_assert_ptr_nonnull(cycles);
	cycles[1] = 10000;
	cycles[0] = 0;
	for (size_t i = 0; i < BC_ARRAY_LEN(measured); i++)
		if (measured[i].threads == l->block[0])
			cycles[0] = (uint32_t)(10000 * (now.barrier > 0 ? now.barrier : measured[i].ratio));
}

/* Measured on an H200: cycles of a few and of many loads, of the block's own shared memory and of another block's. */
static void time_remote(const struct bc_launch *l)
{
	uint32_t *cycles = words_at(l, offsetof(struct bc_cluster_params, cycles));
	struct bc_cluster_params p;
	double ratio;

	ck_assert_ptr_nonnull(cycles);
	memcpy(&p, l->params, sizeof(p));
	ratio = now.remote > 0 ? now.remote : p.stride == 1 ? 6.73 : 3.17;
	cycles[0] = cycles[2] = SOME_CYCLES;
	cycles[1] = SOME_CYCLES + 1000;
	cycles[3] = SOME_CYCLES + (uint32_t)(1000 * ratio);
}

static void time_banks(const struct bc_launch *l)
{
	uint32_t *cycles = words_at(l, offsetof(struct bc_cells_params, cycles));

	ck_assert_ptr_nonnull(cycles);
	for (uint32_t bank = 0; bank < 32; bank++)
		cycles[bank] = (uint32_t)(BC_CELLS_SPEED_LOADS * now.shared);
	if (now.bank > 0)
		cycles[9] = (uint32_t)(cycles[9] * now.bank);
}

/* 228 KB an SM: 24 blocks of two 32 x 33 tiles of floats and 1 KB, 25 of two 32 x 32 tiles and 1 KB. */
static void hold_blocks(const struct bc_launch *l)
{
	uint32_t *most = words_at(l, offsetof(struct bc_declare_params, most));
	const int fit = l->shared_bytes == 2 * 32 * 33 * 4 ? 24 : 25;

	ck_assert_ptr_nonnull(most);
	most[7] = (uint32_t)(fit + (int)now.blocks);
}

static enum bc_status run(struct bc_device *d, const struct bc_launch *l, size_t n, struct bc_error *e)
{
	const enum bc_status st = bc_device_reference.run(d, l, n, e);

	for (size_t i = 0; !st && i < n; i++) {
		if (strcmp(l[i].image, "clock") == 0)
			time_clock(&l[i]);
		else if (strcmp(l[i].kernel, "bc_sync_cost") == 0)
			time_barriers(&l[i]);
		else if (strcmp(l[i].kernel, "bc_cluster_clock") == 0)
			time_remote(&l[i]);
		else if (strcmp(l[i].kernel, "bc_cells_speed") == 0)
			time_banks(&l[i]);
		else if (strcmp(l[i].kernel, "bc_declare_resident") == 0)
			hold_blocks(&l[i]);
	}
	return st;
}

static const struct bc_facts *facts_of(const struct bc_device *d)
{
	(void)d;
	return &facts;
}

/* ---- judged as a run judges ---- */

static void setup(void)
{
	const struct bc_open_options o = { .kernels_dir = BC_TEST_KERNELS, .expected_dir = BC_TEST_EXPECTED };

	ck_assert_msg(!bc_catalog_build(bc_suites, &cat, &err), "%s", err.msg);
	ck_assert_msg(!bc_expect_load(BC_TEST_EXPECTED, "sm_90", &cat, &expect, &err), "%s", err.msg);
	ck_assert_msg(!bc_arch_load(BC_TEST_EXPECTED, "sm_90", &arch, &err), "%s", err.msg);
	facts = (struct bc_facts){ .arch = "sm_90" };
	ck_assert_msg(!bc_device_reference.open(&o, &facts, &dev, &err), "%s", err.msg);
	facts = *bc_device_reference.facts(dev);
	facts.clock_absent[0] = '\0';
	facts.kind = BC_DEVICE_CUDA; /* which has times that the reference clock has not */
	now = sound;
}

static void teardown(void)
{
	bc_device_reference.close(dev);
	bc_expect_release(&expect);
	bc_catalog_release(&cat);
}

static void judge(const struct bc_case *c, struct bc_judgement *out)
{
	const struct bc_measure_options o = { .clock = true };
	struct bc_device_ops ops = bc_device_reference;
	struct bc_measure *m = NULL;
	struct bc_observation obs;
	struct bc_bounds bounds;
	const struct bc_judge_in in = { .c = c, .arch = &arch, .bounds = &bounds, .obs = &obs };

	ops.run = run;
	ops.facts = facts_of;
	ck_assert_msg(!bc_measure_open(&ops, dev, &arch, &expect, &o, &m, &err), "%s", err.msg);
	ck_assert_msg(!bc_measure_batch(m, &c, 1, &obs, &err), "%s: %s", c->id, err.msg);
	bc_measure_close(m);
	bc_expect_find(&expect, c->id, &bounds);
	bc_judge(&in, out);
}

static bool of_rule(const struct bc_case *c, const char *rule)
{
	const size_t len = strlen(rule);

	return strncmp(c->id, rule, len) == 0 && c->id[len] == '/';
}

/* Cases of a rule with an outcome; all must have it where @all says so. */
static unsigned cases_with(const char *rule, const char *what, enum bc_verdict verdict, const char *outcome, bool all)
{
	struct bc_judgement j;
	unsigned n = 0;

	for (size_t i = 0; i < cat.n; i++) {
		if (!of_rule(&cat.cases[i], rule))
			continue;
		judge(&cat.cases[i], &j);
		if (j.verdict == verdict && strncmp(j.outcome, outcome, strlen(outcome)) == 0)
			n++;
		else
			ck_assert_msg(!all, "%s, %s: %s: %s", what, cat.cases[i].id, bc_verdict_name(j.verdict),
				      j.message);
	}
	return n;
}

START_TEST(sound_figures_pass)
{
	for (const struct bc_hardware_rule *h = bc_hardware_rules; h->name; h++)
		ck_assert_msg(cases_with(h->name, "sound", BC_PASS, "", true) > 0, "%s: no such rule", h->name);
}
END_TEST

START_TEST(a_wrong_figure_fails)
{
	const struct fault *f = &faults[_i];

	memcpy((char *)&now + f->figure, &f->value, sizeof(f->value));
	for (size_t i = 0; i < RULES_A_FAULT && f->rules[i]; i++)
		ck_assert_msg(cases_with(f->rules[i], f->what, BC_FAIL, f->outcome, false) > 0,
			      "%s: no case of %s fails", f->what, f->rules[i]);
}
END_TEST

/* It moves no other rule of the list. */
START_TEST(a_wrong_figure_fails_its_rules_alone)
{
	const struct fault *f = &faults[_i];

	memcpy((char *)&now + f->figure, &f->value, sizeof(f->value));
	for (const struct bc_hardware_rule *h = bc_hardware_rules; h->name; h++) {
		bool own = false;

		for (size_t i = 0; i < RULES_A_FAULT && f->rules[i]; i++)
			own = own || strcmp(f->rules[i], h->name) == 0;
		if (!own && strncmp(h->name, "declare/", 8) != 0)
			(void)cases_with(h->name, f->what, BC_PASS, "", true);
	}
}
END_TEST

START_TEST(every_rule_of_the_list_has_its_fault)
{
	for (const struct bc_hardware_rule *h = bc_hardware_rules; h->name; h++) {
		bool found = false;

		for (size_t k = 0; k < BC_ARRAY_LEN(faults); k++)
			for (size_t i = 0; i < RULES_A_FAULT && faults[k].rules[i]; i++)
				found = found || strcmp(faults[k].rules[i], h->name) == 0;
		ck_assert_msg(found, "%s: no figure is made wrong for it", h->name);
		ck_assert_msg(strlen(h->why) > 10, "%s: no reason", h->name);
	}
}
END_TEST

/* Without a clock each of their cases is SKIP for that reason, so the list hides nothing. */
START_TEST(without_a_clock_they_are_skipped)
{
	struct bc_judgement j;

	(void)bc_strlcpy(facts.clock_absent, "no clock here", sizeof(facts.clock_absent));
	for (const struct bc_hardware_rule *h = bc_hardware_rules; h->name; h++) {
		for (size_t i = 0; i < cat.n; i++) {
			if (!of_rule(&cat.cases[i], h->name))
				continue;
			judge(&cat.cases[i], &j);
			ck_assert_msg(j.verdict == BC_SKIP && strstr(j.message, "needs the clock: no clock here"),
				      "%s: %s: %s", cat.cases[i].id, bc_verdict_name(j.verdict), j.message);
		}
	}
}
END_TEST

Suite *bc_test_timed_rules(void)
{
	Suite *s = suite_create("timed_rules");
	TCase *tc = tcase_create("rules");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, sound_figures_pass);
	tcase_add_loop_test(tc, a_wrong_figure_fails, 0, (int)BC_ARRAY_LEN(faults));
	tcase_add_loop_test(tc, a_wrong_figure_fails_its_rules_alone, 0, (int)BC_ARRAY_LEN(faults));
	tcase_add_test(tc, every_rule_of_the_list_has_its_fault);
	tcase_add_test(tc, without_a_clock_they_are_skipped);
	suite_add_tcase(s, tc);
	return s;
}
