/* SPDX-License-Identifier: MIT */
/* Modules: the header, and what stands at the top of the text. */
#include "harness/device/reference/ptx_body.h"
#include "harness/device/reference/ptx_vars.h"

#include <stdlib.h>
#include <string.h>

#define ENTRIES_MAX 4096

/* At '{': skip to behind the '}' that closes it. */
static enum bc_status skip_braces(struct bc_ptx_parser *p)
{
	unsigned depth = 0;
	enum bc_status st;

	do {
		if (p->tok.kind == BC_PTX_T_END)
			return bc_ptx_expected(p, "'}'");
		depth += bc_ptx_at(p, '{');
		depth -= bc_ptx_at(p, '}');
		st = bc_ptx_advance(p);
	} while (!st && depth > 0);
	return st;
}

/* .maxntid 256, 1, 1 and .reqntid: up to three numbers. */
static enum bc_status parse_ntid(struct bc_ptx_parser *p, uint32_t n[3])
{
	enum bc_status st = BC_OK;

	n[0] = n[1] = n[2] = 1;
	for (unsigned i = 0; i < 3 && !st; i++) {
		uint64_t v = 0;

		st = bc_ptx_advance(p);
		if (!st)
			st = bc_ptx_parse_int(p, &v);
		if (!st && (v == 0 || v > 65536))
			st = bc_fail(p->err, BC_EDATA, "%s:%u: block dimension %llu", p->lx.path, p->tok.line,
				     (unsigned long long)v);
		n[i] = (uint32_t)v;
		if (!st && !bc_ptx_at(p, ','))
			break;
	}
	return st;
}

/* Directives between the parameters and the body. */
static enum bc_status parse_performance(struct bc_ptx_parser *p, struct bc_ptx_entry *e)
{
	uint32_t n[3];
	enum bc_status st = BC_OK;

	while (!st && p->tok.kind == BC_PTX_T_DOT) {
		if (bc_ptx_at_dot(p, "maxntid")) {
			st = parse_ntid(p, n);
			e->maxntid = n[0] * n[1] > 65536 ? 65536 : n[0] * n[1] * n[2];
		} else if (bc_ptx_at_dot(p, "reqntid")) {
			st = parse_ntid(p, e->reqntid);
		} else if (bc_ptx_at_dot(p, "reqnctapercluster")) {
			st = parse_ntid(p, e->reqcluster);
		} else if (bc_ptx_at_dot(p, "maxclusterrank")) {
			st = parse_ntid(p, n);
			e->maxrank = n[0];
		} else if (bc_ptx_at_dot(p, "explicitcluster")) {
			st = bc_ptx_advance(p);
		} else if (bc_ptx_at_dot(p, "pragma")) {
			st = bc_ptx_skip_past(p, ';');
		} else if (bc_ptx_at_dot(p, "maxnreg") || bc_ptx_at_dot(p, "minnctapersm") ||
			   bc_ptx_at_dot(p, "maxnctapersm") || bc_ptx_at_dot(p, "noreturn")) {
			do
				st = bc_ptx_advance(p);
			while (!st && p->tok.kind == BC_PTX_T_INT);
		} else {
			return bc_ptx_expected(p, "a directive of an entry that this interpreter knows, or '{'");
		}
	}
	return st;
}

static enum bc_status parse_params(struct bc_ptx_parser *p, struct bc_ptx_entry *e)
{
	enum bc_status st = bc_ptx_advance(p);

	e->first_param = (uint32_t)p->m->nvar;
	while (!st && !bc_ptx_at(p, ')')) {
		st = bc_ptx_parse_param(p, &e->params_bytes);
		if (!st && !bc_ptx_at(p, ')'))
			st = bc_ptx_take(p, ',');
	}
	e->nparams = (uint32_t)p->m->nvar - e->first_param;
	return st ? st : bc_ptx_advance(p);
}

