/* SPDX-License-Identifier: MIT */
/* harness/cli/main.c - the program: parse, build the catalogue, hand over to a subcommand. */
#include <stdio.h>

#include "harness/cli/options.h"

static int dispatch(const struct bc_cli *c, const struct bc_catalog *cat)
{
	struct bc_error err;

	switch (c->command) {
	case BC_CMD_RUN:      return bc_cmd_run(c, cat);
	case BC_CMD_LIST:     return bc_cmd_list(c, cat);
	case BC_CMD_DEVICES:  return bc_cmd_devices(c, cat);
	case BC_CMD_WORKER:   return bc_cmd_worker(c, cat);
	case BC_CMD_MAN:      return bc_cli_man(&err) ? bc_cli_fail(&err) : 0;
	case BC_CMD_EXPLAIN:  return bc_cmd_explain(c, cat);
	case BC_CMD_DIFF:     return bc_cmd_diff(c, cat);
	case BC_CMD_MERGE:    return bc_cmd_merge(c, cat);
	case BC_CMD_HISTORY:  return bc_cmd_history(c, cat);
	case BC_CMD_HTML:     return bc_cmd_html(c, cat);
	case BC_CMD_KNOWN:    return bc_cmd_known(c, cat);
	case BC_CMD_REPORT:   return bc_cmd_report(c, cat);
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
