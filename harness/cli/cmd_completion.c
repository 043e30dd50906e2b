/* SPDX-License-Identifier: MIT */
/* Prints what completes the command line in bash and zsh, from the tables of commands and options. Ids of cases are
 * asked of the program when they are wanted; the rest is written down. */
#include "harness/cli/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/core/arch.h"
#include "harness/device/reference/faults.h"

/* What may stand in a place of the command line. */
enum kind { KIND_NOTHING, KIND_FILE, KIND_DIR, KIND_ID, KIND_DEVICE, KIND_COMMAND, KIND_WORDS };

/* Operands whose words are no files. */
static const struct {
	const char *operands;
	enum kind kind;
	const char *words; /* of KIND_WORDS: the first operand */
} operand_kinds[] = {
	{ "[CASE]", KIND_ID, NULL },
	{ "DIR DIR...", KIND_DIR, NULL },
	{ "[COMMAND]", KIND_COMMAND, NULL },
	{ "bash|zsh", KIND_WORDS, "bash zsh" },
	{ "ACTION [WORD...]", KIND_WORDS, "add list trend flaky first-bad export prune" },
};

/* What an option's argument is, by the name that help gives it. */
static const struct {
	const char *argument;
	enum kind kind;
} argument_kinds[] = {
	{ "FILE", KIND_FILE }, { "REPORT", KIND_FILE }, { "DIR", KIND_DIR },
	{ "GLOB", KIND_ID },   { "LIST", KIND_DEVICE },
};

/* Lists of words, joined by blanks, that the scripts hold. */
struct lists {
	struct bc_text archs, devices, faults, commands;
};

static enum kind operand_kind(const struct bc_cli_command *row, const char **words)
{
	*words = NULL;
	for (size_t i = 0; i < BC_ARRAY_LEN(operand_kinds); i++) {
		if (!row->operands || strcmp(operand_kinds[i].operands, row->operands) != 0)
			continue;
		*words = operand_kinds[i].words;
		return operand_kinds[i].kind;
	}
	return row->operands ? KIND_FILE : KIND_NOTHING;
}

/* @words: of KIND_WORDS, in @buf or in a list. */
static enum kind argument_kind(const struct bc_option *o, const struct lists *l, struct bc_text *buf,
			       const char **words, struct bc_error *err)
{
	bc_text_release(buf);
	*words = NULL;
	for (size_t i = 0; o->words && o->words[i]; i++)
		if (o->words[i][0] && bc_text_addf(buf, err, "%s%s", buf->len ? " " : "", o->words[i]))
			return KIND_NOTHING;
	if (buf->data)
		*words = buf->data;
	else if (strcmp(o->name, "fault") == 0)
		*words = l->faults.data;
	else if (strcmp(o->argument, "sm_NN") == 0)
		*words = l->archs.data;
	if (*words)
		return KIND_WORDS;
	for (size_t i = 0; i < BC_ARRAY_LEN(argument_kinds); i++)
		if (strcmp(argument_kinds[i].argument, o->argument) == 0)
			return argument_kinds[i].kind;
	return KIND_NOTHING;
}

static enum bc_status make_lists(const struct bc_cli *c, struct lists *l, struct bc_error *err)
{
	struct bc_arch *archs = NULL;
	size_t n = 0;
	enum bc_status st = bc_arch_list(c->expected_dir, &archs, &n, err);

	if (!st)
		st = bc_text_addf(&l->devices, err, "all cuda:0 reference reference:all");
	for (size_t i = 0; !st && i < n; i++) {
		st = bc_text_addf(&l->archs, err, "%s%s", i ? " " : "", archs[i].name);
		if (!st)
			st = bc_text_addf(&l->devices, err, " reference:%s", archs[i].name);
	}
	for (const struct bc_fault *f = bc_faults; !st && f->name; f++)
		st = bc_text_addf(&l->faults, err, "%s%s", f == bc_faults ? "" : " ", f->name);
	for (const struct bc_cli_command *row = bc_cli_commands; !st && row->name; row++)
		if (!row->internal)
			st = bc_text_addf(&l->commands, err, "%s%s", l->commands.len ? " " : "", row->name);
	free(archs);
	return st;
}

