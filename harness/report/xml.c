/* SPDX-License-Identifier: MIT */
#include "harness/report/xml.h"

#include <stdio.h>

#include "harness/report/read_xml.h"

/* libxml2 counts bytes written and gives -1 for a failure. */
static void check(struct bc_xml *x, int rc)
{
	if (rc < 0 && !x->text.st)
		x->text.st = bc_fail(x->text.err, BC_EWRITE, "%s: libxml2 cannot write the document (out of memory?)",
				     x->what);
}

void bc_xml_open(struct bc_xml *x, const char *what, struct bc_error *err)
{
	*x = (struct bc_xml){ .text = { .to = &x->scratch, .err = err }, .what = what };
	bc_libxml_begin();
	x->buffer = xmlBufferCreate();
	if (x->buffer)
		x->writer = xmlNewTextWriterMemory(x->buffer, 0);
	if (!x->writer) {
		x->text.st = bc_fail(err, BC_ENOMEM, "%s: out of memory", what);
		return;
	}
	xmlBufferSetAllocationScheme(x->buffer, XML_BUFFER_ALLOC_DOUBLEIT);
	check(x, xmlTextWriterSetIndent(x->writer, 1));
	if (!x->text.st)
		check(x, xmlTextWriterStartDocument(x->writer, NULL, "UTF-8", NULL));
}

enum bc_status bc_xml_close(struct bc_xml *x, struct bc_text *out)
{
	enum bc_status st;

	if (!x->text.st)
		check(x, xmlTextWriterEndDocument(x->writer));
	if (!x->text.st)
		check(x, xmlTextWriterFlush(x->writer));
	st = bc_libxml_end(x->what, x->text.st, x->text.err);
	if (!st)
		st = bc_text_add(out, (const char *)xmlBufferContent(x->buffer), (size_t)xmlBufferLength(x->buffer),
				 x->text.err);
	xmlFreeTextWriter(x->writer);
	xmlBufferFree(x->buffer);
	bc_text_release(&x->scratch);
	*x = (struct bc_xml){ .text.st = st };
	return st;
}

void bc_xml_start(struct bc_xml *x, const char *element)
{
	if (!x->text.st)
		check(x, xmlTextWriterStartElement(x->writer, BAD_CAST element));
}

void bc_xml_end(struct bc_xml *x)
{
	if (!x->text.st)
		check(x, xmlTextWriterEndElement(x->writer));
}

void bc_xml_attr(struct bc_xml *x, const char *name, const char *value)
{
	bc_put_line(&x->text, value);
	if (!x->text.st)
		check(x, xmlTextWriterWriteAttribute(x->writer, BAD_CAST name, BAD_CAST bc_out_text(&x->text)));
	bc_text_clear(&x->scratch);
}

void bc_xml_attr_count(struct bc_xml *x, const char *name, size_t n)
{
	char buf[24];

	(void)snprintf(buf, sizeof(buf), "%zu", n);
	bc_xml_attr(x, name, buf);
}

void bc_xml_attr_seconds(struct bc_xml *x, const char *name, uint64_t ms)
{
	char buf[BC_SECONDS_MAX];

	bc_seconds(ms, buf);
	bc_xml_attr(x, name, buf);
}

void bc_xml_property(struct bc_xml *x, const char *name, const char *value)
{
	bc_xml_start(x, "property");
	bc_xml_attr(x, "name", name);
	bc_xml_attr(x, "value", value);
	bc_xml_end(x);
}

void bc_xml_text(struct bc_xml *x)
{
	if (!x->text.st)
		check(x, xmlTextWriterWriteString(x->writer, BAD_CAST bc_out_text(&x->text)));
	bc_text_clear(&x->scratch);
}
