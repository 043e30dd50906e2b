/* SPDX-License-Identifier: MIT */
/* Bodies: registers, labels, scopes, statements and their operands. */
#include "harness/device/reference/ptx_body.h"

#include <stdlib.h>
#include <string.h>

#include "harness/device/reference/ptx_vars.h"

#define STMTS_MAX (1u << 21)
#define OPERANDS_MAX (1u << 23)
#define SCOPES_MAX (1u << 20)
#define STMT_OPERANDS_MAX 32
#define VECTOR_MAX 64

static enum bc_status declare_registers(struct bc_ptx_parser *p, enum bc_ptx_type type)
{
	const struct bc_ptx_slice name = p->tok.text;
	struct bc_ptx_entry *e = p->e;
	uint64_t count = 0;
	enum bc_status st;

	if (p->tok.kind != BC_PTX_T_WORD)
		return bc_ptx_expected(p, "a register's name");
	if (bc_ptx_map_get(&p->names, p->scope, name) >= 0)
		return bc_fail(p->err, BC_EDATA, "%s:%u: '%.*s' is declared twice", p->lx.path, p->tok.line,
			       name.len > 64 ? 64 : (int)name.len, name.s);
	st = bc_ptx_advance(p);
	if (!st && bc_ptx_at(p, '<')) {
		st = bc_ptx_advance(p);
		if (!st)
			st = bc_ptx_parse_int(p, &count);
		if (!st)
			st = bc_ptx_take(p, '>');
		if (!st)
			st = bc_ptx_array_grow(&p->range, p->nrange, &p->range_cap, sizeof(*p->range),
					       BC_PTX_RANGES_MAX, p->err);
		if (!st)
			p->range[p->nrange++] = (struct bc_ptx_range){
				.prefix = name, .count = count, .scope = p->scope, .type = type
			};
		return st;
	}
	if (!st)
		st = bc_ptx_array_grow(&e->reg, e->nreg, &e->reg_cap, sizeof(*e->reg), BC_PTX_REGISTERS_MAX, p->err);
	if (!st)
		st = bc_ptx_map_put(&p->names, p->scope, name, (int32_t)e->nreg, p->err);
	if (!st)
		e->reg[e->nreg++] = type;
	return st;
}

/* At ".reg". */
static enum bc_status parse_reg(struct bc_ptx_parser *p)
{
	enum bc_ptx_type type;
	enum bc_status st = bc_ptx_advance(p);

	if (st)
		return st;
	type = p->tok.kind == BC_PTX_T_DOT ? bc_ptx_type_parse(p->tok.text) : BC_PTX_NONE;
	if (type == BC_PTX_NONE)
		return bc_ptx_expected(p, "a register type");
	do {
		st = bc_ptx_advance(p);
		if (!st)
			st = declare_registers(p, type);
	} while (!st && bc_ptx_at(p, ','));
	return st ? st : bc_ptx_take(p, ';');
}

/* Is @name "<prefix><number>" with number below the range's count? */
static bool in_range(const struct bc_ptx_range *r, struct bc_ptx_slice name)
{
	uint64_t n = 0;

	if (name.len <= r->prefix.len || name.len > r->prefix.len + 9 ||
	    memcmp(name.s, r->prefix.s, r->prefix.len) != 0)
		return false;
	if (name.s[r->prefix.len] == '0' && name.len > r->prefix.len + 1)
		return false;
	for (uint32_t i = r->prefix.len; i < name.len; i++) {
		if (name.s[i] < '0' || name.s[i] > '9')
			return false;
		n = n * 10 + (unsigned)(name.s[i] - '0');
	}
	return n < r->count;
}

/* What @name means here: register, variable | BC_PTX_NAME_VAR, or -1. */
static enum bc_status resolve(struct bc_ptx_parser *p, struct bc_ptx_slice name, int32_t *out)
{
	struct bc_ptx_entry *e = p->e;
	uint32_t scope = p->scope;
	size_t r = p->nrange;
	enum bc_status st;

