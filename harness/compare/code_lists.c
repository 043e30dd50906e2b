/* SPDX-License-Identifier: MIT */
#include "harness/compare/code_lists.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIST_MAX (16u << 20)
#define LISTS_MAX 512
#define KEY_MAX 96
#define TIMED "timed:"

/* A count that is compared. */
struct entry {
	const char *image, *arch, *kernel;
	char key[KEY_MAX];
	enum bc_code_class class;
	uint64_t n;
};

struct bc_code_lists {
	char *name[LISTS_MAX];		/* images */
	struct bc_text text[LISTS_MAX]; /* of their lists, cut at tabs and line ends */
	size_t nlists;
	struct entry *entry; /* sorted */
	size_t n, cap;
};

static const struct {
	const char *name;
	bool counts;
} classes[BC_CODE_NCLASSES] = {
	[BC_CODE_SHARED] = { "shared", true },	      [BC_CODE_ATOMIC] = { "atomic", true },
	[BC_CODE_BARRIER] = { "barrier", true },      [BC_CODE_MATRIX] = { "matrix", true },
	[BC_CODE_SPILLS] = { "spills", true },	      [BC_CODE_BYTES] = { "shared bytes", true },
	[BC_CODE_TIMED] = { "timed", true },	      [BC_CODE_GLOBAL] = { "global", false },
	[BC_CODE_REGISTERS] = { "registers", false },
};

const char *bc_code_class_name(enum bc_code_class c)
{
	return (unsigned)c < BC_CODE_NCLASSES ? classes[c].name : "none";
}

bool bc_code_class_counts(enum bc_code_class c)
{
	return (unsigned)c < BC_CODE_NCLASSES && classes[c].counts;
}

/* The first part of a mnemonic, and what it is. */
static const struct {
	const char *first;
	enum bc_code_class class;
	bool drop; /* its modifiers are not compared */
} instructions[] = {
	{ "LDS", BC_CODE_SHARED, false },    { "STS", BC_CODE_SHARED, false },
	{ "LDSM", BC_CODE_SHARED, false },   { "STSM", BC_CODE_SHARED, false },
	{ "LDGSTS", BC_CODE_SHARED, false }, { "UBLKCP", BC_CODE_SHARED, false },
	{ "LD", BC_CODE_SHARED, false },     { "ST", BC_CODE_SHARED, false },
	{ "ATOMS", BC_CODE_ATOMIC, false },  { "ATOMG", BC_CODE_GLOBAL, false },
	{ "ATOM", BC_CODE_ATOMIC, false },   { "RED", BC_CODE_ATOMIC, false },
	{ "REDS", BC_CODE_ATOMIC, false },   { "REDG", BC_CODE_GLOBAL, false },
	{ "BAR", BC_CODE_BARRIER, true },    { "SYNCS", BC_CODE_BARRIER, false },
	{ "HMMA", BC_CODE_MATRIX, false },   { "IMMA", BC_CODE_MATRIX, false },
	{ "DMMA", BC_CODE_MATRIX, false },   { "BMMA", BC_CODE_MATRIX, false },
	{ "QMMA", BC_CODE_MATRIX, false },   { "OMMA", BC_CODE_MATRIX, false },
	{ "HGMMA", BC_CODE_MATRIX, false },  { "QGMMA", BC_CODE_MATRIX, false },
	{ "MOVM", BC_CODE_MATRIX, false },   { "LDL", BC_CODE_SPILLS, false },
	{ "STL", BC_CODE_SPILLS, false },    { "stack", BC_CODE_SPILLS, false },
	{ "shared", BC_CODE_BYTES, false },  { "LDG", BC_CODE_GLOBAL, false },
	{ "STG", BC_CODE_GLOBAL, false },    { "registers", BC_CODE_REGISTERS, false },
};

enum bc_code_class bc_code_class_of(const char *name, char *key, size_t size)
{
	const size_t len = strcspn(name, ".");

