/* SPDX-License-Identifier: MIT */
/* harness/device/reference/ptx_body.h - the parser of an entry's body. */
#ifndef BC_DEVICE_REFERENCE_PTX_BODY_H
#define BC_DEVICE_REFERENCE_PTX_BODY_H

#include "harness/device/reference/ptx_token.h"

/* At '{' of an entry's body: to behind its '}'. */
enum bc_status bc_ptx_parse_body(struct bc_ptx_parser *p, struct bc_ptx_entry *e);

#endif