	for (;; scope = e->scope_parent[scope]) {
		*out = bc_ptx_map_get(&p->names, scope, name);
		if (*out >= 0)
			return BC_OK;
		/* Ranges lie in order of declaration, those of a scope that is closed were dropped. */
		for (; r > 0 && p->range[r - 1].scope == scope; r--) {
			if (!in_range(&p->range[r - 1], name))
				continue;
			st = bc_ptx_array_grow(&e->reg, e->nreg, &e->reg_cap, sizeof(*e->reg), BC_PTX_REGISTERS_MAX,
					       p->err);
			if (!st)
				st = bc_ptx_map_put(&p->names, scope, name, (int32_t)e->nreg, p->err);
			if (st)
				return st;
			*out = (int32_t)e->nreg;
			e->reg[e->nreg++] = p->range[r - 1].type;
			return BC_OK;
		}
		if (scope == 0)
			break;
	}
	*out = bc_ptx_map_get(&p->m->vars, 0, name);
	*out = *out >= 0 ? *out | BC_PTX_NAME_VAR : -1;
	return BC_OK;
}

static enum bc_status add_operand(struct bc_ptx_parser *p, const struct bc_ptx_operand *o)
{
	struct bc_ptx_entry *e = p->e;
	enum bc_status st =
		bc_ptx_array_grow(&e->operand, e->noperand, &e->operand_cap, sizeof(*e->operand), OPERANDS_MAX, p->err);

	if (!st)
		e->operand[e->noperand++] = *o;
	return st;
}

/* A name: register, variable, special register (with its .x), label. The token after it is current then. */
static enum bc_status parse_name(struct bc_ptx_parser *p, struct bc_ptx_operand *o)
{
	int32_t what = -1;
	enum bc_status st;

	o->text = p->tok.text;
	st = resolve(p, o->text, &what);
	if (!st)
		st = bc_ptx_advance(p);
	if (st)
		return st;
	if (what >= 0 && (what & BC_PTX_NAME_VAR) == 0) {
		o->kind = BC_PTX_O_REG;
		o->reg = what;
	} else if (what >= 0) {
		o->kind = BC_PTX_O_VAR;
		o->var = what & ~BC_PTX_NAME_VAR;
	} else if (bc_ptx_slice_is(o->text, "_")) {
		o->kind = BC_PTX_O_SINK;
	} else if (o->text.s[0] == '%') {
		o->kind = BC_PTX_O_SPECIAL;
		if (p->tok.kind == BC_PTX_T_DOT && !p->tok.spaced) {
			o->text.len = (uint32_t)(p->tok.text.s + p->tok.text.len - o->text.s);
			st = bc_ptx_advance(p);
		}
	} else {
		o->kind = BC_PTX_O_NAME;
	}
	return st;
}

/* + 4, + -4, - 4: added to o->value. */
static enum bc_status parse_offsets(struct bc_ptx_parser *p, struct bc_ptx_operand *o)
{
	enum bc_status st = BC_OK;

	while (!st && (bc_ptx_at(p, '+') || bc_ptx_at(p, '-'))) {
		uint64_t v = 0;

		if (bc_ptx_at(p, '+'))
			st = bc_ptx_advance(p);
		if (!st)
			st = bc_ptx_parse_int(p, &v);
		o->value += v;
	}
	return st;
}

/* A constant, with an optional minus. */
static enum bc_status parse_constant(struct bc_ptx_parser *p, struct bc_ptx_operand *o)
{
	const bool minus = bc_ptx_at(p, '-');
	enum bc_status st = minus ? bc_ptx_advance(p) : BC_OK;

	if (st)
		return st;
	o->value = p->tok.value;
	if (p->tok.kind == BC_PTX_T_INT) {
		o->kind = BC_PTX_O_INT;
		o->value = minus ? 0 - o->value : o->value;
	} else if (p->tok.kind == BC_PTX_T_F32) {
		o->kind = BC_PTX_O_F32;
		o->value ^= minus ? UINT64_C(1) << 31 : 0;
	} else if (p->tok.kind == BC_PTX_T_F64) {
		o->kind = BC_PTX_O_F64;
		o->value ^= minus ? UINT64_C(1) << 63 : 0;
	} else {
		return bc_ptx_expected(p, "an operand");
	}
	return bc_ptx_advance(p);
}

