/* SPDX-License-Identifier: MIT */
/* harness/cli/cmd_map.c - `bankcheck map`: what are this device's bank laws? */
#include "harness/cli/options.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/cli/find_arch.h"
#include "harness/device/reference/faults.h"
#include "harness/map/proposal.h"
#include "harness/map/report.h"
#include "harness/run/probe.h"

#define SEED 20261201u /* of the random patterns */

enum form { TEXT = 0, JSON, LAW };

static enum bc_status read_form(const char *format, enum form *out, struct bc_error *err)
{
	*out = !format || strcmp(format, "text") == 0 ? TEXT : strcmp(format, "json") == 0 ? JSON : LAW;
	if (*out == LAW && strcmp(format, "law") != 0)
		return bc_fail(err, BC_EUSAGE, "--format %.60s: map has text, json and law", format);
	return BC_OK;
}

/* --law and --fault are of the reference device. */
static enum bc_status check_options(const struct bc_cli *c, struct bc_run_options *o, struct bc_error *err)
{
	const struct bc_fault *f;
	enum bc_status st;

	if (!o->devices && (o->fault || o->law))
		o->devices = "reference";
	st = bc_cli_check_law(c, err);
	if (!st && o->fault && bc_targets_want_cuda(o->devices))
		st = bc_fail(err, BC_EUSAGE, "--fault %.40s: faults are planted in the reference device only",
			     o->fault);
	if (!st && o->fault)
		st = bc_fault_require(o->fault, &f, err);
	return st;
}

/* The devices of --device. @gpus: to be freed when the targets are no longer used. */
static enum bc_status find_devices(const struct bc_run_options *o, struct bc_target **target, size_t *n,
				   struct bc_error *err)
{
	struct bc_facts *gpus = NULL;
	size_t ngpus = 0;
	char why[400] = "";
	enum bc_status st = BC_OK;

	if (bc_targets_want_cuda(o->devices))
		st = bc_probe_list(o, &gpus, &ngpus, why, sizeof(why), err);
	if (!st)
		st = bc_targets_resolve(o->devices, o->expected_dir, gpus, ngpus, why, target, n, err);
	free(gpus);
	return st;
}

static enum bc_status print(const struct bc_map_report *r, size_t n, enum form form, int status, struct bc_error *err)
{
	struct bc_text text = { 0 };
	enum bc_status st = form == JSON ? bc_map_json(r, n, status, &text, err) : BC_OK;

	for (size_t i = 0; !st && form != JSON && i < n; i++) {
		const struct bc_map_law *best = bc_map_best(&r[i]);

		if (i)
			st = bc_text_add(&text, "\n", 1, err);
		if (!st && form == TEXT)
			st = bc_map_print(&r[i], &text, err);
		else if (!st && best)
			st = bc_map_law_text(best, r[i].window.base, &text, err);
		for (unsigned by = 0; !st && form == LAW && !best && by < BC_MAP_NBY; by++)
			if (r[i].asked[by])
				st = bc_map_law_text(&r[i].law[by], r[i].window.base, &text, err);
	}
	if (!st && text.len && fwrite(text.data, 1, text.len, stdout) != text.len)
		st = bc_fail(err, BC_EWRITE, "standard output could not be written");
	bc_text_release(&text);
	return st ? st : bc_cli_flush(err);
}

/* The most serious of the devices' statuses: 1 before 4. */
static int worst(int a, int b)
{
	return a == 1 || b == 1 ? 1 : a ? a : b;
}

int bc_cmd_map(const struct bc_cli *c, const struct bc_catalog *cat)
{
	struct bc_run_options o = bc_cli_run_options(c);
	const bool asked[BC_MAP_NBY] = {
		[BC_MAP_COUNTERS] = o.witness != BC_WITNESS_CLOCK, [BC_MAP_CLOCK] = o.witness != BC_WITNESS_COUNTERS
	};
	const struct bc_map_options mo = { .confirm = c->confirm ? c->confirm : BC_MAP_CONFIRM, .seed = SEED };
	struct bc_target *target = NULL;
	struct bc_map_report *r = NULL;
	struct bc_error err = { .msg = "" };
	size_t n = 0;
	enum form form = TEXT;
	int status = 0;
	enum bc_status st = read_form(c->format, &form, &err);

	(void)signal(SIGPIPE, SIG_IGN);
	if (!st)
		st = check_options(c, &o, &err);
	if (!st)
		st = find_devices(&o, &target, &n, &err);
	r = st ? NULL : calloc(n ? n : 1, sizeof(*r));
	if (!st && !r)
		st = bc_fail(&err, BC_ENOMEM, "map: out of memory");
	for (size_t i = 0; !st && i < n; i++) {
		struct bc_error one = { .msg = "" };

		st = bc_map_measure(&o, &target[i], asked, &mo, &r[i], &one);
		if (st)
			st = bc_fail(&err, st, "%s: %s", target[i].option, one.msg);
		else
			status = worst(status, bc_map_status(&r[i]));
	}
	if (!st)
		st = print(r, n, form, status, &err);
	if (!st && c->proposal)
		st = bc_map_propose(r, n, cat, c->expected_dir, c->proposal, &err);
	for (size_t i = 0; r && i < n; i++)
		bc_map_report_release(&r[i]);
	free(r);
	free(target);
	return st ? bc_cli_fail(&err) : status;
}
