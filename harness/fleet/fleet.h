/* SPDX-License-Identifier: MIT */
/* harness/fleet/fleet.h - a night of many hosts: gathered once, compared with what was expected, and among each other.
 *
 * The engine that runs the jobs (Slurm, Kubernetes, CI) is not known here; it leaves a folder:
 *
 *     NIGHT/expected.tsv         node gpus arch gpu driver uuids: what should be there; `-` is not asserted
 *     NIGHT/jobs.tsv             node job state exit reason: what the engine says became of its jobs; may be missing
 *     NIGHT/nodes/NODE/JOB/      the reports of a job (*.xml, *.xml.gz, also below it), and `done`, made last
 *
 * Fields are separated by tabs, uuids by commas; what is left out at the end of a line is `-`. Lines that begin with
 * `#` are skipped, but for `# begun YYYY-MM-DDTHH:MM:SS` (UTC) of expected.tsv: no run of the night is older.
 */
#ifndef BC_FLEET_FLEET_H
#define BC_FLEET_FLEET_H

#include "harness/fleet/sheet.h"
#include "harness/history/night.h"

#define BC_FLEET_UNITS_MIN 5 /* with fewer of a kind nobody is odd */

/* A node as it should be. Strings are "" where nothing is asserted. */
struct bc_fleet_expected {
	char *node, *arch, *gpu, *driver;
	unsigned gpus; /* 0: not asserted */
	char **uuid;
	size_t nuuids;
};

/* What the engine says of a node's latest job; "" where it says nothing. */
struct bc_fleet_job {
	char *node, *job, *state, *exit, *reason;
};

/* A folder of the night whose reports are not (all) counted. */
struct bc_fleet_left {
	char *node, *job;
	char *why; /* NULL: there is no `done`; else what is wrong with a report */
};

struct bc_fleet_night {
	char *dir, *name; /* name: of the folder, by which nights are ordered */
	bool has_expected;
	char begun[24];			    /* "" when it is not said */
	struct bc_fleet_expected *expected; /* by node */
	size_t nexpected;
	struct bc_fleet_job *job; /* by node, one a node */
	size_t njobs;
	struct bc_fleet_left *left; /* filled by bc_fleet_gather */
	size_t nleft;
};

/**
 * bc_fleet_open - read expected.tsv and jobs.tsv of a night
 *
 * Return: BC_EREAD when there is no such folder; BC_EDATA with path:line for a malformed line, or a node that is
 * expected twice.
 */
enum bc_status bc_fleet_open(const char *dir, struct bc_fleet_night *out, struct bc_error *err);
void bc_fleet_close(struct bc_fleet_night *n); /* a zeroed one is allowed */

/* Return: what is expected of a node, or its job; NULL: nothing. */
const struct bc_fleet_expected *bc_fleet_find_expected(const struct bc_fleet_night *n, const char *node);
const struct bc_fleet_job *bc_fleet_find_job(const struct bc_fleet_night *n, const char *node);

struct bc_fleet_gathered {
	size_t folders, runs, known, before; /* folders: new; before: gathered earlier */
	size_t unfinished, damaged;	     /* folders without `done`; reports that cannot be taken */
};

/**
 * bc_fleet_gather - take the folders of a night into a history, each once
 * @refused: told of each damaged report; the others of its folder are taken, and it is tried again the next time
 *
 * Doing it twice changes nothing. Return: BC_EREAD, BC_EWRITE, BC_ENOMEM.
 */
enum bc_status bc_fleet_gather(struct bc_history *h, struct bc_fleet_night *n, bc_report_refused_fn *refused, void *ctx,
			       struct bc_fleet_gathered *out, struct bc_error *err);

/**
 * bc_fleet_check - compare what was expected of a night with what was gathered: a row a node
 *
 * Its words: OK, or any of MISSING, SHORT, EXTRA, TWICE, PARTIAL, OLD, SWAPPED, DRIVER, MODEL, DAMAGED (docs/farm.md).
 * The rows' weights: 2 for a word but OK, 1 for an OK node with findings. Return: BC_EREAD without expected.tsv.
 */
enum bc_status bc_fleet_check(struct bc_history *h, const struct bc_fleet_night *n, struct bc_sheet *out,
			      struct bc_error *err);

/**
 * bc_fleet_table - the cases of a night that are not unanimous, or are findings: a row a case, a column a kind
 * @by: what makes a kind, separated by commas: gpu, arch, mig, driver, cuda, images, expectations; NULL: all
 */
enum bc_status bc_fleet_table(struct bc_history *h, const char *night, const char *by, struct bc_sheet *out,
			      struct bc_error *err);

/* GPUs of a night that are not as the others of their kind (docs/farm.md): a row a GPU and way in which it is odd.
 * Those that were odd the night before in the same way come first. */
enum bc_status bc_fleet_outliers(struct bc_history *h, const char *night, struct bc_sheet *out, struct bc_error *err);

#endif