/* Register, variable, constant, name, !p, p|q; no brackets. */
static enum bc_status parse_simple(struct bc_ptx_parser *p, struct bc_ptx_operand *o)
{
	enum bc_status st = BC_OK;

	*o = (struct bc_ptx_operand){ .reg = -1, .reg2 = -1, .var = -1, .scope = p->scope };
	if (bc_ptx_at(p, '!')) {
		o->negated = true;
		st = bc_ptx_advance(p);
		if (!st && p->tok.kind != BC_PTX_T_WORD)
			st = bc_ptx_expected(p, "a predicate");
	}
	if (st)
		return st;
	if (p->tok.kind != BC_PTX_T_WORD)
		return parse_constant(p, o);
	st = parse_name(p, o);
	if (!st && o->kind == BC_PTX_O_VAR)
		st = parse_offsets(p, o);
	if (!st && bc_ptx_at(p, '|')) {
		struct bc_ptx_operand q = { .reg = -1, .reg2 = -1, .var = -1, .scope = p->scope };

		st = bc_ptx_advance(p);
		if (!st && p->tok.kind != BC_PTX_T_WORD)
			st = bc_ptx_expected(p, "a predicate");
		if (!st)
			st = parse_name(p, &q);
		if (!st && q.kind != BC_PTX_O_REG && q.kind != BC_PTX_O_SINK)
			st = bc_fail(p->err, BC_EDATA, "%s:%u: '%.*s' is not declared", p->lx.path, p->tok.line,
				     q.text.len > 64 ? 64 : (int)q.text.len, q.text.s);
		o->reg2 = q.reg;
	}
	return st;
}

/* At '{'. The elements follow the vector itself only after the statement's other operands: kept in @list. */
static enum bc_status parse_vector(struct bc_ptx_parser *p, struct bc_ptx_operand *list, unsigned *n)
{
	enum bc_status st = bc_ptx_advance(p);

	*n = 0;
	while (!st) {
		if (*n == VECTOR_MAX)
			return bc_fail(p->err, BC_EDATA, "%s:%u: a vector of more than %d elements", p->lx.path,
				       p->tok.line, VECTOR_MAX);
		st = parse_simple(p, &list[*n]);
		*n += 1;
		if (st || !bc_ptx_at(p, ','))
			break;
		st = bc_ptx_advance(p);
	}
	return st ? st : bc_ptx_take(p, '}');
}

/* At '{'. Its elements become operands, before the statement's own. */
static enum bc_status parse_elements(struct bc_ptx_parser *p, struct bc_ptx_operand *o)
{
	struct bc_ptx_operand list[VECTOR_MAX];
	unsigned n;
	enum bc_status st = parse_vector(p, list, &n);

	o->count = (uint8_t)n;
	o->first = (uint32_t)p->e->noperand;
	for (unsigned i = 0; i < n && !st; i++)
		st = add_operand(p, &list[i]);
	return st;
}

/* At '['. Behind the base there may be coordinates: [map, {a, b}]. */
static enum bc_status parse_address(struct bc_ptx_parser *p, struct bc_ptx_operand *o, bool *opaque)
{
	enum bc_status st = bc_ptx_advance(p);

	*o = (struct bc_ptx_operand){ .kind = BC_PTX_O_ADDR, .reg = -1, .reg2 = -1, .var = -1, .scope = p->scope };
	if (st)
		return st;
	if (p->tok.kind == BC_PTX_T_WORD) {
		st = parse_name(p, o);
		if (!st && o->kind != BC_PTX_O_REG && o->kind != BC_PTX_O_VAR)
			return bc_fail(p->err, BC_EDATA, "%s:%u: '%.*s' is not declared", p->lx.path, p->tok.line,
				       o->text.len > 64 ? 64 : (int)o->text.len, o->text.s);
		o->kind = BC_PTX_O_ADDR;
	} else {
		st = bc_ptx_parse_int(p, &o->value);
	}
	if (!st)
		st = parse_offsets(p, o);
	if (!st && bc_ptx_at(p, ','))
		st = bc_ptx_advance(p);
	else
		return st ? st : bc_ptx_take(p, ']');
	if (!st && !bc_ptx_at(p, '{')) {
		*opaque = true; /* a texture and its sampler, and the like */
		return bc_ptx_skip_past(p, ']');
	}
	if (!st)
		st = parse_elements(p, o);
	return st ? st : bc_ptx_take(p, ']');
}

