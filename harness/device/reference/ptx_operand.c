/* SPDX-License-Identifier: MIT */
/* What the families' decoders have in common: modifiers and operands. */
#include "harness/device/reference/ptx_exec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum bc_status bc_ptx_refuse(const struct bc_ptx_decoder *d, const char *why)
{
	char text[160];
	size_t n = 0;

	for (uint32_t i = 0; i < d->s->text.len && n < sizeof(text) - 1; i++) {
		const char c = d->s->text.s[i];
		const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';

		if (blank && n > 0 && text[n - 1] == ' ')
			continue;
		text[n++] = (char)(blank ? ' ' : (c < ' ' || c > '~') ? '?' : c);
	}
	text[n] = '\0';
	return bc_fail(d->err, BC_EDATA, "%s:%u: %s: `%s%s;` (kernel %s)", d->k->module->path, d->s->line, why,
		       d->s->guard >= 0 ? "@p " : "", text, d->e->cname);
}

enum bc_status bc_ptx_unknown(const struct bc_ptx_decoder *d)
{
	static const char *const images[] = { "tex.", "tld4.", "txq.", "suld.", "sust.", "sured.", "suq." };

	for (size_t i = 0; i < BC_ARRAY_LEN(images); i++)
		if (d->s->opcode.len > strlen(images[i]) && memcmp(d->s->opcode.s, images[i], strlen(images[i])) == 0)
			return bc_ptx_refuse(d, "textures and surfaces are not supported by the reference device");
	return bc_ptx_refuse(d, "instruction or form of it not known to the reference device");
}

enum bc_status bc_ptx_lacks(const struct bc_ptx_decoder *d, const char *feature)
{
	char why[96];

	(void)snprintf(why, sizeof(why), "%s does not exist on %s", feature, d->k->arch.name);
	return bc_ptx_refuse(d, why);
}

bool bc_ptx_take_modifier(struct bc_ptx_decoder *d, const char *word)
{
	if (d->at >= d->nmod || !bc_ptx_slice_is(d->mod[d->at], word))
		return false;
	d->at++;
	return true;
}

enum bc_ptx_type bc_ptx_take_type(struct bc_ptx_decoder *d)
{
	enum bc_ptx_type t = BC_PTX_NONE;

	if (d->at < d->nmod)
		t = bc_ptx_type_parse(d->mod[d->at]);
	d->at += t != BC_PTX_NONE;
	return t;
}

bool bc_ptx_has_modifier(const struct bc_ptx_decoder *d, const char *word)
{
	for (unsigned i = 1; i < d->nmod; i++)
		if (bc_ptx_slice_is(d->mod[i], word))
			return true;
	return false;
}

enum bc_ptx_type bc_ptx_last_type(const struct bc_ptx_decoder *d)
{
	return d->nmod > 1 ? bc_ptx_type_parse(d->mod[d->nmod - 1]) : BC_PTX_NONE;
}

bool bc_ptx_modifiers_done(const struct bc_ptx_decoder *d)
{
	return d->at == d->nmod;
}

const struct bc_ptx_operand *bc_ptx_operand_at(const struct bc_ptx_decoder *d, unsigned i)
{
	return i < d->s->noperands ? &d->e->operand[d->s->first + i] : NULL;
}

enum bc_status bc_ptx_noperands(const struct bc_ptx_decoder *d, unsigned lo, unsigned hi)
{
	if (d->s->noperands < lo || d->s->noperands > hi)
		return bc_ptx_refuse(d, "wrong number of operands");
	return BC_OK;
}

enum bc_status bc_ptx_constant(struct bc_ptx_decoder *d, uint64_t value, uint32_t *slot)
{
	struct bc_ptx_kernel *k = d->k;
	enum bc_status st;
	size_t i;

