/* SPDX-License-Identifier: MIT */
/* expected.tsv and jobs.tsv: what should be there, and what the engine says. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/file.h"
#include "harness/base/textfile.h"
#include "harness/fleet/fleet.h"

#define FIELDS_MAX 6
#define GPUS_MAX 1000

static enum bc_status no_memory(struct bc_error *err)
{
	return bc_fail(err, BC_ENOMEM, "fleet: out of memory");
}

/* A line in its fields, in place; "-" becomes "". Those that are not there are "". */
static enum bc_status split(struct bc_lines *l, const char *words, char *field[FIELDS_MAX], size_t most,
			    struct bc_error *err)
{
	char *at = l->text;
	size_t n = 0;

	for (size_t i = 0; i < FIELDS_MAX; i++)
		field[i] = l->text + strlen(l->text);
	while (at) {
		char *tab = strchr(at, '\t');

		if (n == most)
			return bc_fail(err, BC_EDATA, "%s:%u: more than %zu fields; they are, separated by tabs: %s",
				       l->path, l->number, most, words);
		if (tab)
			*tab = '\0';
		field[n++] = strcmp(at, "-") == 0 ? at + 1 : at;
		at = tab ? tab + 1 : NULL;
	}
	if (!field[0][0] || strchr(field[0], ' ') || strchr(field[0], '/'))
		return bc_fail(
			err, BC_EDATA,
			"%s:%u: `%.60s` is no node: a name without blank and slash; the fields are, separated by "
			"tabs: %s",
			l->path, l->number, field[0], words);
	return BC_OK;
}

static enum bc_status copy_fields(char *const *from, char **const *to, size_t n, struct bc_error *err)
{
	for (size_t i = 0; i < n; i++) {
		*to[i] = strdup(from[i]);
		if (!*to[i])
			return no_memory(err);
	}
	return BC_OK;
}

static enum bc_status read_uuids(char *list, struct bc_fleet_expected *e, struct bc_error *err)
{
	char *save = NULL;

	for (char *u = strtok_r(list, ",", &save); u; u = strtok_r(NULL, ",", &save)) {
		char **grown = realloc(e->uuid, (e->nuuids + 1) * sizeof(*grown));

		if (!grown)
			return no_memory(err);
		e->uuid = grown;
		grown[e->nuuids] = strdup(u);
		if (!grown[e->nuuids])
			return no_memory(err);
		e->nuuids++;
	}
	return BC_OK;
}

static enum bc_status add_expected(struct bc_fleet_night *n, struct bc_lines *l, struct bc_error *err)
{
	char *field[FIELDS_MAX];
	struct bc_fleet_expected *grown, *e;
	uint32_t gpus = 0;
	enum bc_status st = split(l, "node gpus arch gpu driver uuids", field, 6, err);

	if (st)
		return st;
	if (field[1][0] && (!bc_u32_parse(field[1], &gpus) || !gpus || gpus > GPUS_MAX))
		return bc_fail(err, BC_EDATA, "%s:%u: gpus is `%.20s`: a number from 1 to %d, or -", l->path, l->number,
			       field[1], GPUS_MAX);
	for (size_t i = 0; i < n->nexpected; i++)
		if (strcmp(n->expected[i].node, field[0]) == 0)
			return bc_fail(err, BC_EDATA, "%s:%u: the node %.60s is there twice", l->path, l->number,
				       field[0]);
	grown = realloc(n->expected, (n->nexpected + 1) * sizeof(*grown));
	if (!grown)
		return no_memory(err);
	n->expected = grown;
	e = &grown[n->nexpected++];
	*e = (struct bc_fleet_expected){ .gpus = gpus };
	st = copy_fields((char *const[]){ field[0], field[2], field[3], field[4] },
			 (char **const[]){ &e->node, &e->arch, &e->gpu, &e->driver }, 4, err);
	if (!st)
		st = read_uuids(field[5], e, err);
	if (!st && e->gpus && e->nuuids && e->nuuids != e->gpus)
		st = bc_fail(err, BC_EDATA, "%s:%u: %u GPUs, but %zu UUIDs", l->path, l->number, e->gpus, e->nuuids);
	if (e->nuuids)
		e->gpus = (unsigned)e->nuuids;
	return st;
}

/* The last line of a node counts. */
static enum bc_status add_job(struct bc_fleet_night *n, struct bc_lines *l, struct bc_error *err)
{
	char *field[FIELDS_MAX];
	struct bc_fleet_job *grown, *j = NULL;
	enum bc_status st = split(l, "node job state exit reason", field, 5, err);

	if (st)
		return st;
	for (size_t i = 0; i < n->njobs; i++)
		if (strcmp(n->job[i].node, field[0]) == 0)
			j = &n->job[i];
	if (!j) {
		grown = realloc(n->job, (n->njobs + 1) * sizeof(*grown));
		if (!grown)
			return no_memory(err);
		n->job = grown;
		j = &grown[n->njobs++];
		*j = (struct bc_fleet_job){ 0 };
	}
	free(j->node);
	free(j->job);
	free(j->state);
	free(j->exit);
	free(j->reason);
	*j = (struct bc_fleet_job){ 0 };
	return copy_fields(field, (char **const[]){ &j->node, &j->job, &j->state, &j->exit, &j->reason }, 5, err);
}