static enum bc_status parse_operand(struct bc_ptx_parser *p, struct bc_ptx_operand *o, bool *opaque)
{
	if (bc_ptx_at(p, '['))
		return parse_address(p, o, opaque);
	if (!bc_ptx_at(p, '{'))
		return parse_simple(p, o);
	*o = (struct bc_ptx_operand){ .kind = BC_PTX_O_VECTOR, .reg = -1, .reg2 = -1, .var = -1 };
	return parse_elements(p, o);
}

/* To behind the semicolon, for operands in a form that no instruction known here has. */
static enum bc_status skip_operands(struct bc_ptx_parser *p)
{
	int depth = 0;
	enum bc_status st = BC_OK;

	while (!st && !(bc_ptx_at(p, ';') && depth == 0)) {
		if (p->tok.kind == BC_PTX_T_END || bc_ptx_at(p, ';'))
			return bc_ptx_expected(p, "the closing bracket");
		depth += bc_ptx_at(p, '(') || bc_ptx_at(p, '[') || bc_ptx_at(p, '{');
		depth -= bc_ptx_at(p, ')') || bc_ptx_at(p, ']') || bc_ptx_at(p, '}');
		if (depth < 0)
			return bc_ptx_expected(p, "';'");
		st = bc_ptx_advance(p);
	}
	return st;
}

/* From the first operand to the semicolon. */
static enum bc_status parse_operands(struct bc_ptx_parser *p, struct bc_ptx_stmt *s)
{
	struct bc_ptx_operand list[STMT_OPERANDS_MAX];
	unsigned n = 0;
	enum bc_status st = BC_OK;

	while (!st && !bc_ptx_at(p, ';')) {
		if (n == STMT_OPERANDS_MAX || bc_ptx_at(p, '(')) {
			s->opaque = true;
			break;
		}
		st = parse_operand(p, &list[n], &s->opaque);
		n++;
		if (st || bc_ptx_at(p, ';'))
			break;
		if (!bc_ptx_at(p, ',')) {
			if (p->tok.kind == BC_PTX_T_END || bc_ptx_at(p, '}'))
				return bc_ptx_expected(p, "',' or ';'");
			s->opaque = true;
			break;
		}
		st = bc_ptx_advance(p);
		if (!st && bc_ptx_at(p, ';'))
			st = bc_ptx_expected(p, "an operand");
	}
	if (!st && s->opaque)
		st = skip_operands(p);
	if (st)
		return st;
	s->first = (uint32_t)p->e->noperand;
	s->noperands = (uint8_t)n;
	for (unsigned i = 0; i < n && !st; i++)
		st = add_operand(p, &list[i]);
	return st;
}

/* The first word of the opcode was read; its ".modifiers" and operands follow. */
static enum bc_status parse_instruction(struct bc_ptx_parser *p, struct bc_ptx_token opcode, int32_t guard,
					bool guard_negated)
{
	struct bc_ptx_entry *e = p->e;
	struct bc_ptx_stmt s = { .line = opcode.line,
				 .guard = guard,
				 .guard_negated = guard_negated,
				 .opcode = opcode.text,
				 .text = opcode.text };
	enum bc_status st = BC_OK;

	if (opcode.text.s[0] == '%')
		return bc_fail(p->err, BC_EDATA, "%s:%u: expected an instruction, found '%.*s'", p->lx.path,
			       opcode.line, opcode.text.len > 64 ? 64 : (int)opcode.text.len, opcode.text.s);
	while (!st && p->tok.kind == BC_PTX_T_DOT && !p->tok.spaced) {
		s.opcode.len = (uint32_t)(p->tok.text.s + p->tok.text.len - s.opcode.s);
		st = bc_ptx_advance(p);
	}
	if (st)
		return st;
	if (bc_ptx_slice_is(opcode.text, "call")) {
		s.opaque = true;
		st = skip_operands(p);
		s.first = (uint32_t)e->noperand;
	} else {
		st = parse_operands(p, &s);
	}
	if (!st)
		st = bc_ptx_array_grow(&e->stmt, e->nstmt, &e->stmt_cap, sizeof(*e->stmt), STMTS_MAX, p->err);
	if (st)
		return st;
	s.text.len = (uint32_t)(p->tok.text.s - s.text.s);
	e->stmt[e->nstmt++] = s;
	return bc_ptx_advance(p); /* the semicolon */
}

