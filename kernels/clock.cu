// SPDX-License-Identifier: MIT
// kernels/clock.cu - how long accesses take, by the clock of the SM. One block; each warp has 4 KB of shared memory.
//
// Every kernel is timed in two settings one after the other, BC_TIME_SAMPLES times each after one run that is not
// timed. A run is BC_TIMED_ACCESSES accesses, times `reps` of the setting. In an n-way setting the lanes below n are
// in bank 0 with a word each, or on its first word, and every other lane is alone in its bank.
//
// bc_time_chain: dependent loads. bc_time_ld, _st, _add, _cas: independent accesses of 4 bytes; bc_time_add_cas: add
// in the first setting, cas in the second. bc_time_word_add, _word_add_1: adds whose result is unused, of the lane's
// number and of 1; in the second setting the n lanes are on one word. bc_time_ld128: independent loads of consecutive
// 16 bytes. bc_time_latency: dependent loads of 8 bytes, of shared memory and of global memory.
#include "bc_kernel.h"
#include "pattern.cuh"

static __device__ __forceinline__ bc_u32 place(bc_u32 lane, bc_u32 ways)
{
	return lane < ways ? lane * BC_LINE_BYTES : lane * 4;
}

struct spot {
	bc_u32 addr, lane; // absolute shared address of the lane
};

static __device__ __forceinline__ void put(bc_u32 addr, bc_u32 value)
{
	asm volatile("st.volatile.shared.u32 [%0], %1;" : : "r"(addr), "r"(value) : "memory");
}

static __device__ __forceinline__ bc_u32 get(bc_u32 addr)
{
	bc_u32 value;

	asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(value) : "r"(addr) : "memory");
	return value;
}

// What a run does: first() before the clock starts, access() for each access, done() gives what the clock waits for,
// result() what the accesses came to, once the clock is read.
struct chain {
	bc_u32 at;

	__device__ __forceinline__ void first(spot s)
	{
		put(s.addr, s.addr);
		at = s.addr;
	}
	__device__ __forceinline__ void access(spot, bc_u32)
	{
		at = get(at);
	}
	__device__ __forceinline__ bc_u32 done(spot s)
	{
		return at - s.addr;
	}
	__device__ __forceinline__ bc_u32 result(spot, bc_u32 waited)
	{
		return waited;
	}
};

struct loads {
	bc_u32 sum;

	__device__ __forceinline__ void first(spot s)
	{
		put(s.addr, s.lane);
		sum = 0;
	}
	__device__ __forceinline__ void access(spot s, bc_u32)
	{
		sum += get(s.addr);
	}
	__device__ __forceinline__ bc_u32 done(spot)
	{
		return sum;
	}
	__device__ __forceinline__ bc_u32 result(spot, bc_u32 waited)
	{
		return waited;
	}
};

struct stores {
	__device__ __forceinline__ void first(spot s)
	{
		put(s.addr, 0);
	}
	__device__ __forceinline__ void access(spot s, bc_u32 k)
	{
		put(s.addr, s.lane + k);
	}
	__device__ __forceinline__ bc_u32 done(spot s)
	{
		return bc_load_alone(s.lane == 0, s.addr);
	}
	__device__ __forceinline__ bc_u32 result(spot s, bc_u32)
	{
		return get(s.addr);
	}
};

struct adds {
	bc_u32 sum;

	__device__ __forceinline__ void first(spot s)
	{
		put(s.addr, 0);
		sum = 0;
	}
	__device__ __forceinline__ void access(spot s, bc_u32)
	{
		bc_u32 old;

		asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(old) : "r"(s.addr), "r"(s.lane + 1) : "memory");
		sum += old;
	}
	__device__ __forceinline__ bc_u32 done(spot)
	{
		return sum;
	}
	__device__ __forceinline__ bc_u32 result(spot, bc_u32 waited)
	{
		return waited;
	}
};

// Of 2 lanes and more: word 1 is then nobody's, so its load races with no add, and comes after them.
template <bool one> struct words {
	__device__ __forceinline__ void first(spot s)
	{
		put(s.addr, 0);
		if (s.lane == 0)
			put(s.addr + 4, 0);
	}
	__device__ __forceinline__ void access(spot s, bc_u32)
	{
		if (one)
			asm volatile("red.shared.add.u32 [%0], 1;" : : "r"(s.addr) : "memory");
		else
			asm volatile("red.shared.add.u32 [%0], %1;" : : "r"(s.addr), "r"(s.lane + 1) : "memory");
	}
	__device__ __forceinline__ bc_u32 done(spot s)
	{
		return bc_load_alone(s.lane == 0, s.addr + 4);
	}
	__device__ __forceinline__ bc_u32 result(spot s, bc_u32)
	{
		__syncwarp(); // other lanes add to the word
		return get(s.addr);
	}
};

struct swaps {
	bc_u32 sum;

	__device__ __forceinline__ void first(spot s)
	{
		put(s.addr, 0);
		sum = 0;
	}
	__device__ __forceinline__ void access(spot s, bc_u32 k)
	{
		bc_u32 old;

		asm volatile("atom.shared.cas.b32 %0, [%1], %2, %3;"
			     : "=r"(old)
			     : "r"(s.addr), "r"(k), "r"(k + 1)
			     : "memory");
		sum += old;
	}
	__device__ __forceinline__ bc_u32 done(spot)
	{
		return sum;
	}
	__device__ __forceinline__ bc_u32 result(spot, bc_u32 waited)
	{
		return waited;
	}
};

struct wide_loads {
	bc_u32 sum;

