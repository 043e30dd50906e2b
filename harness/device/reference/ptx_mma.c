/* SPDX-License-Identifier: MIT */
/* mma.sync: products of small matrices held in the registers of a warp.
 *
 * Fragments are the PTX ISA's, and those of all shapes are one formula. With g = lane / 4, t = lane % 4 and P elements
 * in a register of A and B: register i of A holds row g + 8 * (i mod (m / 8)) and columns 4P * (i / (m / 8)) + P * t
 * onwards; register i of B the rows 4P * i + P * t onwards of column g; element i of C and D row g + 8 * (i / 2) and
 * column 2t + i mod 2, 16-bit ones two in a register.
 *
 * Integers are exact. Floats: products are exact, their sum with C is made in double precision in ascending k and
 * rounded once, to nearest; of 64-bit ones each step is a fused multiply-add. The order and the intermediate rounding
 * of hardware are not specified: its last bits may differ, but not where all sums are exact.
 */
#include "harness/device/reference/ptx_exec.h"

#include <math.h>
#include <string.h>

#define M_MAX 16
#define N 8
#define K_MAX 32

enum element { F16, BF16, TF32, F64, S8, U8, E4M3, E5M2, F32, S32, NELEMENTS };

static const struct {
	const char *name;
	uint8_t bits, regs_bytes; /* of an element; of a register that holds it */
	enum bc_ptx_type type;	  /* of the register */
} elements[NELEMENTS] = {
	[F16] = { "f16", 16, 4, BC_PTX_B32 },	[BF16] = { "bf16", 16, 4, BC_PTX_B32 },
	[TF32] = { "tf32", 32, 4, BC_PTX_B32 }, [F64] = { "f64", 64, 8, BC_PTX_B64 },
	[S8] = { "s8", 8, 4, BC_PTX_B32 },	[U8] = { "u8", 8, 4, BC_PTX_B32 },
	[E4M3] = { "e4m3", 8, 4, BC_PTX_B32 },	[E5M2] = { "e5m2", 8, 4, BC_PTX_B32 },
	[F32] = { "f32", 32, 4, BC_PTX_B32 },	[S32] = { "s32", 32, 4, BC_PTX_B32 },
};

/* Which shapes take which elements, and since when: compute capability, ten times major plus minor. */
static const struct shape {
	const char *name;
	uint8_t m, k;
	uint16_t inputs, accumulators; /* bits of enum element */
	uint8_t since;
} shapes[] = {
	{ "m16n8k8", 16, 8, 1 << F16, 1 << F16 | 1 << F32, 75 },
	{ "m8n8k16", 8, 16, 1 << S8 | 1 << U8, 1 << S32, 75 },
	{ "m16n8k16", 16, 16, 1 << F16, 1 << F16 | 1 << F32, 80 },
	{ "m16n8k8", 16, 8, 1 << BF16 | 1 << TF32, 1 << F32, 80 },
	{ "m16n8k16", 16, 16, 1 << BF16, 1 << F32, 80 },
	{ "m16n8k4", 16, 4, 1 << TF32, 1 << F32, 80 },
	{ "m8n8k4", 8, 4, 1 << F64, 1 << F64, 80 },
	{ "m16n8k16", 16, 16, 1 << S8 | 1 << U8, 1 << S32, 80 },
	{ "m16n8k32", 16, 32, 1 << S8 | 1 << U8, 1 << S32, 80 },
	{ "m16n8k32", 16, 32, 1 << E4M3 | 1 << E5M2, 1 << F16 | 1 << F32, 89 },
	{ "m16n8k4", 16, 4, 1 << F64, 1 << F64, 90 },
	{ "m16n8k8", 16, 8, 1 << F64, 1 << F64, 90 },
	{ "m16n8k16", 16, 16, 1 << F64, 1 << F64, 90 },
};

/* A decoded one: in the immediate. */
struct form {
	uint8_t shape, a, b, c, d;
	bool saturates;
};

static uint64_t put_form(struct form f)
{
	return (uint64_t)f.shape | (uint64_t)f.a << 8 | (uint64_t)f.b << 16 | (uint64_t)f.c << 24 |
	       (uint64_t)f.d << 32 | (uint64_t)f.saturates << 40;
}

static struct form get_form(uint64_t v)
{
	return (struct form){ (uint8_t)v,	  (uint8_t)(v >> 8),  (uint8_t)(v >> 16),
			      (uint8_t)(v >> 24), (uint8_t)(v >> 32), (v >> 40 & 1) != 0 };
}

/* An 8-bit float; e5m2 is the upper half of an f16. */
static double of_byte(enum element e, uint64_t bits)
{
	const unsigned exponent = (unsigned)(bits >> 3 & 15), mantissa = (unsigned)(bits & 7);
	double v;

	if (e == E5M2)
		return bc_ptx_value(BC_PTX_F16, (bits & 0xff) << 8);
	if (exponent == 15 && mantissa == 7)
		return (double)NAN;
	v = exponent ? ldexp(8 + mantissa, (int)exponent - 10) : ldexp(mantissa, -9);
	return bits & 0x80 ? -v : v;
}