/* At ".branchtargets": its labels up to the semicolon. */
static enum bc_status parse_targets(struct bc_ptx_parser *p, struct bc_ptx_targets *t)
{
	enum bc_status st;

	t->first = (uint32_t)p->e->noperand;
	t->count = 0;
	do {
		struct bc_ptx_operand o = {
			.kind = BC_PTX_O_NAME, .reg = -1, .reg2 = -1, .var = -1, .scope = p->scope
		};

		st = bc_ptx_advance(p);
		if (!st && p->tok.kind != BC_PTX_T_WORD)
			st = bc_ptx_expected(p, "a label");
		o.text = p->tok.text;
		if (!st)
			st = bc_ptx_advance(p);
		if (!st)
			st = add_operand(p, &o);
		t->count++;
	} while (!st && bc_ptx_at(p, ','));
	return st ? st : bc_ptx_take(p, ';');
}

/* At the colon behind @name. */
static enum bc_status parse_label(struct bc_ptx_parser *p, struct bc_ptx_token name)
{
	struct bc_ptx_entry *e = p->e;
	enum bc_status st = bc_ptx_advance(p);
	int32_t index;

	if (st)
		return st;
	if (bc_ptx_map_get(&e->labels, p->scope, name.text) >= 0)
		return bc_fail(p->err, BC_EDATA, "%s:%u: label '%.*s' is defined twice", p->lx.path, name.line,
			       name.text.len > 64 ? 64 : (int)name.text.len, name.text.s);
	if (bc_ptx_at_dot(p, "branchtargets")) {
		struct bc_ptx_targets t;

		st = bc_ptx_array_grow(&e->targets, e->ntargets, &e->targets_cap, sizeof(*e->targets), STMTS_MAX,
				       p->err);
		if (!st)
			st = parse_targets(p, &t);
		if (st)
			return st;
		index = (int32_t)e->ntargets | BC_PTX_TARGETS_BIT;
		e->targets[e->ntargets++] = t;
	} else {
		st = bc_ptx_array_grow(&e->label, e->nlabel, &e->label_cap, sizeof(*e->label), STMTS_MAX, p->err);
		if (st)
			return st;
		index = (int32_t)e->nlabel;
		e->label[e->nlabel++] = (struct bc_ptx_label){ .stmt = (uint32_t)e->nstmt, .line = name.line };
	}
	st = bc_ptx_map_put(&e->labels, p->scope, name.text, index, p->err);
	if (!st && (bc_ptx_at_dot(p, "calltargets") || bc_ptx_at_dot(p, "callprototype")))
		st = bc_ptx_skip_past(p, ';');
	return st;
}

/* At '@': @p or @!p, then the instruction. */
static enum bc_status parse_guarded(struct bc_ptx_parser *p)
{
	struct bc_ptx_token opcode;
	bool negated = false;
	int32_t guard = -1;
	enum bc_status st = bc_ptx_advance(p);