	__device__ __forceinline__ void first(spot s)
	{
		for (bc_u32 j = 0; j < 4; j++)
			put(s.addr + 4 * j, s.lane + j);
		sum = 0;
	}
	__device__ __forceinline__ void access(spot s, bc_u32)
	{
		bc_u32 a, b, c, d;

		asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
			     : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
			     : "r"(s.addr)
			     : "memory");
		sum += a ^ b ^ c ^ d;
	}
	__device__ __forceinline__ bc_u32 done(spot)
	{
		return sum;
	}
	__device__ __forceinline__ bc_u32 result(spot, bc_u32 waited)
	{
		return waited;
	}
};

// Where the lanes are.
enum places {
	BANK_0,	 // n lanes in bank 0 with a word each, every other lane alone in its bank
	WORD_0,	 // n lanes on word 0, every other lane alone in its bank
	IN_TURN, // 16 bytes each
};

template <typename work>
static __device__ __forceinline__ void time(const struct bc_time_params &p, bc_u32 setting, places where)
{
	const bc_u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
	const bc_u32 ways = p.ways[setting], reps = p.reps[setting];
	const bc_u32 offset = where == IN_TURN ? lane * 16 : where == WORD_0 && lane < ways ? 0 : place(lane, ways);
	const spot s = { bc_window() + warp * 4096 + offset, lane };

#pragma unroll 1
	for (bc_u32 run = 0; run <= BC_TIME_SAMPLES; run++) {
		work w;

		w.first(s);
		__syncthreads();
		const bc_u32 before = bc_clock();
#pragma unroll 1
		for (bc_u32 rep = 0; rep < reps; rep++) {
#pragma unroll
			for (bc_u32 k = 0; k < BC_TIMED_ACCESSES; k++)
				w.access(s, k);
		}
		const bc_u32 waited = w.done(s);
		const bc_u32 after = bc_clock_after(waited);
		const bc_u32 value = w.result(s, waited);

		if (run > 0 && lane == 0) {
			bc_u32 *sample = p.samples + ((setting * BC_TIME_SAMPLES + run - 1) * warps + warp) * 2;

			sample[0] = before;
			sample[1] = after;
		}
		if (run == BC_TIME_SAMPLES)
			p.out[setting * blockDim.x + threadIdx.x] = value;
		__syncthreads();
	}
}

#define BC_TIME(name, first_work, first_places, second_work, second_places)      \
	extern "C" __global__ void bc_time_##name(const struct bc_time_params p) \
	{                                                                        \
		time<first_work>(p, 0, first_places);                            \
		time<second_work>(p, 1, second_places);                          \
	}

BC_TIME(chain, chain, BANK_0, chain, BANK_0)
BC_TIME(ld, loads, BANK_0, loads, BANK_0)
BC_TIME(st, stores, BANK_0, stores, BANK_0)
BC_TIME(add, adds, BANK_0, adds, BANK_0)
BC_TIME(cas, swaps, BANK_0, swaps, BANK_0)
BC_TIME(add_cas, adds, BANK_0, swaps, BANK_0)
BC_TIME(word_add, words<false>, BANK_0, words<false>, WORD_0)
BC_TIME(word_add_1, words<true>, BANK_0, words<true>, WORD_0)
BC_TIME(ld128, wide_loads, IN_TURN, wide_loads, IN_TURN)

// A chain of loads whose value is the next address, which is always the same: in shared memory, in the L1 cache (.ca),
// in the L2 cache (.cg). @kind 0: shared.
static __device__ __forceinline__ bc_u64 follow(bc_u32 kind, bc_u64 at)
{
	bc_u32 low = (bc_u32)at;

	if (kind == 0) {
#pragma unroll
		for (bc_u32 k = 0; k < BC_TIMED_ACCESSES; k++)
			low = get(low);
		return low;
	}
	if (kind == 1) {
#pragma unroll
		for (bc_u32 k = 0; k < BC_TIMED_ACCESSES; k++)
			asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(at) : : "memory");
		return at;
	}
#pragma unroll
	for (bc_u32 k = 0; k < BC_TIMED_ACCESSES; k++)
		asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at) : : "memory");
	return at;
}

// Setting 0: shared memory; setting 1: what p.ways[1] names. The first 8 bytes of `out` are the place in global memory.
extern "C" __global__ void bc_time_latency(const struct bc_time_params p)
{
	const bc_u32 lane = threadIdx.x;
	bc_u64 *place = reinterpret_cast<bc_u64 *>(p.out);

	if (lane == 0) {
		put(bc_window(), bc_window());
		*place = (bc_u64)__cvta_generic_to_global(place);
	}
	__threadfence();
	__syncthreads();
#pragma unroll 1
	for (bc_u32 setting = 0; setting < 2; setting++) {
		const bc_u32 kind = setting ? p.ways[1] : 0;
		const bc_u64 start = kind ? (bc_u64)__cvta_generic_to_global(place) : bc_window();

#pragma unroll 1
		for (bc_u32 run = 0; run <= BC_TIME_SAMPLES; run++) {
			const bc_u32 before = bc_clock();
			const bc_u64 end = follow(kind, start);
			const bc_u32 after = bc_clock_after((bc_u32)(end - start));

			if (run > 0 && lane == 0) {
				p.samples[(setting * BC_TIME_SAMPLES + run - 1) * 2] = before;
				p.samples[(setting * BC_TIME_SAMPLES + run - 1) * 2 + 1] = after;
			}
			if (lane == 0)
				p.out[2 + setting] = (bc_u32)(end - start);
		}
	}
}
