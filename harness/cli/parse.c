/* SPDX-License-Identifier: MIT */
#include "harness/cli/parse.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/build.h"
#include "harness/cli/help.h"
#include "harness/device/image_sets.h"

#define OPTIONS_MAX 128 /* of one command */
#define LONG_OPTION 256 /* what getopt_long returns for a long one: no letter */

static bool is_dir(const char *path)
{
	struct stat s;

	return stat(path, &s) == 0 ? S_ISDIR(s.st_mode)
				   : errno != ENOENT && errno != ENOTDIR; /* what uses it reports the error */
}

/* @given, or the first of two places relative to the binary that is a folder: without `..`, as it stands in messages.
 */
static void find_dir(const char *given, const char *self_dir, const char *near, const char *installed, char *out,
		     size_t size)
{
	char *plain;

	if (given) {
		(void)bc_strlcpy(out, given, size);
		return;
	}
	(void)snprintf(out, size, "%s/%s", self_dir, near);
	if (!is_dir(out))
		(void)snprintf(out, size, "%s/%s", self_dir, installed);
	plain = realpath(out, NULL);
	if (plain && strlen(plain) < size)
		(void)bc_strlcpy(out, plain, size);
	free(plain);
}

/* --kernels 12.9: the folder beside the program's own that this release made, where no folder has that name. */
static enum bc_status name_kernels(struct bc_cli *c, const char *self_dir, struct bc_error *err)
{
	const char *given = c->run.kernels_dir;
	struct bc_image_set *sets = NULL;
	char own[sizeof(c->kernels_dir)];
	size_t n = 0, i = 0;
	enum bc_status st;

	find_dir(NULL, self_dir, "kernels", "../lib/bankcheck/kernels", own, sizeof(own));
	if (!given || strchr(given, '/') || is_dir(given)) {
		(void)bc_strlcpy(c->kernels_dir, given ? given : own, sizeof(c->kernels_dir));
		return BC_OK;
	}
	st = bc_image_sets_find(own, true, &sets, &n, err);
	while (!st && i < n && strcmp(sets[i].release, given) != 0)
		i++;
	if (!st && i == n && given[0] && given[strspn(given, "0123456789.")] == '\0')
		st = bc_fail(err, BC_EREAD,
			     "--kernels %s: no folder of that name, and no images of CUDA %s beside the program (%s)",
			     given, given, own);
	(void)bc_strlcpy(c->kernels_dir, !st && i < n ? sets[i].dir : given, sizeof(c->kernels_dir));
	free(sets);
	return st;
}

static enum bc_status find_places(struct bc_cli *c, struct bc_error *err)
{
	char dir[sizeof(c->self)];
	const ssize_t n = readlink("/proc/self/exe", c->self, sizeof(c->self) - 1);
	char *slash;
	enum bc_status st;

	if (n <= 0)
		return bc_fail(err, BC_EREAD,
			       "/proc/self/exe cannot be read: the binary cannot find itself (is /proc mounted?)");
	c->self[n] = '\0';
	(void)bc_strlcpy(dir, c->self, sizeof(dir));
	slash = strrchr(dir, '/');
	if (slash)
		*slash = '\0';
	st = name_kernels(c, dir, err);
	if (st)
		return st;
	find_dir(c->run.expected_dir, dir, "../expected", "../share/bankcheck/expected", c->expected_dir,
		 sizeof(c->expected_dir));
	if (!bc_strlcpy(c->reports_dir, c->run.reports_dir ? c->run.reports_dir : "reports", sizeof(c->reports_dir)))
		return bc_fail(err, BC_EUSAGE, "--reports: the path is longer than %zu bytes",
			       sizeof(c->reports_dir) - 1);
	return BC_OK;
}

/* `help`, `help COMMAND`. */
static enum bc_status find_help(int argc, char **argv, struct bc_cli *c, struct bc_error *err)
{
	const struct bc_cli_command *row = argc == 3 ? bc_cli_command_find(argv[2]) : NULL;

