/* SPDX-License-Identifier: MIT */
/* atom and red on shared and global memory. */
#include "harness/device/reference/ptx_cluster.h"

#include <math.h>
#include <string.h>

static int64_t extend(uint64_t v, unsigned bytes)
{
	return bytes == 4 ? (int64_t)(int32_t)(uint32_t)v : (int64_t)v;
}

static uint64_t add_real(enum bc_ptx_type type, uint64_t a, uint64_t b, bool flush)
{
	volatile float f;
	volatile double v;

	switch (type) {
	case BC_PTX_F32:
		if (flush) {
			a = bc_ptx_flush(type, a);
			b = bc_ptx_flush(type, b);
		}
		f = bc_ptx_as_float(a) + bc_ptx_as_float(b);
		a = bc_ptx_float_bits(f);
		return flush ? bc_ptx_flush(type, a) : a;
	case BC_PTX_F64: v = bc_ptx_as_double(a) + bc_ptx_as_double(b); return bc_ptx_double_bits(v);
	case BC_PTX_F16X2:
	case BC_PTX_BF16X2:
		type = type == BC_PTX_F16X2 ? BC_PTX_F16 : BC_PTX_BF16;
		return add_real(type, a & 0xffff, b & 0xffff, false) | add_real(type, a >> 16, b >> 16, false) << 16;
	default: return bc_ptx_round_double(type, bc_ptx_add_odd(bc_ptx_value(type, a), bc_ptx_value(type, b)));
	}
}

/* The smaller or the larger number; one that is NaN gives way. */
static uint64_t choose_real(enum bc_ptx_type type, uint64_t old, uint64_t b, bool smaller)
{
	const double x = bc_ptx_value(type, old), y = bc_ptx_value(type, b);

	if (isnan(x) || isnan(y))
		return isnan(x) ? b : old;
	if (y < x || (!(x < y) && signbit(y)))
		return smaller ? b : old;
	return smaller ? old : b;
}

/* The new value of memory that holds @old. */
static uint64_t apply(const struct bc_ptx_insn *in, uint64_t old, uint64_t b, uint64_t c, bool global)
{
	const enum bc_ptx_type type = (enum bc_ptx_type)in->type;
	const bool is_signed = bc_ptx_type_signed(type);
	uint64_t v = old;

	switch ((enum bc_ptx_atomic_op)in->op) {
	case BC_PTX_A_ADD: v = bc_ptx_type_float(type) ? add_real(type, old, b, global) : old + b; break;
	case BC_PTX_A_MIN:
	case BC_PTX_A_MAX:
		if (bc_ptx_type_float(type)) {
			v = choose_real(type, old, b, in->op == BC_PTX_A_MIN);
			break;
		}
		v = (is_signed ? extend(b, in->elem) < extend(old, in->elem) : b < old) == (in->op == BC_PTX_A_MIN)
			    ? b
			    : old;
		break;
	case BC_PTX_A_INC: v = old >= b ? 0 : old + 1; break;
	case BC_PTX_A_DEC: v = old == 0 || old > b ? b : old - 1; break;
	case BC_PTX_A_AND: v = old & b; break;
	case BC_PTX_A_OR: v = old | b; break;
	case BC_PTX_A_XOR: v = old ^ b; break;
	case BC_PTX_A_EXCH: v = b; break;
	case BC_PTX_A_CAS: v = old == b ? c : old; break;
	}
	return in->elem == 8 ? v : v & ((UINT64_C(1) << 8u * in->elem) - 1);
}

uint64_t bc_ptx_update_global(const struct bc_ptx_insn *in, unsigned char *p, uint64_t b, uint64_t c, bool write)
{
	uint64_t old = 0;

	bc_ptx_global_load(&old, p, in->elem, in->elem);
	while (write && !bc_ptx_global_cas(p, in->elem, &old, apply(in, old, b, c, true)))
		;
	return old;
}

