/* SPDX-License-Identifier: MIT */
/* harness/run/resume.h - inside of a session: going on from the journal of a run that was cut off. */
#ifndef BC_RUN_RESUME_H
#define BC_RUN_RESUME_H

#include "harness/base/base.h"

struct bc_session;

/* Take over what the journal of the options holds and open it to append. Return: BC_EDATA when it is of another run. */
enum bc_status bc_session_resume(struct bc_session *s, struct bc_error *err);

#endif
