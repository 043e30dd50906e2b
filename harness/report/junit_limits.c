/* SPDX-License-Identifier: MIT */
#include "harness/report/junit_limits.h"

#include <stdio.h>
#include <sys/stat.h>

static void next(struct bc_xml_size *s, char c)
{
	const bool started = s->tag_started;

	s->tag_started = false;
	switch (s->at) {
	case BC_XML_TEXT_NONE:
	case BC_XML_IN_TEXT:
		if (c == '<') {
			s->at = BC_XML_IN_TAG;
			s->tag_started = true;
		} else if (s->at == BC_XML_TEXT_NONE) {
			s->at = BC_XML_IN_TEXT;
			s->nodes++;
		}
		break;
	case BC_XML_IN_TAG:
		if (started && (c == '/' || c == '?')) {
			s->at = BC_XML_IN_OTHER;
		} else if (started) {
			s->nodes++;
		} else if (c == '"' || c == '\'') {
			s->nodes++;
			s->at = BC_XML_IN_VALUE;
			s->quote = c;
		} else if (c == '>') {
			s->at = BC_XML_TEXT_NONE;
		}
		break;
	case BC_XML_IN_VALUE: s->at = c == s->quote ? BC_XML_IN_TAG : BC_XML_IN_VALUE; break;
	case BC_XML_IN_OTHER: s->at = c == '>' ? BC_XML_TEXT_NONE : BC_XML_IN_OTHER; break;
	}
}

void bc_xml_size_add(struct bc_xml_size *s, const char *bytes, size_t len)
{
	s->bytes += len;
	for (size_t i = 0; i < len; i++)
		next(s, bytes[i]);
}

bool bc_junit_limits(const char *path, char *words, size_t size)
{
	struct bc_xml_size has = { 0 };
	struct bc_text text = { 0 };
	struct stat s;
	bool over;

	if (stat(path, &s) || !S_ISREG(s.st_mode))
		return false;
	if ((uint64_t)s.st_size >= BC_GITLAB_BYTES) {
		(void)snprintf(words, size, "%.1f MB; GitLab takes reports below %u MB", (double)s.st_size / 1e6,
			       BC_GITLAB_BYTES / 1000000u);
		return true;
	}
	if (!bc_file_read(path, BC_GITLAB_BYTES, &text, NULL) && text.data)
		bc_xml_size_add(&has, text.data, text.len);
	over = has.nodes > BC_GITLAB_NODES;
	if (over)
		(void)snprintf(words, size, "%zu elements, attributes and texts; GitLab takes reports of up to %u",
			       has.nodes, BC_GITLAB_NODES);
	bc_text_release(&text);
	return over;
}
