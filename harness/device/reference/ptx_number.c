/* SPDX-License-Identifier: MIT */
#include "harness/device/reference/ptx_exec.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

/* A binary format: @precision bits with the hidden one; the smallest positive number is 2^quantum. */
struct format {
	int precision, quantum;
	int top; /* exponent field of infinity */
	uint64_t nan;
};

static struct format format_of(enum bc_ptx_type type)
{
	switch (type) {
	case BC_PTX_F16: return (struct format){ 11, -24, 31, 0x7fff };
	case BC_PTX_BF16: return (struct format){ 8, -133, 255, 0x7fff };
	case BC_PTX_F64: return (struct format){ 53, -1074, 2047, UINT64_C(0x7ff8000000000000) };
	default: return (struct format){ 24, -149, 255, 0x7fffffff };
	}
}

static void unpack_integer(enum bc_ptx_type type, uint64_t bits, struct bc_ptx_real *r)
{
	const unsigned width = 8 * bc_ptx_type_bytes(type);
	const uint64_t mask = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;

	r->m = bits & mask;
	r->sign = bc_ptx_type_signed(type) && (bits >> (width - 1) & 1) != 0;
	if (r->sign)
		r->m = (0 - r->m) & mask;
}

void bc_ptx_unpack(enum bc_ptx_type type, uint64_t bits, struct bc_ptx_real *r)
{
	struct format f;
	int field;

	*r = (struct bc_ptx_real){ .cls = BC_PTX_FINITE };
	if (!bc_ptx_type_float(type)) {
		unpack_integer(type, bits, r);
		return;
	}
	f = format_of(type);
	r->m = bits & ((UINT64_C(1) << (f.precision - 1)) - 1);
	field = (int)(bits >> (f.precision - 1)) & f.top;
	r->sign = (bits >> (8 * bc_ptx_type_bytes(type) - 1) & 1) != 0;
	if (field == f.top) {
		r->cls = r->m ? BC_PTX_NOT_A_NUMBER : BC_PTX_INFINITE;
		return;
	}
	r->e = f.quantum + (field > 0 ? field - 1 : 0);
	if (field > 0)
		r->m |= UINT64_C(1) << (f.precision - 1);
}

/* m / 2^shift rounded to an integer; 0 < shift. */
static uint64_t shift_round(uint64_t m, int shift, bool sign, enum bc_ptx_round round)
{
	const uint64_t n = shift >= 64 ? 0 : m >> shift;
	const uint64_t rest = shift >= 64 ? m : m & ((UINT64_C(1) << shift) - 1);
	/* The half is 2^(shift - 1); with shift above 64 it is more than any rest. */
	const uint64_t half = shift > 64 ? 0 : UINT64_C(1) << (shift - 1);
	bool up = false;

	switch (round) {
	case BC_PTX_RN: up = half != 0 && (rest > half || (rest == half && (n & 1) != 0)); break;
	case BC_PTX_RNA: up = half != 0 && rest >= half; break;
	case BC_PTX_RM: up = sign && rest != 0; break;
	case BC_PTX_RP: up = !sign && rest != 0; break;
	case BC_PTX_RZ: break;
	}
	return n + up;
}

uint64_t bc_ptx_pack(enum bc_ptx_type type, const struct bc_ptx_real *r, enum bc_ptx_round round)
{
	const struct format f = format_of(type);
	const uint64_t hidden = UINT64_C(1) << (f.precision - 1);
	const uint64_t sign = (uint64_t)r->sign << (8 * bc_ptx_type_bytes(type) - 1);
	const uint64_t infinity = (uint64_t)f.top << (f.precision - 1);
	uint64_t n;
	int q, field;

	if (r->cls == BC_PTX_NOT_A_NUMBER)
		return f.nan;
	if (r->cls == BC_PTX_INFINITE)
		return sign | infinity;
	if (r->m == 0)
		return sign;
	q = r->e + 64 - __builtin_clzll(r->m) - f.precision;
	if (q < f.quantum)
		q = f.quantum;
	n = q > r->e ? shift_round(r->m, q - r->e, r->sign, round) : r->m << (r->e - q);
	if (n == hidden << 1) {
		n = hidden;
		q++;
	}
	field = n < hidden ? 0 : q - f.quantum + 1;
	if (field >= f.top) {
		const bool away = round == BC_PTX_RN || round == BC_PTX_RNA || (round == BC_PTX_RM && r->sign) ||
				  (round == BC_PTX_RP && !r->sign);

		return sign | (infinity - !away);
	}
	return sign | (uint64_t)field << (f.precision - 1) | (n & (hidden - 1));
}

