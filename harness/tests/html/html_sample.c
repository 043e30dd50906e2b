/* SPDX-License-Identifier: MIT */
#include "harness/tests/html/html_sample.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "harness/core/judge.h"
#include "harness/report/render.h"

static void put_safe(FILE *f, const char *s)
{
	for (; *s; s++) {
		if (strchr("&<>\"'", *s))
			ck_assert_int_gt(fprintf(f, "&#%d;", *s), 0);
		else
			ck_assert_int_ne(fputc(*s, f), EOF);
	}
}

static void put_property(FILE *f, const char *name, const char *value)
{
	ck_assert_int_gt(fprintf(f, "<property name=\"%s\" value=\"", name), 0);
	put_safe(f, value);
	ck_assert_int_gt(fprintf(f, "\"/>\n"), 0);
}

static void put_line(FILE *f, const struct bc_sample_line *line)
{
	enum bc_verdict verdict;
	const char *element;

	ck_assert_int_gt(fprintf(f, "<testcase classname=\"bankcheck.sm_90.any\" name=\""), 0);
	put_safe(f, line->id);
	ck_assert_int_gt(fprintf(f, "\" time=\"0.001\">\n"), 0);
	ck_assert(bc_verdict_parse(line->verdict, &verdict));
	element = bc_verdict_style(verdict)->element;
	if (element) {
		ck_assert_int_gt(fprintf(f, "<%s type=\"%s\" message=\"", element, line->verdict), 0);
		put_safe(f, line->message ? line->message : line->verdict);
		ck_assert_int_gt(fprintf(f, "\"/>\n"), 0);
	}
	ck_assert_int_gt(fprintf(f, "<system-out>format=1\ncase="), 0);
	put_safe(f, line->id);
	ck_assert_int_gt(fprintf(f, "\nverdict=%s\n", line->verdict), 0);
	put_safe(f, line->keys ? line->keys : "");
	ck_assert_int_gt(fprintf(f, "</system-out></testcase>\n"), 0);
}

void bc_sample_report(const char *path, const char *gpu, const char *driver, const struct bc_sample_line *line,
		      size_t n)
{
	FILE *f = fopen(path, "w");

	ck_assert_ptr_nonnull(f);
	ck_assert_int_gt(fprintf(f,
				 "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites "
				 "name=\"bankcheck\">\n<testsuite name=\""
				 "bankcheck.sm_90.any\" tests=\"%zu\" timestamp=\"2026-11-29T22:52:43\" "
				 "hostname=\"vm\">\n<properties>\n",
				 n),
			 0);
	put_property(f, "bankcheck", BC_VERSION);
	put_property(f, "run_id", "20261129T225243Z-vm-1");
	put_property(f, "device", "cuda:0");
	put_property(f, "gpu", gpu);
	put_property(f, "driver", driver);
	put_property(f, "complete", "yes");
	put_property(f, "standing", "confirmed somewhere");
	ck_assert_int_gt(fprintf(f, "</properties>\n"), 0);
	for (size_t i = 0; i < n; i++)
		put_line(f, &line[i]);
	ck_assert_int_gt(fprintf(f, "</testsuite>\n</testsuites>\n"), 0);
	ck_assert_int_eq(fclose(f), 0);
}

const char *bc_sample_pattern(char *buf, const char *op, unsigned step, unsigned modulo)
{
	int at = snprintf(buf, 512, "pattern=op:%s mask:ffffffff origin:start count:1 step:0 offsets:", op);

	for (unsigned lane = 0; lane < 32; lane++)
		at += snprintf(buf + at, (size_t)(512 - at), "%s%u", lane ? "," : "", lane % modulo * step);
	at += snprintf(buf + at, (size_t)(512 - at), "\n");
	ck_assert_int_lt(at, 512);
	return buf;
}
