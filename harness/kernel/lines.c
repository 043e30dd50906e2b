/* SPDX-License-Identifier: MIT */
#include "harness/kernel/lines.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define FILES_MAX 65536u
#define BUCKETS 1024u

/* A number at *@at, which is moved behind it. */
static bool take_number(const char **at, const char *end, uint32_t *out)
{
	uint64_t v = 0;
	const char *c = *at;

	while (c < end && (*c == ' ' || *c == '\t'))
		c++;
	if (c == end || !isdigit((unsigned char)*c))
		return false;
	for (; c < end && isdigit((unsigned char)*c); c++) {
		v = v * 10 + (uint64_t)(*c - '0');
		if (v > UINT32_MAX)
			return false;
	}
	*at = c;
	*out = (uint32_t)v;
	return true;
}

/* The word at *@at, if it is @word. */
static bool take_word(const char **at, const char *end, const char *word)
{
	const size_t len = strlen(word);
	const char *c = *at;

	while (c < end && (*c == ' ' || *c == '\t'))
		c++;
	if ((size_t)(end - c) <= len || strncmp(c, word, len) != 0 || (c[len] != ' ' && c[len] != '\t'))
		return false;
	*at = c + len;
	return true;
}

/* .file N "path" ... */
static enum bc_status take_file(struct bc_source_lines *s, const char *at, const char *end, struct bc_error *err)
{
	const char *open, *close;
	uint32_t n = 0;
	char *copy;

	if (!take_number(&at, end, &n) || n == 0 || n >= FILES_MAX)
		return BC_OK;
	open = memchr(at, '"', (size_t)(end - at));
	close = open ? memchr(open + 1, '"', (size_t)(end - open - 1)) : NULL;
	if (!close)
		return BC_OK;
	if (n >= s->nfiles) {
		char **more = realloc(s->file, (n + 1) * sizeof(*more));

		if (!more)
			return bc_fail(err, BC_ENOMEM, "kernel: out of memory");
		memset(more + s->nfiles, 0, (n + 1 - s->nfiles) * sizeof(*more));
		s->file = more;
		s->nfiles = n + 1;
	}
	copy = strndup(open + 1, (size_t)(close - open - 1));
	if (!copy)
		return bc_fail(err, BC_ENOMEM, "kernel: out of memory");
	free(s->file[n]);
	s->file[n] = copy;
	return BC_OK;
}

/* A .loc of this function whose code was inlined. */
struct inlined {
	uint32_t file, line, column;
	uint32_t root; /* file of the outermost call */
	struct bc_source_place shown;
	size_t next; /* of the same bucket, + 1; 0: none */
};

struct inlines {
	struct inlined *at;
	size_t n, room, bucket[BUCKETS]; /* + 1; 0: none; the newest first */
};

static size_t bucket_of(uint32_t file, uint32_t line, uint32_t column)
{
	return (file * 2654435761u ^ line * 40503u ^ column * 97u) % BUCKETS;
}

static struct inlined *find_inlined(const struct inlines *in, uint32_t file, uint32_t line, uint32_t column)
{
	if (!in->at)
		return NULL;
	for (size_t i = in->bucket[bucket_of(file, line, column)]; i; i = in->at[i - 1].next) {
		struct inlined *p = &in->at[i - 1];

		if (p->file == file && p->line == line && p->column == column)
			return p;
	}
	return NULL;
}

/* Remember @p; one at the same place is replaced. */
static enum bc_status keep_inlined(struct inlines *in, const struct inlined *p, struct bc_error *err)
{
	struct inlined *same = find_inlined(in, p->file, p->line, p->column);
	size_t *bucket = &in->bucket[bucket_of(p->file, p->line, p->column)];

