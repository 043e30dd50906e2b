// SPDX-License-Identifier: MIT
// kernels/mbarrier.cu - mbarrier objects: arrivals, phases, bytes to come, and the pipeline that is made of them.
//
// One block each. Every wait asks at most TRIES times; who gives up waits no more, which the data shows, so that
// nothing hangs. bc_mbarrier_missing is the pipeline whose producer does not wait for the consumers: a bug that the
// race check of the reference device must find; no case runs it. Compute capability 8.0 and up; bytes and try_wait 9.0
// and up.
#include "bc_kernel.h"

#define TRIES 4096u

extern __shared__ __align__(16) bc_u64 store[]; // objects, then words

// For an architecture that lacks what the kernel does: no case runs it there.
#define BC_NOTHING(name)                                                   \
	extern "C" __global__ void name(const struct bc_mbarrier_params p) \
	{                                                                  \
		(void)p;                                                   \
	}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800

static __device__ __forceinline__ bc_u32 *words(void)
{
	return reinterpret_cast<bc_u32 *>(store + BC_MBARRIER_OBJECTS);
}

static __device__ __forceinline__ bc_u32 object(bc_u32 i)
{
	return static_cast<bc_u32>(__cvta_generic_to_shared(&store[i]));
}

static __device__ __forceinline__ void init(bc_u32 bar, bc_u32 count)
{
	asm volatile("mbarrier.init.shared.b64 [%0], %1;" : : "r"(bar), "r"(count) : "memory");
}

static __device__ __forceinline__ void inval(bc_u32 bar)
{
	asm volatile("mbarrier.inval.shared.b64 [%0];" : : "r"(bar) : "memory");
}

static __device__ __forceinline__ bc_u64 arrive(bc_u32 bar)
{
	bc_u64 state;

	asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(bar) : "memory");
	return state;
}

static __device__ __forceinline__ bc_u64 arrive_no_complete(bc_u32 bar, bc_u32 count)
{
	bc_u64 state;

	asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], %2;"
		     : "=l"(state)
		     : "r"(bar), "r"(count)
		     : "memory");
	return state;
}

static __device__ __forceinline__ bc_u64 arrive_drop(bc_u32 bar)
{
	bc_u64 state;

	asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];" : "=l"(state) : "r"(bar) : "memory");
	return state;
}

static __device__ __forceinline__ bc_u32 pending(bc_u64 state)
{
	bc_u32 n;

	asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(n) : "l"(state));
	return n;
}

static __device__ __forceinline__ bc_u32 test(bc_u32 bar, bc_u64 state)
{
	bc_u32 is;

	asm volatile("{\n\t.reg .pred p;\n\tmbarrier.test_wait.shared.b64 p, [%1], %2;\n\tselp.u32 %0, 1, 0, p;\n\t}"
		     : "=r"(is)
		     : "r"(bar), "l"(state)
		     : "memory");
	return is;
}

static __device__ __forceinline__ bc_u32 test_parity(bc_u32 bar, bc_u32 parity)
{
	bc_u32 is;

	asm volatile("{\n\t.reg .pred p;\n\tmbarrier.test_wait.parity.shared.b64 p, [%1], %2;\n\t"
		     "selp.u32 %0, 1, 0, p;\n\t}"
		     : "=r"(is)
		     : "r"(bar), "r"(parity)
		     : "memory");
	return is;
}

static __device__ __forceinline__ bool wait_parity(bc_u32 bar, bc_u32 parity)
{
#pragma unroll 1
	for (bc_u32 i = 0; i < TRIES; i++)
		if (test_parity(bar, parity))
			return true;
	return false;
}

static __device__ __forceinline__ bool wait_state(bc_u32 bar, bc_u64 state)
{
#pragma unroll 1
	for (bc_u32 i = 0; i < TRIES; i++)
		if (test(bar, state))
			return true;
	return false;
}

static __device__ __forceinline__ void init_one(bc_u32 bar, bc_u32 count)
{
	if (threadIdx.x == 0)
		init(bar, count);
	__syncthreads();
}

// out[t]: what was pending when thread t arrived; out[n + t]: whether the phase has ended, by state, by parity 0, by
// parity 1; out[2n]: parities 0 and 1 before anybody arrived.
extern "C" __global__ void bc_mbarrier_count(const struct bc_mbarrier_params p)
{
	const bc_u32 bar = object(0), n = blockDim.x, t = threadIdx.x;

	init_one(bar, n);
	if (t == 0)
		p.out[2 * n] = test_parity(bar, 0) | test_parity(bar, 1) << 1;
	__syncthreads();

	const bc_u64 state = arrive(bar);

	p.out[t] = pending(state);
	__syncthreads();
	p.out[n + t] = test(bar, state) | test_parity(bar, 0) << 1 | test_parity(bar, 1) << 2;
}

