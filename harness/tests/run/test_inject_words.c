/* SPDX-License-Identifier: MIT */
/* The commands that read reports, with one call failing: what they say and write is right and whole, or it is an error.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/tests/run/inject_run.h"

Suite *bc_test_inject_words(void);

#define PLACE BC_TEST_TMP "/inject_words"
#define RUN "run --device reference --filter stride/ld_b32/2 --filter meta/fails/ratio --reports "

/* A command and the file that it writes, relative to its folder. In @words, O and N are two folders of reports. */
static const struct {
	const char *what, *words, *file;
	unsigned first; /* calls of a class one by one */
} commands[] = {
	{ "diff", "diff O N", NULL, 60 },
	{ "diff, as JUnit", "diff O N --format junit", NULL, 10 },
	{ "diff, as JSON", "diff O N --format json", NULL, 10 },
	{ "html", "html N -o page.html", "page.html", 40 },
	{ "merge", "merge O N -o merged.xml", "merged.xml", 40 },
	{ "list", "list --filter stride --filter width", NULL, 60 },
	{ "list, as JSON", "list --filter width --format json", NULL, 10 },
	{ "known", "known N --expected E", NULL, 40 },
	{ "known, of the reports that are here", "known --expected E", NULL, 20 },
	{ "history add, to a new one", "history add N --db runs.db", "runs.db", 20 },
	{ "history add, to one that is there", "history add N --db old.db", "old.db", 20 },
};

/* An entry that makes the run's FAIL a known one, for the command that lists them. */
#define KNOWN "meta/fails/ratio\\t*\\t*\\t*\\t2099-01-31\\thttp://x/1\\tratio wavefronts=1 conflicts=0\\twhy\\n"
#define PREPARE                                                                              \
	"rm -rf '" PLACE "' && mkdir -p '" PLACE "' && cp -r '" BC_TEST_EXPECTED "' '" PLACE \
	"/E' && chmod -R u+w '" PLACE "/E' && "                                              \
	"printf '" KNOWN "' >> '" PLACE "/E/known.txt'"

/* What the command does when nothing fails. */
static struct {
	char words[1200];
	const char *file;
	bool history;
	int status;
	struct bc_text out, made, runs, old; /* old: the history that is there */
} is;

/* The runs in the history, as CSV. */
static struct bc_text runs_of(const char *db)
{
	char words[200];
	struct bc_text out;

	(void)snprintf(words, sizeof(words), "history export --db %s", db);
	bc_inject_none(words);
	bc_expect_status(0, NULL);
	out = bc_call.out;
	bc_call.out = (struct bc_text){ 0 };
	return out;
}

static void put(const char *name, const struct bc_text *data)
{
	char path[BC_PATH_MAX + 16];
	FILE *f;

	ck_assert_int_lt(snprintf(path, sizeof(path), "%s/%s", bc_call.dir, name), (int)sizeof(path));
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(data->data, 1, data->len, f), data->len);
	ck_assert_int_eq(fclose(f), 0);
}

static void before(void)
{
	static const char *const none[] = { NULL };

	(void)bc_inject_sweep_out(".", none);
	if (is.history)
		put("old.db", &is.old);
	if (strncmp(is.words, "known --", 8) == 0 && !bc_file_exists("reports"))
		bc_shell("cp -r '" PLACE "/N' reports");
}

/* Is it a whole document? */
static bool ends(const struct bc_text *t)
{
	static const char end[] = "</testsuites>\n";

	return t->len >= sizeof(end) && strcmp(t->data + t->len - (sizeof(end) - 1), end) == 0;
}

/* The file is as it should be: the whole one, or, after a failure, none; or, where a report could not be read and that
 * was said, that of the others. */
static void check_made(const struct bc_injection *i, bool failed)
{
	struct bc_text now;

	if (!is.file || is.history)
		return;
	if (failed && !bc_file_exists(is.file))
		return;
	now = bc_program_file(&bc_call, is.file);
	if (failed && strstr(bc_call.err.data, " left out; the others were taken"))
		bc_inject_assert(bc_call.status == 2 && ends(&now), i, "the file of the others is not whole");
	else
		bc_inject_assert(now.len == is.made.len && memcmp(now.data, is.made.data, now.len) == 0, i,
				 "the file is not whole");
	bc_text_release(&now);
}

