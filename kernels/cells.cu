// SPDX-License-Identifier: MIT
// kernels/cells.cu - march tests of every byte of shared memory that a block can have, one warp on every SM.
//
// A unit is what one access holds: 4, 8 or 16 bytes. Each lane has one 32nd of the memory and walks through it, so that
// cells with neighbouring addresses are written and read in an order, not at once. In round 1 each lane starts as many
// units into its part as its number says: units that were reached at once in round 0 are not.
//
// bc_cells_march<bits>: March C-: up w0, up (r0 w1), up (r1 w0), down (r0 w1), down (r1 w0), up r0; 0 is a background
// and 1 its complement. Backgrounds: solid, then bits that differ from those 1, 2, 4, 8, 16 places away, then words of
// the unit that differ from those 1 and 2 places away. Round 0 has the solid one and each second one from the second
// on, round 1 the solid one and the others.
// bc_cells_addresses<bits>: each word holds its own address (round 1: the complement), written upwards and read
// upwards, then written downwards and read downwards with the complement. bc_cells_retention<bits>: 0x55555555 (round
// 1: 0xaaaaaaaa) is written, left alone for p.pause nanoseconds, and read. bc_cells_speed: for each bank a chain of
// BC_CELLS_SPEED_LOADS dependent loads by 32 lanes of 32 words of that bank.
#include "bc_kernel.h"
#include "pattern.cuh"

template <bc_u32 words> __device__ __forceinline__ void load(bc_u32 addr, bc_u32 *word);
template <bc_u32 words> __device__ __forceinline__ void store(bc_u32 addr, const bc_u32 *word);

template <> __device__ __forceinline__ void load<1>(bc_u32 addr, bc_u32 *word)
{
	asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(word[0]) : "r"(addr) : "memory");
}

template <> __device__ __forceinline__ void load<2>(bc_u32 addr, bc_u32 *word)
{
	asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];" : "=r"(word[0]), "=r"(word[1]) : "r"(addr) : "memory");
}

template <> __device__ __forceinline__ void load<4>(bc_u32 addr, bc_u32 *word)
{
	asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
		     : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])
		     : "r"(addr)
		     : "memory");
}

template <> __device__ __forceinline__ void store<1>(bc_u32 addr, const bc_u32 *word)
{
	asm volatile("st.volatile.shared.u32 [%0], %1;" : : "r"(addr), "r"(word[0]) : "memory");
}

template <> __device__ __forceinline__ void store<2>(bc_u32 addr, const bc_u32 *word)
{
	asm volatile("st.volatile.shared.v2.u32 [%0], {%1, %2};" : : "r"(addr), "r"(word[0]), "r"(word[1]) : "memory");
}

template <> __device__ __forceinline__ void store<4>(bc_u32 addr, const bc_u32 *word)
{
	asm volatile("st.volatile.shared.v4.u32 [%0], {%1, %2, %3, %4};"
		     :
		     : "r"(addr), "r"(word[0]), "r"(word[1]), "r"(word[2]), "r"(word[3])
		     : "memory");
}

// A lane's part of the memory, and where in it a walk starts.
struct part {
	bc_u32 begin, end, first; // absolute shared addresses
	bc_u32 units;
	struct bc_cells_report *report;
};

template <bc_u32 words> __device__ __forceinline__ struct part begin(const struct bc_cells_params &p, bc_u32 round)
{
	const bc_u32 bytes = words * 4, own = p.bytes / 32, lane = threadIdx.x;
	struct part w;

	bc_meet(p.sms);
	w.begin = bc_window() + lane * own;
	w.end = w.begin + own;
	w.units = own / bytes;
	w.first = round ? w.begin + lane % w.units * bytes : w.begin;
	w.report = p.report + blockIdx.x;
	if (lane == 0) {
		bc_u32 size;

		asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(size));
		w.report->wrong = 0;
		w.report->base = bc_window();
		w.report->size = size;
		__threadfence_block();
	}
	__syncwarp();
	return w;
}

