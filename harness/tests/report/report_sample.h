/* SPDX-License-Identifier: MIT */
/* harness/tests/report/report_sample.h - a finished run, made up, for the tests of reports. */
#ifndef BC_TESTS_REPORT_REPORT_SAMPLE_H
#define BC_TESTS_REPORT_REPORT_SAMPLE_H

#include "harness/core/results.h"
#include "harness/base/file.h"

#define BC_SAMPLE_DEVICES 4

struct bc_sample {
	struct bc_run run;
	struct bc_device_run devices[BC_SAMPLE_DEVICES];
	struct bc_case *cases; /* [n], shared by the devices */
	struct bc_row row;     /* wavefronts 1.5..2.5 of every case */
	size_t n;
};

/**
 * bc_sample_init - a run of @n cases on an H200, cuda:0, all PASS
 *
 * Case i is stride/ld_b32/<i> for the first half, ways/st_b32/<i> for the rest; it took i milliseconds. All values of
 * the observation are there: three counts, 10 clock samples, a model. Ends the test when memory is short.
 */
void bc_sample_init(struct bc_sample *s, size_t n);

/* One more device of the run with results of its own, all PASS: sm_@cc with the dev name @dev. */
struct bc_device_run *bc_sample_add(struct bc_sample *s, enum bc_device_kind kind, const char *arch, const char *dev);

/* Give case @i of device @d this verdict and message. */
void bc_sample_set(struct bc_sample *s, size_t d, size_t i, enum bc_verdict v, const char *message);

void bc_sample_release(struct bc_sample *s);

/* A new empty folder below BC_TEST_TMP, its name in @dir. Ends the test when it cannot be made. */
void bc_sample_folder(char dir[BC_PATH_MAX]);

/* Number of entries of @dir that are not "." and "..". */
size_t bc_sample_entries(const char *dir);

#endif