	if (value == 0) {
		*slot = BC_PTX_SLOT_ZERO;
		return BC_OK;
	}
	if ((k->nconstant + 1) * 2 > d->seen_cap) {
		const size_t cap = d->seen_cap ? d->seen_cap * 2 : 256;
		uint32_t *bigger = calloc(cap, sizeof(*bigger));

		if (!bigger)
			return bc_fail(d->err, BC_ENOMEM, "out of memory for the constants of a kernel");
		for (size_t c = 0; c < k->nconstant; c++) {
			for (i = bc_hash(BC_HASH_INIT, &k->constant[c], 8) & (cap - 1); bigger[i];
			     i = (i + 1) & (cap - 1))
				;
			bigger[i] = (uint32_t)c + 1;
		}
		free(d->seen);
		d->seen = bigger;
		d->seen_cap = cap;
	}
	for (i = bc_hash(BC_HASH_INIT, &value, 8) & (d->seen_cap - 1); d->seen[i]; i = (i + 1) & (d->seen_cap - 1)) {
		if (k->constant[d->seen[i] - 1] == value) {
			*slot = (k->first_constant + d->seen[i] - 1) * BC_LANES;
			return BC_OK;
		}
	}
	st = bc_ptx_array_grow(&k->constant, k->nconstant, &k->constant_cap, sizeof(*k->constant), 1u << 20, d->err);
	if (st)
		return st;
	k->constant[k->nconstant++] = value;
	d->seen[i] = (uint32_t)k->nconstant;
	*slot = (k->first_constant + (uint32_t)k->nconstant - 1) * BC_LANES;
	return BC_OK;
}

enum bc_status bc_ptx_list_add(struct bc_ptx_decoder *d, uint32_t value)
{
	enum bc_status st =
		bc_ptx_array_grow(&d->k->list, d->k->nlist, &d->k->list_cap, sizeof(*d->k->list), 1u << 24, d->err);

	if (!st)
		d->k->list[d->k->nlist++] = value;
	return st;
}

enum bc_status bc_ptx_operand_dst(struct bc_ptx_decoder *d, const struct bc_ptx_operand *o, unsigned bytes, bool wide,
				  uint32_t *slot)
{
	unsigned have;

	if (o && o->kind == BC_PTX_O_SINK && o->reg2 < 0) {
		*slot = BC_PTX_SLOT_SINK;
		return BC_OK;
	}
	if (!o || o->kind != BC_PTX_O_REG || o->negated || o->reg2 >= 0 || d->e->reg[o->reg] == BC_PTX_PRED)
		return bc_ptx_refuse(d, "the destination is not a register");
	have = bc_ptx_type_bytes(d->e->reg[o->reg]);
	if (have > 8 || have < bytes || (have > bytes && !wide))
		return bc_ptx_refuse(d, "the destination register has the wrong width");
	*slot = d->k->slot_of[o->reg];
	return BC_OK;
}

enum bc_status bc_ptx_dst(struct bc_ptx_decoder *d, unsigned i, unsigned bytes, bool wide, uint32_t *slot)
{
	return bc_ptx_operand_dst(d, bc_ptx_operand_at(d, i), bytes, wide, slot);
}

static enum bc_status special_src(struct bc_ptx_decoder *d, const struct bc_ptx_operand *o, unsigned bytes,
				  uint32_t *slot)
{
	unsigned widths = 0;
	const int special = bc_ptx_special_find(o->text, &widths);

	if (special < 0)
		return bc_ptx_refuse(d, "register not declared, or special register not known");
	if ((widths & bytes) == 0)
		return bc_ptx_refuse(d, "the special register has another width");
	if (bc_ptx_special_moves(special))
		d->in->flags |= BC_PTX_FL_CLOCK;
	*slot = d->k->special[special];
	return BC_OK;
}

/* The bits of a constant as an operand of @type. */
static enum bc_status constant_bits(const struct bc_ptx_decoder *d, const struct bc_ptx_operand *o,
				    enum bc_ptx_type type, uint64_t *bits)
{
	const unsigned bytes = bc_ptx_type_bytes(type);
	double v;
	float f;
	uint32_t u;

