/* SPDX-License-Identifier: MIT */
/* The options of a run on their way through the program: command line, worker, journal, command to run a case again. */
#include "harness/run/run_options.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "harness/cli/parse.h"
#include "harness/run/message.h"

Suite *bc_test_run_options(void);

static struct bc_error err;
static struct bc_run_options options;
static struct bc_cli cli;

static void setup(void)
{
	bc_run_options_init(&options);
	memset(&cli, 0, sizeof(cli));
}

static void teardown(void)
{
	bc_run_options_release(&options);
	bc_cli_release(&cli);
}

/* An argument that an option takes and that is not its preset. */
static const char *argument_of(const struct bc_option *o)
{
	switch (o->type) {
	case BC_OPTION_TEXT: return "it's a \"text\"";
	case BC_OPTION_FLAG: return NULL;
	case BC_OPTION_NUMBER: return "2";
	case BC_OPTION_SECONDS: return "77";
	case BC_OPTION_CHOICE: return o->words[o->preset + 1];
	case BC_OPTION_LIST: return "glob";
	case BC_OPTION_PART: return "2/3";
	case BC_OPTION_SEED: return "4000000000";
	}
	return NULL;
}

static void give(size_t i)
{
	ck_assert_int_eq(bc_option_set(&bc_run_option_table[i], &options, argument_of(&bc_run_option_table[i]), &err),
			 BC_OK);
}

static void parse(const char *const *words, size_t n)
{
	char *argv[3 + 2 * BC_RUN_OPTIONS_MAX];
	static char copy[3 + 2 * BC_RUN_OPTIONS_MAX][100];

	for (size_t i = 0; i < n; i++) {
		ck_assert(bc_strlcpy(copy[i], words[i], sizeof(copy[i])));
		argv[i] = copy[i];
	}
	argv[n] = NULL;
	ck_assert_msg(bc_cli_parse((int)n, argv, &cli, &err) == BC_OK, "%s", err.msg);
}

static void same_value(size_t i)
{
	const struct bc_option *o = &bc_run_option_table[i];
	char buf[2][BC_OPTION_BUF];

	ck_assert_str_eq(bc_option_text(o, &cli.run, buf[0]), bc_option_text(o, &options, buf[1]));
	ck_assert_int_eq(bc_option_is_preset(o, &cli.run), bc_option_is_preset(o, &options));
}

START_TEST(run_takes_every_row)
{
	char dashed[64];

	for (size_t i = 0; i < bc_run_option_count; i++) {
		const struct bc_option *o = &bc_run_option_table[i];
		const char *words[4] = { "bankcheck", "run", dashed, argument_of(o) };

		(void)snprintf(dashed, sizeof(dashed), "--%s", o->name);
		parse(words, o->argument ? 4 : 3);
		ck_assert_msg(!bc_option_is_preset(o, &cli.run), "--%s", o->name);
		bc_cli_release(&cli);
	}
}
END_TEST

/* What a worker is told is what the run was told: all of it, and nothing else. */
START_TEST(a_worker_is_told_its_options)
{
	struct bc_worker_argv a;
	size_t n = 0;

	options.self = "/bin/bankcheck";
	for (size_t i = 0; i < bc_run_option_count; i++)
		give(i);
	bc_run_options_worker_argv(&options, &a);
	while (a.word[n])
		n++;
	ck_assert_str_eq(a.word[0], "/bin/bankcheck");
	ck_assert_str_eq(a.word[1], "worker");
	parse(a.word, n);
	for (size_t i = 0; i < bc_run_option_count; i++) {
		if (bc_run_option_table[i].use & BC_OPTION_FOR_WORKER)
			same_value(i);
		else
			ck_assert_msg(bc_option_is_preset(&bc_run_option_table[i], &cli.run), "--%s",
				      bc_run_option_table[i].name);
	}
}
END_TEST

START_TEST(a_worker_is_told_nothing_that_was_not_given)
{
	struct bc_worker_argv a;

	options.self = "bankcheck";
	bc_run_options_worker_argv(&options, &a);
	ck_assert_str_eq(a.word[1], "worker");
	ck_assert_ptr_null(a.word[2]);
}
END_TEST