/* Element @j of a register. */
static double value_of(enum element e, uint64_t reg, unsigned j)
{
	const uint64_t bits = elements[e].bits == 64 ? reg : reg >> j * elements[e].bits;

	switch (e) {
	case F16: return bc_ptx_value(BC_PTX_F16, bits & 0xffff);
	case BF16: return bc_ptx_value(BC_PTX_BF16, bits & 0xffff);
	case TF32: return bc_ptx_value(BC_PTX_F32, bits & 0xffffe000u); /* the low 13 bits are not looked at */
	case F32: return bc_ptx_value(BC_PTX_F32, bits & 0xffffffffu);
	case F64: return bc_ptx_as_double(bits);
	case S8: return (double)(int8_t)(uint8_t)bits;
	case U8: return (double)(uint8_t)bits;
	case S32: return (double)(int32_t)(uint32_t)bits;
	default: return of_byte(e, bits);
	}
}

static unsigned in_register(enum element e)
{
	return 8u * elements[e].regs_bytes / elements[e].bits;
}

/* Registers of the m x k, or k x n, elements of a warp. */
static unsigned registers(unsigned count, enum element e)
{
	return count / (BC_LANES * in_register(e));
}

struct tile {
	double a[M_MAX][K_MAX], b[N][K_MAX], c[M_MAX][N];
};

static void gather(struct bc_ptx_run *x, const struct bc_ptx_warp *w, const struct bc_ptx_insn *in, struct form f,
		   struct tile *t)
{
	const struct shape *s = &shapes[f.shape];
	const unsigned p = in_register((enum element)f.a), pc = in_register((enum element)f.c), down = s->m / 8u;
	const unsigned nd = registers(s->m * N, (enum element)f.d), na = registers(s->m * s->k, (enum element)f.a);
	const unsigned nb = registers((unsigned)s->k * N, (enum element)f.b);
	const unsigned nc = registers(s->m * N, (enum element)f.c);
	const uint32_t *list = x->k->list + in->list + nd;

	for (unsigned l = 0; l < BC_LANES; l++) {
		const unsigned g = l / 4, q = l % 4;

		for (unsigned i = 0; i < na; i++)
			for (unsigned j = 0; j < p; j++)
				t->a[g + 8 * (i % down)][4 * p * (i / down) + p * q + j] =
					value_of((enum element)f.a, w->r[list[i] + l], j);
		for (unsigned i = 0; i < nb; i++)
			for (unsigned j = 0; j < p; j++)
				t->b[g][4 * p * i + p * q + j] = value_of((enum element)f.b, w->r[list[na + i] + l], j);
		for (unsigned i = 0; i < nc * pc; i++)
			t->c[g + 8 * (i / 2)][2 * q + i % 2] =
				value_of((enum element)f.c, w->r[list[na + nb + i / pc] + l], i % pc);
	}
}

static void product(struct tile *t, unsigned m, unsigned depth, bool fused)
{
	for (unsigned row = 0; row < m; row++)
		for (unsigned column = 0; column < N; column++) {
			double sum = t->c[row][column];

			for (unsigned k = 0; k < depth; k++)
				sum = fused ? fma(t->a[row][k], t->b[column][k], sum)
					    : sum + t->a[row][k] * t->b[column][k];
			t->c[row][column] = sum;
		}
}

static uint64_t bits_of(struct form f, double v)
{
	switch ((enum element)f.d) {
	case F16: return bc_ptx_round_double(BC_PTX_F16, v);
	case F32: return bc_ptx_float_bits((float)v);
	case F64: return bc_ptx_double_bits(v);
	default: break;
	}
	if (f.saturates)
		v = v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v;
	return (uint32_t)(int64_t)v;
}

static void multiply(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask)
{
	const struct form f = get_form(in->imm);
	const struct shape *s = &shapes[f.shape];
	const unsigned p = in_register((enum element)f.d), nd = registers(s->m * N, (enum element)f.d);
	const uint32_t *list = x->k->list + in->list;
	const bool lost = x->g->l->hooks && x->g->l->hooks->lost_products;
	struct tile t;

	(void)mask;
	gather(x, w, in, f, &t);
	product(&t, s->m, lost ? s->k - 1u : s->k, f.a == F64);
	for (unsigned l = 0; l < BC_LANES; l++)
		for (unsigned i = 0; i < nd; i++) {
			uint64_t v = 0;

			for (unsigned j = 0; j < p; j++) {
				const unsigned at = i * p + j;

				v |= bits_of(f, t.c[l / 4 + 8 * (at / 2)][2 * (l % 4) + at % 2])
				     << (p > 1 ? j * elements[f.d].bits : 0);
			}
			w->r[list[i] + l] = v;
		}
}

