/* SPDX-License-Identifier: MIT */
#include "harness/base/gzip.h"

#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#define GZIP_ONLY (15 + 16)	/* zlib's windowBits: the largest window, gzip's head and checksum */
#define PIECE ((size_t)1 << 30) /* zlib counts in 32 bits */
#define LEVEL 6
#define MEMORY 8

bool bc_is_gzip(const struct bc_text *t)
{
	return t->len >= 2 && (unsigned char)t->data[0] == 0x1f && (unsigned char)t->data[1] == 0x8b;
}

/* Twice the room, or the first; never above @max + 1 with its NUL. */
static enum bc_status grow(struct bc_text *t, size_t first, size_t max, const char *path, struct bc_error *err)
{
	size_t cap = t->cap ? 2 * t->cap : first;
	char *grown;

	if (cap > max + 2)
		cap = max + 2;
	grown = realloc(t->data, cap);
	if (!grown)
		return bc_fail(err, BC_ENOMEM, "%s: out of memory", path);
	t->data = grown;
	t->cap = cap;
	return BC_OK;
}

static enum bc_status damaged(const z_stream *z, const char *path, int rc, struct bc_error *err)
{
	if (rc == Z_MEM_ERROR)
		return bc_fail(err, BC_ENOMEM, "%s: out of memory", path);
	if (rc == Z_OK || rc == Z_BUF_ERROR)
		return bc_fail(err, BC_EDATA, "%s: the gzip file is cut short: copy or make it again", path);
	return bc_fail(err, BC_EDATA, "%s: a damaged gzip file (%s): copy or make it again", path,
		       z->msg ? z->msg : "not gzip");
}

/* One member and what follows it, as long as there is input. */
static enum bc_status inflate_all(z_stream *z, size_t left, const char *path, size_t max, struct bc_text *out,
				  struct bc_error *err)
{
	int rc = Z_OK;

	for (;;) {
		if (!z->avail_in) {
			z->avail_in = (uInt)(left < PIECE ? left : PIECE);
			left -= z->avail_in;
		}
		if (rc == Z_STREAM_END && !z->avail_in)
			return BC_OK;
		if (rc == Z_STREAM_END && inflateReset(z) != Z_OK)
			return damaged(z, path, Z_STREAM_ERROR, err);
		if (out->cap - out->len < 2 && grow(out, 0, max, path, err))
			return BC_ENOMEM;
		z->next_out = (Bytef *)out->data + out->len;
		z->avail_out = (uInt)(out->cap - out->len - 1 < PIECE ? out->cap - out->len - 1 : PIECE);
		rc = inflate(z, Z_NO_FLUSH);
		out->len = (size_t)((char *)z->next_out - out->data);
		if (out->len > max)
			return bc_fail(err, BC_EDATA, "%s: holds more than %zu bytes", path, max);
		if (rc != Z_OK && rc != Z_STREAM_END && !(rc == Z_BUF_ERROR && (z->avail_in || left)))
			return damaged(z, path, rc, err);
		if (rc == Z_OK && !z->avail_in && !left && z->avail_out)
			return damaged(z, path, Z_BUF_ERROR, err);
	}
}

enum bc_status bc_gunzip(const struct bc_text *in, const char *path, size_t max, struct bc_text *out,
			 struct bc_error *err)
{
	z_stream z = { .next_in = (Bytef *)in->data };
	struct bc_text text = { 0 };
	const unsigned char *end = (const unsigned char *)in->data + in->len;
	size_t first = 65536;
	enum bc_status st;

	/* The last four bytes say how long it is, modulo 2^32; a damaged file may say anything. */
	if (in->len > 18)
		first = (size_t)end[-4] | (size_t)end[-3] << 8 | (size_t)end[-2] << 16 | (size_t)end[-1] << 24;
	first = first + 2 < in->len * 64 ? first + 2 : in->len * 64 + 2;
	if (inflateInit2(&z, GZIP_ONLY) != Z_OK)
		return bc_fail(err, BC_ENOMEM, "%s: out of memory", path);
	st = grow(&text, first, max, path, err);
	if (!st)
		st = inflate_all(&z, in->len, path, max, &text, err);
	(void)inflateEnd(&z);
	if (!st) {
		text.data[text.len] = '\0';
		*out = text;
		text = (struct bc_text){ 0 }; /* the caller owns it now */
	}
	bc_text_release(&text);
	return st;
}

enum bc_status bc_gzip(const void *data, size_t len, struct bc_text *out, struct bc_error *err)
{
	z_stream z = { .next_in = (Bytef *)(uintptr_t)data };
	struct bc_text text = { 0 };
	enum bc_status st = BC_OK;
	int rc;

	if (len > PIECE || deflateInit2(&z, LEVEL, Z_DEFLATED, GZIP_ONLY, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
		return bc_fail(err, BC_ENOMEM, "gzip: out of memory");
	z.avail_in = (uInt)len;
	text.cap = deflateBound(&z, (uLong)len) + 1;
	text.data = malloc(text.cap);
	if (!text.data) {
		st = bc_fail(err, BC_ENOMEM, "gzip: out of memory");
	} else {
		z.next_out = (Bytef *)text.data;
		z.avail_out = (uInt)(text.cap - 1);
		rc = deflate(&z, Z_FINISH);
		text.len = text.cap - 1 - z.avail_out;
		text.data[text.len] = '\0';
		if (rc != Z_STREAM_END)
			st = bc_fail(err, BC_ENOMEM, "gzip: out of memory");
	}
	(void)deflateEnd(&z);
	if (!st) {
		*out = text;
		text = (struct bc_text){ 0 }; /* the caller owns it now */
	}
	bc_text_release(&text);
	return st;
}