	if (argc > 3)
		return bc_fail(err, BC_EUSAGE, "help: it takes one command, not %d: `bankcheck help COMMAND`",
			       argc - 2);
	if (argc == 3 && !row && argv[2][0] != '-')
		return bc_fail(err, BC_EUSAGE, "help: `%s` is not a command; `bankcheck help` lists them", argv[2]);
	c->command = row ? row->command : 0;
	c->help = argc == 2 || row;
	return BC_OK;
}

static enum bc_status find_command(int argc, char **argv, struct bc_cli *c, struct bc_error *err)
{
	const struct bc_cli_command *row = argc < 2 ? NULL : bc_cli_command_find(argv[1]);

	if (argc < 2)
		return bc_fail(err, BC_EUSAGE, "which command? `bankcheck --help` lists them");
	if (argv[1][0] == '-') {
		c->help = strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0;
		c->version = strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0;
		c->long_format = c->version && argc > 2 && strcmp(argv[2], "--long") == 0;
		if (!c->help && !c->version)
			return bc_fail(err, BC_EUSAGE, "%s: the command comes first; `bankcheck --help` lists them",
				       argv[1]);
		return BC_OK;
	}
	if (!row)
		return bc_fail(err, BC_EUSAGE, "`%s` is not a command; `bankcheck --help` lists them", argv[1]);
	c->command = row->command;
	return row->command == BC_CMD_HELP && argc > 1 ? find_help(argc, argv, c, err) : BC_OK;
}

/* The options of one command, as getopt_long takes them. */
struct getopt_tables {
	struct bc_cli_option row[OPTIONS_MAX];
	struct option longs[OPTIONS_MAX + 1];
	size_t n;
	char letters[2 * OPTIONS_MAX + 2];
};

static enum bc_status make_tables(enum bc_command command, struct getopt_tables *t, struct bc_error *err)
{
	size_t nletters = 0;

	memset(t, 0, sizeof(*t));
	t->letters[nletters++] = ':';
	for (size_t i = 0; i < bc_cli_option_count(); i++) {
		const struct bc_cli_option row = bc_cli_option_at(i);
		const struct bc_option *o = row.option;

		if (!(row.commands & (unsigned)command))
			continue;
		if (t->n == OPTIONS_MAX)
			return bc_fail(err, BC_EUSAGE, "a command with more than %d options", OPTIONS_MAX);
		t->longs[t->n] =
			(struct option){ o->name, o->argument ? required_argument : no_argument, NULL, LONG_OPTION };
		t->row[t->n++] = row;
		if (o->letter)
			t->letters[nletters++] = o->letter;
		if (o->letter && o->argument)
			t->letters[nletters++] = ':';
	}
	return BC_OK;
}

/* What getopt_long refused. A letter may stand in the middle of a word (-qx), then argv does not name it alone. */
static enum bc_status unknown_option(char **argv, struct bc_error *err)
{
	const char letter[] = { '-', (char)optopt, '\0' };

	return bc_fail(err, BC_EUSAGE,
		       "%s: unknown or ambiguous option of `bankcheck %s`, or an argument that it does not take; "
		       "`bankcheck %s --help` lists the options",
		       optopt > 0 && optopt < LONG_OPTION ? letter : argv[optind - 1], argv[1], argv[1]);
}

/* What getopt_long found: an option with its argument. */
static enum bc_status take_option(struct bc_cli *c, const struct getopt_tables *t, int found, int index,
				  struct bc_error *err)
{
	const struct bc_cli_option *row = found == LONG_OPTION ? &t->row[index] : NULL;

	for (size_t i = 0; !row && i < t->n; i++)
		if (t->row[i].option->letter == found)
			row = &t->row[i];
	return row ? bc_option_set(row->option, (char *)c + row->base, optarg, err) : BC_OK;
}

/* What the environment says, before the command line may say otherwise. An empty variable says nothing. */
static enum bc_status take_environment(struct bc_cli *c, const struct getopt_tables *t, struct bc_error *err)
{
	enum bc_status st = BC_OK;

