/* SPDX-License-Identifier: MIT */
/* harness/run/identity.h - inside of a session: hashes that say whether two runs are of the same things. */
#ifndef BC_RUN_IDENTITY_H
#define BC_RUN_IDENTITY_H

#include "harness/base/base.h"

struct bc_session;

/* Fill the run's hashes: devices, binary, kernels, expectations. Files that are not there, or not for us, count as
 * empty. Return: BC_EREAD or BC_ENOMEM when one that is there cannot be read. */
enum bc_status bc_session_identify(struct bc_session *s, struct bc_error *err);

/* Only the hash of the expectations: of all devices' rows, and the known failures. */
void bc_session_hash_expectations(struct bc_session *s);

#endif
