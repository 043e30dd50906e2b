/* SPDX-License-Identifier: MIT */
/* From statements to instructions: the table of opcodes, and the preparation of an entry. */
#include "harness/device/reference/ptx_exec.h"

#include <stdlib.h>
#include <string.h>

/* Who decodes an opcode, by the kind of its last type: integer or bits, f32 or f64, f16 and bf16. */
static const struct opcode {
	const char *name;
	bc_ptx_decode_fn *integer, *real, *half;
} opcodes[] = {
	{ "abs", bc_ptx_decode_integer, bc_ptx_decode_float, bc_ptx_decode_half },
	{ "activemask", bc_ptx_decode_sync, NULL, NULL },
	{ "add", bc_ptx_decode_integer, bc_ptx_decode_float, bc_ptx_decode_half },
	{ "addc", bc_ptx_decode_integer, NULL, NULL },
	{ "and", bc_ptx_decode_bits, NULL, NULL },
	{ "atom", bc_ptx_decode_atom, bc_ptx_decode_atom, bc_ptx_decode_atom },
	{ "bar", bc_ptx_decode_sync, NULL, NULL },
	{ "barrier", bc_ptx_decode_sync, NULL, NULL },
	{ "bfe", bc_ptx_decode_bits, NULL, NULL },
	{ "bfi", bc_ptx_decode_bits, NULL, NULL },
	{ "bfind", bc_ptx_decode_bits, NULL, NULL },
	{ "bmsk", bc_ptx_decode_bits, NULL, NULL },
	{ "bra", bc_ptx_decode_control, NULL, NULL },
	{ "brev", bc_ptx_decode_bits, NULL, NULL },
	{ "brx", bc_ptx_decode_control, NULL, NULL },
	{ "clz", bc_ptx_decode_bits, NULL, NULL },
	{ "cnot", bc_ptx_decode_bits, NULL, NULL },
	{ "copysign", NULL, bc_ptx_decode_float, NULL },
	{ "cos", NULL, bc_ptx_decode_math, NULL },
	{ "cp", bc_ptx_decode_async, NULL, NULL },
	{ "cvt", bc_ptx_decode_cvt, bc_ptx_decode_cvt, bc_ptx_decode_cvt },
	{ "cvta", bc_ptx_decode_move, NULL, NULL },
	{ "div", bc_ptx_decode_integer, bc_ptx_decode_math, NULL },
	{ "dp2a", bc_ptx_decode_integer, NULL, NULL },
	{ "dp4a", bc_ptx_decode_integer, NULL, NULL },
	{ "elect", bc_ptx_decode_sync, NULL, NULL },
	{ "ex2", NULL, bc_ptx_decode_math, bc_ptx_decode_half },
	{ "exit", bc_ptx_decode_control, NULL, NULL },
	{ "fence", bc_ptx_decode_control, NULL, NULL },
	{ "fma", NULL, bc_ptx_decode_float, bc_ptx_decode_half },
	{ "getctarank", bc_ptx_decode_cluster, NULL, NULL },
	{ "isspacep", bc_ptx_decode_move, NULL, NULL },
	{ "ld", bc_ptx_decode_ldst, bc_ptx_decode_ldst, bc_ptx_decode_ldst },
	{ "ldmatrix", bc_ptx_decode_matrix, NULL, NULL },
	{ "ldu", bc_ptx_decode_ldst, bc_ptx_decode_ldst, bc_ptx_decode_ldst },
	{ "lg2", NULL, bc_ptx_decode_math, NULL },
	{ "lop3", bc_ptx_decode_bits, NULL, NULL },
	{ "mapa", bc_ptx_decode_cluster, NULL, NULL },
	{ "mad", bc_ptx_decode_integer, bc_ptx_decode_float, NULL },
	{ "mad24", bc_ptx_decode_integer, NULL, NULL },
	{ "madc", bc_ptx_decode_integer, NULL, NULL },
	{ "match", bc_ptx_decode_sync, NULL, NULL },
	{ "max", bc_ptx_decode_integer, bc_ptx_decode_float, bc_ptx_decode_half },
	{ "mbarrier", bc_ptx_decode_mbarrier, NULL, NULL },
	{ "membar", bc_ptx_decode_control, NULL, NULL },
	{ "min", bc_ptx_decode_integer, bc_ptx_decode_float, bc_ptx_decode_half },
	{ "mma", bc_ptx_decode_mma, bc_ptx_decode_mma, bc_ptx_decode_mma },
	{ "mov", bc_ptx_decode_move, bc_ptx_decode_move, bc_ptx_decode_move },
	{ "mul", bc_ptx_decode_integer, bc_ptx_decode_float, bc_ptx_decode_half },
	{ "mul24", bc_ptx_decode_integer, NULL, NULL },
	{ "nanosleep", bc_ptx_decode_control, NULL, NULL },
	{ "neg", bc_ptx_decode_integer, bc_ptx_decode_float, bc_ptx_decode_half },
	{ "not", bc_ptx_decode_bits, NULL, NULL },
	{ "or", bc_ptx_decode_bits, NULL, NULL },
	{ "pmevent", bc_ptx_decode_control, NULL, NULL },
	{ "popc", bc_ptx_decode_bits, NULL, NULL },
	{ "prefetch", bc_ptx_decode_control, NULL, NULL },
	{ "prefetchu", bc_ptx_decode_control, NULL, NULL },
	{ "prmt", bc_ptx_decode_bits, NULL, NULL },
	{ "rcp", NULL, bc_ptx_decode_math, NULL },
	{ "red", bc_ptx_decode_atom, bc_ptx_decode_atom, bc_ptx_decode_atom },
	{ "redux", bc_ptx_decode_sync, NULL, NULL },
	{ "rem", bc_ptx_decode_integer, NULL, NULL },
	{ "ret", bc_ptx_decode_control, NULL, NULL },
	{ "rsqrt", NULL, bc_ptx_decode_math, NULL },
	{ "sad", bc_ptx_decode_integer, NULL, NULL },
	{ "selp", bc_ptx_decode_compare, bc_ptx_decode_compare, bc_ptx_decode_compare },
	{ "set", bc_ptx_decode_compare, bc_ptx_decode_compare, bc_ptx_decode_compare },
	{ "setp", bc_ptx_decode_compare, bc_ptx_decode_compare, bc_ptx_decode_compare },
	{ "shf", bc_ptx_decode_bits, NULL, NULL },
	{ "shfl", bc_ptx_decode_sync, NULL, NULL },
	{ "shl", bc_ptx_decode_bits, NULL, NULL },
	{ "shr", bc_ptx_decode_bits, NULL, NULL },
	{ "sin", NULL, bc_ptx_decode_math, NULL },
	{ "slct", bc_ptx_decode_compare, bc_ptx_decode_compare, NULL },
	{ "sqrt", NULL, bc_ptx_decode_math, NULL },
	{ "st", bc_ptx_decode_ldst, bc_ptx_decode_ldst, bc_ptx_decode_ldst },
	{ "stmatrix", bc_ptx_decode_matrix, NULL, NULL },
	{ "sub", bc_ptx_decode_integer, bc_ptx_decode_float, bc_ptx_decode_half },
	{ "subc", bc_ptx_decode_integer, NULL, NULL },
	{ "szext", bc_ptx_decode_bits, NULL, NULL },
	{ "tanh", NULL, bc_ptx_decode_math, bc_ptx_decode_half },
	{ "testp", NULL, bc_ptx_decode_compare, NULL },
	{ "trap", bc_ptx_decode_control, NULL, NULL },
	{ "vote", bc_ptx_decode_sync, NULL, NULL },
	{ "xor", bc_ptx_decode_bits, NULL, NULL },
};