	if (!st && bc_ptx_at(p, '!')) {
		negated = true;
		st = bc_ptx_advance(p);
	}
	if (st)
		return st;
	if (p->tok.kind != BC_PTX_T_WORD)
		return bc_ptx_expected(p, "a predicate register");
	st = resolve(p, p->tok.text, &guard);
	if (st)
		return st;
	if (guard < 0 || (guard & BC_PTX_NAME_VAR) != 0 || p->e->reg[guard] != BC_PTX_PRED)
		return bc_ptx_expected(p, "a predicate register that is declared");
	st = bc_ptx_advance(p);
	if (!st && p->tok.kind != BC_PTX_T_WORD)
		st = bc_ptx_expected(p, "an instruction");
	opcode = p->tok;
	if (!st)
		st = bc_ptx_advance(p);
	return st ? st : parse_instruction(p, opcode, guard, negated);
}

static enum bc_status open_scope(struct bc_ptx_parser *p)
{
	struct bc_ptx_entry *e = p->e;
	enum bc_status st;

	if (p->depth == BC_PTX_SCOPES_DEEP)
		return bc_fail(p->err, BC_EDATA, "%s:%u: more than %d nested blocks", p->lx.path, p->tok.line,
			       BC_PTX_SCOPES_DEEP);
	st = bc_ptx_array_grow(&e->scope_parent, e->nscope, &e->scope_cap, sizeof(*e->scope_parent), SCOPES_MAX,
			       p->err);
	if (st)
		return st;
	e->scope_parent[e->nscope] = p->scope;
	p->scope = (uint32_t)e->nscope++;
	p->depth++;
	return bc_ptx_advance(p);
}

static enum bc_status close_scope(struct bc_ptx_parser *p)
{
	while (p->nrange > 0 && p->range[p->nrange - 1].scope == p->scope)
		p->nrange--;
	p->scope = p->e->scope_parent[p->scope];
	p->depth--;
	return bc_ptx_advance(p);
}

static enum bc_status parse_directive(struct bc_ptx_parser *p)
{
	static const struct {
		const char *word;
		enum bc_ptx_where where;
	} spaces[] = {
		{ "shared", BC_PTX_V_SHARED }, { "local", BC_PTX_V_LOCAL },   { "param", BC_PTX_V_PARAM },
		{ "const", BC_PTX_V_CONST },   { "global", BC_PTX_V_GLOBAL },
	};
	enum bc_status st;

	if (bc_ptx_at_dot(p, "reg"))
		return parse_reg(p);
	for (size_t i = 0; i < BC_ARRAY_LEN(spaces); i++) {
		if (!bc_ptx_at_dot(p, spaces[i].word))
			continue;
		st = bc_ptx_advance(p);
		return st ? st : bc_ptx_parse_vars(p, spaces[i].where, false, true);
	}
	if (bc_ptx_at_dot(p, "loc") || bc_ptx_at_dot(p, "file")) {
		bc_ptx_lex_skip_line(&p->lx);
		return bc_ptx_advance(p);
	}
	if (bc_ptx_at_dot(p, "pragma"))
		return bc_ptx_skip_past(p, ';');
	return bc_ptx_expected(p, "a directive of a body");
}

static enum bc_status parse_item(struct bc_ptx_parser *p)
{
	struct bc_ptx_token word;
	enum bc_status st;

	if (bc_ptx_at(p, '{'))
		return open_scope(p);
	if (bc_ptx_at(p, '}'))
		return close_scope(p);
	if (bc_ptx_at(p, ';'))
		return bc_ptx_advance(p);
	if (bc_ptx_at(p, '@'))
		return parse_guarded(p);
	if (p->tok.kind == BC_PTX_T_DOT)
		return parse_directive(p);
	if (p->tok.kind != BC_PTX_T_WORD)
		return bc_ptx_expected(p, "an instruction, a label, a directive or '}'");
	word = p->tok;
	st = bc_ptx_advance(p);
	if (st)
		return st;
	return bc_ptx_at(p, ':') ? parse_label(p, word) : parse_instruction(p, word, -1, false);
}

enum bc_status bc_ptx_parse_body(struct bc_ptx_parser *p, struct bc_ptx_entry *e)
{
	enum bc_status st;

	e->first_var = (uint32_t)p->m->nvar;
	st = open_scope(p);
	while (!st && p->depth > 0)
		st = parse_item(p);
	e->nvars = (uint32_t)p->m->nvar - e->first_var;
	return st;
}
