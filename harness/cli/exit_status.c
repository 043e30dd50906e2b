/* SPDX-License-Identifier: MIT */
/* What each exit status of each command means: one table for --help and the man page. */
#include "harness/cli/options.h"

#define RUN ((unsigned)BC_CMD_RUN | BC_CMD_REPORT)
#define SELFTEST (unsigned)BC_CMD_SELFTEST
#define DIFF (unsigned)BC_CMD_DIFF
#define CODE (unsigned)BC_CMD_CODE
#define METRICS (unsigned)BC_CMD_METRICS
#define MATRIX (unsigned)BC_CMD_MATRIX
#define QUALIFY (unsigned)BC_CMD_QUALIFY
#define APP (unsigned)BC_CMD_APP
#define KERNEL (unsigned)BC_CMD_KERNEL
#define FLEET (unsigned)BC_CMD_FLEET
#define MAP (unsigned)BC_CMD_MAP
#define PROPOSE (unsigned)BC_CMD_PROPOSE
#define CONFIRM (unsigned)BC_CMD_CONFIRM
#define SHARDS                                                             \
	((unsigned)BC_CMD_MERGE | BC_CMD_HISTORY | BC_CMD_HTML | PROPOSE | \
	 CONFIRM) /* they take the shards of a run for one */
#define ALL (~0u)

const struct bc_cli_exit_status bc_cli_exit_statuses[] = {
	{ 0, RUN, "everything that was judged is as expected" },
	{ 0, SELFTEST, "every suite catches the faults that it must catch, and every rule catches at least one" },
	{ 0, DIFF, "nothing is worse" },
	{ 0, CODE, "no instruction that the suites measure differs" },
	{ 0, MATRIX, "no run is worse than the base, and none has a finding" },
	{ 0, APP, "all budgets were kept, or none was given, and the program ended with 0" },
	{ 0, MAP, "a law was found that nothing contradicts, and it is as expected" },
	{ 0, PROPOSE, "the runs agree" },
	{ 0, CONFIRM, "every report confirms" },
	{ 0, FLEET, "all is there, all verdicts are as expected, and no GPU is odd" },
	{ 0, ALL & ~(RUN | SELFTEST | DIFF | CODE | MATRIX | APP | FLEET | MAP | PROPOSE | CONFIRM | QUALIFY | KERNEL),
	  "done" },
	{ 0, KERNEL, "the kernel ran to its end without a finding, and no line is above --max-conflicts" },
	{ 1, RUN,
	  "a case is FAIL, DISAGREE, XPASS or UNJUDGED; without --flaky-ok, also when a case is flaky or a worker died "
	  "or hung; with --strict, also when an architecture is provisional or a case has no figure for it" },
	{ 1, SELFTEST, "a fault is not caught by a suite that must catch it, or a rule catches none" },
	{ 1, DIFF, "something is worse; with --strict, also when a clock is UNDECIDED" },
	{ 0, QUALIFY, "QUALIFIED, or QUALIFIED WITH REMARKS" },
	{ 1, QUALIFY, "NOT QUALIFIED: a finding; with --strict, also QUALIFIED WITH REMARKS" },
	{ 2, QUALIFY, "NOT QUALIFIED: something was BROKEN, LOST or could not be run; or output could not be written" },
	{ 4, QUALIFY, "NOT QUALIFIED: not judged, as when counters are refused" },
	{ 130, QUALIFY, "ended by SIGINT; --resume goes on" },
	{ 143, QUALIFY, "ended by SIGTERM; --resume goes on" },
	{ 1, MATRIX,
	  "something is worse in a run than in the base, the base differs from itself, or a case is a finding" },
	{ 1, APP, "a budget was broken" },
	{ 1, KERNEL,
	  "a finding: a race, a read of what was never written, an access out of bounds, a kernel that does not end; "
	  "or a "
	  "line is above --max-conflicts" },
	{ 1, FLEET, "check, table: a case is a finding, or not unanimous (table); outliers: a GPU is odd" },
	{ 1, CODE, "an instruction that the suites measure differs" },
	{ 1, MAP,
	  "the law is other than expected, not linear, contradicted by some patterns, or another by counters than by "
	  "clock; or a worker died" },
	{ 1, PROPOSE, "the runs do not agree on some case" },
	{ 1, CONFIRM, "a report confirms nothing" },
	{ 2, MAP, "a device could not be opened or died twice at the same work, or output could not be written" },
	{ 2, BC_CMD_RUN,
	  "a case is BROKEN or LOST, another number of GPUs than --gpus, or output could not be written" },
	{ 2, BC_CMD_REPORT, "a case is BROKEN or LOST, or output could not be written" },
	{ 2, SELFTEST, "a process with a faulty device failed, or output could not be written" },
	{ 2, DIFF, "the runs cannot be compared, or output could not be written" },
	{ 2, SHARDS,
	  "a shard of a run is missing or there twice, a report was left out while others were taken, or output could "
	  "not be written" },
	{ 2, FLEET, "a node is missing or not as expected, a report is damaged, or output could not be written" },
	{ 2, BC_CMD_DEVICES, "a device or its driver failed, or output could not be written" },
	{ 2, MATRIX, "a run could not be made or compared, or output could not be written" },
	{ 2, METRICS, "CUPTI failed, or output could not be written" },
	{ 2, APP,
	  "a bound could not be judged, the counts of a process are not complete, or output could not be written" },
	{ 2, ALL & ~(RUN | SELFTEST | DIFF | SHARDS | (unsigned)BC_CMD_DEVICES | METRICS | MATRIX | APP | FLEET | MAP),
	  "output could not be written" },
	{ 3, BC_CMD_RUN,
	  "wrong usage, input that cannot be read or is malformed, a glob that matches nothing, no GPU where one was "
	  "meant" },
	{ 3, ALL & ~(unsigned)BC_CMD_RUN, "wrong usage, or input that cannot be read or is malformed" },
	{ 4, RUN,
	  "a case was not judged although a witness that was asked for could have judged it, or nothing was judged, as "
	  "when the driver takes none of the kernel images" },
	{ 4, MATRIX, "a run counted nothing although the base did, or could not judge a case" },
	{ 130, MATRIX, "ended by SIGINT" },
	{ 143, MATRIX, "ended by SIGTERM" },
	{ 4, APP, "no launch was counted: counters are refused, or the program launched no kernel" },
	{ 4, MAP, "no witness that was asked for found a law" },
	{ 130, BC_CMD_RUN, "ended by SIGINT (reports are written)" },
	{ 130, SELFTEST, "ended by SIGINT" },
	{ 143, SELFTEST, "ended by SIGTERM" },
	{ 143, BC_CMD_RUN, "ended by SIGTERM (reports are written)" },
	{ 0, 0, NULL },
};