	if (strncmp(name, TIMED, sizeof(TIMED) - 1) == 0) {
		(void)bc_strlcpy(key, name, size);
		return BC_CODE_TIMED;
	}
	for (size_t i = 0; i < BC_ARRAY_LEN(instructions); i++) {
		if (strlen(instructions[i].first) != len || memcmp(instructions[i].first, name, len) != 0)
			continue;
		(void)bc_strlcpy(key, instructions[i].drop ? instructions[i].first : name, size);
		return instructions[i].class;
	}
	return BC_CODE_NCLASSES;
}

static void lists_free(struct bc_code_lists *l)
{
	for (size_t i = 0; l && i < l->nlists; i++) {
		free(l->name[i]);
		bc_text_release(&l->text[i]);
	}
	if (l)
		free(l->entry);
	free(l);
}

static enum bc_status add_entry(struct bc_code_lists *l, const struct entry *e, struct bc_error *err)
{
	if (l->n == l->cap) {
		const size_t cap = l->cap ? 2 * l->cap : 1024;
		struct entry *grown = realloc(l->entry, cap * sizeof(*grown));

		if (!grown)
			return bc_fail(err, BC_ENOMEM, "code: out of memory");
		l->entry = grown;
		l->cap = cap;
	}
	l->entry[l->n++] = *e;
	return BC_OK;
}

/* A line of three cells: KERNEL, NAME, N. */
static enum bc_status take_count(struct bc_code_lists *l, const char *where, struct entry *e, char *cell[3],
				 struct bc_error *err)
{
	char *end = NULL;

	errno = 0;
	e->n = strtoull(cell[2], &end, 10);
	if (!cell[0][0] || !cell[1][0] || end == cell[2] || *end || errno || cell[2][0] == '-')
		return bc_fail(err, BC_EDATA, "%s: a kernel, an instruction and a number are wanted", where);
	if (!e->arch)
		return bc_fail(err, BC_EDATA, "%s: no line `arch` before it", where);
	e->kernel = cell[0];
	e->class = bc_code_class_of(cell[1], e->key, sizeof(e->key));
	if (e->class != BC_CODE_NCLASSES)
		return add_entry(l, e, err);
	/* A kernel with nothing to compare is there all the same. */
	e->key[0] = '\0';
	e->n = 0;
	return add_entry(l, e, err);
}

/* Read the list @at, whose text is cut up. */
static enum bc_status parse(struct bc_code_lists *l, size_t at, const char *path, struct bc_error *err)
{
	struct entry e = { .image = l->name[at] };
	char *line = l->text[at].data;
	enum bc_status st = BC_OK;

	if (!line || strncmp(line, "sha256\t", 7) != 0)
		return bc_fail(err, BC_EDATA,
			       "%s:1: no list of instructions: it must begin with sha256 (tools/code-list.sh)", path);
	for (size_t number = 1; !st && line && *line; number++) {
		char *next = strchr(line, '\n'), *cell[3] = { line, NULL, NULL }, where[1200];
		size_t n = 1;

		if (next)
			*next++ = '\0';
		for (char *p = line; n < 3 && (p = strchr(p, '\t')); n++) {
			*p++ = '\0';
			cell[n] = p;
		}
		(void)snprintf(where, sizeof(where), "%s:%zu", path, number);
		if (n == 2 && strcmp(cell[0], "arch") == 0)
			e.arch = cell[1];
		else if (n == 3)
			st = take_count(l, where, &e, cell, err);
		else if (n != 2 || strcmp(cell[0], "sha256") != 0)
			st = bc_fail(err, BC_EDATA, "%s: no line of a list of instructions", where);
		line = next;
	}
	return st;
}

static int by_place(const struct entry *a, const struct entry *b)
{
	int d = strcmp(a->image, b->image);

	if (!d)
		d = strcmp(a->arch, b->arch);
	if (!d)
		d = strcmp(a->kernel, b->kernel);
	return d ? d : strcmp(a->key, b->key);
}

static int compare_entries(const void *a, const void *b)
{
	return by_place(a, b);
}

/* Sort; counts of one key, as those of BAR.SYNC and BAR.RED, become one. */
static void put_in_order(struct bc_code_lists *l)
{
	size_t n = 0;

	if (l->n)
		qsort(l->entry, l->n, sizeof(*l->entry), compare_entries);
	for (size_t i = 0; i < l->n; i++) {
		if (n && by_place(&l->entry[n - 1], &l->entry[i]) == 0)
			l->entry[n - 1].n += l->entry[i].n;
		else
			l->entry[n++] = l->entry[i];
	}
	l->n = n;
}

