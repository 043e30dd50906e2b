/* SPDX-License-Identifier: MIT */
/* harness/tests/history/history_sample.h - a history with made-up runs, for the tests of `bankcheck history`. */
#ifndef BC_TESTS_HISTORY_HISTORY_SAMPLE_H
#define BC_TESTS_HISTORY_HISTORY_SAMPLE_H

#include "harness/history/print.h"
#include "harness/tests/program.h"
#include "harness/tests/report/report_sample.h"

#define BC_HS_CASES 4 /* stride/ld_b32/0, /1, ways/st_b32/2, /3 */
#define BC_HS_CASE "stride/ld_b32/1"

/* Set up by bc_hs_setup. hs_db is in the folder of bc_hs_call. */
extern struct bc_program_call bc_hs_call;
extern struct bc_sample bc_hs_sample;
extern struct bc_error bc_hs_err;
extern char bc_hs_db[BC_PATH_MAX + 64];

void bc_hs_setup(void);
void bc_hs_teardown(void);

/* Write the sample as <dir>/<name>. */
/* Version of bankcheck that reports name, NULL: this one's. */
extern const char *bc_hs_version;

void bc_hs_write(const char *name);

/* Make the sample run number @n, of January @n in 2026, with this verdict of BC_HS_CASE. */
void bc_hs_run(unsigned n, const char *driver, enum bc_verdict v);

/* Add <dir>/<name>, or the sample, to an open history. */
enum bc_status bc_hs_add_file(struct bc_history *h, const char *name, struct bc_history_added *sum);
void bc_hs_add(struct bc_history *h);

/* Open bc_hs_db, ending the test when it cannot be. */
struct bc_history *bc_hs_open(enum bc_history_mode mode);

/* The file is whole: SQLite says so, every run has the results that it states, and there are @runs of them. */
void bc_hs_whole(int runs);

/* The first column of the first row, as text. */
void bc_hs_text(const char *sql, char *buf, size_t size);

/* One number from the file. */
int64_t bc_hs_number(const char *sql);

/* `bankcheck history <words>` in the folder, with LC_ALL=C: it ends with @status; @says: in its output or, when it
 * failed, its errors. */
void bc_hs_cli(const char *words, int status, const char *says);

#endif
