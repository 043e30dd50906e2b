/* SPDX-License-Identifier: MIT */
#include "harness/cli/help.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/escape.h"
#include "harness/base/terminal.h"
#include "harness/core/arch.h"

#define HELP_COLUMNS 78

/* @text wrapped, each line indented by @indent; @column: where the first line is now. */
static void print_wrapped(const char *text, unsigned column, unsigned indent)
{
	struct bc_text wrapped = { 0 };
	struct bc_out out = { .to = &wrapped };

	bc_put_wrapped(&out, &(struct bc_wrap){ .indent = indent, .columns = HELP_COLUMNS, .utf8 = true }, text);
	(void)printf("%*s%s\n", (int)(indent - column), "", out.st ? text : bc_out_text(&out));
	bc_text_release(&wrapped);
}

/* What an option does, and its preset. */
static void option_text(const struct bc_option *o, char *buf, size_t size)
{
	char preset[BC_OPTION_BUF];
	const char *text = bc_option_preset_text(o, preset);

	(void)snprintf(buf, size, "%s%s%s%s", o->help, *text ? " (default: " : "", text, *text ? ")" : "");
}

/* The variable that may give the argument, and the value that it has now. */
static void print_variable(const struct bc_option *o)
{
	struct bc_text line = { 0 };
	const char *value = o->variable ? getenv(o->variable) : NULL;

	if (!o->variable)
		return;
	if (value && *value && !bc_text_addf(&line, NULL, "[environment: %s=", o->variable) &&
	    !bc_escape_str(&line, BC_ESCAPE_LINE, value, NULL) && !bc_text_addf(&line, NULL, "]"))
		print_wrapped(line.data, 0, 6);
	else
		(void)printf("      [environment: %s]\n", o->variable);
	bc_text_release(&line);
}

static void print_option(const struct bc_option *o)
{
	char text[600];

	(void)fputs("  ", stdout);
	if (o->letter)
		(void)printf("-%c, ", o->letter);
	(void)printf("--%s%s%s\n", o->name, o->argument ? " " : "", o->argument ? o->argument : "");
	option_text(o, text, sizeof(text));
	print_wrapped(text, 0, 6);
	print_variable(o);
}

static void print_commands(void)
{
	(void)puts("usage: bankcheck COMMAND [options]\n\nChecks that a GPU, its driver and its toolkit follow the "
		   "shared-memory rules.\n\ncommands (`bankcheck COMMAND --help` says more):");
	for (const struct bc_cli_command *row = bc_cli_commands; row->name; row++) {
		if (row->internal)
			continue;
		(void)printf("  %s%s%s\n", row->name, row->operands ? " " : "", row->operands ? row->operands : "");
		print_wrapped(row->help, 0, 6);
	}
}

static void print_exit_statuses(unsigned command)
{
	(void)puts("exit status:");
	for (const struct bc_cli_exit_status *row = bc_cli_exit_statuses; row->when; row++) {
		if (!(row->commands & command))
			continue;
		(void)printf("  %3d", row->status);
		print_wrapped(row->when, 5, 7);
	}
}

void bc_cli_help(unsigned command)
{
	const struct bc_cli_command *one = NULL;

	for (const struct bc_cli_command *row = bc_cli_commands; row->name; row++)
		if (row->command == command)
			one = row;
	if (one) {
		(void)printf("usage: bankcheck %s [options]%s%s\n\n", one->name, one->operands ? " " : "",
			     one->operands ? one->operands : "");
		print_wrapped(one->help, 0, 0);
	} else {
		print_commands();
	}
	(void)puts("\noptions:");
	for (size_t i = 0; i < bc_cli_option_count(); i++) {
		const struct bc_cli_option row = bc_cli_option_at(i);

		if (one ? (row.commands & command) != 0 : row.commands == ~0u)
			print_option(row.option);
	}
	(void)putchar('\n');
	if (one)
		print_exit_statuses(command);
	else
		print_wrapped("exit status: 0 where all is well, 3 for wrong usage or input; "
			      "`bankcheck help COMMAND` lists those of a command",
			      0, 0);
}

/* troff: a backslash and a leading point or quote mean something. */
static void print_troff(const char *s)
{
	for (bool start = true; *s; s++, start = false) {
		if (start && (*s == '.' || *s == '\''))
			(void)fputs("\\&", stdout);
		if (*s == '\\')
			(void)fputs("\\e", stdout);
		else if (*s == '-')
			(void)fputs("\\-", stdout);
		else
			(void)putchar(*s);
	}
}

