/* SPDX-License-Identifier: MIT */
#include "harness/kernel/lines.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define FILES_MAX 65536u

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

/* .loc FILE LINE COLUMN [, function_name LABEL, inlined_at FILE LINE COLUMN]; line 0: nobody's. */
static struct bc_source_place take_loc(const char *at, const char *end)
{
	static const char inlined[] = "inlined_at";
	struct bc_source_place p = { 0 }, call = { 0 };

	if (!take_number(&at, end, &p.file) || !take_number(&at, end, &p.line) || p.line == 0 || p.file == 0)
		return (struct bc_source_place){ 0 };
	for (; at < end && (size_t)(end - at) > sizeof(inlined); at++) {
		if (strncmp(at, inlined, sizeof(inlined) - 1) != 0)
			continue;
		at += sizeof(inlined) - 1;
		if (take_number(&at, end, &call.file) && take_number(&at, end, &call.line) && call.file && call.line &&
		    call.file != p.file)
			return call;
		break;
	}
	return p;
}

enum bc_status bc_source_lines_read(const char *text, struct bc_source_lines *out, struct bc_error *err)
{
	struct bc_source_place now = { 0 };
	enum bc_status st = BC_OK;

	*out = (struct bc_source_lines){ 0 };
	for (const char *c = text; *c; c++)
		out->nlines += *c == '\n';
	out->nlines++;
	out->at = calloc(out->nlines + 1, sizeof(*out->at));
	if (!out->at)
		return bc_fail(err, BC_ENOMEM, "kernel: out of memory");
	for (size_t n = 1; !st && n <= out->nlines; n++) {
		const char *end = text + strcspn(text, "\n"), *at = text;

		if (take_word(&at, end, ".file"))
			st = take_file(out, at, end, err);
		else if (take_word(&at, end, ".loc"))
			now = take_loc(at, end);
		else if (*text == '}' || *text == '.') /* a function ends, or a directive of the module stands there */
			now = (struct bc_source_place){ 0 };
		out->at[n] = now.line ? now : (struct bc_source_place){ 0, (uint32_t)n };
		text = *end ? end + 1 : end;
	}
	for (size_t n = 1; !st && n <= out->nlines; n++) /* of a file that was never named */
		if (out->at[n].file && (out->at[n].file >= out->nfiles || !out->file[out->at[n].file]))
			out->at[n] = (struct bc_source_place){ 0, (uint32_t)n };
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
