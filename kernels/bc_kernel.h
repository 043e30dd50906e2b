/* SPDX-License-Identifier: MIT */
/* kernels/bc_kernel.h - what C and CUDA share: parameter structs of the kernels, the words that name themselves.
 *
 * The only header that both sides include and the only one with code in it: a formula that exists once.
 */
#ifndef BC_KERNELS_BC_KERNEL_H
#define BC_KERNELS_BC_KERNEL_H

#ifdef __CUDACC__
typedef unsigned int bc_u32;
typedef unsigned long long bc_u64;
#define BC_FN static __host__ __device__ __forceinline__
#define BC_PTR(type) type *
#define BC_ALIGN(n) alignas(n)
#else
#include <stdint.h>
typedef uint32_t bc_u32;
typedef uint64_t bc_u64;
#define BC_FN static inline
#define BC_PTR(type) bc_u64 /* a device address, whatever device it is */
#define BC_ALIGN(n) _Alignas(n)
#endif

/* Bijective mix of 32 bits (two xor-shift and odd-multiply rounds: each step is invertible). */
BC_FN bc_u32 bc_mix32(bc_u32 x)
{
	x ^= x >> 16;
	x *= 0x7feb352du;
	x ^= x >> 15;
	x *= 0x846ca68bu;
	x ^= x >> 16;
	return x;
}

/* The word that shared memory holds at byte offset @offset (multiple of 4) before the operation under test. */
BC_FN bc_u32 bc_fill_word(bc_u32 offset, bc_u32 seed)
{
	return bc_mix32((offset >> 2) ^ seed);
}

/* Word @j (0..3) of what @lane stores in request @k (0..31); the top bit keeps it apart from every fill word. */
BC_FN bc_u32 bc_store_word(bc_u32 k, bc_u32 lane, bc_u32 j, bc_u32 seed)
{
	return bc_mix32((0x80000000u | (k << 12) | (lane << 4) | j) ^ seed);
}

/* A word of which each bit is set with one chance in eight: what an and clears, an or sets. */
BC_FN bc_u32 bc_sparse_word(bc_u32 k, bc_u32 lane, bc_u32 seed)
{
	return bc_store_word(k, lane, 1, seed) & bc_store_word(k, lane, 2, seed) & bc_store_word(k, lane, 3, seed);
}

/* Whole numbers whose sums a 32-bit float holds exactly (below 2^24): what a float add finds in a word, and adds. */
BC_FN bc_u32 bc_fill_whole(bc_u32 offset, bc_u32 seed)
{
	return bc_fill_word(offset, seed) & 0xffffu;
}

BC_FN bc_u32 bc_add_whole(bc_u32 k, bc_u32 lane, bc_u32 seed)
{
	return (bc_store_word(k, lane, 0, seed) & 0xfffu) + 1;
}

/* What compare-and-swap compares with: the filled value, but every fourth lane has one bit of the last word wrong. */
BC_FN bc_u32 bc_compare_word(bc_u32 offset, bc_u32 lane, bc_u32 last, bc_u32 seed)
{
	return bc_fill_word(offset, seed) ^ (last && lane % 4 == 3 ? 0x80000000u : 0u);
}

/* Source bytes of @lane's zero-filling copy of @bytes in request @k: 0, all of them, and each number between. */
BC_FN bc_u32 bc_copy_bytes(bc_u32 k, bc_u32 lane, bc_u32 bytes)
{
	return (lane + k) % (bytes + 1);
}

/*
 * Where the element (row, col) of a tile lies in shared memory, counted in elements. Three ways to lay a tile out:
 * plain, each row longer by a pad, or each row permuted by an exclusive or of its column with the bits of its row.
 */
#define BC_LAYOUT_PLAIN 0u
#define BC_LAYOUT_PADDED 1u
#define BC_LAYOUT_XOR 2u

struct bc_layout {
	bc_u32 kind;   /* BC_LAYOUT_* */
	bc_u32 width;  /* columns of the tile; a power of two where the kind is xor */
	bc_u32 amount; /* padded: elements of padding a row; xor: mask of the row's bits, width - 1 for all */
};

