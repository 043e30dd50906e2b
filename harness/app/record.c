/* SPDX-License-Identifier: MIT */
#include "harness/app/record.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/escape.h"
#include "harness/base/out.h"
#include "harness/base/textfile.h"

#define HEAD "bankcheck-app 2"
#define CELLS 9

static const char *const kinds[] = { [BC_APP_KERNEL] = "kernel", [BC_APP_GRAPH] = "graph" };

const char *bc_app_kind_name(enum bc_app_kind k)
{
	return (unsigned)k < BC_ARRAY_LEN(kinds) ? kinds[k] : "unknown";
}

void bc_app_note(struct bc_app_record *r, const char *fmt, ...)
{
	char text[BC_APP_NOTE_MAX];
	char(*grown)[BC_APP_NOTE_MAX];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	for (size_t i = 0; i < r->nnotes; i++)
		if (strcmp(r->note[i], text) == 0)
			return;
	grown = realloc(r->note, (r->nnotes + 1) * sizeof(*grown));
	if (!grown)
		return;
	r->note = grown;
	(void)bc_strlcpy(r->note[r->nnotes++], text, sizeof(text));
}

void bc_app_leave(struct bc_app_record *r, const char *why)
{
	size_t i = 0;

	while (i < r->nleft && strcmp(r->left[i].why, why) != 0)
		i++;
	if (i == BC_APP_LEFT_MAX)
		i--; /* the last one stands for all others */
	if (i == r->nleft) {
		r->nleft++;
		r->left[i].launches = 0;
		(void)bc_strlcpy(r->left[i].why, why, sizeof(r->left[i].why));
	}
	r->left[i].launches++;
}

static void put_cell(struct bc_out *o, const char *s)
{
	bc_put(o, "\t");
	bc_put_escaped(o, BC_ESCAPE_VALUE, s);
}

static void put_kernel(struct bc_out *o, const struct bc_app_kernel *k)
{
	bc_putf(o, "kernel\t%u\t%s\t%u,%u,%u\t%u,%u,%u\t%u\t%" PRIu64, k->device, bc_app_kind_name(k->kind), k->grid[0],
		k->grid[1], k->grid[2], k->block[0], k->block[1], k->block[2], k->shared_bytes, k->launches);
	put_cell(o, k->name);
	bc_put(o, "\n");
	for (unsigned c = 0; c < BC_NCOUNTERS; c++)
		if (k->count[c].launches)
			bc_putf(o, "count\t%s\t%" PRIu64 "\t%" PRIu64 "\n", bc_counter_name((enum bc_counter)c),
				k->count[c].launches, k->count[c].sum);
}

enum bc_status bc_app_record_write(const struct bc_app_record *r, struct bc_text *out, struct bc_error *err)
{
	struct bc_out o = { .to = out, .err = err };

	bc_putf(&o, HEAD "\nprocess\t%ld", r->pid);
	put_cell(&o, r->command ? r->command : "");
	bc_put(&o, "\n");
	for (size_t i = 0; i < r->ndevices; i++) {
		bc_putf(&o, "device\t%u", r->device[i].index);
		put_cell(&o, r->device[i].name);
		put_cell(&o, r->device[i].uuid);
		put_cell(&o, r->device[i].arch);
		put_cell(&o, r->device[i].driver);
		put_cell(&o, r->device[i].cuda);
		bc_put(&o, "\n");
	}
	for (size_t i = 0; i < r->nkernels; i++)
		put_kernel(&o, &r->kernel[i]);
	for (size_t i = 0; i < r->nleft; i++) {
		bc_putf(&o, "left\t%" PRIu64, r->left[i].launches);
		put_cell(&o, r->left[i].why);
		bc_put(&o, "\n");
	}
	for (size_t i = 0; i < r->nnotes; i++) {
		bc_put(&o, "note");
		put_cell(&o, r->note[i]);
		bc_put(&o, "\n");
	}
	bc_putf(&o, "cost\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n", r->start_us, r->measured,
		r->extra_us, r->sessions, r->voids);
	if (r->cut)
		bc_put(&o, "cut\n");
	if (r->ended)
		bc_put(&o, "end\n");
	return o.st;
}

/* One line being read. */
struct reading {
	struct bc_app_record *r;
	char *cell[CELLS];
	size_t n;
};

