/* SPDX-License-Identifier: MIT */
/* Variables: `.space [.align N] .type name[dims] [= values], ... ;` */
#include "harness/device/reference/ptx_vars.h"

#include <stdlib.h>
#include <string.h>

#define VARS_MAX 65536
#define PARAMS_BYTES_MAX 32764 /* the largest parameter area of any CUDA version */

static enum bc_status parse_align(struct bc_ptx_parser *p, uint32_t *align)
{
	uint64_t v = 0;
	enum bc_status st = bc_ptx_advance(p);

	if (!st)
		st = bc_ptx_parse_int(p, &v);
	if (!st && (v == 0 || v > 1024 || (v & (v - 1)) != 0))
		st = bc_fail(p->err, BC_EDATA, "%s:%u: alignment %llu is not a power of two up to 1024", p->lx.path,
			     p->tok.line, (unsigned long long)v);
	if (!st)
		*align = (uint32_t)v;
	return st;
}

/* [.align N] [.ptr [.space] [.align N]] [.attribute(...)] [.v2|.v4] .type */
static enum bc_status parse_var_type(struct bc_ptx_parser *p, uint32_t *align, enum bc_ptx_type *out, unsigned *lanes)
{
	static const char *const pointer_words[] = { "ptr", "global", "shared", "const", "local", "param" };
	enum bc_ptx_type type = BC_PTX_NONE;
	enum bc_status st = BC_OK;
	uint32_t pointee;

	*align = 0;
	*lanes = 1;
	while (!st && p->tok.kind == BC_PTX_T_DOT) {
		bool pointer = false;

		for (size_t i = 0; i < BC_ARRAY_LEN(pointer_words); i++)
			pointer = pointer || bc_ptx_at_dot(p, pointer_words[i]);
		if (bc_ptx_at_dot(p, "align")) {
			/* After the type it is the alignment of what a pointer parameter points to. */
			st = parse_align(p, type == BC_PTX_NONE ? align : &pointee);
			continue;
		}
		if (bc_ptx_at_dot(p, "attribute")) {
			st = bc_ptx_skip_past(p, ')');
			continue;
		}
		if (bc_ptx_at_dot(p, "v2") || bc_ptx_at_dot(p, "v4")) {
			*lanes = p->tok.text.s[1] == '2' ? 2 : 4;
		} else if (!(pointer && type != BC_PTX_NONE)) {
			if (type != BC_PTX_NONE)
				return bc_ptx_expected(p, "a name");
			type = bc_ptx_type_parse(p->tok.text);
			if (type == BC_PTX_NONE || type == BC_PTX_PRED)
				return bc_ptx_expected(p, "a type that memory can hold");
		}
		st = bc_ptx_advance(p);
	}
	*out = type;
	if (!st && type == BC_PTX_NONE)
		st = bc_ptx_expected(p, "a type");
	if (!st && *align == 0)
		*align = bc_ptx_type_bytes(type) * *lanes;
	return st;
}

/* [4][2], [] ... ; *unsized: the first dimension is open. */
static enum bc_status parse_dims(struct bc_ptx_parser *p, uint64_t *count, bool *unsized)
{
	enum bc_status st = BC_OK;

	*count = 1;
	*unsized = false;
	for (bool first = true; !st && bc_ptx_at(p, '['); first = false) {
		uint64_t n = 0;

		st = bc_ptx_advance(p);
		if (!st && first && bc_ptx_at(p, ']'))
			*unsized = true;
		else if (!st)
			st = bc_ptx_parse_int(p, &n);
		if (!st && !(*unsized && first)) {
			if (n == 0 || n > BC_PTX_VARIABLE_MAX || *count * n > BC_PTX_VARIABLE_MAX)
				return bc_fail(p->err, BC_EDATA, "%s:%u: array dimension %llu is 0 or too large",
					       p->lx.path, p->tok.line, (unsigned long long)n);
			*count *= n;
		}
		if (!st)
			st = bc_ptx_take(p, ']');
	}
	return st;
}

static enum bc_status add_bytes(struct bc_ptx_parser *p, struct bc_ptx_var *v, uint64_t value, unsigned bytes)
{
	enum bc_status st;

	for (unsigned i = 0; i < bytes; i++) {
		st = bc_ptx_array_grow(&v->data, v->data_len, &v->data_cap, 1, BC_PTX_VARIABLE_MAX, p->err);
		if (st)
			return st;
		v->data[v->data_len++] = (unsigned char)(i < 8 ? value >> 8 * i : 0);
	}
	return BC_OK;
}

/* symbol, symbol + 4, generic(symbol) + 4 */
static enum bc_status parse_init_address(struct bc_ptx_parser *p, struct bc_ptx_var *v, unsigned elem)
{
	struct bc_ptx_reloc r = { .offset = v->data_len, .bytes = elem, .line = p->tok.line };
	const bool generic = bc_ptx_slice_is(p->tok.text, "generic");
	enum bc_status st = BC_OK;