static uint64_t update_shared(const struct bc_ptx_insn *in, unsigned char *p, uint64_t b, uint64_t c, bool write)
{
	uint64_t old = 0, v;

	memcpy(&old, p, in->elem);
	v = apply(in, old, b, c, false);
	if (write)
		memcpy(p, &v, in->elem);
	return old;
}

/* The operation with its bank law; BC_OP_NONE: it has no row in the table of operations. */
static enum bc_op law_of(const struct bc_ptx_insn *in)
{
	static const enum bc_op words[] = {
		[BC_PTX_A_ADD] = BC_OP_ATOM32, [BC_PTX_A_MIN] = BC_OP_MIN32, [BC_PTX_A_MAX] = BC_OP_MAX32,
		[BC_PTX_A_INC] = BC_OP_INC32,  [BC_PTX_A_DEC] = BC_OP_INC32, [BC_PTX_A_AND] = BC_OP_AND32,
		[BC_PTX_A_OR] = BC_OP_OR32,    [BC_PTX_A_XOR] = BC_OP_XOR32, [BC_PTX_A_EXCH] = BC_OP_EXCH32,
		[BC_PTX_A_CAS] = BC_OP_CAS32,
	};
	const enum bc_ptx_type type = (enum bc_ptx_type)in->type;
	const enum bc_ptx_atomic_op op = (enum bc_ptx_atomic_op)in->op;
	const bool red = (in->flags & BC_PTX_FL_RED) != 0;

	if (type == BC_PTX_F32)
		return red ? BC_OP_REDF32 : BC_OP_ADDF32;
	if (bc_ptx_type_float(type) || in->elem < 4)
		return BC_OP_NONE;
	if (in->elem == 8) {
		if (op == BC_PTX_A_ADD)
			return red ? BC_OP_RED64 : BC_OP_ADD64;
		return op == BC_PTX_A_EXCH ? BC_OP_EXCH64 : op == BC_PTX_A_CAS ? BC_OP_CAS64 : BC_OP_NONE;
	}
	if (op == BC_PTX_A_ADD && (in->flags & BC_PTX_FL_CONST_ONE))
		return BC_OP_RED32;
	if (op == BC_PTX_A_ADD && red)
		return BC_OP_REDV32;
	return op == BC_PTX_A_MAX && red ? BC_OP_REDMAX32 : words[op];
}

/* The lanes of @mask in one space, in ascending order. */
static void atomic_in(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in,
		      enum bc_ptx_space space, const uint64_t addr[BC_LANES], uint32_t mask)
{
	const struct bc_ptx_hooks *h = x->g->l->hooks;
	const bool shared = space == BC_PTX_SHARED;
	struct bc_ptx_access a;
	uint32_t update = mask;
	unsigned char *p[BC_LANES];

	for (uint32_t m = mask; m != 0; m &= m - 1) {
		const uint32_t l = (uint32_t)__builtin_ctz(m);

		p[l] = shared ? bc_ptx_shared_at(x, w, in, l, addr[l], in->elem, in->elem, true)
			      : bc_ptx_global_at(x, w, in, l, addr[l], in->elem, in->elem, true);
		if (!p[l])
			return;
	}
	if (shared) {
		x->counts.atom_requests += !x->remote || (h && h->cluster & BC_PTX_CLUSTER_COUNTED);
		bc_ptx_count_shared(x, w, in, law_of(in), addr, mask);
	}
	a = bc_ptx_access_of(x, w, in, BC_PTX_ATOMIC, space, in->elem, mask, addr);
	if (h && h->atomic) {
		a.op = shared && !x->remote ? law_of(in) : BC_OP_NONE;
		h->atomic(h->ctx, &a, &update);
	}
	for (uint32_t m = mask; m != 0; m &= m - 1) {
		const uint32_t l = (uint32_t)__builtin_ctz(m);
		const uint64_t b = w->r[in->src[1] + l], c = w->r[in->src[2] + l];
		const bool write = (update >> l & 1) != 0;
		uint64_t old;

		if (shared) {
			bc_ptx_shared_read(x, w, in, l, addr[l], in->elem, true);
			bc_ptx_shared_write(x, w, in, l, addr[l], in->elem, UINT32_MAX, true);
			old = update_shared(in, p[l], b, c, write);
		} else {
			old = bc_ptx_update_global(in, p[l], b, c, write);
		}
		memcpy(x->data[l], &old, sizeof(old));
	}
}

