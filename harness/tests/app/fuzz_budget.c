/* SPDX-License-Identifier: MIT */
/* harness/tests/app/fuzz_budget.c - libFuzzer target: what `bankcheck app` reads: a budget, and a process's record.
 *
 * The first byte chooses which. A budget that is taken judges a record without harm.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/app/summary.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "fuzz_budget: %s\n", what);
	abort();
}

/* What a small program did: two kernels, one of them with counts. */
static struct bc_app_record *a_record(void)
{
	static const char text[] = "bankcheck-app 2\nprocess\t1\tx\ndevice\t0\tGPU\tGPU-1\tsm_90\t580\t13.0\n"
				   "kernel\t0\tkernel\t1,1,1\t32,1,1\t0\t4\t_Z4scanPfi\n"
				   "count\tld_requests\t4\t32\ncount\tld_conflicts\t4\t31\n"
				   "kernel\t0\tkernel\t1,1,1\t32,1,1\t0\t4\tplain\nend\n";
	struct bc_app_record *r = calloc(1, sizeof(*r));
	char *copy = strdup(text);
	struct bc_error err;

	must(r && copy && bc_app_record_read(copy, "record", r, &err) == BC_OK, "the record is refused");
	free(copy);
	return r;
}

static void check_budget(const char *text)
{
	struct bc_budget b = { 0 };
	struct bc_error err = { .msg = "" };

	if (bc_budget_parse(text, "budget", &b, &err)) {
		must(strncmp(err.msg, "budget:", 7) == 0, "a budget is refused without its line");
	} else {
		struct bc_app_summary s = { 0 };
		size_t all = 0;

		must(bc_app_summary_make(a_record(), 1, &s, &err) == BC_OK, "no summary");
		must(bc_app_summary_judge(&s, &b, "2026-12-01", &err) == BC_OK, "no judgement");
		for (unsigned v = 0; v < BC_NAPP_VERDICTS; v++)
			all += s.count[v];
		must(all == s.nchecks, "a bound has no verdict, or two");
		for (size_t i = 0; i < s.nchecks; i++)
			must(s.check[i].message[0] != '\0', "a verdict without words");
		bc_app_summary_release(&s);
	}
	bc_budget_release(&b);
}

/* What is read and written again reads the same. */
static void check_record(const char *text)
{
	struct bc_app_record r = { 0 };
	struct bc_error err = { .msg = "" };
	char *copy = strdup(text);

	must(copy != NULL, "no memory");
	if (bc_app_record_read(copy, "record", &r, &err)) {
		must(strncmp(err.msg, "record:", 7) == 0, "a record is refused without its line");
	} else {
		struct bc_app_record again = { 0 };
		struct bc_text out = { 0 };

		must(bc_app_record_write(&r, &out, &err) == BC_OK, "a record is not written");
		must(bc_app_record_read(out.data, "again", &again, &err) == BC_OK, "a written record is refused");
		must(again.nkernels == r.nkernels && again.ndevices == r.ndevices, "a record is not what it was");
		bc_app_record_release(&again);
		bc_text_release(&out);
	}
	bc_app_record_release(&r);
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const checks[])(const char *text) = { check_budget, check_record };
	char *text;

	if (!size)
		return 0;
	text = strndup((const char *)data + 1, size - 1);
	if (!text)
		return 0;
	checks[data[0] % BC_ARRAY_LEN(checks)](text);
	free(text);
	return 0;
}