/* Each journalled option alone makes a run another one, in both directions, and is named. */
START_TEST(each_journalled_option_is_kept_and_compared)
{
	for (size_t i = 0; i < bc_run_option_count; i++) {
		const struct bc_option *o = &bc_run_option_table[i];
		const bool kept = (o->use & BC_OPTION_JOURNALLED) != 0;
		struct bc_run_options preset, then;
		struct bc_text line = { 0 };
		struct bc_fields f;
		char text[240], want[64];

		bc_run_options_init(&preset);
		bc_run_options_init(&then);
		give(i);
		ck_assert_int_eq(bc_message_begin(&line, "run", &err), BC_OK);
		ck_assert_int_eq(bc_run_options_add(&options, &line, &err), BC_OK);
		ck_assert_int_eq(bc_message_parse(line.data, &f, &err), BC_OK);
		ck_assert_msg(bc_run_options_parse(&f, &then, &err) == BC_OK, "%s", err.msg);
		ck_assert_msg(!bc_run_options_differ(&then, &options, text, sizeof(text)), "%s", text);
		(void)snprintf(want, sizeof(want), "--%s ", o->name);
		ck_assert_msg(bc_run_options_differ(&preset, &then, text, sizeof(text)) == kept, "--%s", o->name);
		ck_assert_msg(!kept || strncmp(text, want, strlen(want)) == 0, "%s", text);
		ck_assert(bc_run_options_differ(&then, &preset, text, sizeof(text)) == kept);
		bc_text_release(&line);
		bc_run_options_release(&options);
	}
}
END_TEST

START_TEST(a_difference_is_told_in_words)
{
	struct bc_run_options then;
	char text[240];

	bc_run_options_init(&then);
	options.retries = 2;
	ck_assert(bc_run_options_differ(&then, &options, text, sizeof(text)));
	ck_assert_str_eq(text, "--retries not given, now 2");
	options.retries = 0;
	then.racecheck = true;
	ck_assert(bc_run_options_differ(&then, &options, text, sizeof(text)));
	ck_assert_str_eq(text, "--racecheck yes, now no");
}
END_TEST

START_TEST(a_command_to_run_a_case_again_has_what_it_needs)
{
	struct bc_text t = { 0 };

	ck_assert_int_eq(bc_run_options_rerun(&options, &t, &err), BC_OK);
	ck_assert_str_eq(t.data, "");
	options.expected_dir = "my expected";
	options.kernels_dir = "k";
	options.fault = "banks-16";
	options.witness = BC_WITNESS_COUNTERS;
	options.require = BC_REQUIRE_COUNTERS;
	options.racecheck = true;
	options.pack = 2;
	options.repeat = 5; /* once shows it */
	options.timeout_s = 20;
	ck_assert_int_eq(bc_run_options_rerun(&options, &t, &err), BC_OK);
	ck_assert_str_eq(t.data, " --expected 'my expected' --kernels k --fault banks-16 --witness counters "
				 "--require counters --racecheck --pack 2");
	bc_text_release(&t);
}
END_TEST

/* No two options of one command have one name or one letter, and each has what its type needs. */
START_TEST(the_tables_are_sound)
{
	for (size_t i = 0; i < bc_cli_option_count(); i++) {
		const struct bc_cli_option a = bc_cli_option_at(i);

		ck_assert_msg(a.option->help && a.option->help[0] && a.commands, "--%s", a.option->name);
		ck_assert_msg((a.option->type == BC_OPTION_FLAG) == !a.option->argument, "--%s", a.option->name);
		ck_assert_msg(a.option->type != BC_OPTION_CHOICE || a.option->words, "--%s", a.option->name);
		ck_assert_msg(!a.option->words || a.option->type == BC_OPTION_CHOICE ||
				      a.option->type == BC_OPTION_TEXT,
			      "--%s", a.option->name);
		ck_assert_msg(!a.option->variable || a.option->type == BC_OPTION_TEXT, "--%s", a.option->name);
		ck_assert_msg(a.option->type != BC_OPTION_NUMBER || a.option->max > a.option->min, "--%s",
			      a.option->name);
		for (size_t k = 0; k < i; k++) {
			const struct bc_cli_option b = bc_cli_option_at(k);

			if (!(a.commands & b.commands))
				continue;
			ck_assert_msg(strcmp(a.option->name, b.option->name) != 0, "--%s twice", a.option->name);
			ck_assert_msg(!a.option->letter || a.option->letter != b.option->letter, "-%c twice",
				      a.option->letter);
		}
	}
}
END_TEST