static bool whole(const char *s, uint64_t *out)
{
	uint64_t v = 0;

	if (!*s)
		return false;
	for (; *s; s++) {
		const unsigned digit = (unsigned)(*s - '0');

		if (digit > 9 || v > (UINT64_MAX - digit) / 10)
			return false;
		v = v * 10 + digit;
	}
	*out = v;
	return true;
}

/* "X,Y,Z", each at least 1 unless @zero. */
static bool triple(char *s, uint32_t out[3])
{
	for (int i = 0; i < 3; i++) {
		char *comma = strchr(s, ',');

		if ((i < 2) != (comma != NULL))
			return false;
		if (comma)
			*comma = '\0';
		if (!bc_u32_parse(s, &out[i]))
			return false;
		s = comma ? comma + 1 : s;
	}
	return true;
}

/* The bytes of an escaped cell, malloc'ed. */
static enum bc_status unescape(const char *cell, char **out, struct bc_error *err)
{
	struct bc_text t = { 0 };
	enum bc_status st = bc_text_add(&t, "", 0, err);

	if (!st)
		st = bc_unescape(&t, cell, strlen(cell), err);
	if (!st && !t.data)
		st = bc_text_add(&t, "", 1, err);
	if (st || memchr(t.data, '\0', t.len ? t.len - (t.data[t.len - 1] == '\0') : 0)) {
		bc_text_release(&t);
		return st ? st : bc_fail(err, BC_EDATA, "a NUL byte");
	}
	*out = t.data;
	return BC_OK;
}

static enum bc_status read_process(struct reading *l, struct bc_error *err)
{
	uint64_t pid;

	if (l->n != 3 || !whole(l->cell[1], &pid) || pid > INT32_MAX || l->r->command)
		return bc_fail(err, BC_EDATA, "a process line is `process PID COMMAND`, once");
	l->r->pid = (long)pid;
	return unescape(l->cell[2], &l->r->command, err);
}

static enum bc_status read_device(struct reading *l, struct bc_error *err)
{
	struct bc_app_device *grown, d = { 0 };

	if (l->n != 7 || !bc_u32_parse(l->cell[1], &d.index))
		return bc_fail(err, BC_EDATA, "a device line is `device INDEX NAME UUID ARCH DRIVER CUDA`");
	(void)bc_strlcpy(d.name, l->cell[2], sizeof(d.name));
	(void)bc_strlcpy(d.uuid, l->cell[3], sizeof(d.uuid));
	(void)bc_strlcpy(d.arch, l->cell[4], sizeof(d.arch));
	(void)bc_strlcpy(d.driver, l->cell[5], sizeof(d.driver));
	(void)bc_strlcpy(d.cuda, l->cell[6], sizeof(d.cuda));
	grown = realloc(l->r->device, (l->r->ndevices + 1) * sizeof(*grown));
	if (!grown)
		return bc_fail(err, BC_ENOMEM, "out of memory");
	l->r->device = grown;
	l->r->device[l->r->ndevices++] = d;
	return BC_OK;
}

static enum bc_status read_kernel(struct reading *l, struct bc_error *err)
{
	struct bc_app_kernel *grown, k = { 0 };
	enum bc_status st;

	if (l->n != 8 || !bc_u32_parse(l->cell[1], &k.device) || !triple(l->cell[3], k.grid) ||
	    !triple(l->cell[4], k.block) || !bc_u32_parse(l->cell[5], &k.shared_bytes) ||
	    !whole(l->cell[6], &k.launches))
		return bc_fail(err, BC_EDATA,
			       "a kernel line is `kernel DEVICE KIND X,Y,Z X,Y,Z SHARED_BYTES LAUNCHES NAME`");
	while (k.kind < BC_ARRAY_LEN(kinds) && strcmp(kinds[k.kind], l->cell[2]) != 0)
		k.kind++;
	if (k.kind == BC_ARRAY_LEN(kinds))
		return bc_fail(err, BC_EDATA, "%s: not a kind of launch", l->cell[2]);
	st = unescape(l->cell[7], &k.name, err);
	if (st)
		return st;
	grown = realloc(l->r->kernel, (l->r->nkernels + 1) * sizeof(*grown));
	if (!grown) {
		free(k.name);
		return bc_fail(err, BC_ENOMEM, "out of memory");
	}
	l->r->kernel = grown;
	l->r->kernel[l->r->nkernels++] = k;
	return BC_OK;
}

