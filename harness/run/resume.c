/* SPDX-License-Identifier: MIT */
/* harness/run/resume.c - a run's identity, and going on from the journal of a run that was cut off. */
#include "harness/run/session_state.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/run/message.h"
#include "harness/run/resume.h"
#include "harness/run/targets.h"

#define IMAGE_MAX ((size_t)1 << 30)

/* Is it there for us? What is not counts as empty; a file that is and fails must not, or the run would be another one.
 */
static bool is_readable(const char *path)
{
	return access(path, R_OK) == 0 || (errno != ENOENT && errno != EACCES && errno != ENOTDIR);
}

static enum bc_status hash_file(const char *path, uint64_t *h, struct bc_error *err)
{
	struct bc_text t = { 0 };
	enum bc_status st = is_readable(path) ? bc_file_read(path, IMAGE_MAX, &t, err) : BC_OK;

	if (t.data)
		*h = bc_hash(*h, t.data, t.len);
	bc_text_release(&t);
	return st;
}

/* The images in a folder, by name: their sum does not depend on the order in which the folder lists them. */
static enum bc_status hash_folder(const char *dir, uint64_t *sum, struct bc_error *err)
{
	DIR *d = is_readable(dir) ? opendir(dir) : NULL;
	enum bc_status st = BC_OK;

	if (!d && is_readable(dir))
		return bc_fail(err, BC_EREAD, "%s: cannot be opened: %s", dir, strerror(errno));
	while (d && !st) {
		const struct dirent *e;
		const char *dot;
		char path[1600];
		uint64_t h;

		errno = 0;
		e = readdir(d);
		if (!e) {
			st = errno ? bc_fail(err, BC_EREAD, "%s: cannot be read: %s", dir, strerror(errno)) : BC_OK;
			break;
		}
		dot = strrchr(e->d_name, '.');
		if (!dot || (strcmp(dot, ".ptx") != 0 && strcmp(dot, ".fatbin") != 0 && strcmp(dot, ".code") != 0))
			continue;
		(void)snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		h = bc_hash(BC_HASH_INIT, e->d_name, strlen(e->d_name));
		st = hash_file(path, &h, err);
		*sum += h;
	}
	if (d)
		(void)closedir(d);
	return st;
}

static void hash_expectations(struct bc_session *s)
{
	uint64_t h = BC_HASH_INIT;

	for (size_t i = 0; i < s->run.ndevices; i++)
		h = bc_hash(h, &s->run.devices[i].expect_hash, sizeof(s->run.devices[i].expect_hash));
	for (size_t i = 0; i < s->known.n; i++)
		h = bc_hash(h, s->known.entry[i].text, strlen(s->known.entry[i].text) + 1);
	s->run.expect_hash = h;
}

enum bc_status bc_session_identify(struct bc_session *s, struct bc_error *err)
{
	struct bc_run *r = &s->run;
	char ptx[1200];
	enum bc_status st;

	(void)snprintf(ptx, sizeof(ptx), "%s/ptx", s->o->kernels_dir);
	r->binary_hash = BC_HASH_INIT;
	st = hash_file(s->o->self, &r->binary_hash, err);
	if (!st)
		st = hash_folder(s->o->kernels_dir, &r->kernels_hash, err);
	if (!st)
		st = hash_folder(ptx, &r->kernels_hash, err);
	hash_expectations(s);
	for (size_t i = 0; i < r->ndevices; i++)
		r->devices_hash = bc_hash(r->devices_hash ? r->devices_hash : BC_HASH_INIT, r->devices[i].dev,
					  strlen(r->devices[i].dev) + 1);
	return st;
}

/* The device called @dev. Return: false when there is none. */
static bool find_device(const struct bc_session *s, const char *dev, size_t *device)
{
	for (*device = 0; *device < s->run.ndevices; ++*device)
		if (strcmp(s->run.devices[*device].dev, dev) == 0)
			return true;
	return false;
}

static bool find_result(const struct bc_device_run *d, const char *id, size_t *index)
{
	for (*index = 0; *index < d->nresults; ++*index)
		if (strcmp(d->results[*index].c->id, id) == 0)
			return true;
	return false;
}

/* An observation of the journal, as if it had come from a worker. */
static enum bc_status take_observation(struct bc_session *s, const struct bc_fields *line, struct bc_error *err)
{
	struct bc_observation o;
	size_t device, index;
	enum bc_status st = bc_observation_parse(line, &o, err);

	if (st)
		return st;
	if (!find_device(s, bc_message_get(line, "dev"), &device) ||
	    !find_result(&s->run.devices[device], o.id, &index))
		return bc_fail(err, BC_EDATA, "a result of %s on %s, which are not in the plan", o.id,
			       bc_message_get(line, "dev"));
	if (s->work[device].seen[index])
		return BC_OK; /* decided by the plan, or there already */
	s->run.devices[device].results[index].obs = o;
	st = bc_session_accept(s, device, index, false, err);
	s->work[device].seen[index] = s->standing[device].done[index];
	s->standing[device].again[index] = false; /* what runs again is in the first round */
	return st;
}

/* A line of the journal that a run goes on from. */
static enum bc_status resume_line(void *ctx, const struct bc_fields *line, struct bc_error *err)
{
	struct bc_session *s = ctx;
	enum bc_status st;

	if (strcmp(line->kind, "obs") == 0)
		return take_observation(s, line, err);
	if (strcmp(line->kind, "run") != 0)
		return BC_OK;
	st = bc_journal_same(line, &s->run, s->o, err);
	(void)bc_strlcpy(s->run.run_id, bc_message_get(line, "run_id"), sizeof(s->run.run_id));
	(void)bc_strlcpy(s->run.timestamp, bc_message_get(line, "timestamp"), sizeof(s->run.timestamp));
	return st;
}

