/* SPDX-License-Identifier: MIT */
/*
 * Laws drawn at random are given to the reference device and found again, by counters and by clock alone. What must
 * come out is written by harness/tests/drawn_law.c, which shares no code with what is tested.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/tests/drawn_law.h"
#include "harness/tests/map/map_world.h"

Suite *bc_test_map(void);

#define WINDOW 232448u /* of sm_90 */
#define LAWS 5
#define NOT_LINEAR 2
#define CONFIRM 1000
#define FIRST_SEED 1000

/* BC_MAP_LAWS: so many laws instead, and a twentieth of them not linear (`make check-map`). */
static int laws(void)
{
	const char *text = getenv("BC_MAP_LAWS");
	const long n = text ? strtol(text, NULL, 10) : 0;

	return n > 0 ? (int)n : LAWS;
}

static int not_linear(void)
{
	return laws() > LAWS ? laws() / 20 : NOT_LINEAR;
}

/* The first line in which two texts differ. */
static const char *first_other(const char *a, const char *b)
{
	const char *line = a;

	for (; *a && *a == *b; a++, b++)
		if (*a == '\n')
			line = a + 1;
	return line;
}

static void found_is(struct map_world *w, const struct drawn_law *d, enum bc_map_by by, int law)
{
	struct bc_map_law *l = calloc(1, sizeof(*l));
	char want[DRAWN_TEXT], *got;

	map_world_find(w, by, CONFIRM, (uint64_t)law + 7, l);
	drawn_law_found(d, by == BC_MAP_CLOCK, want);
	got = map_world_text(w, l);
	ck_assert_msg(strcmp(got, want) == 0, "law %d by %s: found\n%.60s\nwanted\n%.60s\npairs: %s\n%lu of %lu: %s",
		      law, bc_map_by_name(by), first_other(got, want), first_other(want, got), l->pairs.against,
		      l->random.contradicts, l->random.supports, l->random.against);
	ck_assert(bc_map_law_is_sound(l));
	ck_assert_uint_eq(l->random.supports, CONFIRM);
	free(got);
	free(l);
}

START_TEST(drawn_laws_are_found)
{
	struct drawn_law d;
	struct map_world w;
	char text[DRAWN_TEXT];

	drawn_law_make(&d, (uint64_t)(FIRST_SEED + _i), WINDOW, false);
	drawn_law_text(&d, text);
	map_world_open(&w, "sm_90", text, NULL, _i % 3 == 2 ? 12 : 0);
	ck_assert_uint_eq(w.window.base, d.window_base);
	found_is(&w, &d, BC_MAP_COUNTERS, _i);
	found_is(&w, &d, BC_MAP_CLOCK, _i);
	map_world_close(&w);
}
END_TEST

START_TEST(laws_that_are_not_linear_are_said_to_be)
{
	struct bc_map_law *l = calloc(1, sizeof(*l));
	struct drawn_law d;
	struct map_world w;
	char text[DRAWN_TEXT];

	drawn_law_make(&d, (uint64_t)(FIRST_SEED + _i), WINDOW, true);
	drawn_law_text(&d, text);
	map_world_open(&w, "sm_90", text, NULL, 0);
	for (unsigned by = 0; by < BC_MAP_NBY; by++) {
		map_world_find(&w, (enum bc_map_by)by, CONFIRM, (uint64_t)_i, l);
		ck_assert_msg(l->found && !l->linear && strstr(l->not_linear, "share a bank"), "law %d by %s: %s\n%s",
			      _i, bc_map_by_name(l->by), l->why, text);
		ck_assert(!bc_map_law_is_sound(l));
	}
	map_world_close(&w);
	free(l);
}
END_TEST

static const char *const archs[] = { "sm_70", "sm_75",	"sm_80",  "sm_86",  "sm_87",  "sm_88", "sm_89",
				     "sm_90", "sm_100", "sm_103", "sm_110", "sm_120", "sm_121" };

/* Lines of @text whose operation the architecture lacks go. */
static void drop(char *text, const char *op)
{
	char word[40], *at;

	for (unsigned i = 0; i < 2; i++) {
		(void)snprintf(word, sizeof(word), "%s %s", i ? "merge" : "group", op);
		while ((at = strstr(text, word))) {
			char *end = strchr(at, '\n') + 1;

			memmove(at, end, strlen(end) + 1);
		}
	}
}