static void print_man_commands(void)
{
	(void)puts(".SH COMMANDS");
	for (const struct bc_cli_command *row = bc_cli_commands; row->name; row++) {
		if (row->internal)
			continue;
		(void)printf(".TP\n.B %s%s%s\n", row->name, row->operands ? " " : "",
			     row->operands ? row->operands : "");
		print_troff(row->help);
		(void)putchar('\n');
	}
}

/* "(run, list) ": the commands that take an option, nothing where all do. */
static void print_man_takers(unsigned commands)
{
	const char *separator = "(";

	if (commands == ~0u)
		return;
	for (const struct bc_cli_command *row = bc_cli_commands; row->name; row++) {
		if (!(commands & row->command) || row->internal)
			continue;
		(void)printf("%s%s", separator, row->name);
		separator = ", ";
	}
	(void)fputs(separator[0] == ',' ? ") " : "", stdout);
}

static void print_man_options(void)
{
	(void)puts(".SH OPTIONS");
	for (size_t i = 0; i < bc_cli_option_count(); i++) {
		const struct bc_cli_option row = bc_cli_option_at(i);
		const struct bc_option *o = row.option;
		char text[600];

		(void)fputs(".TP\n.B ", stdout);
		if (o->letter)
			(void)printf("\\-%c, ", o->letter);
		(void)printf("\\-\\-%s%s%s\n", o->name, o->argument ? " " : "", o->argument ? o->argument : "");
		print_man_takers(row.commands);
		option_text(o, text, sizeof(text));
		print_troff(text);
		(void)putchar('\n');
	}
}

/* All commands but the internal ones. */
static unsigned all_commands(void)
{
	unsigned all = 0;

	for (const struct bc_cli_command *row = bc_cli_commands; row->name; row++)
		all |= row->internal ? 0 : row->command;
	return all;
}

static void print_man_exit_statuses(void)
{
	const unsigned all = all_commands();

	(void)puts(".SH EXIT STATUS");
	for (const struct bc_cli_exit_status *row = bc_cli_exit_statuses; row->when; row++) {
		(void)printf(".TP\n.B %d\n", row->status);
		print_man_takers((row->commands & all) == all ? ~0u : row->commands);
		print_troff(row->when);
		(void)putchar('\n');
	}
}

/* What the environment may set: the defaults of options, and the rest. */
static void print_man_environment(void)
{
	(void)puts(".SH ENVIRONMENT");
	for (size_t i = 0; i < bc_cli_option_count(); i++) {
		const struct bc_option *o = bc_cli_option_at(i).option;

		if (o->variable)
			(void)printf(".TP\n.B %s\nThe argument of \\-\\-%s where the command line has none.\n",
				     o->variable, o->name);
	}
	(void)puts(".TP\n.B NO_COLOR\nIf set: no colours.\n"
		   ".TP\n.B LC_ALL, LC_CTYPE, LANG\nText is drawn in ASCII unless they say UTF-8.\n"
		   ".TP\n.B CK_RUN_SUITE, CK_RUN_CASE\nTake only this suite, this rule.\n"
		   ".TP\n.B CK_TAP_LOG_FILE_NAME, CK_XML_LOG_FILE_NAME\nFiles for the logs that Check writes.\n"
		   ".TP\n.B GITHUB_ACTIONS, GITHUB_STEP_SUMMARY\n"
		   "Print findings as annotations; append a summary of the step.");
}

/* The keys of arch.txt, a line each; changed. */
static void print_man_files(char *keys)
{
	(void)puts(".SH FILES\n.TP\n.I expected/sm_NN/arch.txt\nAn architecture; its keys:\n.nf");
	for (char *line; keys && (line = strsep(&keys, "\n"));) {
		print_troff(line);
		(void)putchar('\n');
	}
	(void)puts(".fi");
}

enum bc_status bc_cli_man(struct bc_error *err)
{
	struct bc_text keys = { 0 };
	enum bc_status st = bc_arch_manual(&keys, err);

	if (st)
		return st;
	(void)printf(".TH BANKCHECK 1 \"\" \"bankcheck %s\" \"User Commands\"\n"
		     ".SH NAME\nbankcheck \\- check a GPU's shared memory against the rules CUDA programmers rely on\n"
		     ".SH SYNOPSIS\n.B bankcheck\n.I COMMAND\n[options]\n",
		     BC_VERSION);
	(void)puts(".SH DESCRIPTION\nRuns a catalogue of microkernels. Each exercises one rule of shared memory.\n"
		   "Checks the data, the conflicts that the hardware counters report and the cycles that the accesses "
		   "take.\nWrites JUnit XML, one file per architecture.");
	print_man_commands();
	print_man_options();
	print_man_exit_statuses();
	print_man_files(keys.data);
	print_man_environment();
	bc_text_release(&keys);
	return bc_cli_flush(err);
}