__device__ __forceinline__ void tell(struct bc_cells_report *report, bc_u32 address, bc_u32 expected, bc_u32 found,
				     bc_u32 step)
{
	const bc_u32 n = atomicAdd(&report->wrong, 1u);

	if (n < BC_CELLS_KEPT)
		report->first[n] = { address, expected, found, step };
}

// One walk through a lane's part: in each unit @was is read and @is written, those of them that are wanted.
template <bc_u32 words, bool up, bool reads, bool writes>
__device__ __forceinline__ void walk(const struct part &w, const bc_u32 *background, bc_u32 was, bc_u32 is, bc_u32 step)
{
	const bc_u32 bytes = words * 4;
	bc_u32 at = up ? w.first : (w.first == w.begin ? w.end : w.first) - bytes;
	bc_u32 want[words], fill[words], word[words];

	for (bc_u32 j = 0; j < words; j++) {
		want[j] = background[j] ^ was;
		fill[j] = background[j] ^ is;
	}
#pragma unroll 2
	for (bc_u32 i = 0; i < w.units; i++) {
		if (reads) {
			load<words>(at, word);
#pragma unroll
			for (bc_u32 j = 0; j < words; j++)
				if (word[j] != want[j])
					tell(w.report, at + 4 * j, want[j], word[j], step);
		}
		if (writes)
			store<words>(at, fill);
		if (up)
			at = at + bytes == w.end ? w.begin : at + bytes;
		else
			at = (at == w.begin ? w.end : at) - bytes;
		__syncwarp();
	}
}

// Word @j of background @k.
__device__ __forceinline__ bc_u32 background_word(bc_u32 k, bc_u32 j)
{
	bc_u32 word = 0;

	word = k == 1 ? 0x55555555u : word;
	word = k == 2 ? 0x33333333u : word;
	word = k == 3 ? 0x0f0f0f0fu : word;
	word = k == 4 ? 0x00ff00ffu : word;
	word = k == 5 ? 0x0000ffffu : word;
	word = k == BC_CELLS_BACKGROUNDS && j & 1u ? 0xffffffffu : word;
	word = k == BC_CELLS_BACKGROUNDS + 1 && j & 2u ? 0xffffffffu : word;
	return word;
}

template <bc_u32 words> __device__ __forceinline__ void march(const struct bc_cells_params &p)
{
	const bc_u32 backgrounds = BC_CELLS_BACKGROUNDS + (words > 1) + (words > 2), round = *p.round;
	const struct part w = begin<words>(p, round);
	bc_u32 walks = 0;

#pragma unroll 1
	for (bc_u32 k = 0; k < backgrounds; k++) {
		bc_u32 background[words];

		if (k > 0 && k % 2 == round)
			continue;
		for (bc_u32 j = 0; j < words; j++)
			background[j] = background_word(k, j);
		walk<words, true, false, true>(w, background, 0, 0, 16 * k);
		walk<words, true, true, true>(w, background, 0, ~0u, 16 * k + 1);
		walk<words, true, true, true>(w, background, ~0u, 0, 16 * k + 2);
		walk<words, false, true, true>(w, background, 0, ~0u, 16 * k + 3);
		walk<words, false, true, true>(w, background, ~0u, 0, 16 * k + 4);
		walk<words, true, true, false>(w, background, 0, 0, 16 * k + 5);
		walks += 5;
	}
	if (threadIdx.x == 0)
		w.report->read = walks * (p.bytes / 4);
}