static void release_lists(struct lists *l)
{
	bc_text_release(&l->archs);
	bc_text_release(&l->devices);
	bc_text_release(&l->faults);
	bc_text_release(&l->commands);
}

/* --- bash ------------------------------------------------------------------------------------------------------ */

/* The words are taken from the line, because bash breaks words at `:` and `=` and gives them in pieces. */
static const char bash_begin[] = "# bash completion for bankcheck, printed by `bankcheck completion bash`\n"
				 "_bankcheck_words() {\n"
				 "\tlocal list=\"${cur%\"${cur##*,}\"}\" cut='' item\n"
				 "\t[ -n \"$2\" ] || list=\n"
				 "\tcase $COMP_WORDBREAKS in *:*) cut=${cur%\"${cur##*:}\"} ;; esac\n"
				 "\tcompopt +o default +o bashdefault 2>/dev/null\n"
				 "\twhile read -r item; do\n"
				 "\t\titem=$list$item\n"
				 "\t\tCOMPREPLY+=(\"${item#\"$cut\"}\")\n"
				 "\tdone < <(compgen -W \"$1\" -- \"${cur#\"$list\"}\")\n"
				 "}\n"
				 "\n"
				 "_bankcheck() {\n"
				 "\tlocal line=${COMP_LINE:0:COMP_POINT} cur prev='' command options=''\n"
				 "\tlocal -a w\n"
				 "\tread -ra w <<<\"$line\"\n"
				 "\tcase $line in *[[:space:]]) w+=('') ;; esac\n"
				 "\tCOMPREPLY=()\n"
				 "\tcur=${w[${#w[@]} - 1]}\n"
				 "\tcommand=${w[1]}\n"
				 "\t[ ${#w[@]} -lt 3 ] || prev=${w[${#w[@]} - 2]}\n"
				 "\tcase $cur in --*=*) prev=${cur%%=*} cur=${cur#*=} ;; esac\n"
				 "\tif [ ${#w[@]} -le 2 ]; then\n";

static void print_bash_kind(enum kind kind, const char *words, const struct lists *l)
{
	switch (kind) {
	case KIND_NOTHING: (void)puts("compopt +o default +o bashdefault 2>/dev/null"); break;
	case KIND_FILE: (void)puts(":"); break; /* bash's own */
	case KIND_DIR: (void)puts("compopt -o dirnames +o default 2>/dev/null"); break;
	case KIND_ID: (void)puts("_bankcheck_words \"$(\"${w[0]}\" list 2>/dev/null)\""); break;
	case KIND_DEVICE: (void)printf("_bankcheck_words '%s' list\n", l->devices.data); break;
	case KIND_COMMAND: (void)printf("_bankcheck_words '%s'\n", l->commands.data); break;
	case KIND_WORDS: (void)printf("_bankcheck_words '%s'\n", words); break;
	}
}

/* A line of the case statement for each option with an argument. */
static enum bc_status print_bash_arguments(const struct bc_cli_command *row, const struct lists *l,
					   struct bc_error *err)
{
	struct bc_text buf = { 0 };

	err->status = BC_OK;
	for (size_t i = 0; !err->status && i < bc_cli_option_count(); i++) {
		const struct bc_cli_option at = bc_cli_option_at(i);
		const struct bc_option *o = at.option;
		const char *words;
		enum kind kind;

		if (!(at.commands & row->command) || !o->argument)
			continue;
		kind = argument_kind(o, l, &buf, &words, err);
		(void)printf("\t%s:--%s", row->name, o->name);
		if (o->letter)
			(void)printf(" | %s:-%c", row->name, o->letter);
		(void)printf(") ");
		print_bash_kind(kind, words, l);
		(void)puts("\t\treturn ;;");
	}
	bc_text_release(&buf);
	return err->status;
}