/* "ld.global.u32" into its parts. Return: false when there are too many. */
static bool split_opcode(struct bc_ptx_decoder *d)
{
	const struct bc_ptx_slice all = d->s->opcode;
	struct bc_ptx_slice part = { .s = all.s };

	d->nmod = 0;
	d->at = 1;
	for (uint32_t i = 0; i <= all.len; i++) {
		if (i < all.len && all.s[i] != '.')
			continue;
		part.len = (uint32_t)(all.s + i - part.s);
		if (d->nmod == BC_ARRAY_LEN(d->mod))
			return false;
		d->mod[d->nmod++] = part;
		part.s = all.s + i + 1;
	}
	return true;
}

static enum bc_status decode_statement(struct bc_ptx_decoder *d, uint32_t index)
{
	enum bc_ptx_type type;

	d->s = &d->e->stmt[index];
	d->in = &d->k->code[index];
	*d->in = (struct bc_ptx_insn){ .stmt = index,
				       .line = d->s->line,
				       .guard = BC_PTX_PRED_TRUE,
				       .psrc = BC_PTX_PRED_TRUE,
				       .rpc = BC_PTX_NO_PC };
	if (d->s->guard >= 0) {
		d->in->guard = (int32_t)d->k->pred_of[d->s->guard];
		d->in->guard_flip = d->s->guard_negated ? BC_PTX_FULL : 0;
	}
	if (d->s->opaque || !split_opcode(d))
		return bc_ptx_unknown(d);
	type = bc_ptx_last_type(d);
	for (size_t i = 0; i < BC_ARRAY_LEN(opcodes); i++) {
		const struct opcode *o = &opcodes[i];
		bc_ptx_decode_fn *fn = o->integer;

		if (!bc_ptx_slice_is(d->mod[0], o->name))
			continue;
		if (type == BC_PTX_F32 || type == BC_PTX_F64 || type == BC_PTX_F32X2)
			fn = o->real;
		else if (bc_ptx_type_float(type))
			fn = o->half;
		return fn ? fn(d) : bc_ptx_unknown(d);
	}
	return bc_ptx_unknown(d);
}