// One thread. out: pending before the first arrivals, ended; pending before the last, ended; after inval and a new init
// with a count of 1: ended.
extern "C" __global__ void bc_mbarrier_limits(const struct bc_mbarrier_params p)
{
	const bc_u32 bar = object(1);
	bc_u64 state;

	if (threadIdx.x)
		return;
	init(bar, p.count);
	if (p.count > 1) {
		state = arrive_no_complete(bar, p.count - 1);
		p.out[0] = pending(state);
		p.out[1] = test(bar, state);
	}
	state = arrive(bar);
	p.out[2] = pending(state);
	p.out[3] = test(bar, state);
	inval(bar);
	init(bar, 1);
	state = arrive(bar);
	p.out[4] = test(bar, state);
}

// All but the last thread arrive with .noComplete. out[t]: ended, asked after those; out[n + t]: after the last.
extern "C" __global__ void bc_mbarrier_no_complete(const struct bc_mbarrier_params p)
{
	const bc_u32 bar = object(2), n = blockDim.x, t = threadIdx.x;

	init_one(bar, n);
	if (t + 1 < n)
		arrive_no_complete(bar, 1);
	__syncthreads();
	p.out[t] = test_parity(bar, 0);
	__syncthreads();
	if (t + 1 == n)
		arrive(bar);
	__syncthreads();
	p.out[n + t] = test_parity(bar, 0);
}

// Odd threads drop out of the first phase, the second is that of the even ones. out[t]: what was pending in the second
// (odd threads: 0); out[n + t]: ended, asked before the last thread's arrival, then after it in bit 1.
extern "C" __global__ void bc_mbarrier_drop(const struct bc_mbarrier_params p)
{
	const bc_u32 bar = object(3), n = blockDim.x, t = threadIdx.x;
	bc_u32 before, n_pending = 0;

	init_one(bar, n);
	if (t % 2)
		arrive_drop(bar);
	else
		arrive(bar);
	__syncthreads();
	if (t % 2 == 0 && t > 0)
		n_pending = pending(arrive(bar));
	__syncthreads();
	before = test_parity(bar, 1);
	__syncthreads();
	if (t == 0)
		n_pending = pending(arrive(bar));
	__syncthreads();
	p.out[t] = n_pending;
	p.out[n + t] = before | test_parity(bar, 1) << 1;
}

// In each step every thread stores a word, arrives, waits, and loads the word of the thread opposite. Two halves.
template <int kind> static __device__ __forceinline__ void phases(const struct bc_mbarrier_params &p)
{
	const bc_u32 bar = object(4), n = blockDim.x, t = threadIdx.x;
	bool ok = true;

	init_one(bar, n);
#pragma unroll 1
	for (bc_u32 k = 0; k < p.steps; k++) {
		bc_u32 *half = words() + k % 2 * n;

		half[t] = p.in[k * n + t];

		const bc_u64 state = arrive(bar);

		ok = ok && (kind == 0 ? wait_state(bar, state) : wait_parity(bar, k & 1));
		p.out[k * n + t] = half[n - 1 - t] ^ (ok ? 0 : BC_MBARRIER_GAVE_UP);
	}
}

extern "C" __global__ void bc_mbarrier_phases(const struct bc_mbarrier_params p)
{
	phases<0>(p);
}

extern "C" __global__ void bc_mbarrier_parity(const struct bc_mbarrier_params p)
{
	phases<1>(p);
}

// Warp 0 produces tiles of 32 words, the others all consume each, through @stages buffers. Objects: full, then empty.
template <bool waits> static __device__ __forceinline__ void pipe(const struct bc_mbarrier_params &p)
{
	const bc_u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32, consumers = blockDim.x / 32 - 1;
	bool ok = true;

	if (threadIdx.x == 0)
		for (bc_u32 s = 0; s < p.stages; s++) {
			init(object(s), 32);
			init(object(p.stages + s), 32 * consumers);
		}
	__syncthreads();
#pragma unroll 1
	for (bc_u32 k = 0; k < p.steps; k++) {
		const bc_u32 stage = k % p.stages, round = k / p.stages;
		bc_u32 *tile = words() + 32 * stage;

		if (warp == 0) {
			if (waits && round > 0)
				ok = ok && wait_parity(object(p.stages + stage), (round - 1) & 1);
			tile[lane] = p.in[32 * k + lane] ^ (ok ? 0 : BC_MBARRIER_GAVE_UP);
			arrive(object(stage));
		} else {
			ok = ok && wait_parity(object(stage), round & 1);
			p.out[(warp - 1) * 32 * p.steps + 32 * k + lane] =
				tile[31 - lane] ^ (ok ? 0 : BC_MBARRIER_GAVE_UP);
			arrive(object(p.stages + stage));
		}
	}
}