/* Elements from one row to the next. */
BC_FN bc_u32 bc_layout_pitch(struct bc_layout l)
{
	return l.kind == BC_LAYOUT_PADDED ? l.width + l.amount : l.width;
}

/* Index of element (@row, @col), col < width. One to one within the tile when amount < width (xor), for any padding. */
BC_FN bc_u32 bc_layout_index(bc_u32 row, bc_u32 col, struct bc_layout l)
{
	return row * bc_layout_pitch(l) + (l.kind == BC_LAYOUT_XOR ? col ^ (row & l.amount) : col);
}

/* The other way: row and column of what lies at @index. (Padding itself has a column of width and more.) */
BC_FN bc_u32 bc_layout_row(bc_u32 index, struct bc_layout l)
{
	return index / bc_layout_pitch(l);
}

BC_FN bc_u32 bc_layout_col(bc_u32 index, struct bc_layout l)
{
	const bc_u32 at = index % bc_layout_pitch(l);

	return l.kind == BC_LAYOUT_XOR ? at ^ (bc_layout_row(index, l) & l.amount) : at;
}

/* Requests that one timed section of a clock kernel executes, by one warp. */
#define BC_TIMED_ACCESSES 32

/* Shared memory is filled, zeroed and dumped by lines: 32 words, one a bank. */
#define BC_LINE_WORDS 32
#define BC_LINE_BYTES 128

/*
 * One parameter struct for all pattern kernels, by value. Data kernels (bc_<op>): one warp, @count requests of
 * the pattern, repeated @reps times. Clock kernels (bc_<op>_clock): BC_TIMED_ACCESSES requests, request k at
 * offset + k * step, timed @nsamples times after one untimed run.
 */
struct bc_pattern_params {
	BC_PTR(const bc_u32) offsets; /* [32] byte offset of each lane from the first byte of dynamic shared memory */
	BC_PTR(const bc_u32) lines;   /* [nlines] which lines are filled first (clock kernels: zeroed), and dumped */
	BC_PTR(bc_u32) results;	      /* loads, atomics: [count][32][words] what each lane got; null: not wanted */
	BC_PTR(bc_u32) dump;	      /* [nlines][32] the lines afterwards; null: not wanted */
	BC_PTR(bc_u32) info; /* [2] window base seen (absolute shared address), %dynamic_smem_size; null: not wanted */
	BC_PTR(bc_u32) samples;	     /* clock kernels: [nsamples][4 warps][2] %clock before and after; else null */
	BC_PTR(const bc_u32) source; /* cp.async: [count][32][words] what each lane copies; else null */
	BC_PTR(bc_u32) sms;	     /* a block on every SM: see BC_SMS_WORDS; else null, and there is one block */
	bc_u32 mask;		     /* active lanes */
	bc_u32 count;		     /* requests of the pattern */
	bc_u32 step;		     /* bytes from one request to the next */
	bc_u32 reps;		     /* runs of the pattern; 0: the baseline */
	bc_u32 nlines;
	bc_u32 seed;
	bc_u32 nsamples;
	bc_u32 unused;
};

/*
 * A cooperative launch with one block on every SM. Its blocks start together: each says in @sms which SM it is on, and
 * none goes on before all have: [0] blocks that are there (0 before the launch), [1 + block] its %smid. What a kernel
 * writes (results, dump, info, samples) is there once a block, in the order of the blocks.
 */
#define BC_SMS_WORDS(blocks) (1u + (blocks))

/* kernels/sms.cu: bc_sms_compare: what the blocks wrote, beside what block 0 wrote. A grid of the launch's blocks. */
struct bc_compare_params {
	BC_PTR(const bc_u32) slices; /* [blocks][words] */
	BC_PTR(bc_u32) first;	     /* [words] gets slice 0 */
	BC_PTR(bc_u32) differ;	     /* [blocks] 0; gets how many words differ from slice 0's */
	bc_u32 words;
	bc_u32 unused;
};

/* kernels/cells.cu: one warp on every SM. */
#define BC_CELLS_KEPT 6		/* wrong words that are told of in full */
#define BC_CELLS_BACKGROUNDS 6	/* of a word; more where a unit has several words: see cells.cu */
#define BC_CELLS_SPEED_TIMES 5	/* that each bank is timed */
#define BC_CELLS_SPEED_LOADS 32 /* dependent loads of a timed section */

