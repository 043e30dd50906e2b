/* SPDX-License-Identifier: MIT */
#include "harness/run/last_run.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/file.h"
#include "harness/run/journal.h"
#include "harness/run/message.h"

#define REPORT_END ".xml"
#define KEPT_MAX (BC_HOST_MAX + 8)

/* What a journal says of its run, and what becomes of its reports. */
struct left {
	const char *journal;
	const struct bc_run *run; /* the one of today */
	char host[BC_HOST_MAX], host_by[24];
	bool has_uuid, shares_gpu; /* a GPU of its run has a UUID; one is in today's run too */
	const char *from, *to;	   /* ends of the names: a report is renamed from one to the other; to NULL: removed */
	enum bc_status st;	   /* of that; reading goes on */
	struct bc_error err;
};

static bool last_path(const char *journal, char path[BC_PATH_MAX])
{
	return snprintf(path, BC_PATH_MAX, "%s.last", journal) < BC_PATH_MAX;
}

enum bc_status bc_last_run_set_aside(const char *journal, bool *moved, struct bc_error *err)
{
	char path[BC_PATH_MAX];
	struct stat s;

	*moved = false;
	if (lstat(journal, &s) || !S_ISREG(s.st_mode))
		return BC_OK;
	if (!last_path(journal, path) || rename(journal, path))
		return bc_fail(err, BC_EWRITE, "%s: the journal of the run before cannot be set aside: %s", journal,
			       strerror(errno));
	*moved = true;
	return BC_OK;
}

void bc_last_run_put_back(const char *journal)
{
	char path[BC_PATH_MAX];

	if (last_path(journal, path))
		(void)rename(path, journal);
}

/* Is it the name of a report as a run writes it: "sm_90.xml", "reference-sm_90.xml"? */
static bool is_report(const char *name)
{
	const size_t len = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-");

	return len && strcmp(name + len, ".xml") == 0;
}

static enum bc_status read_host(void *ctx, const struct bc_fields *line, struct bc_error *err)
{
	struct left *l = ctx;
	const char *uuid = bc_message_get(line, "uuid");

	(void)err;
	if (strcmp(line->kind, "run") == 0) {
		(void)bc_strlcpy(l->host, bc_message_get(line, "host"), sizeof(l->host));
		(void)bc_strlcpy(l->host_by, bc_message_get(line, "host_by"), sizeof(l->host_by));
	}
	if (strcmp(line->kind, "device") != 0 || !uuid[0])
		return BC_OK;
	l->has_uuid = true;
	for (size_t i = 0; i < l->run->ndevices; i++)
		l->shares_gpu = l->shares_gpu || strcmp(l->run->devices[i].facts.uuid, uuid) == 0;
	return BC_OK;
}

/* A container has another name each time it starts: without a GPU to know it by, its host must have been named. */
static bool is_of_another(const struct left *l)
{
	bool named = strcmp(l->run->host_by, "system") != 0 || (l->host_by[0] && strcmp(l->host_by, "system") != 0);

	for (size_t i = 0; i < l->run->ndevices; i++)
		named = named || (l->has_uuid && l->run->devices[i].facts.uuid[0]);
	return l->host[0] && strcmp(l->host, l->run->host) != 0 && !l->shares_gpu && named;
}

bool bc_last_run_is_of_another(const char *journal, const struct bc_run *run, char host[BC_HOST_MAX])
{
	struct left l = { .journal = journal, .run = run };
	struct bc_error unread;

	(void)bc_journal_read(journal, read_host, &l, NULL, &unread); /* as far as it goes */
	(void)bc_strlcpy(host, l.host, BC_HOST_MAX);
	return is_of_another(&l);
}

/* "-HOST" + @end, the host as a part of a file's name that is_report takes. */
static void kept_end(const char *host, const char *end, char out[KEPT_MAX])
{
	const int n = snprintf(out, KEPT_MAX, "-%s", host);

	for (int i = 0; i < n; i++) {
		const char c = out[i];

		out[i] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
		if (!(out[i] >= 'a' && out[i] <= 'z') && !(c >= '0' && c <= '9') && c != '-')
			out[i] = '_';
	}
	(void)snprintf(out + n, KEPT_MAX - (size_t)n, "%s", end);
}