extern "C" __global__ void bc_mbarrier_pipe(const struct bc_mbarrier_params p)
{
	pipe<true>(p);
}

extern "C" __global__ void bc_mbarrier_missing(const struct bc_mbarrier_params p)
{
	pipe<false>(p);
}

#else
BC_NOTHING(bc_mbarrier_count)
BC_NOTHING(bc_mbarrier_limits)
BC_NOTHING(bc_mbarrier_no_complete)
BC_NOTHING(bc_mbarrier_drop)
BC_NOTHING(bc_mbarrier_phases)
BC_NOTHING(bc_mbarrier_parity)
BC_NOTHING(bc_mbarrier_pipe)
BC_NOTHING(bc_mbarrier_missing)
#endif

// PTX ISA 8.0, CUDA 12.0: an older toolkit's image has none of these.
#if __CUDACC_VER_MAJOR__ >= 12
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

static __device__ __forceinline__ void arrive_expect(bc_u32 bar, bc_u32 bytes)
{
	asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" : : "r"(bar), "r"(bytes) : "memory");
}

static __device__ __forceinline__ void expect(bc_u32 bar, bc_u32 bytes)
{
	asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" : : "r"(bar), "r"(bytes) : "memory");
}

static __device__ __forceinline__ void complete(bc_u32 bar, bc_u32 bytes)
{
	asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], %1;" : : "r"(bar), "r"(bytes) : "memory");
}

// One thread. A phase that waits for bytes as well: they come in two parts; before they are expected; expected apart
// from the arrival. out: ended, asked after each step.
extern "C" __global__ void bc_mbarrier_tx(const struct bc_mbarrier_params p)
{
	const bc_u32 bar = object(5);

	if (threadIdx.x)
		return;
	init(bar, 1);
	arrive_expect(bar, p.count);
	p.out[0] = test_parity(bar, 0);
	complete(bar, p.count - 1);
	p.out[1] = test_parity(bar, 0);
	complete(bar, 1);
	p.out[2] = test_parity(bar, 0);
	complete(bar, p.count);
	p.out[3] = test_parity(bar, 1);
	arrive_expect(bar, p.count);
	p.out[4] = test_parity(bar, 1);
	expect(bar, p.count);
	arrive(bar);
	p.out[5] = test_parity(bar, 0);
	complete(bar, p.count);
	p.out[6] = test_parity(bar, 0);
}

// Thread t arrives t % 4 + 1 times at once. out[t]: ended, asked after all but the last thread; out[n + t]: after it.
extern "C" __global__ void bc_mbarrier_times(const struct bc_mbarrier_params p)
{
	const bc_u32 bar = object(6), n = blockDim.x, t = threadIdx.x;

	init_one(bar, p.count);
	if (t + 1 < n)
		asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0], %1;" : : "r"(bar), "r"(t % 4 + 1) : "memory");
	__syncthreads();
	p.out[t] = test_parity(bar, 0);
	__syncthreads();
	if (t + 1 == n)
		asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0], %1;" : : "r"(bar), "r"(t % 4 + 1) : "memory");
	__syncthreads();
	p.out[n + t] = test_parity(bar, 0);
}

// The phases, waited for by try_wait.
extern "C" __global__ void bc_mbarrier_try(const struct bc_mbarrier_params p)
{
	const bc_u32 bar = object(7), n = blockDim.x, t = threadIdx.x;
	bool ok = true;

	init_one(bar, n);
#pragma unroll 1
	for (bc_u32 k = 0; k < p.steps; k++) {
		bc_u32 *half = words() + k % 2 * n, is = 0;

		half[t] = p.in[k * n + t];
		arrive(bar);
#pragma unroll 1
		for (bc_u32 i = 0; ok && i < TRIES && !is; i++)
			asm volatile(
				"{\n\t.reg .pred p;\n\tmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2, %3;\n\t"
				"selp.u32 %0, 1, 0, p;\n\t}"
				: "=r"(is)
				: "r"(bar), "r"(k & 1), "r"(100)
				: "memory");
		ok = is && ok;
		p.out[k * n + t] = half[n - 1 - t] ^ (ok ? 0 : BC_MBARRIER_GAVE_UP);
	}
}

#else
BC_NOTHING(bc_mbarrier_tx)
BC_NOTHING(bc_mbarrier_times)
BC_NOTHING(bc_mbarrier_try)
#endif
#endif