/* What reports say of the options: those that results depend on, and that were given. */
START_TEST(options_are_told_as_they_were_given)
{
	static const struct {
		const char *name, *value;
		const char *want; /* all that was given so far */
	} rows[] = {
		{ "timeout", "7", "defaults" }, /* no result depends on it */
		{ "witness", "clock", "--witness clock" },
		{ "pack", "1", "--witness clock --pack 1" },
		{ "racecheck", NULL, "--witness clock --racecheck --pack 1" },
		{ "repeat", "9", "--witness clock --racecheck --pack 1 --repeat 9" },
		{ "fault", "banks-16", "--fault banks-16 --witness clock --racecheck --pack 1 --repeat 9" },
		{ "require", "counters",
		  "--fault banks-16 --witness clock --require counters --racecheck --pack 1 --repeat 9" },
		{ "retries", "2",
		  "--fault banks-16 --witness clock --require counters --racecheck --pack 1 --repeat 9 --retries 2" },
	};
	struct bc_run_options o;
	char text[300], cut[12];

	bc_run_options_init(&o);
	bc_run_options_text(&o, text, sizeof(text));
	ck_assert_str_eq(text, "defaults");
	for (size_t i = 0; i < BC_ARRAY_LEN(rows); i++) {
		for (size_t k = 0; k < bc_run_option_count; k++)
			if (strcmp(bc_run_option_table[k].name, rows[i].name) == 0)
				ck_assert_msg(bc_option_set(&bc_run_option_table[k], &o, rows[i].value, &err) == BC_OK,
					      "%s", err.msg);
		bc_run_options_text(&o, text, sizeof(text));
		ck_assert_str_eq(text, rows[i].want);
	}
	bc_run_options_text(&o, cut, sizeof(cut));
	ck_assert_str_eq(cut, "--fault ban");
	bc_run_options_release(&o);
}
END_TEST

START_TEST(sms_are_one_all_or_a_list)
{
	static const char *const bad[] = { "", "al", "all,1", "1,", ",1", "1,,2", "1,1", "-1", "1.5", "123456", "0x1" };
	struct bc_sms_choice c;
	struct bc_error e;

	ck_assert(!bc_sms_parse(NULL, &c, &e) && !c.every && !c.n);
	ck_assert(!bc_sms_parse("one", &c, &e) && !c.every && !c.n);
	ck_assert(!bc_sms_parse("all", &c, &e) && c.every && !c.n);
	ck_assert(!bc_sms_parse("131,0,7", &c, &e) && c.every && c.n == 3);
	ck_assert(c.sm[0] == 131 && c.sm[1] == 0 && c.sm[2] == 7);
	for (size_t i = 0; i < BC_ARRAY_LEN(bad); i++) {
		ck_assert_msg(bc_sms_parse(bad[i], &c, &e) == BC_EUSAGE, "%s", bad[i]);
		ck_assert_msg(strstr(e.msg, "it is one, all, or") != NULL, "%s", e.msg);
	}
}
END_TEST

Suite *bc_test_run_options(void)
{
	Suite *s = suite_create("run_options");
	TCase *tc = tcase_create("run_options");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, run_takes_every_row);
	tcase_add_test(tc, a_worker_is_told_its_options);
	tcase_add_test(tc, a_worker_is_told_nothing_that_was_not_given);
	tcase_add_test(tc, each_journalled_option_is_kept_and_compared);
	tcase_add_test(tc, a_difference_is_told_in_words);
	tcase_add_test(tc, a_command_to_run_a_case_again_has_what_it_needs);
	tcase_add_test(tc, the_tables_are_sound);
	tcase_add_test(tc, options_are_told_as_they_were_given);
	tcase_add_test(tc, sms_are_one_all_or_a_list);
	suite_add_tcase(s, tc);
	return s;
}
