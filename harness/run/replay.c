/* SPDX-License-Identifier: MIT */
/* harness/run/replay.c - a session made from a journal alone, for its reports (session.h). */
#include "harness/run/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/run/identity.h"
#include "harness/run/message.h"
#include "harness/run/naming.h"
#include "harness/run/session_state.h"

static enum bc_status take_head(struct bc_session *s, const struct bc_fields *line, struct bc_error *err)
{
	struct bc_run *r = &s->run;
	struct bc_run_options o;
	enum bc_status st;

	bc_run_options_init(&o);
	st = bc_run_options_parse(line, &o, err);
	if (st)
		return st;
	(void)bc_strlcpy(r->run_id, bc_message_get(line, "run_id"), sizeof(r->run_id));
	(void)bc_strlcpy(r->timestamp, bc_message_get(line, "timestamp"), sizeof(r->timestamp));
	(void)bc_strlcpy(r->host, bc_message_get(line, "host"), sizeof(r->host));
	(void)bc_strlcpy(r->host_by, bc_message_get(line, "host_by"), sizeof(r->host_by));
	(void)bc_strlcpy(r->commit, bc_message_get(line, "commit"), sizeof(r->commit));
	(void)bc_strlcpy(r->built, bc_message_get(line, "built"), sizeof(r->built));
	(void)bc_strlcpy(r->toolkits, bc_message_get(line, "toolkits"), sizeof(r->toolkits));
	(void)bc_strlcpy(r->machine_id, bc_message_get(line, "machine_id"), sizeof(r->machine_id));
	(void)bc_strlcpy(r->slurm_job, bc_message_get(line, "slurm_job"), sizeof(r->slurm_job));
	(void)bc_strlcpy(r->slurm_restart, bc_message_get(line, "slurm_restart"), sizeof(r->slurm_restart));
	st = bc_labels_parse(bc_message_get(line, "labels"), r, err);
	if (st)
		return st;
	(void)bc_strlcpy(r->rerun, bc_message_get(line, "rerun"), sizeof(r->rerun));
	bc_run_options_text(&o, r->options, sizeof(r->options));
	(void)bc_strlcpy(r->run_name, bc_message_get(line, "run_name"), sizeof(r->run_name));
	if (!bc_part_parse(bc_message_get(line, "shard"), &r->shard))
		r->shard = (struct bc_option_part){ 0 };
	r->select_hash = strtoull(bc_message_get(line, "select_hash"), NULL, 16);
	r->filtered = strcmp(bc_message_get(line, "filtered"), "yes") == 0;
	r->plan_hash = strtoull(bc_message_get(line, "plan_hash"), NULL, 16);
	s->journal_expect_hash = strtoull(bc_message_get(line, "expect_hash"), NULL, 16);
	s->require_counters = o.require == BC_REQUIRE_COUNTERS;
	s->witness = o.witness;
	s->attempts =
		(struct bc_attempts_options){ .repeat = o.repeat, .retries = o.retries, .retry_lost = o.retry_lost };
	return BC_OK;
}

/* A device line: a new device, or the complete facts of one that was opened. */
static enum bc_status take_device(struct bc_session *s, const struct bc_fields *line, struct bc_error *err)
{
	const char *dev = bc_message_get(line, "dev");
	struct bc_device_run *d, *grown;
	size_t device;

	if (!bc_session_find_device(s, dev, &device)) {
		grown = realloc(s->run.devices, (device + 1) * sizeof(*grown));
		if (!grown)
			return bc_fail(err, BC_ENOMEM, "journal: out of memory");
		s->run.devices = grown;
		memset(&grown[device], 0, sizeof(*grown));
		s->run.ndevices++;
	}
	d = &s->run.devices[device];
	(void)bc_strlcpy(d->dev, dev, sizeof(d->dev));
	(void)bc_strlcpy(d->rerun, bc_message_get(line, "rerun"), sizeof(d->rerun));
	d->images_hash = strtoull(bc_message_get(line, "images_hash"), NULL, 16);
	return bc_facts_parse(line, &d->facts, err);
}

/* First reading: the run and its devices; nresults counts the plan. */
static enum bc_status read_plan(void *ctx, const struct bc_fields *line, struct bc_error *err)
{
	struct bc_session *s = ctx;
	size_t device;

	if (strcmp(line->kind, "run") == 0)
		return take_head(s, line, err);
	if (strcmp(line->kind, "device") == 0)
		return take_device(s, line, err);
	if (strcmp(line->kind, "plan") != 0)
		return BC_OK;
	if (!bc_session_find_device(s, bc_message_get(line, "dev"), &device))
		return bc_fail(err, BC_EDATA, "a plan for %s, which is not a device of the run",
			       bc_message_get(line, "dev"));
	s->run.devices[device].nresults++;
	return BC_OK;
}