/* A word that was read wrong. */
struct bc_cells_wrong {
	bc_u32 address; /* absolute shared address */
	bc_u32 expected, found;
	bc_u32 step; /* which read found it: background * 16 + element of the march */
};

struct bc_cells_report {
	bc_u32 wrong; /* reads of words that came back wrong */
	bc_u32 read;  /* words that were read, modulo 2^32 */
	bc_u32 base;  /* window base that the kernel saw */
	bc_u32 size;  /* %dynamic_smem_size */
	struct bc_cells_wrong first[BC_CELLS_KEPT];
};

struct bc_cells_params {
	BC_PTR(bc_u32) sms;
	BC_PTR(struct bc_cells_report) report; /* [SMs]; speed: null */
	BC_PTR(const bc_u32) round;   /* [1] 0 or 1: the backgrounds and orders of the first, or the second launch */
	BC_PTR(const bc_u32) offsets; /* speed: [banks][32] byte offset of each lane's word in the bank; else null */
	BC_PTR(bc_u32) cycles;	      /* speed: [SMs][banks] fewest of BC_CELLS_SPEED_TIMES; else null */
	bc_u32 bytes;		      /* of shared memory, from the first byte of the window; a multiple of 512 */
	bc_u32 pause;		      /* retention: nanoseconds between write and read */
	bc_u32 banks;
	bc_u32 unused;
};

/*
 * kernels/coalesce.cu: one warp. Request @rep of a lane below @lanes is of element first + lane * stride + rep * step
 * of
 * @in (modulo 2^32, so that a negative stride works).
 */
struct bc_coalesce_params {
	BC_PTR(bc_u32) in;  /* loads: read; stores: written */
	BC_PTR(bc_u32) out; /* loads: [lanes] elements, word by word the sum of what was read; stores: not touched */
	bc_u32 stride;	    /* elements */
	bc_u32 reps;	    /* requests */
	bc_u32 first;	    /* element of lane 0 */
	bc_u32 step;	    /* elements from one request to the next */
	bc_u32 lanes;	    /* 1..32 that take part */
	bc_u32 unused;
};

/* kernels/reduction.cu: one block. */
struct bc_reduce_params {
	BC_PTR(const bc_u32) in; /* trees: [threads] what is summed; histogram: [items] bins */
	BC_PTR(bc_u32) out;	 /* trees: [1] the sum; steps: [pairs] their sums; histogram: [bins] counts */
	bc_u32 step;		 /* steps: the distance between the two of a pair; histogram: bins */
	bc_u32 items;		 /* histogram */
};

/* kernels/sync.cu: one block of n threads. */
struct bc_sync_params {
	BC_PTR(const bc_u32) in; /* [n]; pipe: [steps][n / 2]; votes: [steps][n] */
	BC_PTR(bc_u32)
	out; /* [n]; pipe: [steps][n / 2]; votes: [steps][n] count | all << 16 | any << 17; cost: [2][n] */
	BC_PTR(bc_u32) cycles; /* cost: [2] with a barrier of the block in each step, with one of the warp */
	bc_u32 steps;
	bc_u32 unused;
};

/* kernels/mbarrier.cu: one block of n threads. */
struct bc_mbarrier_params {
	BC_PTR(const bc_u32) in; /* phases: [steps][n]; pipe: [steps][32] */
	BC_PTR(bc_u32) out;	 /* count, drop: [2][n] and more; phases: [steps][n]; pipe: [n / 32 - 1][steps][32] */
	bc_u32 steps, stages;
	bc_u32 count; /* arrivals, or bytes */
	bc_u32 unused;
};

/* kernels/cluster.cu: blocks of n threads in clusters of r blocks. Block: its linear index in the grid. */
#define BC_CLUSTER_FACTS 18   /* words that a block of bc_cluster_ranks writes */
#define BC_CLUSTER_BINS 64    /* of the histogram, in each block */
#define BC_CLUSTER_HEARD 1024 /* loads of bc_cluster_clock, half and all */
struct bc_cluster_params {
	BC_PTR(const bc_u32) in; /* [blocks][n] */
	BC_PTR(bc_u32) out;	 /* ranks: [blocks][FACTS]; to and from others: [blocks][r - 1][n]; else [blocks][n] */
	BC_PTR(bc_u32) cycles;	 /* clock: [2][2] local, remote: half of the loads, all */
	bc_u32 steps, stride;	 /* ring: steps; clock: words from lane to lane */
};