void bc_ptx_to_integer(struct bc_ptx_real *r, enum bc_ptx_round round)
{
	if (r->m == 0)
		r->e = 0;
	if (r->e < 0)
		r->m = shift_round(r->m, -r->e, r->sign, round);
	else if (r->e > __builtin_clzll(r->m | 1))
		r->m = UINT64_MAX;
	else
		r->m <<= r->e;
	r->e = 0;
}

float bc_ptx_as_float(uint64_t bits)
{
	const uint32_t low = (uint32_t)bits;
	float v;

	memcpy(&v, &low, sizeof(v));
	return v;
}

double bc_ptx_as_double(uint64_t bits)
{
	double v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

uint64_t bc_ptx_float_bits(float v)
{
	uint32_t bits;

	if (isnan(v))
		return 0x7fffffff;
	memcpy(&bits, &v, sizeof(bits));
	return bits;
}

uint64_t bc_ptx_double_bits(double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	return bits;
}

double bc_ptx_value(enum bc_ptx_type type, uint64_t bits)
{
	const uint64_t sign = bits & 0x8000, rest = bits & 0x7fff;

	switch (type) {
	case BC_PTX_F64: return bc_ptx_as_double(bits);
	case BC_PTX_F32: return (double)bc_ptx_as_float(bits);
	case BC_PTX_BF16: /* the upper half of an f32 */ return (double)bc_ptx_as_float(bits << 16);
	default: break;
	}
	if (rest >= 0x7c00) /* infinity, NaN: the largest exponent of f32 */
		return (double)bc_ptx_as_float(sign << 16 | 0x7f800000 | (rest & 0x3ff) << 13);
	if (rest < 0x400) /* subnormal: a multiple of 2^-24 */
		return (sign ? -1.0 : 1.0) * (double)rest * 0x1p-24;
	return (double)bc_ptx_as_float(sign << 16 | ((rest << 13) + (112u << 23)));
}

uint64_t bc_ptx_round_double(enum bc_ptx_type type, double v)
{
	struct bc_ptx_real r;

	bc_ptx_unpack(BC_PTX_F64, bc_ptx_double_bits(v), &r);
	return bc_ptx_pack(type, &r, BC_PTX_RN);
}

double bc_ptx_add_odd(double a, double b)
{
	const volatile double sum = a + b;
	const volatile double b_part = sum - a;
	const volatile double a_part = sum - b_part;
	const volatile double a_error = a - a_part, b_error = b - b_part;
	const double error = a_error + b_error; /* sum + error is exactly a + b */
	uint64_t bits = bc_ptx_double_bits(sum);

	if (!isfinite(sum) || error == 0.0 || (bits & 1) != 0)
		return sum;
	/* Even and inexact: the neighbour on the side of the error is odd. */
	bits += (error > 0.0) == (sum > 0.0) ? 1 : UINT64_MAX;
	return bc_ptx_as_double(bits);
}

uint64_t bc_ptx_flush(enum bc_ptx_type type, uint64_t bits)
{
	const struct format f = format_of(type);
	const unsigned width = 8 * bc_ptx_type_bytes(type);
	const uint64_t sign = bits & UINT64_C(1) << (width - 1);

	return ((bits >> (f.precision - 1)) & (unsigned)f.top) == 0 ? sign : bits;
}

void bc_ptx_host_round(enum bc_ptx_round r)
{
	static const int modes[] = {
		[BC_PTX_RN] = FE_TONEAREST, [BC_PTX_RZ] = FE_TOWARDZERO, [BC_PTX_RM] = FE_DOWNWARD,
		[BC_PTX_RP] = FE_UPWARD,    [BC_PTX_RNA] = FE_TONEAREST,
	};

	(void)fesetround(modes[r]);
}

bool bc_ptx_take_round(struct bc_ptx_decoder *d, uint8_t *round)
{
	static const char *const words[] = {
		[BC_PTX_RN] = "rn", [BC_PTX_RZ] = "rz", [BC_PTX_RM] = "rm", [BC_PTX_RP] = "rp"
	};

	for (unsigned i = 0; i < BC_ARRAY_LEN(words); i++) {
		if (!bc_ptx_take_modifier(d, words[i]))
			continue;
		*round = (uint8_t)i;
		return true;
	}
	return false;
}
