/* SPDX-License-Identifier: MIT */
#include "harness/run/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/file.h"
#include "harness/base/textfile.h"
#include "harness/report/junit.h"
#include "harness/run/message.h"
#include "harness/run/naming.h"
#include "harness/run/run_options.h"

#define JOURNAL_MAX ((size_t)1 << 30)

struct bc_journal {
	int fd;
	struct bc_text line;
	char path[600];
};

static enum bc_status write_line(struct bc_journal *j, struct bc_error *err)
{
	enum bc_status st = bc_message_end(&j->line, err);

	return st ? st : bc_write_all(&bc_file_system, j->fd, j->line.data, j->line.len, j->path, err);
}

static enum bc_status write_error(const char *path, struct bc_error *err)
{
	return bc_fail(err, BC_EWRITE, "%s: %s", path, strerror(errno));
}

/* @name: where the file is now; @path: where it is when it is whole, for messages. */
static enum bc_status open_file(const char *name, const char *path, int flags, struct bc_journal **out,
				struct bc_error *err)
{
	struct bc_journal *j = calloc(1, sizeof(*j));

	if (!j)
		return bc_fail(err, BC_ENOMEM, "journal: out of memory");
	(void)bc_strlcpy(j->path, path, sizeof(j->path));
	j->fd = open(name, O_WRONLY | O_CLOEXEC | flags, 0666);
	if (j->fd < 0) {
		free(j);
		return write_error(path, err);
	}
	*out = j;
	return BC_OK;
}

#define HASH(field) #field, offsetof(struct bc_run, field)

/* What of a run must be the same when it is resumed. */
static const struct {
	const char *key;
	size_t offset;
	const char *what;
} hashes[] = {
	{ HASH(devices_hash), "set of devices" },
	{ HASH(plan_hash), "plan" },
	{ HASH(binary_hash), "program" },
	{ HASH(kernels_hash), "set of kernel images" },
	{ HASH(expect_hash), "set of expectations" },
};

static uint64_t hash_of(const struct bc_run *run, size_t i)
{
	return *(const uint64_t *)((const char *)run + hashes[i].offset);
}

static enum bc_status head_line(struct bc_journal *j, const struct bc_run *run, const struct bc_run_options *o,
				struct bc_error *err)
{
	const char *const texts[][2] = { { "version", BC_VERSION },	  { "run_id", run->run_id },
					 { "timestamp", run->timestamp }, { "host", run->host },
					 { "rerun", run->rerun },	  { "run_name", run->run_name },
					 { "host_by", run->host_by },	  { "machine_id", run->machine_id },
					 { "slurm_job", run->slurm_job }, { "slurm_restart", run->slurm_restart },
					 { "commit", run->commit },	  { "built", run->built },
					 { "toolkits", run->toolkits } };
	struct bc_text labels = { 0 };
	enum bc_status st = bc_message_begin(&j->line, "run", err);

	if (!st)
		st = bc_message_add(&j->line, err, "format", "%u", BC_JOURNAL_FORMAT);

	for (size_t i = 0; !st && i < BC_ARRAY_LEN(texts); i++)
		st = bc_message_add(&j->line, err, texts[i][0], "%s", texts[i][1]);
	if (!st)
		st = bc_labels_text(run, &labels, err);
	if (!st && labels.len)
		st = bc_message_add(&j->line, err, "labels", "%s", labels.data);
	bc_text_release(&labels);
	if (!st)
		st = bc_message_add(&j->line, err, "shard", "%u/%u", run->shard.part, run->shard.of);
	if (!st)
		st = bc_message_add(&j->line, err, "select_hash", "%016llx", (unsigned long long)run->select_hash);
	if (!st)
		st = bc_message_add(&j->line, err, "filtered", "%s", run->filtered ? "yes" : "no");
	if (!st)
		st = bc_run_options_add(o, &j->line, err);
	for (size_t i = 0; !st && i < BC_ARRAY_LEN(hashes); i++)
		st = bc_message_add(&j->line, err, hashes[i].key, "%016llx", (unsigned long long)hash_of(run, i));
	return st ? st : bc_message_end(&j->line, err);
}

static enum bc_status device_line(struct bc_journal *j, const struct bc_device_run *d, struct bc_error *err)
{
	char report[BC_JUNIT_NAME_MAX];
	enum bc_status st = bc_message_begin(&j->line, "device", err);

	bc_junit_name(d, report);
	if (!st)
		st = bc_message_add(&j->line, err, "dev", "%s", d->dev);
	if (!st)
		st = bc_message_add(&j->line, err, "rerun", "%s", d->rerun);
	if (!st)
		st = bc_message_add(&j->line, err, "report", "%s", report);
	if (!st)
		st = bc_message_add(&j->line, err, "images_hash", "%016llx", (unsigned long long)d->images_hash);
	if (!st)
		st = bc_facts_add(&j->line, &d->facts, err);
	return st ? st : bc_message_end(&j->line, err);
}