/* The line `# begun TIME`. */
static void read_begun(struct bc_fleet_night *n, const char *text)
{
	static const char mark[] = "# begun ";
	const char *at = strncmp(text, mark, sizeof(mark) - 1) == 0 ? text : strstr(text, "\n# begun ");

	if (!at)
		return;
	at += (*at == '\n') + sizeof(mark) - 1;
	(void)snprintf(n->begun, sizeof(n->begun), "%.*s", (int)strcspn(at, "\r\n"), at);
}

/* Lines of a file of the night. Return: BC_OK also when there is no such file. */
static enum bc_status read_file(struct bc_fleet_night *n, const char *name, bool *there,
				enum bc_status (*add)(struct bc_fleet_night *, struct bc_lines *, struct bc_error *),
				struct bc_error *err)
{
	char path[BC_PATH_MAX];
	struct bc_text text = { 0 };
	struct bc_lines l;
	bool more = true;
	enum bc_status st;

	if (snprintf(path, sizeof(path), "%s/%s", n->dir, name) >= (int)sizeof(path))
		return bc_fail(err, BC_EREAD, "%.200s...: the path is too long", n->dir);
	*there = access(path, F_OK) == 0;
	if (!*there)
		return BC_OK;
	st = bc_textfile_read(path, &text, err);
	if (!st)
		bc_lines_start(&l, text.data ? text.data : "", path);
	while (!st && more) {
		st = bc_lines_next(&l, &more, err);
		if (!st && more)
			st = add(n, &l, err);
	}
	if (!st && add == add_expected)
		read_begun(n, text.data ? text.data : "");
	bc_text_release(&text);
	return st;
}

static int expected_by_node(const void *a, const void *b)
{
	return strcmp(((const struct bc_fleet_expected *)a)->node, ((const struct bc_fleet_expected *)b)->node);
}

static int job_by_node(const void *a, const void *b)
{
	return strcmp(((const struct bc_fleet_job *)a)->node, ((const struct bc_fleet_job *)b)->node);
}

enum bc_status bc_fleet_open(const char *dir, struct bc_fleet_night *out, struct bc_error *err)
{
	struct bc_fleet_night n = { 0 };
	char real[PATH_MAX];
	struct stat s;
	bool has_jobs;
	enum bc_status st = BC_OK;

	if (!realpath(dir, real) || stat(real, &s))
		return bc_fail(err, BC_EREAD, "%s: %s; a night is a folder with expected.tsv and nodes/NODE/JOB/", dir,
			       strerror(errno));
	if (!S_ISDIR(s.st_mode) || !strcmp(real, "/"))
		return bc_fail(err, BC_EREAD, "%s: is no folder of a night", dir);
	n.dir = strdup(real);
	n.name = strdup(strrchr(real, '/') + 1);
	if (!n.dir || !n.name)
		st = no_memory(err);
	if (!st)
		st = read_file(&n, "expected.tsv", &n.has_expected, add_expected, err);
	if (!st)
		st = read_file(&n, "jobs.tsv", &has_jobs, add_job, err);
	if (n.nexpected)
		qsort(n.expected, n.nexpected, sizeof(*n.expected), expected_by_node);
	if (n.njobs)
		qsort(n.job, n.njobs, sizeof(*n.job), job_by_node);
	if (!st) {
		*out = n;
		n = (struct bc_fleet_night){ 0 }; /* the caller owns it now */
	}
	bc_fleet_close(&n);
	return st;
}

void bc_fleet_close(struct bc_fleet_night *n)
{
	for (size_t i = 0; i < n->nexpected; i++) {
		struct bc_fleet_expected *e = &n->expected[i];

		for (size_t k = 0; k < e->nuuids; k++)
			free(e->uuid[k]);
		free(e->uuid);
		free(e->node);
		free(e->arch);
		free(e->gpu);
		free(e->driver);
	}
	for (size_t i = 0; i < n->njobs; i++) {
		free(n->job[i].node);
		free(n->job[i].job);
		free(n->job[i].state);
		free(n->job[i].exit);
		free(n->job[i].reason);
	}
	for (size_t i = 0; i < n->nleft; i++) {
		free(n->left[i].node);
		free(n->left[i].job);
		free(n->left[i].why);
	}
	free(n->expected);
	free(n->job);
	free(n->left);
	free(n->dir);
	free(n->name);
	*n = (struct bc_fleet_night){ 0 };
}

const struct bc_fleet_expected *bc_fleet_find_expected(const struct bc_fleet_night *n, const char *node)
{
	const struct bc_fleet_expected key = { .node = (char *)(uintptr_t)node };

	return n->nexpected ? bsearch(&key, n->expected, n->nexpected, sizeof(key), expected_by_node) : NULL;
}

const struct bc_fleet_job *bc_fleet_find_job(const struct bc_fleet_night *n, const char *node)
{
	const struct bc_fleet_job key = { .node = (char *)(uintptr_t)node };

	return n->njobs ? bsearch(&key, n->job, n->njobs, sizeof(key), job_by_node) : NULL;
}