/* The sound device has today's law on every architecture, with the operations and the window that it has. */
START_TEST(the_sound_device_has_todays_law)
{
	struct bc_map_law *l = calloc(1, sizeof(*l));
	struct drawn_law d;
	struct map_world w;
	char want[DRAWN_TEXT], *got;

	map_world_open(&w, archs[_i], NULL, NULL, 0);
	ck_assert_uint_eq(w.window.base, w.arch.window_base);
	ck_assert_uint_eq(w.window.optin_bytes, w.arch.optin_bytes);
	ck_assert_uint_eq(w.window.static_bytes, w.arch.static_bytes);
	ck_assert_uint_eq(w.window.reserved_bytes, w.arch.reserved_bytes);
	drawn_law_sound(&d, w.arch.window_base);
	for (unsigned by = 0; by < BC_MAP_NBY; by++) {
		if (by == BC_MAP_CLOCK && w.arch.cc != 70 && w.arch.cc != 80 && w.arch.cc != 89 && w.arch.cc != 90)
			continue; /* the cycles of its clock are those of one of these */
		map_world_find(&w, (enum bc_map_by)by, 200, 1, l);
		drawn_law_found(&d, by == BC_MAP_CLOCK, want);
		if (!w.arch.ldmatrix)
			drop(want, "ldsm");
		if (!w.arch.stmatrix)
			drop(want, "stsm");
		if (!w.arch.ldgsts_conflicts)
			drop(want, "cpa");
		if (!w.arch.popc_inc)
			drop(want, "red32");
		got = map_world_text(&w, l);
		ck_assert_str_eq(got, want);
		free(got);
	}
	map_world_close(&w);
	free(l);
}
END_TEST

/* The reference device counts as the drawn law says, by brute force. */
START_TEST(the_device_counts_by_the_law)
{
	struct drawn_law d;
	struct map_world w;
	char text[DRAWN_TEXT], absent[BC_MAP_TEXT];
	uint64_t s = 99;

	drawn_law_make(&d, (uint64_t)(FIRST_SEED + _i), WINDOW, false);
	drawn_law_text(&d, text);
	map_world_open(&w, "sm_90", text, NULL, 0);
	for (unsigned k = 0; k < 1000; k++) {
		const unsigned op = k % (DRAWN_OPS - 1);
		struct bc_pattern p = { .op = bc_op_parse(drawn_ops[op].name), .count = 1 };
		struct bc_pattern_count n;
		struct drawn_count want;
		uint32_t addr[32];

		drawn_pattern(&s, op, d.window_base, WINDOW, addr, &p.mask);
		want = drawn_law_count(&d, op, addr, p.mask);
		for (unsigned l = 0; l < 32; l++)
			p.offset[l] = addr[l] - d.window_base;
		ck_assert_msg(!bc_patterns_count(w.patterns, &p, 1, &n, absent, sizeof(absent), &w.err), "%s",
			      w.err.msg);
		ck_assert_msg(n.has && !absent[0], "%s: %s", drawn_ops[op].name, absent);
		ck_assert_msg((!n.wavefronts_counted || n.wavefronts == n.requests * want.wavefronts) &&
				      n.conflicts == n.requests * want.conflicts,
			      "law %d, %s: %u and %u, wanted %u and %u", _i, drawn_ops[op].name, (unsigned)n.wavefronts,
			      (unsigned)n.conflicts, want.wavefronts, want.conflicts);
	}
	map_world_close(&w);
}
END_TEST

Suite *bc_test_map(void)
{
	Suite *s = suite_create("map");
	TCase *tc = tcase_create("laws");

	tcase_set_timeout(tc, 300);
	tcase_add_loop_test(tc, drawn_laws_are_found, 0, laws());
	tcase_add_loop_test(tc, laws_that_are_not_linear_are_said_to_be, 0, not_linear());
	tcase_add_loop_test(tc, the_sound_device_has_todays_law, 0, (int)BC_ARRAY_LEN(archs));
	tcase_add_loop_test(tc, the_device_counts_by_the_law, 0, LAWS);
	suite_add_tcase(s, tc);
	return s;
}