static enum bc_status read_count(struct reading *l, struct bc_error *err)
{
	struct bc_app_sum s;
	unsigned c = 0;

	if (l->n != 4 || !l->r->nkernels || !whole(l->cell[2], &s.launches) || !whole(l->cell[3], &s.sum))
		return bc_fail(err, BC_EDATA, "a count line is `count COUNTER LAUNCHES SUM`, below its kernel's");
	while (c < BC_NCOUNTERS && strcmp(bc_counter_name((enum bc_counter)c), l->cell[1]) != 0)
		c++;
	if (c == BC_NCOUNTERS)
		return bc_fail(err, BC_EDATA, "%s: not a counter", l->cell[1]);
	l->r->kernel[l->r->nkernels - 1].count[c] = s;
	return BC_OK;
}

static enum bc_status read_left(struct reading *l, struct bc_error *err)
{
	struct bc_app_left *left = &l->r->left[l->r->nleft];

	if (l->n != 3 || l->r->nleft == BC_APP_LEFT_MAX || !whole(l->cell[1], &left->launches))
		return bc_fail(err, BC_EDATA, "a left line is `left LAUNCHES WHY`, at most %d", BC_APP_LEFT_MAX);
	(void)bc_strlcpy(left->why, l->cell[2], sizeof(left->why));
	l->r->nleft++;
	return BC_OK;
}

static enum bc_status read_line(struct reading *l, struct bc_error *err)
{
	const char *key = l->cell[0];
	struct bc_app_record *r = l->r;

	if (strcmp(key, "process") == 0)
		return read_process(l, err);
	if (strcmp(key, "device") == 0)
		return read_device(l, err);
	if (strcmp(key, "kernel") == 0)
		return read_kernel(l, err);
	if (strcmp(key, "count") == 0)
		return read_count(l, err);
	if (strcmp(key, "left") == 0)
		return read_left(l, err);
	if (strcmp(key, "note") == 0 && l->n == 2) {
		bc_app_note(r, "%s", l->cell[1]);
		return BC_OK;
	}
	if (strcmp(key, "cost") == 0 && l->n == 6 && whole(l->cell[1], &r->start_us) &&
	    whole(l->cell[2], &r->measured) && whole(l->cell[3], &r->extra_us) && whole(l->cell[4], &r->sessions) &&
	    whole(l->cell[5], &r->voids))
		return BC_OK;
	if (strcmp(key, "cut") == 0 && l->n == 1) {
		r->cut = true;
		return BC_OK;
	}
	if (strcmp(key, "end") == 0 && l->n == 1) {
		r->ended = true;
		return BC_OK;
	}
	return bc_fail(err, BC_EDATA, "%.40s: no line of a record", key);
}

enum bc_status bc_app_record_read(char *text, const char *path, struct bc_app_record *out, struct bc_error *err)
{
	unsigned number = 0;

	for (char *line = text, *next; line && *line; line = next) {
		struct reading l = { .r = out };
		struct bc_error why = { .msg = "" };
		enum bc_status st;

		next = strchr(line, '\n');
		number++;
		if (!next)
			return bc_fail(err, BC_EDATA, "%s:%u: the line has no end: the file was cut", path, number);
		*next++ = '\0';
		if (number == 1 && strcmp(line, HEAD) != 0)
			return bc_fail(err, BC_EDATA, "%s:1: not a record of this version (%s)", path, HEAD);
		if (number == 1)
			continue;
		for (char *at = line; at && l.n < CELLS;) {
			l.cell[l.n++] = at;
			at = strchr(at, '\t');
			if (at)
				*at++ = '\0';
		}
		st = read_line(&l, &why);
		if (st)
			return bc_fail(err, st, "%s:%u: %s", path, number, why.msg);
	}
	return number ? BC_OK : bc_fail(err, BC_EDATA, "%s: empty", path);
}

void bc_app_record_release(struct bc_app_record *r)
{
	for (size_t i = 0; i < r->nkernels; i++)
		free(r->kernel[i].name);
	free(r->kernel);
	free(r->device);
	free(r->note);
	free(r->command);
	memset(r, 0, sizeof(*r));
}