static void atomic(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask)
{
	uint32_t shared = in->space == BC_PTX_SHARED ? mask : 0;

	for (unsigned l = 0; l < BC_LANES; l++)
		x->addr[l] = w->r[in->src[0] + l] + in->imm;
	for (uint32_t m = in->space == BC_PTX_GENERIC ? mask : 0; m != 0; m &= m - 1) {
		const unsigned l = (unsigned)__builtin_ctz(m);

		if (bc_ptx_space_of(x, x->addr[l]) == BC_PTX_SHARED)
			shared |= 1u << l;
	}
	if (shared && in->space == BC_PTX_GENERIC) {
		uint64_t addr[BC_LANES];

		for (unsigned l = 0; l < BC_LANES; l++)
			addr[l] = x->addr[l] - BC_PTX_SHARED_WINDOW;
		bc_ptx_cluster_access(x, w, in, atomic_in, addr, shared);
	} else if (shared) {
		bc_ptx_cluster_access(x, w, in, atomic_in, x->addr, shared);
	}
	if (!x->failed && (mask & ~shared))
		atomic_in(x, w, in, BC_PTX_GLOBAL, x->addr, mask & ~shared);
	if (x->failed)
		return;
	for (uint32_t m = mask; m != 0; m &= m - 1) {
		const unsigned l = (unsigned)__builtin_ctz(m);

		memcpy(&w->r[in->dst + l], x->data[l], sizeof(uint64_t));
	}
}

static bool take_op(struct bc_ptx_decoder *d)
{
	static const char *const words[] = {
		[BC_PTX_A_ADD] = "add",	  [BC_PTX_A_MIN] = "min", [BC_PTX_A_MAX] = "max", [BC_PTX_A_INC] = "inc",
		[BC_PTX_A_DEC] = "dec",	  [BC_PTX_A_AND] = "and", [BC_PTX_A_OR] = "or",	  [BC_PTX_A_XOR] = "xor",
		[BC_PTX_A_EXCH] = "exch", [BC_PTX_A_CAS] = "cas",
	};

	for (size_t i = 0; i < BC_ARRAY_LEN(words); i++) {
		if (!bc_ptx_take_modifier(d, words[i]))
			continue;
		d->in->op = (uint8_t)i;
		return true;
	}
	return false;
}

/* .sem .scope .space, in whatever order toolkits write them. */
static void take_prefix(struct bc_ptx_decoder *d)
{
	static const char *const words[] = {
		"relaxed", "acquire", "release", "acq_rel", "cta", "cluster", "gpu", "sys"
	};
	bool more = true;

	while (more) {
		more = false;
		for (size_t i = 0; i < BC_ARRAY_LEN(words); i++)
			more = bc_ptx_take_modifier(d, words[i]) || more;
		if (bc_ptx_take_modifier(d, "global")) {
			d->in->space = BC_PTX_GLOBAL;
			more = true;
		} else if (bc_ptx_take_modifier(d, "shared") || bc_ptx_take_modifier(d, "shared::cta") ||
			   (d->k->arch.cluster && bc_ptx_take_modifier(d, "shared::cluster"))) {
			d->in->space = BC_PTX_SHARED;
			more = true;
		}
	}
}

