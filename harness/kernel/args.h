/* SPDX-License-Identifier: MIT */
/* harness/kernel/args.h - the arguments of a kernel, as the command line states them (--arg, in the kernel's order).
 *
 *     u8= u16= u32= u64= s8= s16= s32= s64= f32= f64=    a number; integers decimal or 0x...
 *     buf=SIZE:FILL      a pointer to SIZE bytes of global memory (1024, 64K, 1M, 1G), filled; FILL is
 *                        zero, iota (32-bit words 0, 1, 2 ...), iota-f32, random[:SEED] (bytes)
 *     buf=file=PATH      a pointer to what the file holds
 *     out=SIZE           a pointer to SIZE bytes of zeroes, kept after the launch (--save)
 *     struct=HEX         bytes of a parameter that is a struct, two digits each, first byte first
 */
#ifndef BC_KERNEL_ARGS_H
#define BC_KERNEL_ARGS_H

#include "harness/base/base.h"

#define BC_KERNEL_BUFFER_MAX (UINT64_C(1) << 30)
#define BC_KERNEL_STRUCT_MAX 4096u

struct bc_kernel_arg {
	const char *text; /* as given */
	bool pointer;	  /* buf and out: @data is what memory holds before the launch */
	bool keep;	  /* out */
	unsigned char *data;
	size_t bytes;	  /* of @data: of the parameter, or of memory */
	uint64_t address; /* of memory, once it is there */
};

/**
 * bc_kernel_arg_parse - one --arg
 *
 * Return: BC_EUSAGE with the argument and what it should look like; BC_EREAD for a file; BC_ENOMEM.
 */
enum bc_status bc_kernel_arg_parse(const char *text, struct bc_kernel_arg *out, struct bc_error *err);
void bc_kernel_arg_release(struct bc_kernel_arg *a);

/**
 * bc_kernel_dim_parse - "X", "X,Y" or "X,Y,Z" (also with x between), each 1..2147483647; the rest is 1
 * @option: "--grid", for the message
 */
enum bc_status bc_kernel_dim_parse(const char *option, const char *text, uint32_t out[3], struct bc_error *err);

/* "1024", "64K", "1M", "1G" (powers of 1024). Return: false when it is none of these or above 2^63. */
bool bc_kernel_size_parse(const char *text, size_t len, uint64_t *out);

#endif
