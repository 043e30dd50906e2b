/* SPDX-License-Identifier: MIT */
/* harness/device/reference/ptx_vars.h - the parser of variables and parameters. */
#ifndef BC_DEVICE_REFERENCE_PTX_VARS_H
#define BC_DEVICE_REFERENCE_PTX_VARS_H

#include "harness/device/reference/ptx_token.h"

/* Variables up to the semicolon, the state space word already taken. */
enum bc_status bc_ptx_parse_vars(struct bc_ptx_parser *p, enum bc_ptx_where where, bool is_extern, bool in_body);
/* One `.param ...` of an entry; @offset: end of the parameters so far. */
enum bc_status bc_ptx_parse_param(struct bc_ptx_parser *p, uint64_t *offset);

#endif