	for (size_t i = 0; !st && i < t->n; i++) {
		const struct bc_option *o = t->row[i].option;
		const char *value = o->variable ? getenv(o->variable) : NULL;

		if (value && *value)
			st = bc_option_set(o, (char *)c + t->row[i].base, value, err);
	}
	return st;
}

/* --help or --version: the rest of the command line does not matter. */
static void answer(struct bc_cli *c)
{
	c->done = c->help || c->version;
	if (c->help)
		bc_cli_help(c->command);
	else if (c->version)
		(void)printf("bankcheck %s\n", BC_VERSION);
}

/* --version --long: what the program was built from, and what made the images beside it. */
static enum bc_status print_build(struct bc_cli *c, struct bc_error *err)
{
	struct bc_image_set *sets = NULL;
	size_t n = 0;
	enum bc_status st = find_places(c, err);

	if (!st)
		st = bc_image_sets_find(c->kernels_dir, true, &sets, &n, err);
	if (!st)
		(void)printf("commit     %s\nbuilt with %s\n", bc_build_commit, bc_build_with);
	for (size_t i = 0; !st && i < n; i++)
		if (sets[i].toolkit[0])
			(void)printf("images     %s: %s, for sm %s\n", sets[i].name, sets[i].toolkit, sets[i].archs);
		else if (n == 1)
			(void)printf("images     none for GPUs in %s\n", sets[i].dir);
	free(sets);
	return st;
}

/* Has the command arguments that are no options? */
static bool takes_operands(enum bc_command command)
{
	for (const struct bc_cli_command *row = bc_cli_commands; row->name; row++)
		if (row->command == command)
			return row->operands != NULL;
	return false;
}

static enum bc_status take_arguments(int argc, char **argv, struct bc_cli *c, struct bc_error *err)
{
	struct getopt_tables t;
	int found, index = -1;
	enum bc_status st = make_tables(c->command, &t, err);

	if (!st)
		st = take_environment(c, &t, err);
	opterr = 0;
	optind = 2;
	while (!st && !c->done && (found = getopt_long(argc, argv, t.letters, t.longs, &index)) != -1) {
		if (found == ':')
			return bc_fail(err, BC_EUSAGE, "%s needs an argument", argv[optind - 1]);
		if (found == '?')
			return unknown_option(argv, err);
		st = take_option(c, &t, found, index, err);
		if (!st)
			answer(c);
	}
	for (int i = optind; !st && !c->done && i < argc; i++)
		c->operands[c->noperands++] = argv[i];
	if (!st && !c->done && c->noperands && !takes_operands(c->command))
		return bc_fail(err, BC_EUSAGE, "`%s`: %s takes options only; --filter selects cases", c->operands[0],
			       argv[1]);
	return st;
}

enum bc_status bc_cli_parse(int argc, char **argv, struct bc_cli *c, struct bc_error *err)
{
	enum bc_status st;

	memset(c, 0, sizeof(*c));
	bc_run_options_init(&c->run);
	st = find_command(argc, argv, c, err);
	if (!st)
		answer(c);
	if (st || c->done)
		return !st && c->long_format ? print_build(c, err) : st;
	c->operands = calloc((size_t)argc, sizeof(*c->operands));
	if (!c->operands)
		return bc_fail(err, BC_ENOMEM, "command line: out of memory");
	st = take_arguments(argc, argv, c, err);
	return st || c->done ? st : find_places(c, err);
}

void bc_cli_release(struct bc_cli *c)
{
	bc_run_options_release(&c->run);
	free(c->matrix_kernels.item);
	free(c->matrix_cupti.item);
	free(c->kernel_args.item);
	free(c->kernel_symbols.item);
	c->matrix_kernels = c->matrix_cupti = c->kernel_args = c->kernel_symbols = (struct bc_option_list){ .n = 0 };
	free(c->operands);
	c->operands = NULL;
}