	if (elem != 8)
		return bc_ptx_expected(p, "a number (an address needs 8 bytes)");
	if (generic) {
		st = bc_ptx_advance(p);
		if (!st)
			st = bc_ptx_take(p, '(');
		if (!st && p->tok.kind != BC_PTX_T_WORD)
			st = bc_ptx_expected(p, "the name of a variable");
	}
	r.symbol = p->tok.text;
	if (!st)
		st = bc_ptx_advance(p);
	if (!st && generic)
		st = bc_ptx_take(p, ')');
	if (!st && (bc_ptx_at(p, '+') || bc_ptx_at(p, '-'))) {
		if (bc_ptx_at(p, '+'))
			st = bc_ptx_advance(p);
		if (!st)
			st = bc_ptx_parse_int(p, &r.addend);
	}
	if (!st)
		st = bc_ptx_array_grow(&v->reloc, v->nreloc, &v->reloc_cap, sizeof(*v->reloc), VARS_MAX, p->err);
	if (st)
		return st;
	v->reloc[v->nreloc++] = r;
	return add_bytes(p, v, 0, elem);
}

static enum bc_status parse_init_element(struct bc_ptx_parser *p, struct bc_ptx_var *v, enum bc_ptx_type type)
{
	const unsigned elem = bc_ptx_type_bytes(type);
	const bool minus = bc_ptx_at(p, '-');
	enum bc_status st = minus ? bc_ptx_advance(p) : BC_OK;
	uint64_t bits;

	if (st)
		return st;
	bits = p->tok.value;
	switch (p->tok.kind) {
	case BC_PTX_T_INT:
		if (type == BC_PTX_F32 || type == BC_PTX_F64)
			return bc_ptx_expected(p, "a floating-point constant");
		bits = minus ? 0 - bits : bits;
		break;
	case BC_PTX_T_F32:
		if (elem != 4)
			return bc_ptx_expected(p, "a constant of the variable's size");
		bits ^= minus ? UINT64_C(1) << 31 : 0;
		break;
	case BC_PTX_T_F64:
		bits ^= minus ? UINT64_C(1) << 63 : 0;
		if (elem == 4) {
			double d;
			float f;
			uint32_t u;

			memcpy(&d, &bits, sizeof(d));
			f = (float)d;
			memcpy(&u, &f, sizeof(u));
			bits = u;
		} else if (elem != 8) {
			return bc_ptx_expected(p, "a constant of the variable's size");
		}
		break;
	case BC_PTX_T_WORD:
		if (minus)
			return bc_ptx_expected(p, "a number");
		return parse_init_address(p, v, elem);
	default: return bc_ptx_expected(p, "a number or a variable's name");
	}
	st = bc_ptx_advance(p);
	return st ? st : add_bytes(p, v, bits, elem);
}

static enum bc_status parse_init(struct bc_ptx_parser *p, struct bc_ptx_var *v, enum bc_ptx_type type)
{
	const bool list = bc_ptx_at(p, '{');
	enum bc_status st = list ? bc_ptx_advance(p) : BC_OK;

	if (v->where != BC_PTX_V_GLOBAL && v->where != BC_PTX_V_CONST)
		return bc_fail(p->err, BC_EDATA, "%s:%u: only .global and .const variables have initial values",
			       p->lx.path, p->tok.line);
	if (!list)
		return st ? st : parse_init_element(p, v, type);
	while (!st && !bc_ptx_at(p, '}')) {
		st = parse_init_element(p, v, type);
		if (!st && !bc_ptx_at(p, '}'))
			st = bc_ptx_take(p, ',');
	}
	return st ? st : bc_ptx_advance(p);
}

/* Find where the name goes, and refuse one that is there. */
static enum bc_status declare_var(struct bc_ptx_parser *p, const struct bc_ptx_var *v, bool in_body)
{
	struct bc_ptx_map *map = in_body ? &p->names : &p->m->vars;
	const uint32_t scope = in_body ? p->scope : 0;
	const int32_t before = bc_ptx_map_get(map, scope, v->name);
	const int32_t index = (int32_t)p->m->nvar;
	enum bc_status st;

	if (before >= 0) {
		/* An extern declaration may stand beside the definition in another place of the text. */
		if (!in_body && v->is_extern)
			return BC_OK;
		return bc_fail(p->err, BC_EDATA, "%s:%u: '%.*s' is declared twice", p->lx.path, v->line,
			       v->name.len > 64 ? 64 : (int)v->name.len, v->name.s);
	}
	st = bc_ptx_array_grow(&p->m->var, p->m->nvar, &p->m->var_cap, sizeof(*p->m->var), VARS_MAX, p->err);
	if (!st)
		st = bc_ptx_map_put(map, scope, v->name, in_body ? index | BC_PTX_NAME_VAR : index, p->err);
	if (!st)
		p->m->var[p->m->nvar++] = *v;
	return st;
}

