/* SPDX-License-Identifier: MIT */
/* harness/report/read_xml.h - a report as libxml2's tree: no network, no DTD, UTF-8 only. */
#ifndef BC_REPORT_READ_XML_H
#define BC_REPORT_READ_XML_H

#include <libxml/tree.h>

#include "harness/core/base.h"

/**
 * bc_read_xml - parse a file
 * @out: to be freed with xmlFreeDoc
 *
 * Return: BC_EREAD when it cannot be read; BC_EDATA with path:line when it is empty, has a DTD or is not well-formed.
 */
enum bc_status bc_read_xml(const char *path, xmlDocPtr *out, struct bc_error *err);

#endif