enum bc_status bc_session_resume(struct bc_session *s, struct bc_error *err)
{
	size_t whole = 0;
	enum bc_status st = bc_journal_read(s->o->journal, resume_line, s, &whole, err);

	return st ? st : bc_journal_append(s->o->journal, whole, &s->journal, err);
}

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
	(void)bc_strlcpy(r->rerun, bc_message_get(line, "rerun"), sizeof(r->rerun));
	r->plan_hash = strtoull(bc_message_get(line, "plan_hash"), NULL, 16);
	s->was_expect_hash = strtoull(bc_message_get(line, "expect_hash"), NULL, 16);
	s->require_counters = o.require == BC_REQUIRE_COUNTERS;
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

	if (!find_device(s, dev, &device)) {
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
static enum bc_status first_line(void *ctx, const struct bc_fields *line, struct bc_error *err)
{
	struct bc_session *s = ctx;
	size_t device;

	if (strcmp(line->kind, "run") == 0)
		return take_head(s, line, err);
	if (strcmp(line->kind, "device") == 0)
		return take_device(s, line, err);
	if (strcmp(line->kind, "plan") != 0)
		return BC_OK;
	if (!find_device(s, bc_message_get(line, "dev"), &device))
		return bc_fail(err, BC_EDATA, "a plan for %s, which is no device of the run",
			       bc_message_get(line, "dev"));
	s->run.devices[device].nresults++;
	return BC_OK;
}

/* Second reading: the plan and the results. */
static enum bc_status second_line(void *ctx, const struct bc_fields *line, struct bc_error *err)
{
	struct bc_session *s = ctx;
	const struct bc_case *c;
	size_t device;

	if (strcmp(line->kind, "obs") == 0)
		return take_observation(s, line, err);
	if (strcmp(line->kind, "plan") != 0 || !find_device(s, bc_message_get(line, "dev"), &device))
		return BC_OK;
	c = bc_catalog_find(s->cat, bc_message_get(line, "id"));
	if (!c)
		return bc_fail(err, BC_EDATA, "there is no case `%s` in this version", bc_message_get(line, "id"));
	bc_session_add(s, device, c);
	return BC_OK;
}

/* Expectations and room for the devices that the first reading found. */
static enum bc_status prepare(struct bc_session *s, struct bc_error *err)
{
	const size_t n = s->run.ndevices;
	size_t *cases = calloc(n + 1, sizeof(*cases));
	enum bc_status st = bc_known_load(s->o->expected_dir, s->cat, &s->known, err);

	for (size_t i = 0; i < n; i++) {
		if (cases)
			cases[i] = s->run.devices[i].nresults;
		s->run.devices[i].nresults = 0; /* none is there yet */
	}
	s->work = calloc(n + 1, sizeof(*s->work));
	s->standing = calloc(n + 1, sizeof(*s->standing));
	s->expect = calloc(n + 1, sizeof(*s->expect));
	if (!st && (!s->work || !s->standing || !s->expect || !cases))
		st = bc_fail(err, BC_ENOMEM, "journal: out of memory");
	for (size_t i = 0; !st && i < n; i++) {
		struct bc_device_run *d = &s->run.devices[i];

		st = bc_arch_of_device(s->o->expected_dir, &d->facts, &d->arch, err);
		if (!st)
			st = bc_expect_load(s->o->expected_dir, d->arch.name, s->cat, &s->expect[i], err);
		if (!st)
			st = bc_session_reserve(s, i, cases[i], err);
		d->expect_hash = bc_expect_hash(&s->expect[i]);
	}
	if (!st)
		hash_expectations(s);
	if (!st && s->run.expect_hash != s->was_expect_hash)
		st = bc_fail(err, BC_EDATA,
			     "the expectations are not those of the journal's run: give its folder with --expected");
	free(cases);
	return st;
}

/* What the plan decided, and what has no result. */
static enum bc_status settle_rest(struct bc_session *s, struct bc_error *err)
{
	enum bc_status st = BC_OK;

	for (size_t i = 0; i < s->run.ndevices; i++) {
		struct bc_device_run *d = &s->run.devices[i];

		d->complete = d->nresults == s->cat->n;
		for (size_t k = 0; !st && k < d->nresults; k++) {
			struct bc_result *r = &d->results[k];

			if (s->standing[i].done[k] || r->ntries)
				continue;
			if (!s->work[i].seen[k]) {
				r->obs.outcome = BC_LOST_WORKER;
				(void)bc_strlcpy(r->obs.reason, "no result in the journal: the run was cut off",
						 sizeof(r->obs.reason));
				d->complete = false;
			}
			st = bc_session_accept(s, i, k, true, err);
		}
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
	s->o = o;
	s->cat = cat;
	(void)bc_strlcpy(s->run.reports_dir, o->reports_dir, sizeof(s->run.reports_dir));
	st = bc_journal_read(journal, first_line, s, NULL, err);
	if (st) {
		for (size_t i = 0; i < s->run.ndevices; i++)
			s->run.devices[i].nresults = 0; /* counted, and not there */
		goto out;
	}
	st = prepare(s, err);
	if (!st)
		st = bc_journal_read(journal, second_line, s, NULL, err);
	if (!st)
		st = settle_rest(s, err);
	if (st)
		goto out;
	*out = s;
	s = NULL;
out:
	bc_session_close(s);
	return st;
}
