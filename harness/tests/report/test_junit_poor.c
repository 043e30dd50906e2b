/* SPDX-License-Identifier: MIT */
/* harness/tests/report/test_junit_poor.c - a report while libxml2 runs out of memory, at each of its allocations. */
#include "harness/report/junit.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <libxml/parser.h>
#include <libxml/xmlmemory.h>

#include "harness/tests/report/report_sample.h"

Suite *bc_test_junit_poor(void);

static struct bc_error err;
static struct bc_sample sample;

static void release(void)
{
	bc_sample_release(&sample);
}

/* Allocations that libxml2 may still make; then they fail. What it forgets when one fails is freed after each try. */
static size_t allowance;
static void *held[4096];
static size_t nheld;

static void drop(const void *p)
{
	for (size_t i = nheld; p && i-- > 0;)
		if (held[i] == p) {
			held[i] = held[--nheld];
			break;
		}
}

static void poor_free(void *p)
{
	drop(p);
	free(p);
}

static void *hold(void *p)
{
	ck_assert_uint_lt(nheld, BC_ARRAY_LEN(held));
	if (p)
		held[nheld++] = p;
	return p;
}

static void *poor_malloc(size_t n)
{
	return allowance > 0 ? (allowance--, hold(malloc(n))) : NULL;
}

static void *poor_realloc(void *p, size_t n)
{
	if (allowance == 0)
		return NULL;
	allowance--;
	drop(p);
	return hold(realloc(p, n));
}

static char *poor_strdup(const char *s)
{
	const size_t size = strlen(s) + 1;
	char *p = poor_malloc(size);

	return p ? memcpy(p, s, size) : NULL;
}

static void free_held(void)
{
	while (nheld > 0)
		free(held[--nheld]);
}

static void say_nothing(void *ctx, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void say_nothing(void *ctx, const char *fmt, ...)
{
	(void)ctx;
	(void)fmt;
}

/* Whichever allocation of libxml2 fails: an error, or the whole document. */
START_TEST(no_memory_is_never_half_a_report)
{
	struct bc_text whole = { 0 }, got = { 0 };
	enum bc_status st = BC_EWRITE;
	size_t refused = 0;

	xmlInitParser();
	xmlSetGenericErrorFunc(NULL, say_nothing);
	bc_sample_init(&sample, 2);
	bc_sample_set(&sample, 0, 1, BC_FAIL, "m");
	ck_assert_int_eq(bc_junit_format(&sample.run, BC_JUNIT_FULL, "sm_90.xml", &whole, &err), BC_OK);
	ck_assert_int_eq(xmlMemSetup(poor_free, poor_malloc, poor_realloc, poor_strdup), 0);
	for (size_t n = 0; n < 100000; n++) {
		bc_text_release(&got);
		allowance = n;
		st = bc_junit_format(&sample.run, BC_JUNIT_FULL, "sm_90.xml", &got, &err);
		free_held();
		if (allowance > 0)
			break;
		refused += st != BC_OK;
		ck_assert_msg(st ? got.len == 0 : strcmp(got.data, whole.data) == 0, "allocation %zu: half a report",
			      n);
	}
	allowance = SIZE_MAX;
	ck_assert_int_eq(xmlMemSetup(free, malloc, realloc, strdup), 0);
	xmlSetGenericErrorFunc(NULL, NULL);
	ck_assert_int_eq(st, BC_OK);
	ck_assert_str_eq(got.data, whole.data);
	ck_assert_uint_gt(refused, 5);
	bc_text_release(&got);
	bc_text_release(&whole);
}
END_TEST

Suite *bc_test_junit_poor(void)
{
	Suite *s = suite_create("junit_poor");
	TCase *tc = tcase_create("junit_poor");

	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, NULL, release);
	tcase_add_test(tc, no_memory_is_never_half_a_report);
	suite_add_tcase(s, tc);
	return s;
}
