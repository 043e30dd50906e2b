/* SPDX-License-Identifier: MIT */
/* harness/cli/main.c - the program: parse, build the catalogue, hand over to a subcommand. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "harness/cli/help.h"
#include "harness/cli/parse.h"

/* A standard stream that the caller closed leaves its number to the next file that is opened: the lock or the journal
 * would be given what is printed. /dev/null keeps the number, opened so that using stdin or stdout fails as if it were
 * closed; what goes to stderr is lost. Return: false when one cannot be kept. */
static bool keep_standard_streams(void)
{
	static const int flags[] = {
		[STDIN_FILENO] = O_WRONLY, [STDOUT_FILENO] = O_RDONLY, [STDERR_FILENO] = O_WRONLY
	};

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", flags[fd]) != fd)
			return false;
	return true;
}

static int dispatch(const struct bc_cli *c, const struct bc_catalog *cat)
{
	struct bc_error err;

	switch (c->command) {
	case BC_CMD_RUN: return bc_cmd_run(c, cat);
	case BC_CMD_LIST: return bc_cmd_list(c, cat);
	case BC_CMD_DEVICES: return bc_cmd_devices(c, cat);
	case BC_CMD_WORKER: return bc_cmd_worker(c, cat);
	case BC_CMD_MAN: return bc_cli_man(&err) ? bc_cli_fail(&err) : 0;
	case BC_CMD_EXPLAIN: return bc_cmd_explain(c, cat);
	case BC_CMD_DIFF: return bc_cmd_diff(c, cat);
	case BC_CMD_MERGE: return bc_cmd_merge(c, cat);
	case BC_CMD_HISTORY: return bc_cmd_history(c, cat);
	case BC_CMD_HTML: return bc_cmd_html(c, cat);
	case BC_CMD_KNOWN: return bc_cmd_known(c, cat);
	case BC_CMD_REPORT: return bc_cmd_report(c, cat);
	case BC_CMD_CODE: return bc_cmd_code(c, cat);
	case BC_CMD_FLEET: return bc_cmd_fleet(c, cat);
	case BC_CMD_QUALIFY: return bc_cmd_qualify(c, cat);
	case BC_CMD_MATRIX: return bc_cmd_matrix(c, cat);
	case BC_CMD_METRICS: return bc_cmd_metrics(c, cat);
	case BC_CMD_MAP: return bc_cmd_map(c, cat);
	case BC_CMD_PROPOSE: return bc_cmd_propose(c, cat);
	case BC_CMD_CONFIRM: return bc_cmd_confirm(c, cat);
	case BC_CMD_COMPLETION: return bc_cmd_completion(c, cat);
	case BC_CMD_HELP: return 0; /* answered while parsing */
	case BC_CMD_KERNEL: return bc_cmd_kernel(c, cat);
	case BC_CMD_APP: return bc_cmd_app(c, cat);
	case BC_CMD_SELFTEST: return bc_cmd_selftest(c, cat);
	}
	return 3;
}

int main(int argc, char **argv)
{
	struct bc_cli c;
	struct bc_catalog cat = { 0 };
	struct bc_error err = { .msg = "" };
	int status = 0;

	if (!keep_standard_streams())
		return 2; /* there is nowhere to say it */
	if (bc_cli_parse(argc, argv, &c, &err)) {
		status = bc_cli_fail(&err);
	} else if (c.done) {
		status = bc_cli_flush(&err) ? bc_cli_fail(&err) : 0;
	} else {
		if (bc_catalog_build(bc_suites, &cat, &err))
			status = bc_cli_fail(&err);
		else
			status = dispatch(&c, &cat);
		bc_catalog_release(&cat);
	}
	bc_cli_release(&c);
	return status;
}
