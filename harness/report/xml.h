/* SPDX-License-Identifier: MIT */
/* harness/report/xml.h - an XML document being written through libxml2 into memory.
 *
 * The first failure is kept in the document, and what is written after it is dropped: callers look once, at the end.
 */
#ifndef BC_REPORT_XML_H
#define BC_REPORT_XML_H

#include <libxml/xmlwriter.h>

#include "harness/base/out.h"

struct bc_xml {
	struct bc_out text; /* put here what bc_xml_text writes; its status is that of the document */
	struct bc_text scratch;
	xmlBufferPtr buffer;
	xmlTextWriterPtr writer;
	const char *what; /* file or document, for messages */
};

/* Begin an indented UTF-8 document. @what outlives it. */
void bc_xml_open(struct bc_xml *x, const char *what, struct bc_error *err);

/**
 * bc_xml_close - end the document and append it to @out; all of its memory is freed
 *
 * Return: the first failure; then @out is as it was. BC_ENOMEM, BC_EWRITE, or what a caller left in x->text.st.
 */
enum bc_status bc_xml_close(struct bc_xml *x, struct bc_text *out);

/* Start an element, and end the one that was started last. */
void bc_xml_start(struct bc_xml *x, const char *element);
void bc_xml_end(struct bc_xml *x);

/* An attribute of the element just started: one line of text that may hold anything, a number, seconds ("1.234"). */
void bc_xml_attr(struct bc_xml *x, const char *name, const char *value);
void bc_xml_attr_count(struct bc_xml *x, const char *name, size_t n);
void bc_xml_attr_seconds(struct bc_xml *x, const char *name, uint64_t ms);

/* <property name="" value=""/> */
void bc_xml_property(struct bc_xml *x, const char *name, const char *value);

/* Write what was put into x->text, which must be safe already (escape.h), as text of the element, and empty x->text. */
void bc_xml_text(struct bc_xml *x);

#endif