enum bc_status bc_journal_device(struct bc_journal *j, const struct bc_device_run *d, struct bc_error *err)
{
	const enum bc_status st = device_line(j, d, err);

	return st ? st : bc_write_all(&bc_file_system, j->fd, j->line.data, j->line.len, j->path, err);
}

static enum bc_status add_line(struct bc_text *all, const struct bc_journal *j, struct bc_error *err)
{
	return bc_text_add(all, j->line.data, j->line.len, err);
}

/* All that is known before a case starts: the run, and each device with its cases. */
static enum bc_status make_plan(struct bc_journal *j, const struct bc_run *run, const struct bc_run_options *o,
				struct bc_text *all, struct bc_error *err)
{
	enum bc_status st = head_line(j, run, o, err);

	if (!st)
		st = add_line(all, j, err);
	for (size_t i = 0; !st && i < run->ndevices; i++) {
		const struct bc_device_run *d = &run->devices[i];

		st = device_line(j, d, err);
		if (!st)
			st = add_line(all, j, err);
		for (size_t k = 0; !st && k < d->nresults; k++) {
			st = bc_message_begin(&j->line, "plan", err);
			if (!st)
				st = bc_message_add(&j->line, err, "dev", "%s", d->dev);
			if (!st)
				st = bc_message_add(&j->line, err, "id", "%s", d->results[k].c->id);
			if (!st)
				st = bc_message_end(&j->line, err);
			if (!st)
				st = add_line(all, j, err);
		}
	}
	return st;
}

/* Under another name until it is whole and on disk: a journal has its whole plan, and an older one stays until then.
 * What is no file (a pipe, a device) is written to as it is. */
enum bc_status bc_journal_create(const char *path, const struct bc_run *run, const struct bc_run_options *o,
				 struct bc_journal **out, struct bc_error *err)
{
	struct bc_journal *j = NULL;
	struct bc_text all = { 0 };
	struct stat s;
	char temp[sizeof(j->path)];
	const bool as_it_is = stat(path, &s) == 0 && !S_ISREG(s.st_mode);
	enum bc_status st;

	if (snprintf(temp, sizeof(temp), "%s%s", path, as_it_is ? "" : ".tmp") >= (int)sizeof(temp))
		return bc_fail(err, BC_EWRITE, "%.200s...: the path is longer than %zu bytes", path, sizeof(temp) - 5);
	st = open_file(temp, path, O_CREAT | O_TRUNC, &j, err);
	if (!st)
		st = make_plan(j, run, o, &all, err);
	if (!st)
		st = bc_write_all(&bc_file_system, j->fd, all.data, all.len, path, err);
	if (!st)
		st = bc_file_sync(&bc_file_system, j->fd, path, err);
	if (!st && !as_it_is)
		st = bc_file_rename(&bc_file_system, temp, path, err);
	if (st && j && !as_it_is)
		(void)unlink(temp); /* the first failure is the one to tell */
	if (st)
		bc_journal_close(j);
	else
		*out = j;
	bc_text_release(&all);
	return st;
}

enum bc_status bc_journal_append(const char *path, size_t whole, struct bc_journal **out, struct bc_error *err)
{
	struct bc_journal *j = NULL;
	enum bc_status st = open_file(path, path, O_APPEND, &j, err);

	if (!st && ftruncate(j->fd, (off_t)whole))
		st = write_error(path, err);
	if (st)
		bc_journal_close(j);
	else
		*out = j;
	return st;
}

enum bc_status bc_journal_add(struct bc_journal *j, const char *dev, const struct bc_observation *o,
			      struct bc_error *err)
{
	enum bc_status st = bc_message_begin(&j->line, "obs", err);

	if (!st)
		st = bc_message_add(&j->line, err, "dev", "%s", dev);
	if (!st)
		st = bc_observation_add(&j->line, o, err);
	return st ? st : write_line(j, err);
}

enum bc_status bc_journal_death(struct bc_journal *j, const char *dev, const struct bc_death *death,
				struct bc_error *err)
{
	enum bc_status st = bc_message_begin(&j->line, "death", err);

	if (!st)
		st = bc_message_add(&j->line, err, "dev", "%s", dev);
	if (!st)
		st = bc_message_add(&j->line, err, "reason", "%s", death->reason);
	if (!st)
		st = bc_message_add(&j->line, err, "during", "%s", death->during);
	if (!st)
		st = bc_message_add(&j->line, err, "events", "%s", death->events);
	return st ? st : write_line(j, err);
}

