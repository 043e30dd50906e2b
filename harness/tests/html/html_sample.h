/* SPDX-License-Identifier: MIT */
/* harness/tests/html/html_sample.h - small reports for the tests of the page. */
#ifndef BC_TESTS_HTML_HTML_SAMPLE_H
#define BC_TESTS_HTML_HTML_SAMPLE_H

#include "harness/base/base.h"

/* A testcase of a report. */
struct bc_sample_line {
	const char *id, *verdict;
	const char *message; /* NULL: none */
	const char *keys;    /* further key=value lines, each with its line feed, values escaped; NULL: none */
};

/* Write a report of one device (class name sm_90) to @path. Texts are made safe for XML here. */
void bc_sample_report(const char *path, const char *gpu, const char *driver, const struct bc_sample_line *line,
		      size_t n);

/* 32 offsets of lanes @step bytes apart, as pattern= has them, into @buf of 512 bytes. Return: @buf. */
const char *bc_sample_pattern(char *buf, const char *op, unsigned step, unsigned modulo);

#endif
