/* SPDX-License-Identifier: MIT */
#include "harness/run/identity.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/build.h"
#include "harness/base/xxh64.h"
#include "harness/device/image_sets.h"
#include "harness/run/session_state.h"

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
		*h = bc_xxh64(*h, t.data, t.len);
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

void bc_session_hash_expectations(struct bc_session *s)
{
	uint64_t h = BC_HASH_INIT;

	for (size_t i = 0; i < s->run.ndevices; i++)
		h = bc_hash(h, &s->run.devices[i].expect_hash, sizeof(s->run.devices[i].expect_hash));
	for (size_t i = 0; i < s->known.n; i++)
		h = bc_hash(h, s->known.entry[i].text, strlen(s->known.entry[i].text) + 1);
	s->run.expect_hash = h;
}

/* All images that the run may take, and what made them. */
static enum bc_status hash_kernels(const struct bc_run_options *o, struct bc_run *r, struct bc_error *err)
{
	struct bc_image_set *sets = NULL;
	char ptx[1200];
	size_t n = 0;
	enum bc_status st = bc_image_sets_find(bc_run_options_kernels(o), !o->kernels_dir, &sets, &n, err);

	for (size_t i = 0; !st && i < n; i++)
		st = hash_folder(sets[i].dir, &r->kernels_hash, err);
	bc_image_sets_toolkits(sets, n, r->toolkits, sizeof(r->toolkits));
	(void)snprintf(ptx, sizeof(ptx), "%s/ptx", bc_run_options_kernels(o));
	free(sets);
	return st ? st : hash_folder(ptx, &r->kernels_hash, err);
}

enum bc_status bc_session_identify(struct bc_session *s, struct bc_error *err)
{
	struct bc_run *r = &s->run;
	enum bc_status st;

	r->binary_hash = BC_HASH_INIT;
	(void)bc_strlcpy(r->commit, bc_build_commit, sizeof(r->commit));
	(void)bc_strlcpy(r->built, bc_build_with, sizeof(r->built));
	st = hash_file(s->options->self, &r->binary_hash, err);
	if (!st)
		st = hash_kernels(s->options, r, err);
	bc_session_hash_expectations(s);
	for (size_t i = 0; i < r->ndevices; i++)
		r->devices_hash = bc_hash(r->devices_hash ? r->devices_hash : BC_HASH_INIT, r->devices[i].dev,
					  strlen(r->devices[i].dev) + 1);
	return st;
}