static void print_bash_options(const struct bc_cli_command *row, const struct lists *l)
{
	const char *words;
	const enum kind kind = operand_kind(row, &words);

	(void)printf("\t%s)\n\t\toptions='", row->name);
	for (size_t i = 0, n = 0; i < bc_cli_option_count(); i++) {
		const struct bc_cli_option at = bc_cli_option_at(i);

		if (!(at.commands & row->command))
			continue;
		(void)printf("%s--%s", n++ ? " " : "", at.option->name);
		if (at.option->letter)
			(void)printf(" -%c", at.option->letter);
	}
	(void)printf("'\n\t\tcase $cur in -*) ;; *) ");
	if (kind == KIND_WORDS) /* of the first operand; after it files, after an action that wants it an id */
		(void)printf("case $prev in %s) ", row->name);
	print_bash_kind(kind, words, l);
	if (kind == KIND_WORDS)
		(void)puts(
			"\t\t;; trend | first-bad | export) _bankcheck_words \"$(\"${w[0]}\" list 2>/dev/null)\" ;;\n"
			"\t\tesac");
	(void)puts("\t\treturn ;; esac ;;");
}

static enum bc_status print_bash(const struct lists *l, struct bc_error *err)
{
	enum bc_status st = BC_OK;

	(void)fputs(bash_begin, stdout);
	(void)printf("\t\t_bankcheck_words '%s --help -h --version -V'\n\t\treturn\n\tfi\n", l->commands.data);
	(void)puts("\tcase $command:$prev in");
	for (const struct bc_cli_command *row = bc_cli_commands; !st && row->name; row++)
		if (!row->internal)
			st = print_bash_arguments(row, l, err);
	(void)puts("\tesac\n\tcase $command in");
	for (const struct bc_cli_command *row = bc_cli_commands; row->name; row++)
		if (!row->internal)
			print_bash_options(row, l);
	(void)puts("\tesac\n\t_bankcheck_words \"$options\"\n}\n"
		   "complete -o bashdefault -o default -F _bankcheck bankcheck");
	return st;
}

/* --- zsh ------------------------------------------------------------------------------------------------------- */

/* Inside '...' of an argument of _arguments or _describe: up to the first `;` or bracket of @s. */
static void print_zsh_text(const char *s)
{
	const size_t len = strcspn(s, ";(");

	for (size_t i = 0; i < len && !(s[i] == ' ' && i + 1 == len); i++) {
		if (s[i] == '\'')
			(void)fputs("'\\'", stdout);
		else if (strchr("[]:\\", s[i]))
			(void)putchar('\\');
		(void)putchar(s[i]);
	}
}

static void print_zsh_kind(enum kind kind, const char *words)
{
	switch (kind) {
	case KIND_NOTHING: (void)fputs(" ", stdout); break;
	case KIND_FILE: (void)fputs("_files", stdout); break;
	case KIND_DIR: (void)fputs("_files -/", stdout); break;
	case KIND_ID: (void)fputs("_bankcheck_ids", stdout); break;
	case KIND_DEVICE: (void)fputs("_bankcheck_devices", stdout); break;
	case KIND_COMMAND: (void)fputs("_bankcheck_commands", stdout); break;
	case KIND_WORDS: (void)printf("(%s)", words); break;
	}
}

static enum bc_status print_zsh_option(const struct bc_option *o, const struct lists *l, struct bc_error *err)
{
	struct bc_text buf = { 0 };
	const char *words = NULL;
	enum kind kind;

	err->status = BC_OK;
	(void)printf(" \\\n\t\t\t");
	if (o->type == BC_OPTION_LIST)
		(void)printf("'*--%s", o->name);
	else if (o->letter)
		(void)printf("'(-%c --%s)'{-%c,--%s}'", o->letter, o->name, o->letter, o->name);
	else
		(void)printf("'--%s", o->name);
	(void)putchar('[');
	print_zsh_text(o->help);
	(void)putchar(']');
	if (o->argument) {
		(void)printf(":%s:", o->argument);
		kind = argument_kind(o, l, &buf, &words, err);
		print_zsh_kind(kind, words);
	}
	(void)putchar('\'');
	bc_text_release(&buf);
	return err->status;
}

static enum bc_status print_zsh_command(const struct bc_cli_command *row, const struct lists *l, struct bc_error *err)
{
	const char *words;
	const enum kind kind = operand_kind(row, &words);
	enum bc_status st = BC_OK;

