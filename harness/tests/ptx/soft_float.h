/* SPDX-License-Identifier: MIT */
/* harness/tests/ptx/soft_float.h - rounding to the floating-point formats of PTX, for oracles.
 *
 * A result of f16, bf16 or f32 arithmetic is found as a double rounded to odd (the last bit tells that something was
 * cut off) and then rounded once: a double has more than twice the bits and two more, so this is exact.
 */
#ifndef BC_TESTS_PTX_SOFT_FLOAT_H
#define BC_TESTS_PTX_SOFT_FLOAT_H

#include <stdbool.h>
#include <stdint.h>

struct bc_soft {
	const char *name;
	unsigned bits, precision; /* the leading 1 included */
	int bias;
	uint64_t nan; /* the canonical one */
};

enum bc_soft_format { BC_SOFT_F16, BC_SOFT_BF16, BC_SOFT_F32, BC_SOFT_F64, BC_SOFT_FORMATS };
extern const struct bc_soft bc_soft[BC_SOFT_FORMATS];

/* Nearest even, to zero, to minus infinity, to plus infinity. */
enum bc_soft_mode { BC_SOFT_RN, BC_SOFT_RZ, BC_SOFT_RM, BC_SOFT_RP };

bool bc_soft_is_nan(const struct bc_soft *f, uint64_t bits);
/* A subnormal number becomes a zero of its sign. */
uint64_t bc_soft_flush(const struct bc_soft *f, uint64_t bits);

/* (-1)^@negative * @m * 2^@e, a little more when @sticky; @flush: below the smallest normal number: a zero. */
uint64_t bc_soft_pack(const struct bc_soft *f, bool negative, uint64_t m, bool sticky, int e, enum bc_soft_mode mode,
		      bool flush);
/* @v may be rounded to odd; a NaN gives the canonical one. */
uint64_t bc_soft_round(const struct bc_soft *f, double v, enum bc_soft_mode mode, bool flush);
double bc_soft_value(const struct bc_soft *f, uint64_t bits);

/*
 * A sum rounded to odd; operands and result are far from a double's ends. A zero of unlike numbers: +0, under RM -0.
 * A quotient and a root need no such function: unless it is exact, one of f32 numbers is never as near to a number of
 * 25 bits as a double's rounding could bring it.
 */
double bc_soft_add(double a, double b, enum bc_soft_mode mode);

/* @v rounded to an integral value; |v| < 2^62 or returned as it is. */
double bc_soft_integral(double v, enum bc_soft_mode mode);

#endif
