// SPDX-License-Identifier: MIT
// kernels/cluster.cu - clusters of blocks, and the shared memory of the other blocks in them.
//
// bc_cluster_ranks: what a block is told of its place. bc_cluster_ld, _gld (generic addresses): every block loads what
// the others stored; bc_cluster_st, _red, _atom: it stores to the others, adds to one word of all, adds to words of its
// own and is told what was there. None makes a local access of the class that it is about. bc_cluster_ring: barriers,
// arrival and wait apart. bc_cluster_histogram, _halo: idioms.
// bc_cluster_missing: bc_cluster_ld without its first barrier. bc_cluster_early: without its last. Bugs that the
// reference device must find; no case runs them.
#include "bc_kernel.h"

extern __shared__ __align__(16) bc_u32 words[];

#define BC_NOTHING(name)                                                  \
	extern "C" __global__ void name(const struct bc_cluster_params p) \
	{                                                                 \
		(void)p;                                                  \
	}

#if (__CUDACC_VER_MAJOR__ > 11 || (__CUDACC_VER_MAJOR__ == 11 && __CUDACC_VER_MINOR__ >= 8)) && \
	(!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900)

#define BC_SPECIAL(name)                                            \
	static __device__ __forceinline__ bc_u32 name(void)         \
	{                                                           \
		bc_u32 v;                                           \
		asm volatile("mov.u32 %0, %%" #name ";" : "=r"(v)); \
		return v;                                           \
	}
#define BC_SPECIAL3(name)                                                \
	static __device__ __forceinline__ void name(bc_u32 *v)           \
	{                                                                \
		asm volatile("mov.u32 %0, %%" #name ".x;" : "=r"(v[0])); \
		asm volatile("mov.u32 %0, %%" #name ".y;" : "=r"(v[1])); \
		asm volatile("mov.u32 %0, %%" #name ".z;" : "=r"(v[2])); \
	}
BC_SPECIAL(cluster_ctarank)
BC_SPECIAL(cluster_nctarank)
BC_SPECIAL3(cluster_ctaid)
BC_SPECIAL3(cluster_nctaid)
BC_SPECIAL3(clusterid)
BC_SPECIAL3(nclusterid)

static __device__ __forceinline__ void arrive(void)
{
	asm volatile("barrier.cluster.arrive.release.aligned;" : : : "memory");
}

static __device__ __forceinline__ void wait(void)
{
	asm volatile("barrier.cluster.wait.acquire.aligned;" : : : "memory");
}

static __device__ __forceinline__ void sync(void)
{
	arrive();
	wait();
}

static __device__ __forceinline__ bc_u32 own(bc_u32 word)
{
	return static_cast<bc_u32>(__cvta_generic_to_shared(&words[word]));
}

static __device__ __forceinline__ bc_u32 at(bc_u32 word, bc_u32 rank)
{
	bc_u32 a;

	asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(a) : "r"(own(word)), "r"(rank));
	return a;
}

static __device__ __forceinline__ bc_u32 *generic_at(bc_u32 word, bc_u32 rank)
{
	bc_u64 a;

	asm volatile("mapa.u64 %0, %1, %2;" : "=l"(a) : "l"(&words[word]), "r"(rank));
	return reinterpret_cast<bc_u32 *>(a);
}

static __device__ __forceinline__ bc_u32 rank_at(bc_u32 addr)
{
	bc_u32 r;

	asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(r) : "r"(addr));
	return r;
}

static __device__ __forceinline__ bc_u32 load(bc_u32 addr)
{
	bc_u32 v;

	asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(addr) : "memory");
	return v;
}

static __device__ __forceinline__ void store(bc_u32 addr, bc_u32 v)
{
	asm volatile("st.shared::cluster.u32 [%0], %1;" : : "r"(addr), "r"(v) : "memory");
}

static __device__ __forceinline__ bc_u32 add(bc_u32 addr, bc_u32 v)
{
	bc_u32 old;

	asm volatile("atom.shared::cluster.add.u32 %0, [%1], %2;" : "=r"(old) : "r"(addr), "r"(v) : "memory");
	return old;
}

static __device__ __forceinline__ void reduce(bc_u32 addr, bc_u32 v)
{
	asm volatile("red.shared::cluster.add.u32 [%0], %1;" : : "r"(addr), "r"(v) : "memory");
}

static __device__ __forceinline__ bc_u32 in_space(const void *p, bool cluster)
{
	bc_u32 v;

	if (cluster)
		asm volatile("{\n\t.reg .pred q;\n\tisspacep.shared::cluster q, %1;\n\tselp.u32 %0, 1, 0, q;\n\t}"
			     : "=r"(v)
			     : "l"(p));
	else
		asm volatile("{\n\t.reg .pred q;\n\tisspacep.shared::cta q, %1;\n\tselp.u32 %0, 1, 0, q;\n\t}"
			     : "=r"(v)
			     : "l"(p));
	return v;
}

// The block's linear index in the grid.
static __device__ __forceinline__ bc_u32 block(void)
{
	return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
}

extern "C" __global__ void bc_cluster_ranks(const struct bc_cluster_params p)
{
	const bc_u32 n = cluster_nctarank(), rank = cluster_ctarank();
	bc_u32 v[BC_CLUSTER_FACTS] = { rank, n };

	if (threadIdx.x != 0)
		return;
	cluster_ctaid(v + 2);
	cluster_nctaid(v + 5);
	clusterid(v + 8);
	nclusterid(v + 11);
	v[14] = rank_at(own(0));
	v[15] = v[16] = v[17] = 0;
#pragma unroll 1
	for (bc_u32 r = 0; r < n && r < 16; r++) {
		v[15] += rank_at(at(0, r)) == r;
		v[16] += in_space(generic_at(0, r), true);
		if (r != rank)
			v[17] += in_space(generic_at(0, r), false);
	}
	for (bc_u32 i = 0; i < BC_CLUSTER_FACTS; i++)
		p.out[block() * BC_CLUSTER_FACTS + i] = v[i];
}

enum bug { NONE, NO_FIRST, NO_LAST };

template <bool generic, enum bug bug>
static __device__ __forceinline__ void from_others(const struct bc_cluster_params &p)
{
	const bc_u32 t = threadIdx.x, n = blockDim.x, ranks = cluster_nctarank(), rank = cluster_ctarank();

	words[t] = p.in[block() * n + t];
	if (bug != NO_FIRST)
		sync();
#pragma unroll 1
	for (bc_u32 k = 1; k < ranks && k < 16; k++) {
		const bc_u32 other = (rank + k) % ranks;

		p.out[(block() * (ranks - 1) + k - 1) * n + t] =
			generic ? *static_cast<volatile bc_u32 *>(generic_at(n - 1 - t, other))
				: load(at(n - 1 - t, other));
	}
	if (bug != NO_LAST)
		sync();
}

extern "C" __global__ void bc_cluster_ld(const struct bc_cluster_params p)
{
	from_others<false, NONE>(p);
}

extern "C" __global__ void bc_cluster_gld(const struct bc_cluster_params p)
{
	from_others<true, NONE>(p);
}

extern "C" __global__ void bc_cluster_missing(const struct bc_cluster_params p)
{
	from_others<false, NO_FIRST>(p);
}

// A block that is through early ends early: those of rank 0 load last, as they work for longer.
extern "C" __global__ void bc_cluster_early(const struct bc_cluster_params p)
{
	words[threadIdx.x] = p.in[block() * blockDim.x + threadIdx.x];
	sync();
	if (cluster_ctarank() == 0) {
		bc_u32 v = p.in[threadIdx.x];

#pragma unroll 1
		for (bc_u32 i = 0; i < 4096; i++)
			v = bc_mix32(v);
		p.out[block() * blockDim.x + threadIdx.x] = v + load(at(threadIdx.x, 1));
	}
}

// Slot k - 1 of a block is written by the block k ranks below.
extern "C" __global__ void bc_cluster_st(const struct bc_cluster_params p)
{
	const bc_u32 t = threadIdx.x, n = blockDim.x, ranks = cluster_nctarank(), rank = cluster_ctarank();

	sync(); // a block must have begun before others store to it
#pragma unroll 1
	for (bc_u32 k = 1; k < ranks && k < 16; k++)
		store(at((k - 1) * n + n - 1 - t, (rank + k) % ranks), p.in[block() * n + t] + k);
	sync();
#pragma unroll 1
	for (bc_u32 k = 1; k < ranks && k < 16; k++)
		p.out[(block() * (ranks - 1) + k - 1) * n + t] = words[(k - 1) * n + t];
}

extern "C" __global__ void bc_cluster_red(const struct bc_cluster_params p)
{
	const bc_u32 t = threadIdx.x, n = blockDim.x, ranks = cluster_nctarank(), rank = cluster_ctarank();

	words[t] = p.in[block() * n + t];
	sync();
#pragma unroll 1
	for (bc_u32 k = 1; k < ranks && k < 16; k++)
		reduce(at(n - 1 - t, (rank + k) % ranks), p.in[block() * n + t] + k);
	sync();
	p.out[block() * n + t] = words[t];
}

// Each block has a word for each thread of each other block: who adds is told what was there.
extern "C" __global__ void bc_cluster_atom(const struct bc_cluster_params p)
{
	const bc_u32 t = threadIdx.x, n = blockDim.x, ranks = cluster_nctarank(), rank = cluster_ctarank();

#pragma unroll 1
	for (bc_u32 k = 1; k < ranks && k < 16; k++)
		words[(k - 1) * n + t] = p.in[block() * n + t] + k;
	sync();
#pragma unroll 1
	for (bc_u32 k = 1; k < ranks && k < 16; k++) {
		const bc_u32 v = p.in[block() * n + t];

		p.out[(block() * (ranks - 1) + k - 1) * n + t] =
			add(at((k - 1) * n + n - 1 - t, (rank + k) % ranks), v);
	}
	sync();
#pragma unroll 1
	for (bc_u32 k = 1; k < ranks && k < 16; k++)
		p.out[((gridDim.x * gridDim.y * gridDim.z + block()) * (ranks - 1) + k - 1) * n + t] =
			words[(k - 1) * n + t];
}

// A word goes on to the next block in every step, through two buffers.
extern "C" __global__ void bc_cluster_ring(const struct bc_cluster_params p)
{
	const bc_u32 t = threadIdx.x, n = blockDim.x, ranks = cluster_nctarank(), rank = cluster_ctarank();
	bc_u32 v = p.in[block() * n + t];

	sync();
#pragma unroll 1
	for (bc_u32 k = 0; k < p.steps; k++) {
		store(at(k % 2 * n + t, (rank + 1) % ranks), v);
		arrive();
		wait();
		v = words[k % 2 * n + n - 1 - t] + 1;
	}
	p.out[block() * n + t] = v;
}

// Bins are spread over the blocks: as many as the cluster has blocks, times BC_CLUSTER_BINS.
extern "C" __global__ void bc_cluster_histogram(const struct bc_cluster_params p)
{
	const bc_u32 t = threadIdx.x, n = blockDim.x, ranks = cluster_nctarank();

	if (t < BC_CLUSTER_BINS)
		words[t] = 0;
	sync();
#pragma unroll 1
	for (bc_u32 k = 0; k < p.steps; k++) {
		const bc_u32 bin = p.in[(block() * p.steps + k) * n + t] % (ranks * BC_CLUSTER_BINS);

		atomicAdd(generic_at(bin % BC_CLUSTER_BINS, bin / BC_CLUSTER_BINS), 1u);
	}
	sync();
	if (t < BC_CLUSTER_BINS)
		p.out[block() * BC_CLUSTER_BINS + t] = words[t];
}

// Each point is its own and its neighbours' sum; the neighbours at the edges lie in other blocks.
extern "C" __global__ void bc_cluster_halo(const struct bc_cluster_params p)
{
	const bc_u32 t = threadIdx.x, n = blockDim.x, ranks = cluster_nctarank(), rank = cluster_ctarank();
	bc_u32 left, right;

	words[t] = p.in[block() * n + t];
	sync();
	left = t > 0 ? words[t - 1] : load(at(n - 1, (rank + ranks - 1) % ranks));
	right = t + 1 < n ? words[t + 1] : load(at(0, (rank + 1) % ranks));
	p.out[block() * n + t] = left + words[t] + right;
	sync();
}

static __device__ __forceinline__ bc_u32 now(void)
{
	bc_u32 v;

	asm volatile("mov.u32 %0, %%clock;" : "=r"(v) : : "memory");
	return v;
}

template <bool remote> static __device__ __forceinline__ bc_u32 chase(bc_u32 *a, bc_u32 loads)
{
	const bc_u32 before = now();
	bc_u32 v = *a;

#pragma unroll 1
	for (bc_u32 i = 0; i < loads; i++) {
		if (remote)
			v = load(v);
		else
			asm volatile("ld.shared.u32 %0, [%0];" : "+r"(v) : : "memory");
	}
	*a = v;
	return now() - before;
}

// One warp of block 0 follows addresses that name themselves, in its own memory and in that of block 1.
extern "C" __global__ void bc_cluster_clock(const struct bc_cluster_params p)
{
	const bc_u32 word = threadIdx.x * p.stride, rank = cluster_ctarank();
	bc_u32 local = own(word), remote = at(word, 1), half[2] = { 0, 0 }, all[2] = { 0, 0 };

	words[word] = rank == 0 ? local : remote;
	sync();
	if (rank == 0) {
#pragma unroll 1
		for (bc_u32 run = 0; run < 2; run++) {
			half[0] = chase<false>(&local, BC_CLUSTER_HEARD / 2);
			all[0] = chase<false>(&local, BC_CLUSTER_HEARD);
			half[1] = chase<true>(&remote, BC_CLUSTER_HEARD / 2);
			all[1] = chase<true>(&remote, BC_CLUSTER_HEARD);
		}
		p.out[threadIdx.x] = local == own(word) && remote == at(word, 1);
		if (threadIdx.x == 0) {
			p.cycles[0] = half[0];
			p.cycles[1] = all[0];
			p.cycles[2] = half[1];
			p.cycles[3] = all[1];
		}
	}
	sync();
}

#else

BC_NOTHING(bc_cluster_ranks)
BC_NOTHING(bc_cluster_ld)
BC_NOTHING(bc_cluster_gld)
BC_NOTHING(bc_cluster_missing)
BC_NOTHING(bc_cluster_early)
BC_NOTHING(bc_cluster_st)
BC_NOTHING(bc_cluster_red)
BC_NOTHING(bc_cluster_atom)
BC_NOTHING(bc_cluster_ring)
BC_NOTHING(bc_cluster_histogram)
BC_NOTHING(bc_cluster_halo)
BC_NOTHING(bc_cluster_clock)

#endif