	*bits = o->value;
	if (o->kind == BC_PTX_O_INT && type != BC_PTX_F32 && type != BC_PTX_F64) {
		if (bytes < 8)
			*bits &= (UINT64_C(1) << 8 * bytes) - 1;
		return BC_OK;
	}
	if (o->kind == BC_PTX_O_F32 && (type == BC_PTX_F32 || type == BC_PTX_B32))
		return BC_OK;
	if (o->kind == BC_PTX_O_F64 && (type == BC_PTX_F64 || type == BC_PTX_B64))
		return BC_OK;
	if (o->kind == BC_PTX_O_F64 && type == BC_PTX_F32) {
		memcpy(&v, &o->value, sizeof(v));
		f = (float)v;
		memcpy(&u, &f, sizeof(u));
		*bits = u;
		return BC_OK;
	}
	return bc_ptx_refuse(d, "the constant does not fit the operand's type");
}

enum bc_status bc_ptx_operand_src(struct bc_ptx_decoder *d, const struct bc_ptx_operand *o, enum bc_ptx_type type,
				  bool wide, uint32_t *slot)
{
	const unsigned bytes = bc_ptx_type_bytes(type);
	uint64_t bits;
	unsigned have;
	enum bc_status st;

	if (!o || o->negated || o->reg2 >= 0)
		return bc_ptx_refuse(d, "an operand has the wrong form");
	switch (o->kind) {
	case BC_PTX_O_REG:
		have = bc_ptx_type_bytes(d->e->reg[o->reg]);
		if (have == 0 || have > 8 || have < bytes || (have > bytes && !wide))
			return bc_ptx_refuse(d, "a register operand has the wrong width");
		*slot = d->k->slot_of[o->reg];
		return BC_OK;
	case BC_PTX_O_INT:
	case BC_PTX_O_F32:
	case BC_PTX_O_F64: st = constant_bits(d, o, type, &bits); return st ? st : bc_ptx_constant(d, bits, slot);
	case BC_PTX_O_VAR:
		if (bytes < 4 || bc_ptx_type_float(type) || d->k->var_addr[o->var] == BC_PTX_NO_ADDR)
			return bc_ptx_refuse(d, "a variable whose address is not known, or does not fit");
		bits = d->k->var_addr[o->var] + o->value;
		return bc_ptx_constant(d, bytes == 4 ? (uint32_t)bits : bits, slot);
	case BC_PTX_O_SPECIAL: return special_src(d, o, bytes, slot);
	case BC_PTX_O_NAME:
		if (bc_ptx_slice_is(o->text, "WARP_SZ"))
			return bc_ptx_constant(d, BC_LANES, slot);
		return bc_ptx_refuse(d, "a name is not declared");
	default: return bc_ptx_refuse(d, "an operand has the wrong form");
	}
}

enum bc_status bc_ptx_src(struct bc_ptx_decoder *d, unsigned i, enum bc_ptx_type type, bool wide, uint32_t *slot)
{
	return bc_ptx_operand_src(d, bc_ptx_operand_at(d, i), type, wide, slot);
}

static bool is_pred(const struct bc_ptx_decoder *d, int32_t reg)
{
	return reg >= 0 && d->e->reg[reg] == BC_PTX_PRED;
}

enum bc_status bc_ptx_pred_dst(struct bc_ptx_decoder *d, unsigned i, uint32_t *pred, uint32_t *second)
{
	const struct bc_ptx_operand *o = bc_ptx_operand_at(d, i);

	if (!o || o->negated || (o->kind != BC_PTX_O_SINK && !(o->kind == BC_PTX_O_REG && is_pred(d, o->reg))) ||
	    (o->reg2 >= 0 && (!second || !is_pred(d, o->reg2))))
		return bc_ptx_refuse(d, "the destination is not a predicate");
	*pred = o->kind == BC_PTX_O_SINK ? BC_PTX_PRED_SINK : d->k->pred_of[o->reg];
	if (second)
		*second = o->reg2 < 0 ? BC_PTX_PRED_SINK : d->k->pred_of[o->reg2];
	return BC_OK;
}

enum bc_status bc_ptx_pred_src(struct bc_ptx_decoder *d, unsigned i, uint32_t *pred, uint32_t *flip)
{
	const struct bc_ptx_operand *o = bc_ptx_operand_at(d, i);

