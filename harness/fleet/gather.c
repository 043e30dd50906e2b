/* SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/file.h"
#include "harness/fleet/fleet.h"
#include "harness/report/reader.h"

struct gathering {
	struct bc_history *h;
	struct bc_fleet_night *n;
	bc_report_refused_fn *refused;
	void *ctx;
	struct bc_fleet_gathered sum;
	struct bc_error *err;
};

static enum bc_status leave(struct gathering *g, const char *node, const char *job, const char *why)
{
	struct bc_fleet_left *grown = realloc(g->n->left, (g->n->nleft + 1) * sizeof(*grown));

	if (!grown)
		return bc_fail(g->err, BC_ENOMEM, "fleet: out of memory");
	g->n->left = grown;
	grown += g->n->nleft++;
	*grown = (struct bc_fleet_left){ strdup(node), strdup(job), why ? strdup(why) : NULL };
	return grown->node && grown->job && (!why || grown->why) ? BC_OK
								 : bc_fail(g->err, BC_ENOMEM, "fleet: out of memory");
}

static enum bc_status damaged(struct gathering *g, const char *node, const char *job, const struct bc_error *why)
{
	g->sum.damaged++;
	g->refused(g->ctx, why);
	return leave(g, node, job, why->msg);
}

/* The reports of a folder, in one transaction: those that can be taken. */
static enum bc_status take_reports(struct gathering *g, const struct bc_history_place *p, char *const *path, size_t n)
{
	struct bc_read_file *file = calloc(n + 1, sizeof(*file));
	struct bc_history_added added = { 0 };
	size_t nread = 0;
	enum bc_status st = file ? BC_OK : bc_fail(g->err, BC_ENOMEM, "fleet: out of memory");

	for (size_t i = 0; !st && i < n; i++) {
		struct bc_error why;

		st = bc_report_read(path[i], &file[nread], &why);
		nread += !st;
		if (st == BC_EDATA || st == BC_EREAD)
			st = damaged(g, p->node, p->job, &why);
		else if (st)
			st = bc_fail(g->err, st, "%s", why.msg);
	}
	if (!st && nread)
		st = bc_history_gather(g->h, p, file, nread, nread == n, &added, g->err);
	g->sum.folders += !st && nread;
	g->sum.runs += added.added + added.replaced;
	g->sum.known += added.known;
	for (size_t i = 0; i < nread; i++)
		bc_report_release(&file[i]);
	free(file);
	return st;
}

static enum bc_status take_folder(struct gathering *g, const char *dir, const char *node, const char *job)
{
	const struct bc_history_place place = { .night = g->n->name, .node = node, .job = job };
	char done[BC_PATH_MAX];
	struct bc_error why = { .msg = "" };
	char **path = NULL;
	size_t n = 0;
	bool is = false;
	enum bc_status st = bc_history_is_gathered(g->h, &place, &is, g->err);

	if (st || is) {
		g->sum.before += is;
		return st;
	}
	if (snprintf(done, sizeof(done), "%s/done", dir) >= (int)sizeof(done) || access(done, F_OK)) {
		g->sum.unfinished++;
		return leave(g, node, job, NULL);
	}
	st = bc_report_paths_below(dir, &path, &n, &why);
	if (st == BC_EDATA || st == BC_EREAD) /* it is done, and has none */
		st = damaged(g, node, job, &why);
	else if (!st)
		st = take_reports(g, &place, path, n);
	else
		st = bc_fail(g->err, st, "%s", why.msg);
	for (size_t i = 0; i < n; i++)
		free(path[i]);
	free(path);
	return st;
}

static int is_shown(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

/* Call @node for the folders of NIGHT/nodes, and take_folder for those in them. */
static enum bc_status walk(struct gathering *g, const char *dir, const char *node)
{
	struct dirent **entry = NULL;
	const int found = scandir(dir, &entry, is_shown, alphasort);
	enum bc_status st = BC_OK;

	if (found < 0)
		return errno == ENOENT && !node ? BC_OK : bc_fail(g->err, BC_EREAD, "%s: %s", dir, strerror(errno));
	for (int i = 0; i < found; i++) {
		char path[BC_PATH_MAX];
		const char *name = entry[i]->d_name;
		struct stat s;

		if (!st && snprintf(path, sizeof(path), "%s/%s", dir, name) >= (int)sizeof(path))
			st = bc_fail(g->err, BC_EREAD, "%s/%s: the path is too long", dir, name);
		if (!st && stat(path, &s) == 0 && S_ISDIR(s.st_mode))
			st = node ? take_folder(g, path, node, name) : walk(g, path, name);
		free(entry[i]);
	}
	free(entry);
	return st;
}

enum bc_status bc_fleet_gather(struct bc_history *h, struct bc_fleet_night *n, bc_report_refused_fn *refused, void *ctx,
			       struct bc_fleet_gathered *out, struct bc_error *err)
{
	struct gathering g = { .h = h, .n = n, .refused = refused, .ctx = ctx, .err = err };
	char dir[BC_PATH_MAX];
	enum bc_status st;

	if (snprintf(dir, sizeof(dir), "%s/nodes", n->dir) >= (int)sizeof(dir))
		return bc_fail(err, BC_EREAD, "%.200s...: the path is too long", n->dir);
	st = walk(&g, dir, NULL);
	*out = g.sum;
	return st;
}
