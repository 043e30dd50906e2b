/* SPDX-License-Identifier: MIT */
#include "harness/cli/options.h"

#include "harness/run/proc.h"
#include "harness/run/worker.h"

int bc_cmd_worker(const struct bc_cli *c, const struct bc_catalog *cat)
{
	const struct bc_worker_options o = {
		.open = { .kernels_dir = c->kernels_dir,
			  .expected_dir = c->expected_dir,
			  .fault = c->fault,
			  .racecheck = c->racecheck,
			  .no_counters = c->witness == BC_WITNESS_CLOCK },
		.no_clock = c->witness == BC_WITNESS_COUNTERS,
		.pack = c->pack,
	};

	return bc_worker_main(&o, cat, BC_WORKER_IN, BC_WORKER_OUT);
}