static enum bc_status name_entry(struct bc_ptx_parser *p, struct bc_ptx_entry *e)
{
	if (p->tok.kind != BC_PTX_T_WORD)
		return bc_ptx_expected(p, "the name of an entry");
	e->name = p->tok.text;
	e->line = p->tok.line;
	e->cname = strndup(e->name.s, e->name.len);
	if (!e->cname)
		return bc_fail(p->err, BC_ENOMEM, "%s: out of memory", p->lx.path);
	return bc_ptx_advance(p);
}

/* At ".entry". A declaration without body is skipped. */
static enum bc_status parse_entry(struct bc_ptx_parser *p)
{
	struct bc_ptx_module *m = p->m;
	struct bc_ptx_entry *e;
	enum bc_status st =
		bc_ptx_array_grow(&m->entry, m->nentry, &m->entry_cap, sizeof(*m->entry), ENTRIES_MAX, p->err);

	if (st)
		return st;
	e = &m->entry[m->nentry++];
	*e = (struct bc_ptx_entry){ .line = p->tok.line };
	p->e = e;
	p->scope = 0;
	p->depth = 0;
	p->nrange = 0;
	bc_ptx_map_release(&p->names);
	st = bc_ptx_advance(p);
	if (!st)
		st = name_entry(p, e);
	if (!st && bc_ptx_entry_find(m, e->cname) != (long)(e - m->entry))
		st = bc_fail(p->err, BC_EDATA, "%s:%u: entry '%s' is defined twice", p->lx.path, e->line, e->cname);
	if (!st && bc_ptx_at(p, '('))
		st = parse_params(p, e);
	if (!st)
		st = parse_performance(p, e);
	if (!st && bc_ptx_at(p, ';')) {
		free(e->cname);
		m->nentry--;
		return bc_ptx_advance(p);
	}
	if (!st && !bc_ptx_at(p, '{'))
		st = bc_ptx_expected(p, "'{'");
	return st ? st : bc_ptx_parse_body(p, e);
}

/* Functions are not called, so their text is only skipped. */
static enum bc_status skip_function(struct bc_ptx_parser *p)
{
	enum bc_status st = BC_OK;

	while (!st && !bc_ptx_at(p, '{') && !bc_ptx_at(p, ';')) {
		if (p->tok.kind == BC_PTX_T_END)
			return bc_ptx_expected(p, "';' or a function's body");
		st = bc_ptx_advance(p);
	}
	if (st)
		return st;
	return bc_ptx_at(p, '{') ? skip_braces(p) : bc_ptx_advance(p);
}

static enum bc_status skip_section(struct bc_ptx_parser *p)
{
	enum bc_status st = BC_OK;

	while (!st && !bc_ptx_at(p, '{')) {
		if (p->tok.kind == BC_PTX_T_END)
			return bc_ptx_expected(p, "'{'");
		st = bc_ptx_advance(p);
	}
	return st ? st : skip_braces(p);
}

static enum bc_status skip_line(struct bc_ptx_parser *p)
{
	bc_ptx_lex_skip_line(&p->lx);
	return bc_ptx_advance(p);
}

static enum bc_status parse_top(struct bc_ptx_parser *p)
{
	static const struct {
		const char *word;
		enum bc_ptx_where where;
	} spaces[] = {
		{ "global", BC_PTX_V_GLOBAL },
		{ "const", BC_PTX_V_CONST },
		{ "shared", BC_PTX_V_SHARED },
	};
	bool is_extern = false;
	enum bc_status st = BC_OK;

	if (p->tok.kind == BC_PTX_T_PUNCT && p->tok.punct == ';')
		return bc_ptx_advance(p);
	while (!st && (bc_ptx_at_dot(p, "visible") || bc_ptx_at_dot(p, "extern") || bc_ptx_at_dot(p, "weak") ||
		       bc_ptx_at_dot(p, "common"))) {
		is_extern = is_extern || bc_ptx_at_dot(p, "extern");
		st = bc_ptx_advance(p);
	}
	if (st)
		return st;
	for (size_t i = 0; i < BC_ARRAY_LEN(spaces); i++) {
		if (!bc_ptx_at_dot(p, spaces[i].word))
			continue;
		st = bc_ptx_advance(p);
		return st ? st : bc_ptx_parse_vars(p, spaces[i].where, is_extern, false);
	}
	if (bc_ptx_at_dot(p, "entry"))
		return parse_entry(p);
	if (bc_ptx_at_dot(p, "func"))
		return skip_function(p);
	if (bc_ptx_at_dot(p, "section"))
		return skip_section(p);
	if (bc_ptx_at_dot(p, "file") || bc_ptx_at_dot(p, "loc"))
		return skip_line(p);
	if (bc_ptx_at_dot(p, "pragma") || bc_ptx_at_dot(p, "alias"))
		return bc_ptx_skip_past(p, ';');
	return bc_ptx_expected(p, "a directive of a PTX module");
}

