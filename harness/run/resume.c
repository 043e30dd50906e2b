/* SPDX-License-Identifier: MIT */
#include "harness/run/resume.h"

#include <string.h>

#include "harness/run/last_run.h"
#include "harness/run/message.h"
#include "harness/run/session_state.h"

/* A line of the journal that a run continues from. */
static enum bc_status resume_line(void *ctx, const struct bc_fields *line, struct bc_error *err)
{
	struct bc_session *s = ctx;
	enum bc_status st;

	if (strcmp(line->kind, "obs") == 0)
		return bc_session_take_journalled(s, line, err);
	if (strcmp(line->kind, "death") == 0)
		return bc_session_take_death(s, line, err);
	if (strcmp(line->kind, "run") != 0)
		return BC_OK;
	st = bc_journal_same(line, &s->run, s->options, err);
	(void)bc_strlcpy(s->run.run_id, bc_message_get(line, "run_id"), sizeof(s->run.run_id));
	(void)bc_strlcpy(s->run.timestamp, bc_message_get(line, "timestamp"), sizeof(s->run.timestamp));
	(void)bc_strlcpy(s->run.run_name, bc_message_get(line, "run_name"), sizeof(s->run.run_name));
	return st;
}

enum bc_status bc_session_resume(struct bc_session *s, struct bc_error *err)
{
	size_t whole = 0;
	char host[BC_HOST_MAX];
	enum bc_status st = BC_OK;

	if (bc_last_run_is_of_another(s->options->journal, &s->run, host))
		return bc_fail(err, BC_EDATA,
			       "%s: is the journal of the host %s, and this is %s: give each host a folder of its own "
			       "(--reports), or the name it had (--host)",
			       s->options->journal, host, s->run.host);
	st = bc_journal_read(s->options->journal, resume_line, s, &whole, err);

	return st ? st : bc_journal_append(s->options->journal, whole, &s->journal, err);
}