	if (same) {
		same->root = p->root;
		same->shown = p->shown;
		return BC_OK;
	}
	if (in->n == in->room) {
		const size_t room = in->room ? 2 * in->room : 64;
		struct inlined *more = realloc(in->at, room * sizeof(*more));

		if (!more)
			return bc_fail(err, BC_ENOMEM, "kernel: out of memory");
		in->at = more;
		in->room = room;
	}
	in->at[in->n] = *p;
	in->at[in->n].next = *bucket;
	*bucket = ++in->n;
	return BC_OK;
}

static void forget_inlined(struct inlines *in)
{
	if (in->n)
		memset(in->bucket, 0, sizeof(in->bucket));
	in->n = 0;
}

/* .loc FILE LINE COLUMN [, function_name LABEL, inlined_at FILE LINE COLUMN]; line 0: nobody's. A call that was itself
 * inlined is a place that an earlier .loc named, with its own inlined_at. */
static enum bc_status take_loc(const char *at, const char *end, struct inlines *in, struct bc_source_place *out,
			       struct bc_error *err)
{
	static const char word[] = "inlined_at";
	struct inlined p = { 0 };
	struct bc_source_place call = { 0 };
	const struct inlined *outer;
	uint32_t column = 0;

	*out = call;
	if (!take_number(&at, end, &p.file) || !take_number(&at, end, &p.line) || p.line == 0 || p.file == 0)
		return BC_OK;
	(void)take_number(&at, end, &p.column);
	*out = (struct bc_source_place){ p.file, p.line };
	while (at < end && ((size_t)(end - at) < sizeof(word) || strncmp(at, word, sizeof(word) - 1) != 0))
		at++;
	if (at == end)
		return BC_OK;
	at += sizeof(word) - 1;
	if (!take_number(&at, end, &call.file) || !take_number(&at, end, &call.line) || !call.file || !call.line)
		return BC_OK;
	(void)take_number(&at, end, &column);
	outer = find_inlined(in, call.file, call.line, column);
	p.root = outer ? outer->root : call.file;
	if (p.file != p.root)
		*out = outer ? outer->shown : call;
	p.shown = *out;
	return keep_inlined(in, &p, err);
}

enum bc_status bc_source_lines_read(const char *text, struct bc_source_lines *out, struct bc_error *err)
{
	struct bc_source_place now = { 0 };
	struct inlines *in = NULL;
	enum bc_status st = BC_OK;

	*out = (struct bc_source_lines){ 0 };
	for (const char *c = text; *c; c++)
		out->nlines += *c == '\n';
	out->nlines++;
	out->at = calloc(out->nlines + 1, sizeof(*out->at));
	in = out->at ? calloc(1, sizeof(*in)) : NULL;
	if (!in)
		st = bc_fail(err, BC_ENOMEM, "kernel: out of memory");
	for (size_t n = 1; !st && n <= out->nlines; n++) {
		const char *end = text + strcspn(text, "\n"), *at = text;

		if (take_word(&at, end, ".file"))
			st = take_file(out, at, end, err);
		else if (take_word(&at, end, ".loc"))
			st = take_loc(at, end, in, &now, err);
		else if (*text == '}' ||
			 *text == '.') { /* a function ends, or a directive of the module stands there */
			now = (struct bc_source_place){ 0 };
			forget_inlined(in);
		}
		out->at[n] = now.line ? now : (struct bc_source_place){ 0, (uint32_t)n };
		text = *end ? end + 1 : end;
	}
	for (size_t n = 1; !st && n <= out->nlines; n++) /* of a file that was never named */
		if (out->at[n].file && (out->at[n].file >= out->nfiles || !out->file[out->at[n].file]))
			out->at[n] = (struct bc_source_place){ 0, (uint32_t)n };
	if (in)
		free(in->at);
	free(in);
	return st;
}

void bc_source_lines_release(struct bc_source_lines *s)
{
	for (size_t i = 0; i < s->nfiles; i++)
		free(s->file[i]);
	free(s->file);
	free(s->at);
	*s = (struct bc_source_lines){ 0 };
}