static enum bc_status read_list(struct bc_code_lists *l, const char *dir, const char *file, struct bc_error *err)
{
	char path[1100];
	enum bc_status st;

	if (l->nlists == LISTS_MAX)
		return bc_fail(err, BC_EDATA, "%s: more than %d lists", dir, LISTS_MAX);
	if ((size_t)snprintf(path, sizeof(path), "%s/%s", dir, file) >= sizeof(path))
		return bc_fail(err, BC_EREAD, "%.80s ...: the path is too long", path);
	l->name[l->nlists] = strndup(file, strlen(file) - strlen(".code"));
	if (!l->name[l->nlists])
		return bc_fail(err, BC_ENOMEM, "code: out of memory");
	st = bc_file_read(path, LIST_MAX, &l->text[l->nlists], err);
	l->nlists++;
	return st ? st : parse(l, l->nlists - 1, path, err);
}

static enum bc_status read_folder(const char *dir, struct bc_code_lists **out, struct bc_error *err)
{
	struct bc_code_lists *l = calloc(1, sizeof(*l));
	DIR *d = opendir(dir);
	enum bc_status st = BC_OK;

	if (!l)
		st = bc_fail(err, BC_ENOMEM, "code: out of memory");
	else if (!d)
		st = bc_fail(err, BC_EREAD, "%s: %s", dir, strerror(errno));
	for (struct dirent *e; !st && (e = readdir(d));) {
		const size_t len = strlen(e->d_name);

		if (len > 5 && e->d_name[0] != '.' && strcmp(e->d_name + len - 5, ".code") == 0)
			st = read_list(l, dir, e->d_name, err);
	}
	if (d)
		(void)closedir(d);
	if (!st && !l->nlists)
		st = bc_fail(
			err, BC_EREAD,
			"%s: no lists of instructions (NAME.code): `make kernels` writes them where a disassembler is",
			dir);
	if (!st) {
		put_in_order(l);
		*out = l;
		l = NULL;
	}
	lists_free(l);
	return st;
}

static bool same_section(const struct entry *a, const struct entry *b)
{
	return strcmp(a->image, b->image) == 0 && strcmp(a->arch, b->arch) == 0;
}

/* The end of the entries from @i on that are of one image and architecture. */
static size_t section_end(const struct bc_code_lists *l, size_t i)
{
	size_t k = i;

	while (k < l->n && same_section(&l->entry[k], &l->entry[i]))
		k++;
	return k;
}

static enum bc_status differ(struct bc_code_comparison *c, const struct entry *was, const struct entry *now,
			     struct bc_error *err)
{
	const struct entry *e = was ? was : now;
	struct bc_code_difference *grown;

	if (was && now && was->n == now->n)
		return BC_OK;
	/* A list that tells no registers and bytes differs in none. */
	if (e->class >= BC_CODE_NCLASSES && e->key[0])
		return BC_OK;
	if (e->class != BC_CODE_TIMED && e->key[0] >= 'a' && e->key[0] <= 'z' && !(c->stack[0] && c->stack[1]))
		return BC_OK;
	if (!e->key[0] && was && now)
		return BC_OK;
	if ((c->n & (c->n - 1)) == 0) {
		grown = realloc(c->difference, (c->n ? 2 * c->n : 1) * sizeof(*grown));
		if (!grown)
			return bc_fail(err, BC_ENOMEM, "code: out of memory");
		c->difference = grown;
	}
	c->difference[c->n++] =
		(struct bc_code_difference){ e->image, e->arch,		 e->kernel,	  e->key[0] ? e->key : "",
					     e->class, was ? was->n : 0, now ? now->n : 0 };
	return BC_OK;
}

/* The end of the entries from @i on, up to @end, of one kernel. */
static size_t kernel_end(const struct bc_code_lists *l, size_t i, size_t end)
{
	size_t k = i;

	while (k < end && strcmp(l->entry[k].kernel, l->entry[i].kernel) == 0)
		k++;
	return k;
}