/* <folder of the journal>/<name without its last @cut bytes><end>. Return: false when it is too long. */
static bool beside(const struct left *l, const char *name, size_t cut, const char *end, char path[BC_PATH_MAX])
{
	const char *slash = strrchr(l->journal, '/');

	return snprintf(path, BC_PATH_MAX, "%.*s%.*s%s", slash ? (int)(slash + 1 - l->journal) : 0, l->journal,
			(int)(strlen(name) - cut), name, end) < BC_PATH_MAX;
}

static enum bc_status move_report(void *ctx, const struct bc_fields *line, struct bc_error *err)
{
	struct left *l = ctx;
	const char *name = bc_message_get(line, "report");
	char from[BC_PATH_MAX], to[BC_PATH_MAX];
	int failed;

	(void)err;
	if (strcmp(line->kind, "device") != 0 || !is_report(name))
		return BC_OK;
	if (!beside(l, name, strlen(REPORT_END), l->from, from) ||
	    (l->to && !beside(l, name, strlen(REPORT_END), l->to, to)))
		return BC_OK; /* it was too long to be written, too */
	failed = l->to ? rename(from, to) : unlink(from);
	if (failed && errno != ENOENT && !l->st)
		l->st = bc_fail(&l->err, BC_EWRITE, "%s: this report of %s cannot be %s: %s", from,
				l->to ? "another host" : "the run before",
				l->to ? "kept under another name" : "removed", strerror(errno));
	return BC_OK;
}

/* Reports that @journal names: renamed, or removed. */
static enum bc_status move_reports(struct left *l, const char *journal, const char *from, const char *to,
				   struct bc_error *err)
{
	struct bc_error unread;

	l->from = from;
	l->to = to;
	(void)bc_journal_read(journal, move_report, l, NULL, &unread); /* as far as it goes */
	return l->st ? bc_fail(err, l->st, "%s", l->err.msg) : BC_OK;
}

/* What this host left under its own name, when another host came after it. */
static enum bc_status clear_kept(struct left *l, struct bc_error *err)
{
	char journal[BC_PATH_MAX], end[KEPT_MAX];
	enum bc_status st;

	kept_end(l->run->host, ".tsv", end);
	if (!beside(l, "journal.tsv", strlen(".tsv"), end, journal) || access(journal, F_OK))
		return BC_OK;
	kept_end(l->run->host, REPORT_END, end);
	st = move_reports(l, journal, end, NULL, err);
	if (!st)
		(void)unlink(journal);
	return st;
}

enum bc_status bc_last_run_clear(const char *journal, const struct bc_run *run, struct bc_error *err)
{
	struct left l = { .journal = journal, .run = run };
	char path[BC_PATH_MAX], kept[BC_PATH_MAX], end[KEPT_MAX], host[BC_HOST_MAX];
	enum bc_status st = clear_kept(&l, err);

	if (st || !last_path(journal, path) || access(path, F_OK))
		return st;
	if (!bc_last_run_is_of_another(path, run, host)) {
		st = move_reports(&l, path, REPORT_END, NULL, err);
		(void)unlink(path);
		return st;
	}
	kept_end(host, REPORT_END, end);
	st = move_reports(&l, path, REPORT_END, end, err);
	kept_end(host, ".tsv", end);
	if (!st && (!beside(&l, "journal.tsv", strlen(".tsv"), end, kept) || rename(path, kept)))
		st = bc_fail(err, BC_EWRITE, "%s: the journal of the host %s cannot be kept under another name", path,
			     host);
	if (!st)
		(void)fprintf(stderr,
			      "bankcheck: note: the reports here were of the host %s; they are kept with its name: "
			      "journal%s\n",
			      host, end);
	return st;
}
