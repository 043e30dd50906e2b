/* SPDX-License-Identifier: MIT */
#include "harness/device/reference/ptx_token.h"

enum bc_status bc_ptx_advance(struct bc_ptx_parser *p)
{
	return bc_ptx_next_token(&p->lx, &p->tok, p->err);
}

bool bc_ptx_at(const struct bc_ptx_parser *p, char punct)
{
	return p->tok.kind == BC_PTX_T_PUNCT && p->tok.punct == punct;
}

bool bc_ptx_at_dot(const struct bc_ptx_parser *p, const char *word)
{
	return p->tok.kind == BC_PTX_T_DOT && bc_ptx_slice_is(p->tok.text, word);
}

enum bc_status bc_ptx_expected(const struct bc_ptx_parser *p, const char *what)
{
	if (p->tok.kind == BC_PTX_T_END)
		return bc_fail(p->err, BC_EDATA, "%s:%u: expected %s, found the end of the text", p->lx.path,
			       p->tok.line, what);
	return bc_fail(p->err, BC_EDATA, "%s:%u: expected %s, found '%s%.*s'", p->lx.path, p->tok.line, what,
		       p->tok.kind == BC_PTX_T_DOT ? "." : "", p->tok.text.len > 64 ? 64 : (int)p->tok.text.len,
		       p->tok.text.s);
}

enum bc_status bc_ptx_take(struct bc_ptx_parser *p, char punct)
{
	const char what[] = { '\'', punct, '\'', '\0' };

	if (!bc_ptx_at(p, punct))
		return bc_ptx_expected(p, what);
	return bc_ptx_advance(p);
}

enum bc_status bc_ptx_skip_past(struct bc_ptx_parser *p, char punct)
{
	const char what[] = { '\'', punct, '\'', '\0' };
	enum bc_status st = BC_OK;

	while (!st && !bc_ptx_at(p, punct)) {
		if (p->tok.kind == BC_PTX_T_END)
			return bc_ptx_expected(p, what);
		st = bc_ptx_advance(p);
	}
	return st ? st : bc_ptx_advance(p);
}

enum bc_status bc_ptx_parse_int(struct bc_ptx_parser *p, uint64_t *out)
{
	bool minus = bc_ptx_at(p, '-');
	enum bc_status st = minus ? bc_ptx_advance(p) : BC_OK;

	if (st)
		return st;
	if (p->tok.kind != BC_PTX_T_INT)
		return bc_ptx_expected(p, "an integer");
	*out = minus ? 0 - p->tok.value : p->tok.value;
	return bc_ptx_advance(p);
}