/* One kernel that both have: entries [i, iend) of old and [k, kend) of now. */
static enum bc_status compare_kernel(struct bc_code_comparison *c, size_t i, size_t iend, size_t k, size_t kend,
				     struct bc_error *err)
{
	const size_t before = c->n;
	bool in[BC_CODE_NCLASSES] = { false };
	enum bc_status st = BC_OK;

	while (!st && (i < iend || k < kend)) {
		const struct entry *a = &c->old->entry[i], *b = &c->now->entry[k];
		const int order = i == iend ? 1 : k == kend ? -1 : strcmp(a->key, b->key);
		const struct entry *one = order > 0 ? b : a;

		if (one->key[0])
			st = differ(c, order > 0 ? NULL : a, order < 0 ? NULL : b, err);
		i += order <= 0;
		k += order >= 0;
	}
	for (size_t d = before; d < c->n; d++)
		in[c->difference[d].class] = true;
	for (size_t class = 0; class < BC_CODE_NCLASSES; class ++)
		c->differ[class] += in[class];
	c->kernels++;
	return st;
}

/* One image of one architecture that both have. */
static enum bc_status compare_section(struct bc_code_comparison *c, size_t i, size_t iend, size_t k, size_t kend,
				      struct bc_error *err)
{
	enum bc_status st = BC_OK;

	while (!st && (i < iend || k < kend)) {
		const int order = i == iend   ? 1
				  : k == kend ? -1
					      : strcmp(c->old->entry[i].kernel, c->now->entry[k].kernel);
		const size_t inext = order <= 0 ? kernel_end(c->old, i, iend) : i;
		const size_t knext = order >= 0 ? kernel_end(c->now, k, kend) : k;

		if (order == 0) {
			st = compare_kernel(c, i, inext, k, knext, err);
		} else {
			struct entry gone = order < 0 ? c->old->entry[i] : c->now->entry[k];

			gone.key[0] = '\0';
			gone.class = BC_CODE_SHARED;
			gone.n = 1;
			st = differ(c, order < 0 ? &gone : NULL, order < 0 ? NULL : &gone, err);
			c->differ[BC_CODE_SHARED]++;
		}
		i = inext;
		k = knext;
	}
	return st;
}

static void note_only(struct bc_code_comparison *c, unsigned side, const struct entry *e)
{
	size_t *n = side ? &c->only_now : &c->only_old;

	if (!(*n)++)
		(void)snprintf(c->only[side], sizeof(c->only[side]), "%.40s %.30s", e->image, e->arch);
}

static bool tells_registers(const struct bc_code_lists *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->entry[i].class == BC_CODE_REGISTERS)
			return true;
	return false;
}

enum bc_status bc_code_compare(const char *old, const char *now, struct bc_code_comparison *out, struct bc_error *err)
{
	struct bc_code_comparison c = { .n = 0 };
	enum bc_status st = read_folder(old, &c.old, err);

	if (!st)
		st = read_folder(now, &c.now, err);
	if (!st) {
		c.stack[0] = tells_registers(c.old);
		c.stack[1] = tells_registers(c.now);
	}
	for (size_t i = 0, k = 0; !st && (i < c.old->n || k < c.now->n);) {
		const struct entry *a = &c.old->entry[i], *b = &c.now->entry[k];
		int order = i == c.old->n ? 1 : k == c.now->n ? -1 : strcmp(a->image, b->image);
		size_t inext, knext;

		if (!order)
			order = strcmp(a->arch, b->arch);
		inext = order <= 0 ? section_end(c.old, i) : i;
		knext = order >= 0 ? section_end(c.now, k) : k;
		if (order == 0)
			st = compare_section(&c, i, inext, k, knext, err);
		else
			note_only(&c, order > 0, order < 0 ? a : b);
		i = inext;
		k = knext;
	}
	if (!st) {
		*out = c;
		return BC_OK;
	}
	bc_code_comparison_release(&c);
	return st;
}

void bc_code_comparison_release(struct bc_code_comparison *c)
{
	lists_free(c->old);
	lists_free(c->now);
	free(c->difference);
	*c = (struct bc_code_comparison){ .n = 0 };
}
