/* SPDX-License-Identifier: MIT */
/* harness/report/junit_limits.h - is a report too large for those who are to read it? */
#ifndef BC_REPORT_JUNIT_LIMITS_H
#define BC_REPORT_JUNIT_LIMITS_H

#include "harness/base/base.h"

/* What GitLab takes of one file: less than 30 MB; elements, attributes and texts together, since 17.6. */
#define BC_GITLAB_BYTES 30000000u
#define BC_GITLAB_NODES 250000u

/* What a document has. Zero-initialise. */
struct bc_xml_size {
	size_t bytes, nodes; /* nodes: elements, attributes, texts (also blank ones) */
	enum { BC_XML_TEXT_NONE, BC_XML_IN_TEXT, BC_XML_IN_TAG, BC_XML_IN_VALUE, BC_XML_IN_OTHER } at;
	char quote;	  /* of the value it is in */
	bool tag_started; /* the character before was `<` */
};

/* Count the next piece of a document that bankcheck wrote (no comment, CDATA or DTD). */
void bc_xml_size_add(struct bc_xml_size *s, const char *bytes, size_t len);

/**
 * bc_junit_limits - is the file @path beyond what GitLab takes?
 * @words: [size] filled when it is: "31.2 MB and 260000 elements, attributes and texts, and GitLab takes less than ..."
 *
 * A file above the limit of bytes is not read. Return: false also when it cannot be read.
 */
bool bc_junit_limits(const char *path, char *words, size_t size);

#endif