static bool take_element(struct bc_ptx_decoder *d, uint8_t *out)
{
	for (unsigned e = 0; e < NELEMENTS; e++)
		if (bc_ptx_take_modifier(d, elements[e].name)) {
			*out = (uint8_t)e;
			return true;
		}
	return false;
}

/* Do the elements of A and B go together? */
static bool agree(uint8_t a, uint8_t b)
{
	const unsigned ints = 1u << S8 | 1u << U8, floats8 = 1u << E4M3 | 1u << E5M2;

	return a == b || (ints >> a & 1 && ints >> b & 1) || (floats8 >> a & 1 && floats8 >> b & 1);
}

/* The shape called @name that takes these elements. */
static const struct shape *find_shape(struct bc_ptx_slice name, const struct form *f)
{
	for (size_t i = 0; i < BC_ARRAY_LEN(shapes); i++)
		if (bc_ptx_slice_is(name, shapes[i].name) && shapes[i].inputs >> f->a & 1 && agree(f->a, f->b) &&
		    shapes[i].accumulators >> f->c & 1 && shapes[i].accumulators >> f->d & 1)
			return &shapes[i];
	return NULL;
}

/* Operand @i: the registers of a fragment, @n of them. */
static enum bc_status take_fragment(struct bc_ptx_decoder *d, unsigned i, uint8_t e, unsigned n)
{
	const struct bc_ptx_operand *o = bc_ptx_operand_at(d, i);
	enum bc_status st = BC_OK;

	if ((o->kind == BC_PTX_O_VECTOR ? o->count : 1) != n)
		return bc_ptx_refuse(d, "the number of registers of a fragment does not fit its shape");
	for (unsigned k = 0; k < n && !st; k++) {
		const struct bc_ptx_operand *r = o->kind == BC_PTX_O_VECTOR ? &d->e->operand[o->first + k] : o;
		uint32_t slot = 0;

		if (i == 0)
			st = bc_ptx_operand_dst(d, r, elements[e].regs_bytes, false, &slot);
		else
			st = bc_ptx_operand_src(d, r, elements[e].type, false, &slot);
		if (!st)
			st = bc_ptx_list_add(d, slot);
	}
	return st;
}

static bool has(const struct bc_arch *a, const struct shape *s)
{
	if (s->since == 75)
		return a->ldmatrix != 0; /* they came together */
	return a->mma_sync && (s->since == 80 || a->cc == 0 || a->cc >= s->since);
}

enum bc_status bc_ptx_decode_mma(struct bc_ptx_decoder *d)
{
	struct bc_ptx_insn *in = d->in;
	struct form f = { 0 };
	struct bc_ptx_slice name;
	const struct shape *s;
	enum bc_status st = bc_ptx_noperands(d, 4, 4);

	if (!bc_ptx_take_modifier(d, "sync") || !bc_ptx_take_modifier(d, "aligned") || d->at >= d->nmod)
		return bc_ptx_unknown(d);
	name = d->mod[d->at++];
	if (!bc_ptx_take_modifier(d, "row") || !bc_ptx_take_modifier(d, "col"))
		return bc_ptx_unknown(d);
	f.saturates = bc_ptx_take_modifier(d, "satfinite");
	if (!take_element(d, &f.d) || !take_element(d, &f.a) || !take_element(d, &f.b) || !take_element(d, &f.c) ||
	    !bc_ptx_modifiers_done(d))
		return bc_ptx_unknown(d);
	s = find_shape(name, &f);
	if (!s || (f.saturates && f.d != S32))
		return bc_ptx_unknown(d);
	if (!has(&d->k->arch, s))
		return bc_ptx_lacks(d, "this mma.sync");
	f.shape = (uint8_t)(s - shapes);
	in->imm = put_form(f);
	in->flow = BC_PTX_F_SYNC;
	in->flags |= BC_PTX_FL_WHOLE_WARP;
	in->exec = multiply;
	in->list = (uint32_t)d->k->nlist;
	in->list_use = BC_PTX_LIST_WRITTEN;
	in->nregs = (uint8_t)registers(s->m * N, (enum element)f.d);
	if (!st)
		st = bc_ptx_constant(d, BC_PTX_FULL, &in->src[3]);
	if (!st)
		st = take_fragment(d, 0, f.d, in->nregs);
	if (!st)
		st = take_fragment(d, 1, f.a, registers(s->m * s->k, (enum element)f.a));
	if (!st)
		st = take_fragment(d, 2, f.b, registers((unsigned)s->k * N, (enum element)f.b));
	return st ? st : take_fragment(d, 3, f.c, registers(s->m * N, (enum element)f.c));
}
