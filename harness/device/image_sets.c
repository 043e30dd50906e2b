/* SPDX-License-Identifier: MIT */
#include "harness/device/image_sets.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/device/images.h"

#define SETS_MAX 64

const char *bc_image_set_driver(unsigned major)
{
	/* NVIDIA's release notes: within a major version, machine code of any release runs on any of its drivers. */
	static const struct {
		unsigned major;
		const char *driver;
	} oldest[] = { { 11, "450.80.02" }, { 12, "525.60.13" }, { 13, "580.65.06" } };

	for (size_t i = 0; i < BC_ARRAY_LEN(oldest); i++)
		if (oldest[i].major == major)
			return oldest[i].driver;
	return "";
}

/* "12.9" or "13.0.1": what is not of that form is not known. */
static void parse_release(struct bc_image_set *s)
{
	char *end = NULL;
	const unsigned long major = strtoul(s->release, &end, 10);
	unsigned long minor;

	if (end == s->release || *end != '.' || major > 1000) {
		s->release[0] = '\0';
		return;
	}
	minor = strtoul(end + 1, &end, 10);
	s->major = (unsigned)major;
	s->minor = (unsigned)(minor < 1000 ? minor : 999);
}

static enum bc_status describe(const char *dir, struct bc_image_set *s, struct bc_error *err)
{
	struct bc_images im;
	const char *slash = strrchr(dir, '/'), *image;
	enum bc_status st = bc_images_begin(&im, dir, 0, err);

	memset(s, 0, sizeof(*s));
	if (st)
		return st;
	(void)bc_strlcpy(s->dir, dir, sizeof(s->dir));
	(void)bc_strlcpy(s->name, slash && slash[1] ? slash + 1 : dir, sizeof(s->name));
	bc_images_value(&im, "release", s->release, sizeof(s->release));
	parse_release(s);
	bc_images_toolkit(&im, s->toolkit, sizeof(s->toolkit));
	bc_images_value(&im, "archs", s->archs, sizeof(s->archs));
	image = im.toolkit.data ? strstr(im.toolkit.data, "\nimage ") : NULL;
	if (image) {
		const char *name = image + 7 + strcspn(image + 7, " \n");
		const size_t blanks = strspn(name, " "), len = strcspn(name + blanks, ".\n");

		if (len && len < sizeof(s->first)) {
			memcpy(s->first, name + blanks, len);
			s->first[len] = '\0';
		}
	}
	bc_images_release(&im);
	return BC_OK;
}

static int by_release(const void *a, const void *b)
{
	const struct bc_image_set *x = a, *y = b;

	if (x->major != y->major)
		return x->major > y->major ? -1 : 1;
	if (x->minor != y->minor)
		return x->minor > y->minor ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Add what is named "<base>-..." in the folder @above. */
static enum bc_status list_beside(const char *above, const char *base, struct bc_image_set *s, size_t *n,
				  struct bc_error *err)
{
	const size_t len = strlen(base);
	DIR *d = opendir(above);
	enum bc_status st = BC_OK;

	if (!d && errno != ENOENT && errno != ENOTDIR && errno != EACCES)
		return bc_fail(err, BC_EREAD, "%s: cannot be opened: %s", above, strerror(errno));
	while (d && !st && *n < SETS_MAX) {
		const struct dirent *e;
		char path[1200];

		errno = 0;
		e = readdir(d);
		if (!e) {
			st = errno ? bc_fail(err, BC_EREAD, "%s: cannot be read: %s", above, strerror(errno)) : BC_OK;
			break;
		}
		if (strncmp(e->d_name, base, len) != 0 || e->d_name[len] != '-' ||
		    (size_t)snprintf(path, sizeof(path), "%s/%s", above, e->d_name) >= sizeof(path))
			continue;
		st = describe(path, &s[*n], err);
		if (!st && s[*n].first[0])
			++*n;
	}
	if (d)
		(void)closedir(d);
	return st;
}

enum bc_status bc_image_sets_find(const char *dir, bool beside, struct bc_image_set **out, size_t *n,
				  struct bc_error *err)
{
	struct bc_image_set *s = calloc(SETS_MAX, sizeof(*s)), own;
	const char *slash = strrchr(dir, '/');
	char above[1200];
	enum bc_status st;

	*n = 0;
	if (!s)
		return bc_fail(err, BC_ENOMEM, "kernel images: out of memory");
	(void)snprintf(above, sizeof(above), "%.*s", slash ? (int)(slash - dir) : 1, slash ? dir : ".");
	st = describe(dir, &own, err);
	if (!st)
		s[(*n)++] = own;
	if (!st && beside && slash && slash != dir && slash[1])
		st = list_beside(above, slash + 1, s, n, err);
	if (st) {
		free(s);
		*n = 0;
		return st;
	}
	qsort(s + 1, *n - 1, sizeof(*s), by_release);
	if (!own.first[0]) {
		memmove(s, s + 1, (*n - 1) * sizeof(*s));
		s[*n - 1] = own;
	}
	*out = s;
	return BC_OK;
}

void bc_image_sets_toolkits(const struct bc_image_set *sets, size_t n, char *out, size_t size)
{
	out[0] = '\0';
	for (size_t i = 0; i < n; i++) {
		const size_t len = strlen(out);

		if (sets[i].toolkit[0] && !strstr(out, sets[i].toolkit) && len < size)
			(void)snprintf(out + len, size - len, "%s%s", len ? "; " : "", sets[i].toolkit);
	}
}
