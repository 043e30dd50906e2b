/* SPDX-License-Identifier: MIT */
/* harness/run/resume.h - inside of a session: the identity of a run, and going on from a journal. */
#ifndef BC_RUN_RESUME_H
#define BC_RUN_RESUME_H

#include "harness/base/base.h"

struct bc_session;

/* Fill the run's hashes: devices, binary, kernels, expectations. Files that are not there, or not for us, count as
 * empty. Return: BC_EREAD or BC_ENOMEM when one that is there cannot be read. */
enum bc_status bc_session_identify(struct bc_session *s, struct bc_error *err);

/* Take over what the journal of the options holds and open it to append. Return: BC_EDATA when it is of another run. */
enum bc_status bc_session_resume(struct bc_session *s, struct bc_error *err);

#endif