	(void)printf("\t%s)\n\t\t_arguments -s -S", row->name);
	for (size_t i = 0; !st && i < bc_cli_option_count(); i++) {
		const struct bc_cli_option at = bc_cli_option_at(i);

		if (at.commands & row->command)
			st = print_zsh_option(at.option, l, err);
	}
	if (kind != KIND_NOTHING) {
		(void)printf(" \\\n\t\t\t'%s:word:", kind == KIND_WORDS ? "1" : "*");
		print_zsh_kind(kind, words);
		(void)putchar('\'');
	}
	if (kind == KIND_WORDS)
		(void)printf(" \\\n\t\t\t'*:word:_bankcheck_after'");
	(void)puts("\n\t\t;;");
	return st;
}

static enum bc_status print_zsh(const struct lists *l, struct bc_error *err)
{
	enum bc_status st = BC_OK;

	(void)puts("#compdef bankcheck\n"
		   "# zsh completion for bankcheck, printed by `bankcheck completion zsh`\n"
		   "_bankcheck_ids() {\n"
		   "\tlocal -a ids\n"
		   "\tids=(${(f)\"$(_call_program ids ${(q)_bankcheck_program} list 2>/dev/null)\"})\n"
		   "\tcompadd -a ids\n"
		   "}\n"
		   "_bankcheck_after() {\n"
		   "\tcase $words[2] in\n"
		   "\ttrend | first-bad | export) _bankcheck_ids ;;\n"
		   "\t*) _files ;;\n"
		   "\tesac\n"
		   "}");
	(void)printf("_bankcheck_devices() {\n\t_values -s , device");
	for (const char *at = l->devices.data; *at; at += strspn(at, " ")) {
		const int len = (int)strcspn(at, " ");

		(void)fputs(" '", stdout);
		for (int i = 0; i < len; i++)
			(void)printf("%s%c", at[i] == ':' ? "\\" : "", at[i]);
		(void)putchar('\'');
		at += len;
	}
	(void)puts("\n}\n_bankcheck_commands() {\n\tlocal -a commands\n\tcommands=(");
	for (const struct bc_cli_command *row = bc_cli_commands; row->name; row++) {
		if (row->internal)
			continue;
		(void)printf("\t\t'%s:", row->name);
		print_zsh_text(row->help);
		(void)puts("'");
	}
	(void)puts("\t)\n\t_describe command commands\n}\n"
		   "_bankcheck() {\n"
		   "\tlocal curcontext=$curcontext _bankcheck_program=$words[1]\n"
		   "\tif ((CURRENT == 2)); then\n"
		   "\t\t_bankcheck_commands\n"
		   "\t\treturn\n"
		   "\tfi\n"
		   "\tshift words\n"
		   "\t((CURRENT--))\n"
		   "\tcase $words[1] in");
	for (const struct bc_cli_command *row = bc_cli_commands; !st && row->name; row++)
		if (!row->internal)
			st = print_zsh_command(row, l, err);
	(void)puts(
		"\tesac\n}\n"
		"if [[ $funcstack[1] = _bankcheck ]]; then _bankcheck \"$@\"; else compdef _bankcheck bankcheck; fi");
	return st;
}

int bc_cmd_completion(const struct bc_cli *c, const struct bc_catalog *cat)
{
	const char *shell = c->noperands == 1 ? c->operands[0] : "";
	const bool bash = strcmp(shell, "bash") == 0;
	struct lists l = { 0 };
	struct bc_error err = { .msg = "" };
	enum bc_status st = BC_OK;

	(void)cat;
	if (!bash && strcmp(shell, "zsh") != 0)
		st = bc_fail(&err, BC_EUSAGE,
			     "completion: for which shell? Type `bankcheck completion bash` or `bankcheck completion "
			     "zsh`");
	if (!st)
		st = make_lists(c, &l, &err);
	if (!st)
		st = bash ? print_bash(&l, &err) : print_zsh(&l, &err);
	if (!st)
		st = bc_cli_flush(&err);
	release_lists(&l);
	return st ? bc_cli_fail(&err) : 0;
}