	if (o && o->kind == BC_PTX_O_INT && !o->negated) {
		*pred = o->value != 0 ? BC_PTX_PRED_TRUE : BC_PTX_PRED_FALSE;
		*flip = 0;
		return BC_OK;
	}
	if (!o || o->kind != BC_PTX_O_REG || o->reg2 >= 0 || !is_pred(d, o->reg))
		return bc_ptx_refuse(d, "an operand is not a predicate");
	*pred = d->k->pred_of[o->reg];
	*flip = o->negated ? BC_PTX_FULL : 0;
	return BC_OK;
}

static bool space_fits(enum bc_ptx_where where, enum bc_ptx_space space)
{
	switch (space) {
	case BC_PTX_GLOBAL: return where == BC_PTX_V_GLOBAL;
	case BC_PTX_CONST: return where == BC_PTX_V_CONST;
	case BC_PTX_SHARED: return where == BC_PTX_V_SHARED;
	case BC_PTX_LOCAL: return where == BC_PTX_V_LOCAL;
	case BC_PTX_PARAM: return where == BC_PTX_V_PARAM;
	case BC_PTX_GENERIC: return where == BC_PTX_V_GLOBAL;
	}
	return false;
}

enum bc_status bc_ptx_address(struct bc_ptx_decoder *d, unsigned i, enum bc_ptx_space space, uint32_t *slot,
			      uint64_t *offset)
{
	const struct bc_ptx_operand *o = bc_ptx_operand_at(d, i);
	const bool narrow = space == BC_PTX_SHARED || space == BC_PTX_LOCAL || space == BC_PTX_PARAM;
	unsigned bytes;

	if (!o || o->kind != BC_PTX_O_ADDR)
		return bc_ptx_refuse(d, "an operand is not an address in brackets");
	*offset = o->value;
	*slot = BC_PTX_SLOT_ZERO;
	if (o->var >= 0) {
		if (d->k->module->var[o->var].body_param)
			return bc_ptx_refuse(d, "parameters of a call; calls are not supported");
		if (!space_fits(d->k->module->var[o->var].where, space) || d->k->var_addr[o->var] == BC_PTX_NO_ADDR)
			return bc_ptx_refuse(d, "the variable is not in this state space, or its address is not known");
		*offset += d->k->var_addr[o->var];
	} else if (o->reg >= 0) {
		bytes = bc_ptx_type_bytes(d->e->reg[o->reg]);
		if (bytes != 8 && !(narrow && bytes == 4))
			return bc_ptx_refuse(d, "the address register has the wrong width");
		*slot = d->k->slot_of[o->reg];
	}
	return BC_OK;
}

enum bc_status bc_ptx_literal(const struct bc_ptx_decoder *d, unsigned i, uint64_t *value)
{
	const struct bc_ptx_operand *o = bc_ptx_operand_at(d, i);

	if (!o || o->kind != BC_PTX_O_INT)
		return bc_ptx_refuse(d, "an operand must be an integer constant");
	*value = o->value;
	return BC_OK;
}

bool bc_ptx_is_constant(const struct bc_ptx_decoder *d, const struct bc_ptx_operand *o, uint64_t value)
{
	const struct bc_ptx_stmt *s;

	if (o->kind == BC_PTX_O_INT)
		return o->value == value;
	if (o->kind != BC_PTX_O_REG || d->def[o->reg] < 0)
		return false;
	s = &d->e->stmt[d->def[o->reg]];
	if (s->guard >= 0 || s->noperands != 2 || s->opcode.len < 4 || memcmp(s->opcode.s, "mov.", 4) != 0)
		return false;
	return d->e->operand[s->first + 1].kind == BC_PTX_O_INT && d->e->operand[s->first + 1].value == value;
}

unsigned bc_ptx_operand_bytes(const struct bc_ptx_decoder *d, unsigned i)
{
	const struct bc_ptx_operand *o = bc_ptx_operand_at(d, i);

	return o && o->kind == BC_PTX_O_REG ? bc_ptx_type_bytes(d->e->reg[o->reg]) : 0;
}