void bc_journal_parse_death(const struct bc_fields *line, struct bc_death *out)
{
	(void)bc_strlcpy(out->reason, bc_message_get(line, "reason"), sizeof(out->reason));
	(void)bc_strlcpy(out->during, bc_message_get(line, "during"), sizeof(out->during));
	(void)bc_strlcpy(out->events, bc_message_get(line, "events"), sizeof(out->events));
}

void bc_journal_close(struct bc_journal *j)
{
	if (!j)
		return;
	if (j->fd >= 0)
		(void)close(j->fd);
	bc_text_release(&j->line);
	free(j);
}

/* The first line: is it one of a journal that this version reads? */
static enum bc_status check_format(const struct bc_fields *head, struct bc_error *err)
{
	const char *text = bc_message_get(head, "format");
	uint32_t format = 1; /* journals of format 1 do not say so */

	if (strcmp(head->kind, "run") != 0)
		return bc_fail(err, BC_EDATA, "not a journal of `bankcheck run`");
	if (text[0] && !bc_u32_parse(text, &format))
		return bc_fail(err, BC_EDATA, "format=%.40s: the format of a journal is a whole number", text);
	if (format != BC_JOURNAL_FORMAT)
		return bc_fail(err, BC_EDATA,
			       "a journal of format %u, written by %s bankcheck (version %.40s); this one reads format "
			       "%u: use that version, or run again without --resume",
			       format, format < BC_JOURNAL_FORMAT ? "an older" : "a newer",
			       bc_message_get(head, "version"), BC_JOURNAL_FORMAT);
	return BC_OK;
}

enum bc_status bc_journal_read(const char *path, bc_journal_line_fn *line, void *ctx, size_t *whole,
			       struct bc_error *err)
{
	struct bc_text text = { 0 };
	enum bc_status st = bc_file_read(path, JOURNAL_MAX, &text, err);
	unsigned number = 0;
	size_t at = 0;

	while (!st && at < text.len) {
		char *const start = text.data + at, *const end = memchr(start, '\n', text.len - at);
		struct bc_error why = { .msg = "" };
		struct bc_fields f;

		if (!end)
			break; /* torn: the run was cut off while it wrote */
		*end = '\0';
		number++;
		st = bc_message_parse(start, &f, &why);
		if (!st && number == 1)
			st = check_format(&f, &why);
		if (!st)
			st = line(ctx, &f, &why);
		if (st)
			(void)bc_fail(err, st, "%s:%u: %s", path, number, why.msg);
		else
			at = (size_t)(end + 1 - text.data);
	}
	if (!st && number == 0)
		st = bc_fail(err, BC_EDATA, "%s:1: an empty journal: there is nothing to continue from", path);
	if (whole)
		*whole = at;
	bc_text_release(&text);
	return st;
}

enum bc_status bc_journal_same(const struct bc_fields *head, const struct bc_run *run, const struct bc_run_options *o,
			       struct bc_error *err)
{
	const char *advice = "run without --resume, or exactly as the journal's run";
	struct bc_run_options then;
	char hex[17], difference[240];
	enum bc_status st;

	bc_run_options_init(&then);
	st = bc_run_options_parse(head, &then, err);
	if (st)
		return st;
	if (bc_run_options_differ(&then, o, difference, sizeof(difference)))
		return bc_fail(err, BC_EDATA, "the journal is of a run with other options (%s): %s", difference,
			       advice);
	for (size_t i = 0; i < BC_ARRAY_LEN(hashes); i++) {
		uint64_t h = hash_of(run, i);

		for (unsigned k = 0; k < 16; k++, h <<= 4)
			hex[k] = "0123456789abcdef"[h >> 60];
		hex[16] = '\0';
		if (strcmp(bc_message_get(head, hashes[i].key), hex) != 0)
			return bc_fail(err, BC_EDATA, "the journal is of another %s (%s %s, now %s): %s",
				       hashes[i].what, hashes[i].key, bc_message_get(head, hashes[i].key), hex, advice);
	}
	return BC_OK;
}

bool bc_journal_is_empty(const char *path)
{
	char buf[4096];
	bool line = false;
	struct stat s;
	ssize_t n = 0;
	int fd;

	if (lstat(path, &s))
		return errno == ENOENT || errno == ENOTDIR;
	fd = S_ISREG(s.st_mode) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	if (fd < 0)
		return false;
	while (!line && ((n = read(fd, buf, sizeof(buf))) > 0 || (n < 0 && errno == EINTR)))
		line = n > 0 && memchr(buf, '\n', (size_t)n);
	(void)close(fd);
	return !line && n == 0;
}
