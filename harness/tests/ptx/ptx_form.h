/* SPDX-License-Identifier: MIT */
/* harness/tests/ptx/ptx_form.h - one instruction form run over many operands and compared with an independent oracle.
 *
 * A test checks forms one after another with bc_ptx_form_check and ends with bc_ptx_form_done, so that one run
 * names every form that differs.
 */
#ifndef BC_TESTS_PTX_PTX_FORM_H
#define BC_TESTS_PTX_PTX_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What an operand is: which awkward values it takes, and how its random ones are shaped. */
enum bc_ptx_values {
	BC_PTX_INT = 0,
	BC_PTX_F16,
	BC_PTX_F16X2,
	BC_PTX_BF16,
	BC_PTX_BF16X2,
	BC_PTX_F32,
	BC_PTX_F64,
	BC_PTX_SMALL, /* 0 .. 71, now and then larger: shift amounts, positions, lengths */
};

/* How results are compared. */
enum bc_ptx_compare {
	BC_PTX_EXACT = 0, /* bit by bit */
	BC_PTX_NAN16,	  /* f16: any NaN for a NaN */
	BC_PTX_NAN32,	  /* f32: any NaN for a NaN */
	BC_PTX_NAN64,	  /* f64: any NaN for a NaN */
	BC_PTX_NEAR,	  /* got is f32, want f64: within @tolerance (relative); zero, infinity and NaN exact */
	BC_PTX_NEAR_ABS,  /* the same, absolute where |want| < 1 */
};

/*
 * A form is either op and args, as { "add.s32", "rrr" } for `add.s32 %r8, %r4, %r5;`, where a letter is the
 * register's class (h 16, r 32, d 64 bits, p predicate), the first the result, or a body that reads the operands
 * %d4..7 (%r4..7, %h4..7: their low bits; %p4..7: bit 0) and writes %d8 and %d9, which are 0 before.
 * %r2 is the address of 8 bytes of shared memory for each thread of a block of at most 256.
 * Registers %h9.., %r9.., %d10.. and %p8.. are free; %d2 is the address of the thread's four operands; a warp's
 * 32 threads are neighbours.
 */
struct bc_ptx_form {
	const char *op, *args, *body;
	const char *tail; /* text after the operands: ", 7"; NULL: none */
	/* @x: the operands, all 64 bits random; @want: the result, zero-extended, and %d9; both 0 before. */
	void (*want)(const struct bc_ptx_form *f, const uint64_t x[4], uint64_t want[2]);
	/* Or for a warp at once, x[32][4], want[32][2]; for a block at once when @block is set. */
	void (*warp)(const struct bc_ptx_form *f, uint64_t (*x)[4], uint64_t (*want)[2]);
	/* Changes the random operands of a warp before they are used; NULL: no change. */
	void (*shape)(uint64_t (*x)[4]);
	enum bc_ptx_values values[4];
	enum bc_ptx_compare compare;
	double tolerance;
	unsigned threads; /* a multiple of 32, at most 2048; 0: 2048 */
	unsigned block;	  /* threads of a block, a power of two; 0: 256 */
	/* For the oracle's use. */
	unsigned bits, to_bits;
	bool is_signed, to_signed, sat, ftz;
	int mode, aux;
};

/* As want[0]: the ISA leaves the result open. */
#define BC_PTX_OPEN UINT64_C(0x6f70656e6f70656e)

void bc_ptx_form_check(const struct bc_ptx_form *f);
/* Fails the test when a form checked since the last call differed. */
void bc_ptx_form_done(void);

/* The generator of the operands; also for a test's own use. Seed is fixed for each form. */
uint64_t bc_ptx_form_random(void);

#endif