// One walk of the address test: all words written with their address exclusive or @mix, or read.
template <bc_u32 words, bool up, bool reads>
__device__ __forceinline__ void walk_addresses(const struct part &w, bc_u32 mix, bc_u32 step)
{
	const bc_u32 bytes = words * 4;
	bc_u32 at = up ? w.first : (w.first == w.begin ? w.end : w.first) - bytes;
	bc_u32 word[words];

#pragma unroll 1
	for (bc_u32 i = 0; i < w.units; i++) {
		if (reads) {
			load<words>(at, word);
#pragma unroll
			for (bc_u32 j = 0; j < words; j++)
				if (word[j] != ((at + 4 * j) ^ mix))
					tell(w.report, at + 4 * j, (at + 4 * j) ^ mix, word[j], step);
		} else {
			for (bc_u32 j = 0; j < words; j++)
				word[j] = (at + 4 * j) ^ mix;
			store<words>(at, word);
		}
		if (up)
			at = at + bytes == w.end ? w.begin : at + bytes;
		else
			at = (at == w.begin ? w.end : at) - bytes;
		__syncwarp();
	}
}

template <bc_u32 words> __device__ __forceinline__ void addresses(const struct bc_cells_params &p)
{
	const bc_u32 round = *p.round, mix = round ? ~0u : 0u;
	const struct part w = begin<words>(p, round);

	walk_addresses<words, true, false>(w, mix, 0);
	walk_addresses<words, true, true>(w, mix, 1);
	walk_addresses<words, false, false>(w, ~mix, 2);
	walk_addresses<words, false, true>(w, ~mix, 3);
	if (threadIdx.x == 0)
		w.report->read = 2 * (p.bytes / 4);
}

__device__ __forceinline__ bc_u64 nanoseconds(void)
{
	bc_u64 now;

	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now) : : "memory");
	return now;
}

template <bc_u32 words> __device__ __forceinline__ void retention(const struct bc_cells_params &p)
{
	const bc_u32 round = *p.round;
	const struct part w = begin<words>(p, round);
	bc_u32 background[words];

	for (bc_u32 j = 0; j < words; j++)
		background[j] = round ? 0xaaaaaaaau : 0x55555555u;
	walk<words, true, false, true>(w, background, 0, 0, 0);
	if (threadIdx.x == 0) {
		const bc_u64 start = nanoseconds();

#pragma unroll 1
		while (nanoseconds() - start < p.pause)
			asm volatile("nanosleep.u32 500000;" : : : "memory");
	}
	__syncwarp();
	walk<words, true, true, false>(w, background, 0, 0, 1);
	if (threadIdx.x == 0)
		w.report->read = p.bytes / 4;
}

#define BC_CELLS(test, width, words)                                                      \
	extern "C" __global__ void bc_cells_##test##width(const struct bc_cells_params p) \
	{                                                                                 \
		test<words>(p);                                                           \
	}

BC_CELLS(march, 32, 1)
BC_CELLS(march, 64, 2)
BC_CELLS(march, 128, 4)
BC_CELLS(addresses, 32, 1)
BC_CELLS(addresses, 64, 2)
BC_CELLS(addresses, 128, 4)
BC_CELLS(retention, 32, 1)
BC_CELLS(retention, 64, 2)
BC_CELLS(retention, 128, 4)

extern "C" __global__ void bc_cells_speed(const struct bc_cells_params p)
{
	const bc_u32 base = bc_window(), lane = threadIdx.x;

	bc_meet(p.sms);
#pragma unroll 1
	for (bc_u32 bank = 0; bank < p.banks; bank++) {
		const bc_u32 first = base + p.offsets[bank * 32 + lane];
		bc_u32 least = ~0u;

		bc_shared[p.offsets[bank * 32 + lane] / 4] = 0;
		__syncwarp();
#pragma unroll 1
		for (bc_u32 s = 0; s <= BC_CELLS_SPEED_TIMES; s++) { // the first warms the code up
			bc_u32 value = 0;
			const bc_u32 before = bc_clock();

#pragma unroll
			for (bc_u32 k = 0; k < BC_CELLS_SPEED_LOADS; k++) {
				bc_u32 got[1];

				load<1>(first + value, got);
				value = got[0];
			}
			const bc_u32 cycles = bc_clock_after(value) - before;

			least = s > 0 && cycles < least ? cycles : least;
		}
		if (lane == 0)
			p.cycles[blockIdx.x * p.banks + bank] = least;
	}
}