/* Which types an operation takes. */
static bool type_fits(const struct bc_ptx_insn *in, bool noftz)
{
	const enum bc_ptx_type t = (enum bc_ptx_type)in->type;
	const bool half = t == BC_PTX_F16 || t == BC_PTX_F16X2 || t == BC_PTX_BF16 || t == BC_PTX_BF16X2;

	if (half != noftz)
		return false;
	switch ((enum bc_ptx_atomic_op)in->op) {
	case BC_PTX_A_ADD:
		return half || t == BC_PTX_U32 || t == BC_PTX_S32 || t == BC_PTX_U64 || t == BC_PTX_S64 ||
		       t == BC_PTX_F32 || t == BC_PTX_F64;
	case BC_PTX_A_MIN:
	case BC_PTX_A_MAX: return t == BC_PTX_U32 || t == BC_PTX_S32 || t == BC_PTX_U64 || t == BC_PTX_S64;
	case BC_PTX_A_INC:
	case BC_PTX_A_DEC: return t == BC_PTX_U32;
	case BC_PTX_A_CAS:
		return t == BC_PTX_B16 || t == BC_PTX_B32 || t == BC_PTX_B64 || t == BC_PTX_U32 || t == BC_PTX_U64 ||
		       t == BC_PTX_S32 || t == BC_PTX_S64;
	default:
		return t == BC_PTX_B32 || t == BC_PTX_B64 || t == BC_PTX_U32 || t == BC_PTX_U64 || t == BC_PTX_S32 ||
		       t == BC_PTX_S64;
	}
}

static enum bc_status operands(struct bc_ptx_decoder *d, bool red, bool hinted)
{
	struct bc_ptx_insn *in = d->in;
	const unsigned first = red ? 0 : 1, n = first + 2 + (in->op == BC_PTX_A_CAS) + hinted;
	enum bc_ptx_type type = (enum bc_ptx_type)in->type;
	enum bc_status st = bc_ptx_noperands(d, n, n);

	if (type == BC_PTX_F16 || type == BC_PTX_BF16)
		type = BC_PTX_B16;
	if (type == BC_PTX_F16X2 || type == BC_PTX_BF16X2)
		type = BC_PTX_B32;
	in->dst = BC_PTX_SLOT_SINK;
	if (!st && !red)
		st = bc_ptx_dst(d, 0, in->elem, false, &in->dst);
	if (!st)
		st = bc_ptx_address(d, first, (enum bc_ptx_space)in->space, &in->src[0], &in->imm);
	if (!st)
		st = bc_ptx_src(d, first + 1, type, false, &in->src[1]);
	if (!st && in->op == BC_PTX_A_CAS)
		st = bc_ptx_src(d, first + 2, type, false, &in->src[2]);
	return st;
}

enum bc_status bc_ptx_decode_atom(struct bc_ptx_decoder *d)
{
	struct bc_ptx_insn *in = d->in;
	const bool red = d->mod[0].s[0] == 'r';
	const struct bc_ptx_operand *dst = bc_ptx_operand_at(d, 0);
	bool noftz, hinted;
	enum bc_status st;

	in->space = BC_PTX_GENERIC;
	take_prefix(d);
	if (!take_op(d) || (red && (in->op == BC_PTX_A_EXCH || in->op == BC_PTX_A_CAS)))
		return bc_ptx_unknown(d);
	noftz = bc_ptx_take_modifier(d, "noftz");
	hinted = bc_ptx_take_modifier(d, "L2::cache_hint");
	in->type = (uint8_t)bc_ptx_take_type(d);
	in->elem = (uint8_t)bc_ptx_type_bytes((enum bc_ptx_type)in->type);
	if (!bc_ptx_modifiers_done(d) || !type_fits(in, noftz))
		return bc_ptx_unknown(d);
	in->exec = atomic;
	st = operands(d, red, hinted);
	if (st)
		return st;
	if (red || dst->kind == BC_PTX_O_SINK || d->uses[dst->reg] == 1)
		in->flags |= BC_PTX_FL_RED;
	if ((in->flags & BC_PTX_FL_RED) && in->op == BC_PTX_A_ADD && in->elem == 4 &&
	    !bc_ptx_type_float((enum bc_ptx_type)in->type) &&
	    bc_ptx_is_constant(d, bc_ptx_operand_at(d, red ? 1 : 2), 1))
		in->flags |= BC_PTX_FL_CONST_ONE;
	return BC_OK;
}
