/* SPDX-License-Identifier: MIT */
/* harness/device/reference/ptx_token.h - the state of the parser, and its cursor: the token looked at. */
#ifndef BC_DEVICE_REFERENCE_PTX_TOKEN_H
#define BC_DEVICE_REFERENCE_PTX_TOKEN_H

#include "harness/device/reference/ptx_text.h"

#define BC_PTX_SCOPES_DEEP 64	   /* nesting of { } */
#define BC_PTX_RANGES_MAX 256	   /* `%r<100>` declarations of one entry */
#define BC_PTX_REGISTERS_MAX 65536 /* registers that one entry uses */

/* A name in a body: register, or variable with this bit. */
#define BC_PTX_NAME_VAR 0x40000000

/* `.reg .b32 %r<count>`: %r0 .. %r(count - 1). */
struct bc_ptx_range {
	struct bc_ptx_slice prefix;
	uint64_t count;
	uint32_t scope;
	enum bc_ptx_type type;
};

struct bc_ptx_parser {
	struct bc_ptx_lexer lx;
	struct bc_ptx_token tok; /* the one looked at */
	struct bc_ptx_module *m;
	struct bc_error *err;
	/* The body being read. */
	struct bc_ptx_entry *e;
	uint32_t scope;
	unsigned depth;
	struct bc_ptx_map names;
	struct bc_ptx_range *range;
	size_t nrange, range_cap;
};

enum bc_status bc_ptx_advance(struct bc_ptx_parser *p);
bool bc_ptx_at(const struct bc_ptx_parser *p, char punct);
bool bc_ptx_at_dot(const struct bc_ptx_parser *p, const char *word);
/* Fail at the current token: "path:line: expected <what>, found '<token>'". */
enum bc_status bc_ptx_expected(const struct bc_ptx_parser *p, const char *what);
/* The current token must be @punct; go on to the next. */
enum bc_status bc_ptx_take(struct bc_ptx_parser *p, char punct);
enum bc_status bc_ptx_skip_past(struct bc_ptx_parser *p, char punct);
/* An integer, with an optional minus. */
enum bc_status bc_ptx_parse_int(struct bc_ptx_parser *p, uint64_t *out);

#endif
