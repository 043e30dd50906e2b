/* SPDX-License-Identifier: MIT */
/* harness/report/read_xml.h - a report as libxml2's tree: no network, no DTD, UTF-8 only. */
#ifndef BC_REPORT_READ_XML_H
#define BC_REPORT_READ_XML_H

#include <libxml/tree.h>

#include "harness/base/base.h"

#define BC_REPORT_BYTES_MAX ((size_t)256 << 20) /* a larger file is refused */

/**
 * bc_read_xml - parse a file, also one that gzip has compressed
 * @out: to be freed with xmlFreeDoc
 *
 * Return: BC_EREAD when it cannot be read; BC_EDATA with path:line when it is empty, not UTF-8, has a DTD or is not
 * well-formed; with path for a damaged gzip file. It is one of the uses between bc_libxml_begin and bc_libxml_end, as
 * is what follows with the tree.
 */
enum bc_status bc_read_xml(const char *path, xmlDocPtr *out, struct bc_error *err);

/*
 * When libxml2 runs out of memory it goes on here and there, with an attribute or a text left out, and prints to
 * standard error. Each use of it is between these two. Begin: what happened before is forgotten, and nothing is
 * printed.
 */
void bc_libxml_begin(void);

/**
 * bc_libxml_end - was there memory enough?
 * @what: file or document, for the message
 * @st:   how it went otherwise
 *
 * Return: BC_ENOMEM when libxml2 ran out of memory since bc_libxml_begin, whatever @st says; else @st.
 */
enum bc_status bc_libxml_end(const char *what, enum bc_status st, struct bc_error *err);

#endif