static enum bc_status check_size(struct bc_ptx_parser *p, const struct bc_ptx_var *v)
{
	uint64_t max = BC_PTX_VARIABLE_MAX;

	if (v->where == BC_PTX_V_SHARED)
		max = BC_PTX_SHARED_MAX;
	else if (v->where == BC_PTX_V_LOCAL)
		max = BC_PTX_LOCAL_MAX;
	else if (v->where == BC_PTX_V_PARAM)
		max = PARAMS_BYTES_MAX;
	if (v->bytes > max)
		return bc_fail(p->err, BC_EDATA, "%s:%u: variable of %llu bytes, at most %llu are allowed", p->lx.path,
			       v->line, (unsigned long long)v->bytes, (unsigned long long)max);
	if (v->data_len > v->bytes)
		return bc_fail(p->err, BC_EDATA, "%s:%u: %zu bytes of initial values for %llu bytes", p->lx.path,
			       v->line, v->data_len, (unsigned long long)v->bytes);
	return BC_OK;
}

static enum bc_status parse_var(struct bc_ptx_parser *p, struct bc_ptx_var *v, enum bc_ptx_type type, unsigned lanes)
{
	const unsigned elem = bc_ptx_type_bytes(type);
	bool unsized;
	uint64_t count;
	enum bc_status st;

	v->line = p->tok.line;
	v->name = p->tok.text;
	if (p->tok.kind != BC_PTX_T_WORD)
		return bc_ptx_expected(p, "a variable's name");
	st = bc_ptx_advance(p);
	if (!st)
		st = parse_dims(p, &count, &unsized);
	if (!st && bc_ptx_at(p, '=')) {
		st = bc_ptx_advance(p);
		if (!st)
			st = parse_init(p, v, type);
		if (!st && unsized) {
			count = v->data_len / elem / lanes;
			unsized = false;
		}
	}
	if (st)
		return st;
	if (unsized && !v->is_extern && v->where != BC_PTX_V_PARAM)
		return bc_fail(p->err, BC_EDATA, "%s:%u: an array without size must be .extern", p->lx.path, v->line);
	v->bytes = unsized ? 0 : count * elem * lanes;
	return check_size(p, v);
}

enum bc_status bc_ptx_parse_vars(struct bc_ptx_parser *p, enum bc_ptx_where where, bool is_extern, bool in_body)
{
	enum bc_ptx_type type;
	unsigned lanes;
	uint32_t align;
	enum bc_status st;

	st = parse_var_type(p, &align, &type, &lanes);
	while (!st) {
		struct bc_ptx_var v = { .where = where,
					.align = align,
					.is_extern = is_extern,
					.body_param = in_body && where == BC_PTX_V_PARAM };

		st = parse_var(p, &v, type, lanes);
		if (!st) {
			const size_t n = p->m->nvar;

			st = declare_var(p, &v, in_body);
			if (!st && p->m->nvar > n)
				v = (struct bc_ptx_var){ .data = NULL }; /* the module owns it now */
		}
		free(v.data);
		free(v.reloc);
		if (st || !bc_ptx_at(p, ','))
			break;
		st = bc_ptx_advance(p);
	}
	return st ? st : bc_ptx_take(p, ';');
}

enum bc_status bc_ptx_parse_param(struct bc_ptx_parser *p, uint64_t *offset)
{
	struct bc_ptx_var v = { .where = BC_PTX_V_PARAM };
	enum bc_ptx_type type;
	unsigned lanes;
	enum bc_status st;

	if (!bc_ptx_at_dot(p, "param"))
		return bc_ptx_expected(p, "'.param'");
	st = bc_ptx_advance(p);
	if (!st)
		st = parse_var_type(p, &v.align, &type, &lanes);
	if (!st)
		st = parse_var(p, &v, type, lanes);
	if (!st && v.bytes == 0)
		st = bc_fail(p->err, BC_EDATA, "%s:%u: a parameter without size", p->lx.path, v.line);
	if (st)
		goto out;
	v.offset = (*offset + v.align - 1) / v.align * v.align;
	if (v.offset + v.bytes > PARAMS_BYTES_MAX)
		st = bc_fail(p->err, BC_EDATA, "%s:%u: more than %d bytes of parameters", p->lx.path, v.line,
			     PARAMS_BYTES_MAX);
	*offset = v.offset + v.bytes;
	if (!st)
		st = declare_var(p, &v, true);
out:
	free(v.data); /* NULL: a parameter has no initial value */
	return st;
}
