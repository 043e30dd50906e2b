/* SPDX-License-Identifier: MIT */
#include "harness/cli/options.h"

#include "harness/run/proc.h"
#include "harness/run/worker.h"

int bc_cmd_worker(const struct bc_cli *c, const struct bc_catalog *cat)
{
	const struct bc_run_options o = bc_cli_run_options(c);

	return bc_worker_main(&o, cat, BC_WORKER_IN, BC_WORKER_OUT);
}
