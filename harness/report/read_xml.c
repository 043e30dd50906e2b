/* SPDX-License-Identifier: MIT */
#include "harness/report/read_xml.h"

#include <limits.h>
#include <string.h>

#include <libxml/parser.h>
#include <libxml/xmlerror.h>

#include "harness/base/gzip.h"

/* UTF-8 whatever the file declares. Said so, and not as the encoding "UTF-8": libxml2 2.9 then crashes when memory runs
 * out. */
#define PARSE_OPTIONS                                                                                       \
	(XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_BIG_LINES | XML_PARSE_HUGE | \
	 XML_PARSE_IGNORE_ENC)

#define NOT_OURS "not a report that bankcheck wrote; give reports/*.xml of `bankcheck run`"

/* libxml2 sees for itself what is UTF-16, UTF-32 or EBCDIC, whatever it is told; a DTD in them would be overlooked
 * below. */
static enum bc_status refuse_encoding(const char *path, const struct bc_text *text, struct bc_error *err)
{
	static const char *const starts[] = { "\xfe\xff", "\xff\xfe", "\x4c\x6f\xa7\x94" /* EBCDIC's <?xm */ };
	bool other = memchr(text->data, '\0', text->len) != NULL;

	for (size_t i = 0; i < BC_ARRAY_LEN(starts); i++)
		other = other || strncmp(text->data, starts[i], strlen(starts[i])) == 0;
	if (!other)
		return BC_OK;
	return bc_fail(err, BC_EDATA, "%s:1: not UTF-8: " NOT_OURS, path);
}

/* A DTD can make a small file large (entities) and name other files; ours have none. */
static enum bc_status refuse_dtd(const char *path, const struct bc_text *text, struct bc_error *err)
{
	static const char mark[] = "<!DOCTYPE";
	const char *at = memmem(text->data, text->len, mark, sizeof(mark) - 1);
	unsigned line = 1;

	if (!at)
		return BC_OK;
	for (const char *p = text->data; p < at; p++)
		line += *p == '\n';
	return bc_fail(err, BC_EDATA, "%s:%u: a document type definition: " NOT_OURS, path, line);
}

static void print_nothing(void *ctx, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void print_nothing(void *ctx, const char *fmt, ...)
{
	(void)ctx;
	(void)fmt;
}

/* libxml2 keeps its last error only: after a lack of memory it may go on and call the document malformed. */
static bool memory_lacked;

#if LIBXML_VERSION >= 21200
static void note_error(void *ctx, const xmlError *e)
#else
static void note_error(void *ctx, xmlErrorPtr e)
#endif
{
	(void)ctx;
	memory_lacked = memory_lacked || (e && e->code == XML_ERR_NO_MEMORY);
}

void bc_libxml_begin(void)
{
	memory_lacked = false;
	xmlSetStructuredErrorFunc(NULL, note_error);
	xmlSetGenericErrorFunc(NULL, print_nothing);
	xmlResetLastError();
}

enum bc_status bc_libxml_end(const char *what, enum bc_status st, struct bc_error *err)
{
	const xmlError *e = xmlGetLastError();

	return memory_lacked || (e && e->code == XML_ERR_NO_MEMORY)
		       ? bc_fail(err, BC_ENOMEM, "%s: libxml2: out of memory", what)
		       : st;
}

/* The file, or what it holds when it is compressed. */
static enum bc_status read_text(const char *path, struct bc_text *out, struct bc_error *err)
{
	struct bc_text file = { 0 };
	enum bc_status st = bc_file_read(path, BC_REPORT_BYTES_MAX, &file, err);

	if (!st && bc_is_gzip(&file)) {
		st = bc_gunzip(&file, path, BC_REPORT_BYTES_MAX, out, err);
		bc_text_release(&file);
	} else {
		*out = file;
	}
	return st;
}

enum bc_status bc_read_xml(const char *path, xmlDocPtr *out, struct bc_error *err)
{
	struct bc_text text = { 0 };
	xmlDocPtr doc = NULL;
	enum bc_status st = read_text(path, &text, err);

	if (!st && (!text.len || text.len > INT_MAX))
		st = bc_fail(err, BC_EDATA, "%s: an empty file is no report", path);
	if (!st)
		st = refuse_encoding(path, &text, err);
	if (!st)
		st = refuse_dtd(path, &text, err);
	if (!st)
		doc = xmlReadMemory(text.data, (int)text.len, path, NULL, PARSE_OPTIONS);
	if (!st && !doc) {
		const xmlError *e = xmlGetLastError();

		st = bc_libxml_end(path, BC_OK, err);
		if (!st)
			st = bc_fail(err, BC_EDATA, "%s:%d: not well-formed XML (cut short?): %.*s", path,
				     e ? e->line : 0, e && e->message ? (int)strcspn(e->message, "\n") : 0,
				     e && e->message ? e->message : "");
	}
	bc_text_release(&text);
	if (!st)
		*out = doc;
	return st;
}
