// SPDX-License-Identifier: MIT
// kernels/pattern_atom.cu - shared atomics and reductions whose lane offsets and mask are data.
//
// bc_<op>: one warp (32 threads). Fills shared memory, then each active lane does one atomic where its offset names;
// request k of the pattern is offset + k * step. What an atomic returns goes to results, then shared memory is dumped.
// Counter class atom is used by nothing else: one ATOMS a request, but for float and 64-bit adds, which are loops.
// No lane begins a request before all have ended the one before it, also where the atomic is a loop.
// bc_red32 adds a constant 1 whose result is unused (ATOMS.POPC.INC), bc_redv32 and bc_redmax32 values of the lanes.
#include "bc_kernel.h"
#include "pattern.cuh"

// As bc_fill, but the words are floats.
__device__ __forceinline__ void fill_floats(const struct bc_pattern_params &p)
{
	const bc_u32 lane = threadIdx.x % BC_LINE_WORDS;

#pragma unroll 1
	for (bc_u32 i = threadIdx.x / BC_LINE_WORDS; i < p.nlines; i += blockDim.x / BC_LINE_WORDS) {
		const bc_u32 word = p.lines[i] * BC_LINE_WORDS + lane;

		bc_shared[word] = __float_as_uint((float)bc_fill_whole(word * 4, p.seed));
	}
}

// What one lane's part in a request is: where (absolute and from the window), and who.
struct part {
	bc_u32 addr, offset, k, lane, seed;

	__device__ bc_u32 word(bc_u32 j) const
	{
		return bc_store_word(k, lane, j, seed);
	}
	__device__ bc_u32 sparse() const
	{
		return bc_sparse_word(k, lane, seed);
	}
	__device__ float whole() const
	{
		return (float)bc_add_whole(k, lane, seed);
	}
	__device__ bc_u64 pair() const
	{
		return (bc_u64)word(1) << 32 | word(0);
	}
	__device__ bc_u32 compare() const
	{
		return bc_compare_word(offset, lane, 1, seed);
	}
	__device__ bc_u64 compare_pair() const
	{
		return (bc_u64)bc_compare_word(offset + 4, lane, 1, seed) << 32 |
		       bc_compare_word(offset, lane, 0, seed);
	}
};

// @fill: how shared memory is filled; @words: of the value returned, 0: none; @body: sets got[words] from the part a
#define BC_ATOM(op, fill, words, body)                                                                   \
	__device__ __forceinline__ void do_##op(const struct part &a, bc_u32 *got)                       \
	{                                                                                                \
		body;                                                                                    \
	}                                                                                                \
	extern "C" __global__ void bc_##op(const struct bc_pattern_params given)                         \
	{                                                                                                \
		const struct bc_pattern_params p = bc_enter<words>(given);                               \
		const bc_u32 base = bc_window();                                                         \
		const bc_u32 lane = threadIdx.x;                                                         \
                                                                                                         \
		bc_report_window(p, base);                                                               \
		fill(p);                                                                                 \
		__syncthreads();                                                                         \
		if (p.mask >> lane & 1u) {                                                               \
			const bc_u32 first = p.offsets[lane];                                            \
			bc_u32 got[2];                                                                   \
                                                                                                         \
			_Pragma("unroll 1") for (bc_u32 rep = 0; rep < p.reps; rep++)                    \
			{                                                                                \
				_Pragma("unroll 1") for (bc_u32 k = 0; k < p.count; k++)                 \
				{                                                                        \
					const bc_u32 at = first + k * p.step;                            \
					const struct part a = { base + at, at, k, lane, p.seed };        \
                                                                                                         \
					do_##op(a, got);                                                 \
					if (words && p.results)                                          \
						for (bc_u32 j = 0; j != words; j++)                      \
							p.results[(k * 32 + lane) * words + j] = got[j]; \
					__syncwarp(p.mask);                                              \
				}                                                                        \
			}                                                                                \
		}                                                                                        \
		__syncthreads();                                                                         \
		bc_dump(p);                                                                              \
	}

#define BC_ATOM32(op, instruction, operand)                              \
	BC_ATOM(op, bc_fill, 1,                                          \
		asm volatile("atom.shared." instruction " %0, [%1], %2;" \
			     : "=r"(got[0])                              \
			     : "r"(a.addr), "r"(operand)                 \
			     : "memory"))

// 64-bit values: the low word is at the lower address
#define BC_ATOM64(op, instruction, operands, ...)                                                              \
	BC_ATOM(op, bc_fill, 2, bc_u64 old; asm volatile("atom.shared." instruction " %0, [%1], " operands ";" \
							 : "=l"(old)                                           \
							 : "r"(a.addr), __VA_ARGS__                            \
							 : "memory");                                          \
		got[0] = (bc_u32)old; got[1] = (bc_u32)(old >> 32))

#define BC_RED(op, fill, instruction, type, operand)                \
	BC_ATOM(op, fill, 0,                                        \
		asm volatile("red.shared." instruction " [%0], %1;" \
			     :                                      \
			     : "r"(a.addr), type(operand)           \
			     : "memory"))

BC_ATOM32(atom32, "add.u32", a.word(0))
BC_ATOM32(max32, "max.u32", a.word(0))
BC_ATOM32(min32, "min.u32", a.word(0))
BC_ATOM32(and32, "and.b32", ~a.sparse())
BC_ATOM32(or32, "or.b32", a.sparse())
BC_ATOM32(xor32, "xor.b32", a.word(0))
BC_ATOM32(inc32, "inc.u32", a.word(0))
BC_ATOM32(exch32, "exch.b32", a.word(0))
BC_ATOM(cas32, bc_fill, 1,
	asm volatile("atom.shared.cas.b32 %0, [%1], %2, %3;"
		     : "=r"(got[0])
		     : "r"(a.addr), "r"(a.compare()), "r"(a.word(0))
		     : "memory"))
BC_ATOM64(add64, "add.u64", "%2", "l"(a.pair()))
BC_ATOM64(exch64, "exch.b64", "%2", "l"(a.pair()))
BC_ATOM64(cas64, "cas.b64", "%2, %3", "l"(a.compare_pair()), "l"(a.pair()))
BC_ATOM(addf32, fill_floats, 1, float old; asm volatile("atom.shared.add.f32 %0, [%1], %2;"
							: "=f"(old)
							: "r"(a.addr), "f"(a.whole())
							: "memory");
	got[0] = __float_as_uint(old))

BC_ATOM(red32, bc_fill, 0, asm volatile("red.shared.add.u32 [%0], 1;" : : "r"(a.addr) : "memory"))
BC_RED(redv32, bc_fill, "add.u32", "r", a.word(0))
BC_RED(redmax32, bc_fill, "max.u32", "r", a.word(0))
BC_RED(red64, bc_fill, "add.u64", "l", a.pair())
BC_RED(redf32, fill_floats, "add.f32", "f", a.whole())