static void after(const struct bc_injection *i)
{
	/* SQLite keeps its own journals until a later opening that can do away with them */
	static const char *const keep[] = { "stdout.txt",  "stderr.txt",      "fired",	 "count",
					    "page.html",   "merged.xml",      "runs.db", "runs.db-wal",
					    "runs.db-shm", "runs.db-journal", "old.db",	 "old.db-wal",
					    "old.db-shm",  "old.db-journal",  NULL };
	const bool failed = i->fired[0] && !i->harmless && bc_call.status >= 2;

	if (failed) {
		bc_inject_assert(strncmp(bc_call.err.data, "bankcheck: ", 11) == 0 && bc_call.err.len > 20, i,
				 "nothing is said");
	} else {
		bc_inject_assert(bc_call.status == is.status, i, "the status differs");
		bc_inject_assert(bc_call.err.len == 0, i, "something is said");
		bc_inject_assert(strcmp(bc_call.out.data, is.out.data) == 0, i, "the output differs");
	}
	check_made(i, failed);
	bc_inject_assert(bc_inject_sweep_out(".", keep) == 0, i, "a temporary file is left");
	if (is.history &&
	    (bc_inject_whole() || i->n % 3 == 0)) { /* once more, with nothing failing: the run is there once */
		struct bc_text runs;

		bc_call.set[0][1] = "mem:0";
		bc_inject_none(is.words);
		bc_inject_assert(bc_call.status == 0, i, "the history is harmed");
		runs = runs_of(is.file);
		bc_inject_assert(strcmp(runs.data, is.runs.data) == 0, i, "the history has other runs");
		bc_text_release(&runs);
	}
}

/* @words with O, N and E as paths. */
static void spell(const char *words)
{
	size_t len = 0;

	is.words[0] = '\0';
	for (const char *at = words; *at; at++) {
		const bool letter = (*at == 'O' || *at == 'N' || *at == 'E') && (at[1] == ' ' || !at[1]);

		len += (size_t)snprintf(is.words + len, sizeof(is.words) - len, letter ? PLACE "/%c" : "%c", *at);
		ck_assert_uint_lt(len, sizeof(is.words));
	}
}

static void setup(void)
{
	memset(&is, 0, sizeof(is));
	bc_call_setup();
	ck_assert_int_eq(system(PREPARE), 0);
	bc_run_program(RUN PLACE "/O --witness clock"); /* no witness: a SKIP where the other has a PASS */
	ck_assert_int_eq(bc_call.status, 4);
	bc_run_program(RUN PLACE "/N");
	bc_expect_status(1, NULL);
	bc_run_program("history add " PLACE "/O --db old.db");
	bc_expect_status(0, NULL);
	is.old = bc_program_file(&bc_call, "old.db");
	ck_assert_uint_gt(is.old.len, 0);
}

START_TEST(whatever_call_fails)
{
	static const char *const none[] = { NULL };
	struct bc_injected command = {
		.words = is.words, .first = commands[_i].first, .more = 8, .before = before, .after = after
	};

	is.file = commands[_i].file;
	is.history = strncmp(commands[_i].words, "history", 7) == 0;
	spell(commands[_i].words);
	before();
	bc_inject_none(is.words);
	ck_assert_msg(bc_call.status < 2 && bc_call.err.len == 0, "%s: %d %s", commands[_i].what, bc_call.status,
		      bc_call.err.data);
	is.status = bc_call.status;
	is.out = bc_call.out;
	bc_call.out = (struct bc_text){ 0 };
	if (is.history)
		is.runs = runs_of(is.file);
	else if (is.file)
		is.made = bc_program_file(&bc_call, is.file);
	bc_inject_all(&command, "parent", none);
}
END_TEST

Suite *bc_test_inject_words(void)
{
	Suite *s = suite_create("inject_words");
	TCase *tc = tcase_create("commands");

	tcase_add_checked_fixture(tc, setup, bc_call_teardown);
	tcase_set_timeout(tc, bc_inject_whole() ? 3600 : 600);
	tcase_add_loop_test(tc, whatever_call_fails, 0, (int)BC_ARRAY_LEN(commands));
	suite_add_tcase(s, tc);
	return s;
}