/* How often each register is named, and where it is defined when that is one place. */
static void count_uses(struct bc_ptx_decoder *d)
{
	for (size_t i = 0; i < d->e->nreg; i++)
		d->def[i] = -1;
	for (size_t i = 0; i < d->e->noperand; i++) {
		const struct bc_ptx_operand *o = &d->e->operand[i];

		if (o->reg >= 0)
			d->uses[o->reg]++;
		if (o->reg2 >= 0)
			d->uses[o->reg2]++;
	}
	for (size_t i = 0; i < d->e->nstmt; i++) {
		const struct bc_ptx_stmt *s = &d->e->stmt[i];
		const struct bc_ptx_operand *o;

		if (s->noperands == 0)
			continue;
		o = &d->e->operand[s->first];
		if (o->kind == BC_PTX_O_REG)
			d->def[o->reg] = d->def[o->reg] == -1 ? (int32_t)i : -2;
		for (uint32_t j = 0; o->kind == BC_PTX_O_VECTOR && j < o->count; j++)
			if (d->e->operand[o->first + j].reg >= 0)
				d->def[d->e->operand[o->first + j].reg] = -2;
	}
}

static enum bc_status refuse_calls(struct bc_ptx_decoder *d)
{
	for (size_t i = 0; i < d->e->nstmt; i++) {
		d->s = &d->e->stmt[i];
		if (d->s->opcode.len >= 4 && memcmp(d->s->opcode.s, "call", 4) == 0 &&
		    (d->s->opcode.len == 4 || d->s->opcode.s[4] == '.'))
			return bc_ptx_refuse(d,
					     "calls are not supported (compile without -G, and inline the function)");
	}
	return BC_OK;
}

static void number_registers(struct bc_ptx_kernel *k, const struct bc_ptx_entry *e)
{
	k->nslots = 2;
	k->npreds = 3;
	for (size_t i = 0; i < e->nreg; i++) {
		if (e->reg[i] == BC_PTX_PRED)
			k->pred_of[i] = k->npreds++;
		else
			k->slot_of[i] = k->nslots++ * BC_LANES;
	}
}

static enum bc_status decode_entry(struct bc_ptx_decoder *d, unsigned char *used)
{
	struct bc_ptx_kernel *k = d->k;
	enum bc_status st;

	number_registers(k, d->e);
	count_uses(d);
	st = refuse_calls(d);
	if (!st)
		st = bc_ptx_layout(d, used);
	k->first_constant = k->nslots;
	for (uint32_t i = 0; i < d->e->nstmt && !st; i++)
		st = decode_statement(d, i);
	k->nslots += (uint32_t)k->nconstant;
	if (st)
		return st;
	/* Running off the end of the body is a return. */
	k->code[d->e->nstmt] = (struct bc_ptx_insn){ .flow = BC_PTX_F_EXIT,
						     .guard = BC_PTX_PRED_TRUE,
						     .rpc = BC_PTX_NO_PC,
						     .stmt = (uint32_t)d->e->nstmt,
						     .line = d->e->line };
	return bc_ptx_flow_build(k, d->err);
}

enum bc_status bc_ptx_prepare(const struct bc_ptx_image *i, const char *entry, const struct bc_arch *arch,
			      struct bc_ptx_kernel **out, struct bc_error *err)
{
	const long index = bc_ptx_entry_find(i->m, entry);
	struct bc_ptx_decoder d = { .err = err };
	unsigned char *used = NULL;
	struct bc_ptx_kernel *k;
	enum bc_status st;

	if (index < 0)
		return bc_fail(err, BC_EUSAGE, "%s: there is no entry '%s'", i->m->path, entry);
	k = calloc(1, sizeof(*k));
	if (!k)
		return bc_fail(err, BC_ENOMEM, "%s: out of memory", i->m->path);
	k->image = i;
	k->module = i->m;
	k->entry = d.e = &i->m->entry[index];
	k->arch = *arch;
	d.k = k;
	k->ncode = d.e->nstmt + 1;
	k->code = calloc(k->ncode, sizeof(*k->code));
	k->pred_of = calloc(d.e->nreg + 1, sizeof(*k->pred_of));
	k->slot_of = calloc(d.e->nreg + 1, sizeof(*k->slot_of));
	k->var_addr = calloc(i->m->nvar + 1, sizeof(*k->var_addr));
	d.uses = calloc(d.e->nreg + 1, sizeof(*d.uses));
	d.def = calloc(d.e->nreg + 1, sizeof(*d.def));
	used = calloc(i->m->nvar + 1, 1);
	if (!k->code || !k->pred_of || !k->slot_of || !k->var_addr || !d.uses || !d.def || !used) {
		st = bc_fail(err, BC_ENOMEM, "%s: out of memory", i->m->path);
		goto out;
	}
	st = decode_entry(&d, used);
	if (st)
		goto out;
	*out = k;
	k = NULL; /* the caller owns it now */
out:
	free(used);
	free(d.uses);
	free(d.def);
	free(d.seen);
	bc_ptx_release(k);
	return st;
}

void bc_ptx_release(struct bc_ptx_kernel *k)
{
	if (!k)
		return;
	free(k->code);
	free(k->list);
	free(k->constant);
	free(k->pred_of);
	free(k->slot_of);
	free(k->var_addr);
	free(k);
}

uint32_t bc_ptx_static_shared(const struct bc_ptx_kernel *k)
{
	return k->static_bytes;
}
