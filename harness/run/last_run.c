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

/* Reports to remove. */
struct removal {
	const char *journal;
	enum bc_status st; /* of the removals; reading goes on */
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

void bc_last_run_forget(const char *journal)
{
	char path[BC_PATH_MAX];

	if (last_path(journal, path))
		(void)unlink(path);
}

/* Is it the name of a report as a run writes it: "sm_90.xml", "reference-sm_90.xml"? */
static bool is_report(const char *name)
{
	const size_t len = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-");

	return len && strcmp(name + len, ".xml") == 0;
}

static enum bc_status remove_named(void *ctx, const struct bc_fields *line, struct bc_error *err)
{
	struct removal *r = ctx;
	const char *name = bc_message_get(line, "report"), *slash = strrchr(r->journal, '/');
	char path[BC_PATH_MAX];

	(void)err;
	if (strcmp(line->kind, "device") != 0 || !is_report(name))
		return BC_OK;
	if (snprintf(path, sizeof(path), "%.*s%s", slash ? (int)(slash + 1 - r->journal) : 0, r->journal, name) >=
	    (int)sizeof(path))
		return BC_OK; /* it was too long to be written, too */
	if (unlink(path) && errno != ENOENT && !r->st)
		r->st = bc_fail(&r->err, BC_EWRITE, "%s: this report of the run before cannot be removed: %s", path,
				strerror(errno));
	return BC_OK;
}

enum bc_status bc_last_run_remove_reports(const char *journal, struct bc_error *err)
{
	struct removal r = { .journal = journal };
	struct bc_error unread;
	char path[BC_PATH_MAX];

	if (last_path(journal, path) && access(path, F_OK) == 0)
		(void)bc_journal_read(path, remove_named, &r, NULL, &unread); /* as far as it goes */
	return r.st ? bc_fail(err, r.st, "%s", r.err.msg) : BC_OK;
}