/*
 * kernels/mma.cu: one warp multiplies A, 16 rows of 128 bytes, by B, and adds C. B is 8 rows of 128 bytes, one for each
 * column of the product; or, with @transposed, 64 rows of 8 elements of 16 bits, one for each k.
 */
struct bc_mma_params {
	BC_PTR(const bc_u32) a; /* [16][32] words */
	BC_PTR(const bc_u32) b; /* [8][32] words; transposed: [64][4] */
	BC_PTR(bc_u32) out; /* [16][8] elements of 32 bits; f16 accumulators: [16][4] words of two; f64: [8][8] of 64 */
	bc_u32 pitch;	    /* bytes from row to row of A, and of B as rows of 128 bytes; a multiple of 16 */
	bc_u32 mask;	    /* the 16-byte chunk of a row is XORed by the row's number AND this */
	bc_u32 transposed;  /* 1: by ldmatrix.trans, 2: without, which is wrong */
	bc_u32 unused;
};

/* What a wait that was given up leaves instead of the value: another one. */
#define BC_MBARRIER_GAVE_UP 0x80000001u
#define BC_MBARRIER_OBJECTS 16u /* 8 bytes each, from the start of dynamic shared memory */

/* async.cu: bc_async_pipe<n>, bc_async_copy<bytes><cache> */
#define BC_ASYNC_PIPE_THREADS 128 /* each copies 16 bytes of a tile */
#define BC_ASYNC_COPY_THREADS 256 /* of a block */

struct bc_async_params {
	BC_PTR(const bc_u32) in;
	BC_PTR(bc_u32) out;
	bc_u32 tiles; /* of the pipeline */
	bc_u32 unused;
};

/* random.cu: the words that a lane loads are those of a linear congruential generator's upper bits. */
#define BC_RANDOM_WORDS 4096
#define BC_RANDOM_FACTOR 1664525u
#define BC_RANDOM_TERM 1013904223u
#define BC_RANDOM_SHIFT 20 /* the upper 12 bits */

struct bc_random_params {
	BC_PTR(const bc_u32) in; /* [BC_RANDOM_WORDS] */
	BC_PTR(bc_u32) out;	 /* [threads] */
	bc_u32 seed;		 /* thread t's generator starts at bc_mix32(t ^ seed) */
	bc_u32 reps;
	bc_u32 keep; /* bits of the word's number that are random */
	bc_u32 own;  /* bits of it that are the lane's */
};

/* bc_swizzle_*: one tile of layout.width x layout.width elements through shared memory; see swizzle.cu. */
struct bc_swizzle_params {
	BC_PTR(const void) in; /* [width][width] */
	BC_PTR(void) columns;  /* [width][width] in transposed */
	BC_PTR(void) raw;      /* [width][width] in, by the way back from what lies where in shared memory */
	struct bc_layout layout;
	bc_u32 unused;
};

/* bc_swizzle_layouts: the same tile laid out plain, padded and xor. */
struct bc_layouts_params {
	BC_PTR(const bc_u32) in; /* [width][width] */
	BC_PTR(bc_u32) out[3];	 /* [width][width] in transposed, by BC_LAYOUT_* */
	bc_u32 width;
	bc_u32 unused;
};

/* bc_transpose_*: out[x][y] = in[y][x]. */
struct bc_transpose_params {
	BC_PTR(const void) in; /* [height][width] */
	BC_PTR(void) out;      /* [width][height] */
	bc_u32 width, height;
};

/* bc_matmul_*: c = a b, row-major floats. */
struct bc_matmul_params {
	BC_PTR(const float) a; /* [m][k] */
	BC_PTR(const float) b; /* [k][n] */
	BC_PTR(float) c[3];    /* [m][n]; kernels with one layout write c[0], bc_matmul_layouts one each */
	bc_u32 m, n, k;
	bc_u32 unused;
};