/* .version M.N, .target ..., .address_size 64 */
static enum bc_status parse_header(struct bc_ptx_parser *p)
{
	enum bc_status st;

	if (!bc_ptx_at_dot(p, "version"))
		return bc_ptx_expected(p, "'.version' (is this PTX text?)");
	st = bc_ptx_advance(p);
	if (!st && p->tok.kind != BC_PTX_T_F64)
		st = bc_ptx_expected(p, "a version number");
	if (!st)
		st = bc_ptx_advance(p);
	if (!st && !bc_ptx_at_dot(p, "target"))
		st = bc_ptx_expected(p, "'.target'");
	do {
		if (!st)
			st = bc_ptx_advance(p);
		if (!st && p->tok.kind != BC_PTX_T_WORD)
			st = bc_ptx_expected(p, "a target");
		if (!st)
			st = bc_ptx_advance(p);
	} while (!st && bc_ptx_at(p, ','));
	if (!st && bc_ptx_at_dot(p, "address_size")) {
		uint64_t bits = 0;

		st = bc_ptx_advance(p);
		if (!st)
			st = bc_ptx_parse_int(p, &bits);
		if (!st && bits != 64)
			st = bc_fail(p->err, BC_EDATA, "%s:%u: .address_size %llu; only 64 is supported", p->lx.path,
				     p->tok.line, (unsigned long long)bits);
	}
	return st;
}

static enum bc_status parse_module(struct bc_ptx_parser *p)
{
	enum bc_status st = bc_ptx_advance(p);

	if (!st)
		st = parse_header(p);
	while (!st && p->tok.kind != BC_PTX_T_END)
		st = parse_top(p);
	return st;
}

enum bc_status bc_ptx_parse(const char *text, size_t len, const char *path, struct bc_ptx_module **out,
			    struct bc_error *err)
{
	struct bc_error why = { 0 };
	struct bc_ptx_parser p = { .err = &why };
	struct bc_ptx_module *m;
	enum bc_status st;

	if (len > BC_PTX_TEXT_MAX)
		return bc_fail(err, BC_EDATA, "%s:1: PTX text of %zu bytes, at most %u are read", path, len,
			       BC_PTX_TEXT_MAX);
	m = calloc(1, sizeof(*m));
	if (!m)
		return bc_fail(err, BC_ENOMEM, "%s: out of memory", path);
	m->text = malloc(len + 1);
	m->path = strdup(path);
	if (!m->text || !m->path) {
		st = bc_fail(err, BC_ENOMEM, "%s: out of memory", path);
		goto out;
	}
	if (len > 0)
		memcpy(m->text, text, len);
	m->text[len] = '\0';
	m->len = len;
	p.m = m;
	p.lx = (struct bc_ptx_lexer){ .at = m->text, .end = m->text + len, .path = m->path, .line = 1 };
	st = parse_module(&p);
	if (st) {
		/* Limits of tables are told without their place. */
		const bool placed = strncmp(why.msg, path, strlen(path)) == 0;

		st = placed ? bc_fail(err, st, "%s", why.msg) : bc_fail(err, st, "%s:%u: %s", path, p.lx.line, why.msg);
		goto out;
	}
	*out = m;
	m = NULL; /* the caller owns it now */
out:
	bc_ptx_map_release(&p.names);
	free(p.range);
	bc_ptx_free(m);
	return st;
}