/* Second reading: the plan and the results. */
static enum bc_status read_results(void *ctx, const struct bc_fields *line, struct bc_error *err)
{
	struct bc_session *s = ctx;
	const struct bc_case *c;
	size_t device;

	if (strcmp(line->kind, "obs") == 0)
		return bc_session_take_journalled(s, line, err);
	if (strcmp(line->kind, "death") == 0)
		return bc_session_take_death(s, line, err);
	if (strcmp(line->kind, "plan") != 0 || !bc_session_find_device(s, bc_message_get(line, "dev"), &device))
		return BC_OK;
	c = bc_catalog_find(s->cat, bc_message_get(line, "id"));
	if (!c)
		return bc_fail(err, BC_EDATA, "there is no case `%s` in this version", bc_message_get(line, "id"));
	bc_session_plan_case(s, device, c);
	return BC_OK;
}

/* Expectations and room for the devices that the first reading found. */
static enum bc_status prepare(struct bc_session *s, struct bc_error *err)
{
	const size_t n = s->run.ndevices;
	size_t *cases = calloc(n + 1, sizeof(*cases));
	enum bc_status st = bc_known_load(s->options->expected_dir, s->cat, &s->known, err);

	for (size_t i = 0; i < n; i++) {
		if (cases)
			cases[i] = s->run.devices[i].nresults;
		s->run.devices[i].nresults = 0; /* none is there yet */
	}
	s->queue = calloc(n + 1, sizeof(*s->queue));
	s->progress = calloc(n + 1, sizeof(*s->progress));
	s->expect = calloc(n + 1, sizeof(*s->expect));
	if (!st && (!s->queue || !s->progress || !s->expect || !cases))
		st = bc_fail(err, BC_ENOMEM, "journal: out of memory");
	for (size_t i = 0; !st && i < n; i++) {
		struct bc_device_run *d = &s->run.devices[i];

		st = bc_arch_of_device(s->options->expected_dir, &d->facts, &d->arch, err);
		if (!st)
			st = bc_expect_load(s->options->expected_dir, d->arch.name, s->cat, &s->expect[i], err);
		if (!st)
			st = bc_session_reserve(s, i, cases[i], err);
		d->expect_hash = bc_expect_hash(&s->expect[i]);
	}
	if (!st)
		bc_session_hash_expectations(s);
	if (!st && s->run.expect_hash != s->journal_expect_hash)
		st = bc_fail(
			err, BC_EDATA,
			"the expectations differ from those of the journal's run: name their folder with --expected");
	free(cases);
	return st;
}

/* What the plan decided, and what has no result. */
static enum bc_status finish_rest(struct bc_session *s, struct bc_error *err)
{
	enum bc_status st = BC_OK;

	for (size_t i = 0; i < s->run.ndevices; i++) {
		struct bc_device_run *d = &s->run.devices[i];

		bool cut_off = false;

		for (size_t k = 0; !st && k < d->nresults; k++) {
			struct bc_result *r = &d->results[k];

			if (s->progress[i].finished[k])
				continue;
			if (r->ntries) {
				bc_session_cut_short(s, i, k, BC_LOST_WORKER,
						     "no more in the journal: the run was cut off");
				cut_off = cut_off || r->judged.verdict == BC_LOST;
				continue;
			}
			if (!s->queue[i].observed[k]) {
				r->obs.outcome = BC_LOST_WORKER;
				(void)bc_strlcpy(r->obs.reason, "no result in the journal: the run was cut off",
						 sizeof(r->obs.reason));
				cut_off = true;
			}
			st = bc_session_judge(s, i, k, true, err);
		}
		bc_session_complete(s, i, cut_off ? "interrupted" : NULL);
	}
	return st;
}

enum bc_status bc_session_replay(const struct bc_run_options *o, const struct bc_catalog *cat, const char *journal,
				 struct bc_session **out, struct bc_error *err)
{
	struct bc_session *s = calloc(1, sizeof(*s));
	enum bc_status st;

	if (!s)
		return bc_fail(err, BC_ENOMEM, "journal: out of memory");
	s->options = o;
	s->cat = cat;
	(void)bc_strlcpy(s->run.reports_dir, o->reports_dir, sizeof(s->run.reports_dir));
	st = bc_journal_read(journal, read_plan, s, NULL, err);
	if (st) {
		for (size_t i = 0; i < s->run.ndevices; i++)
			s->run.devices[i].nresults = 0; /* counted, and not there */
		goto out;
	}
	st = prepare(s, err);
	if (!st)
		st = bc_journal_read(journal, read_results, s, NULL, err);
	if (!st)
		st = finish_rest(s, err);
	if (st)
		goto out;
	*out = s;
	s = NULL;
out:
	bc_session_close(s);
	return st;
}