/* kernels/shuffle.cu: which lane each lane receives from. */
enum bc_shuffle_kind {
	BC_SHUFFLE_XOR = 0, /* lane ^ by */
	BC_SHUFFLE_UP,	    /* lane - by */
	BC_SHUFFLE_DOWN,    /* lane + by */
	BC_SHUFFLE_INDEX,   /* by */
	BC_SHUFFLE_ROTATE   /* lane + by, around the end */
};

struct bc_shuffle_params {
	BC_PTR(const bc_u32) in; /* [threads] */
	BC_PTR(bc_u32) out;	 /* [threads] */
	bc_u32 kind;
	bc_u32 by;
	bc_u32 width; /* 1, 2, 4, 8, 16, 32: the warp is cut in parts of so many lanes */
	bc_u32 steps;
};

/* The lane that @lane receives from, as the PTX ISA defines shfl: out of the part means its own value. */
BC_FN bc_u32 bc_shuffle_source(bc_u32 kind, bc_u32 lane, bc_u32 by, bc_u32 width)
{
	const bc_u32 first = lane - lane % width, place = lane % width;

	if (kind == BC_SHUFFLE_XOR)
		return (lane ^ by) < first + width ? lane ^ by : lane;
	if (kind == BC_SHUFFLE_UP)
		return place >= by ? lane - by : lane;
	if (kind == BC_SHUFFLE_DOWN)
		return place + by < width ? lane + by : lane;
	return first + (kind == BC_SHUFFLE_INDEX ? by : place + by) % width;
}

/* kernels/meta.cu: one warp. */
struct bc_meta_params {
	BC_PTR(const bc_u32) in; /* [32] */
	BC_PTR(bc_u32) out;	 /* [32] the neighbour's word (lane ^ 1), through shared memory */
	bc_u64 cycles;		 /* spin: how long */
	bc_u32 flip;		 /* bits of lane 5's result that come out wrong */
	bc_u32 unused;
};

/* kernels/declare.cu. */
#define BC_DECLARE_SMS 512u

struct bc_declare_params {
	BC_PTR(bc_u32) out;  /* what each kernel's comment says */
	BC_PTR(bc_u32) most; /* resident: [BC_DECLARE_SMS + 1], the last one the blocks that ran; else null */
	bc_u32 bytes;	     /* dynamic shared memory */
	bc_u32 count;
	bc_u32 seed;
	bc_u32 unused;
};

/* kernels/clock.cu: one block. */
#define BC_TIME_SAMPLES 8

struct bc_time_params {
	BC_PTR(bc_u32) samples; /* [2 settings][BC_TIME_SAMPLES][warps][2] %clock before and after */
	BC_PTR(bc_u32) out;	/* [2 settings][threads] what the kernel's accesses came to; latency: see there */
	bc_u32 ways[2];		/* of the settings; latency: [1] is 1 for the L1 cache, 2 for the L2 cache */
	bc_u32 reps[2];		/* times BC_TIMED_ACCESSES accesses a run */
};

/* kernels/tma.cu: one warp. The harness writes the tensor map (harness/core/tensor_map.h) into the parameters. */
#define BC_TMA_MAP_WORDS 16

struct bc_tma_params {
	BC_ALIGN(64) bc_u64 map[BC_TMA_MAP_WORDS];
	BC_PTR(const bc_u32) tensor;  /* what the map describes; the kernels do not look at it */
	BC_PTR(const bc_u32) source;  /* store, reduce: [words] that shared memory is filled with */
	BC_PTR(const bc_u32) offsets; /* read: [count][32] from the first byte of shared memory */
	BC_PTR(bc_u32) out;	      /* load: [words] the dump; read: [count][32][words of an access] */
	BC_PTR(bc_u32) info; /* [2] shared address of the first byte; 1: the barrier completed, 0: it did not */
	int at[5];	     /* coordinates of the box */
	bc_u32 bytes;	     /* that the barrier is told to expect */
	bc_u32 tries;	     /* how often it is asked at most whether they are there */
	bc_u32 tile;	     /* where the tile begins, from the first byte of shared memory */
	bc_u32 words;	     /* of shared memory: filled, and dumped; the barrier lies behind them */
	bc_u32 seed;	     /* load: of the fill */
	bc_u32 count;	     /* read: requests */
	bc_u32 unused;
};

#endif
