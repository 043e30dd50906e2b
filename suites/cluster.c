/* SPDX-License-Identifier: MIT */
/* suites/cluster.c - clusters: where a block is, what it does in the shared memory of the others, barriers, idioms. */
#include "suites/patterns.h"
#include "suites/programs.h"

#include "kernels/bc_kernel.h"

#define CLUSTERS 2u /* in each launch, side by side */
#define RING_STEPS 5u
#define PER_THREAD 4u	    /* items of the histogram */
#define CLUSTER_RELEASE 118 /* PTX ISA 7.8 */

enum { X = 0, Y, Z, THREADS, STRIDE }; /* arg: blocks of a cluster, threads of a block, words from lane to lane */

static uint32_t ranks_of(const struct bc_case *c)
{
	return (uint32_t)(c->arg[X] * c->arg[Y] * c->arg[Z]);
}

static uint32_t threads_of(const struct bc_case *c)
{
	return (uint32_t)c->arg[THREADS];
}

static uint32_t blocks_of(const struct bc_case *c)
{
	return CLUSTERS * ranks_of(c);
}

/* The block's linear index in the grid, which is CLUSTERS clusters in x and one in y and z. */
static uint32_t block_at(const struct bc_case *c, uint32_t cluster, uint32_t rank)
{
	const uint32_t x = (uint32_t)c->arg[X];

	return rank / x * (CLUSTERS * x) + cluster * x + rank % x;
}

static void of_cluster(struct bc_case *c, int x, int y, int z, int threads)
{
	c->arg[X] = x;
	c->arg[Y] = y;
	c->arg[Z] = z;
	c->arg[THREADS] = threads;
	c->needs = BC_NEED_CLUSTER;
	c->release = CLUSTER_RELEASE;
	c->shared_bytes = 4 * ranks_of(c) * (uint32_t)threads;
}

static bool some_shapes(unsigned i, struct bc_case *c)
{
	static const int shapes[][3] = { { 2, 1, 1 }, { 4, 1, 1 }, { 8, 1, 1 }, { 1, 2, 1 }, { 1, 1, 2 }, { 2, 2, 2 } };

	if (i >= BC_ARRAY_LEN(shapes))
		return false;
	of_cluster(c, shapes[i][0], shapes[i][1], shapes[i][2], 32);
	for (unsigned k = 0; k < 3; k++) {
		bc_variant_add_int(c, shapes[i][k]);
		if (k < 2)
			bc_variant_add(c, "x");
	}
	return true;
}

static bool some_sizes(unsigned i, struct bc_case *c)
{
	static const int sizes[] = { 2, 4, 8 };

	if (i >= BC_ARRAY_LEN(sizes))
		return false;
	of_cluster(c, sizes[i], 1, 1, 128);
	bc_variant_add_int(c, sizes[i]);
	return true;
}

static bool some_strides(unsigned i, struct bc_case *c)
{
	static const int strides[] = { 1, 32 };

	if (i >= BC_ARRAY_LEN(strides))
		return false;
	of_cluster(c, 2, 1, 1, 32);
	c->needs |= BC_NEED_CLOCK | BC_NEED_HARDWARE_CLOCK;
	c->arg[STRIDE] = strides[i];
	c->shared_bytes = 4 * BC_LANES * (uint32_t)strides[i];
	bc_variant_add_int(c, strides[i]);
	return true;
}

static void start(const struct bc_case *c, const char *kernel, uint32_t steps, size_t in_words, size_t out_words,
		  struct bc_program *out)
{
	const struct bc_cluster_params p = { .steps = steps, .stride = (uint32_t)c->arg[STRIDE] };

	bc_program_start(out, "cluster", kernel, threads_of(c), &p, sizeof(p));
	out->shared_bytes = c->shared_bytes;
	for (unsigned i = 0; i < 3; i++) {
		out->cluster[i] = (uint32_t)c->arg[i];
		out->grid[i] = (uint32_t)c->arg[i] * (i == X ? CLUSTERS : 1);
	}
	if (in_words)
		bc_program_in(out, offsetof(struct bc_cluster_params, in), 4 * in_words, bc_fill_words);
	bc_program_out(out, offsetof(struct bc_cluster_params, out), 4 * out_words);
}

/* Words of one thread of each block, and of one for each of the others. */
static size_t own_words(const struct bc_case *c)
{
	return (size_t)blocks_of(c) * threads_of(c);
}

static size_t others_words(const struct bc_case *c)
{
	return own_words(c) * (ranks_of(c) - 1);
}

/* ---- ranks ---- */

static bool ranks_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	(void)a;
	start(c, "bc_cluster_ranks", 0, 0, (size_t)blocks_of(c) * BC_CLUSTER_FACTS, out);
	return true;
}

static bool ranks_check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
			struct bc_mismatch *bad)
{
	static const char *const facts[BC_CLUSTER_FACTS] = {
		"rank, of block",
		"blocks of the cluster, of block",
		"%cluster_ctaid.x of block",
		"%cluster_ctaid.y of block",
		"%cluster_ctaid.z of block",
		"%cluster_nctaid.x of block",
		"%cluster_nctaid.y of block",
		"%cluster_nctaid.z of block",
		"%clusterid.x of block",
		"%clusterid.y of block",
		"%clusterid.z of block",
		"%nclusterid.x of block",
		"%nclusterid.y of block",
		"%nclusterid.z of block",
		"getctarank of its own memory, of block",
		"addresses by mapa whose getctarank is right, of block",
		"generic addresses by mapa in shared::cluster, of block",
		"generic addresses of others in shared::cta, of block",
	};
	const uint32_t x = (uint32_t)c->arg[X], y = (uint32_t)c->arg[Y], z = (uint32_t)c->arg[Z], n = ranks_of(c);

	(void)a;
	(void)seed;
	for (uint32_t i = 0; i < blocks_of(c); i++) {
		const uint32_t cluster = i / n, rank = i % n, block = block_at(c, cluster, rank);
		const uint32_t want[BC_CLUSTER_FACTS] = {
			rank, n, rank % x, rank / x % y, rank / x / y, x, y, z, cluster, 0, 0, CLUSTERS, 1, 1, rank,
			n,    n, 0
		};
		const uint32_t *got = (const uint32_t *)data[0] + (size_t)block * BC_CLUSTER_FACTS;

		for (uint32_t k = 0; k < BC_CLUSTER_FACTS; k++)
			if (got[k] != want[k])
				return bc_mismatch(bad, facts[k], block, got[k], want[k]);
	}
	return true;
}

/* ---- what a block does in the memory of others ---- */

/* The word of thread @t of the block that is @k ranks after (before: -) @rank. */
static uint32_t word_of(const struct bc_case *c, const uint32_t *in, uint32_t cluster, uint32_t rank, uint32_t k,
			uint32_t t)
{
	return in[(size_t)block_at(c, cluster, (rank + k) % ranks_of(c)) * threads_of(c) + t];
}

static bool ld_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	(void)a;
	start(c, "bc_cluster_ld", 0, own_words(c), others_words(c), out);
	bc_program_count(out, BC_CLASS_LD, 0);
	return true;
}

static bool gld_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	(void)a;
	start(c, "bc_cluster_gld", 0, own_words(c), others_words(c), out);
	return true;
}

typedef uint32_t want_fn(const struct bc_case *c, const uint32_t *in, uint32_t cluster, uint32_t rank, uint32_t k,
			 uint32_t t);

/* @out: [blocks][ranks - 1][threads]: what @want says of the k-th. */
static bool others_are(const struct bc_case *c, const uint32_t *in, const uint32_t *out, want_fn *want,
		       struct bc_mismatch *bad)
{
	const uint32_t n = ranks_of(c), threads = threads_of(c);

	for (uint32_t i = 0; i < blocks_of(c) * (n - 1) * threads; i++) {
		const uint32_t t = i % threads, k = i / threads % (n - 1) + 1, number = i / threads / (n - 1);
		const uint32_t cluster = number / n, rank = number % n;
		const size_t at = ((size_t)block_at(c, cluster, rank) * (n - 1) + k - 1) * threads + t;
		const uint32_t w = want(c, in, cluster, rank, k, t);

		if (out[at] != w)
			return bc_mismatch(bad, "word", at, out[at], w);
	}
	return true;
}

static uint32_t loaded(const struct bc_case *c, const uint32_t *in, uint32_t cluster, uint32_t rank, uint32_t k,
		       uint32_t t)
{
	return word_of(c, in, cluster, rank, k, threads_of(c) - 1 - t);
}

static bool ld_check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
		     struct bc_mismatch *bad)
{
	(void)a;
	(void)seed;
	return others_are(c, data[0], data[1], loaded, bad);
}

static bool st_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	(void)a;
	start(c, "bc_cluster_st", 0, own_words(c), others_words(c), out);
	bc_program_count(out, BC_CLASS_ST, 0);
	return true;
}

static uint32_t stored(const struct bc_case *c, const uint32_t *in, uint32_t cluster, uint32_t rank, uint32_t k,
		       uint32_t t)
{
	return word_of(c, in, cluster, rank, ranks_of(c) - k, threads_of(c) - 1 - t) + k;
}

static bool st_check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
		     struct bc_mismatch *bad)
{
	(void)a;
	(void)seed;
	return others_are(c, data[0], data[1], stored, bad);
}

static bool red_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	(void)a;
	start(c, "bc_cluster_red", 0, own_words(c), own_words(c), out);
	bc_program_count(out, BC_CLASS_ATOM, 0);
	return true;
}

/* @out: [blocks][threads]; k is 0. */
static bool own_are(const struct bc_case *c, const uint32_t *in, const uint32_t *out, want_fn *want,
		    struct bc_mismatch *bad)
{
	const uint32_t n = ranks_of(c), threads = threads_of(c);

	for (uint32_t i = 0; i < blocks_of(c); i++)
		for (uint32_t t = 0; t < threads; t++) {
			const size_t at = (size_t)block_at(c, i / n, i % n) * threads + t;
			const uint32_t w = want(c, in, i / n, i % n, 0, t);

			if (out[at] != w)
				return bc_mismatch(bad, "word", at, out[at], w);
		}
	return true;
}

static uint32_t reduced(const struct bc_case *c, const uint32_t *in, uint32_t cluster, uint32_t rank, uint32_t k,
			uint32_t t)
{
	uint32_t sum = word_of(c, in, cluster, rank, k, t);

	for (uint32_t from = 1; from < ranks_of(c); from++)
		sum += stored(c, in, cluster, rank, from, t);
	return sum;
}

static bool red_check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
		      struct bc_mismatch *bad)
{
	(void)a;
	(void)seed;
	return own_are(c, data[0], data[1], reduced, bad);
}

static bool atom_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	(void)a;
	start(c, "bc_cluster_atom", 0, own_words(c), 2 * others_words(c), out);
	bc_program_count(out, BC_CLASS_ATOM, 0);
	return true;
}

/* What the block @k ranks after had put there. */
static uint32_t found(const struct bc_case *c, const uint32_t *in, uint32_t cluster, uint32_t rank, uint32_t k,
		      uint32_t t)
{
	return loaded(c, in, cluster, rank, k, t) + k;
}

static uint32_t added(const struct bc_case *c, const uint32_t *in, uint32_t cluster, uint32_t rank, uint32_t k,
		      uint32_t t)
{
	return word_of(c, in, cluster, rank, 0, t) + stored(c, in, cluster, rank, k, t);
}

static bool atom_check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
		       struct bc_mismatch *bad)
{
	const uint32_t *out = data[1];

	(void)a;
	(void)seed;
	return others_are(c, data[0], out, found, bad) && others_are(c, data[0], out + others_words(c), added, bad);
}

/* ---- barriers and idioms ---- */

static bool ring_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	(void)a;
	start(c, "bc_cluster_ring", RING_STEPS, own_words(c), own_words(c), out);
	return true;
}

/* Each step turns the threads round. */
static uint32_t passed(const struct bc_case *c, const uint32_t *in, uint32_t cluster, uint32_t rank, uint32_t k,
		       uint32_t t)
{
	const uint32_t n = ranks_of(c), from = RING_STEPS % 2 ? threads_of(c) - 1 - t : t;

	return word_of(c, in, cluster, rank, k + RING_STEPS * (n - 1), from) + RING_STEPS;
}

static bool ring_check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
		       struct bc_mismatch *bad)
{
	(void)a;
	(void)seed;
	return own_are(c, data[0], data[1], passed, bad);
}

static bool histogram_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	(void)a;
	start(c, "bc_cluster_histogram", PER_THREAD, own_words(c) * PER_THREAD, (size_t)blocks_of(c) * BC_CLUSTER_BINS,
	      out);
	return true;
}

static bool histogram_check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
			    struct bc_mismatch *bad)
{
	const uint32_t *in = data[0], *out = data[1], n = ranks_of(c), items = PER_THREAD * threads_of(c);

	(void)a;
	(void)seed;
	for (uint32_t cluster = 0; cluster < CLUSTERS; cluster++) {
		uint32_t bins[16 * BC_CLUSTER_BINS] = { 0 };

		for (uint32_t i = 0; i < n * items; i++)
			bins[in[(size_t)block_at(c, cluster, i / items) * items + i % items] % (n * BC_CLUSTER_BINS)]++;
		for (uint32_t i = 0; i < n * BC_CLUSTER_BINS; i++) {
			const size_t at = (size_t)block_at(c, cluster, i / BC_CLUSTER_BINS) * BC_CLUSTER_BINS +
					  i % BC_CLUSTER_BINS;

			if (out[at] != bins[i])
				return bc_mismatch(bad, "bin", at, out[at], bins[i]);
		}
	}
	return true;
}

static bool halo_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	(void)a;
	start(c, "bc_cluster_halo", 0, own_words(c), own_words(c), out);
	return true;
}

static uint32_t three_points(const struct bc_case *c, const uint32_t *in, uint32_t cluster, uint32_t rank, uint32_t k,
			     uint32_t t)
{
	const uint32_t n = ranks_of(c), threads = threads_of(c);
	const uint32_t left =
		t ? word_of(c, in, cluster, rank, k, t - 1) : word_of(c, in, cluster, rank, k + n - 1, threads - 1);
	const uint32_t right =
		t + 1 < threads ? word_of(c, in, cluster, rank, k, t + 1) : word_of(c, in, cluster, rank, k + 1, 0);

	return left + word_of(c, in, cluster, rank, k, t) + right;
}

static bool halo_check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
		       struct bc_mismatch *bad)
{
	(void)a;
	(void)seed;
	return own_are(c, data[0], data[1], three_points, bad);
}

/* ---- time ---- */

static bool clock_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out)
{
	(void)a;
	start(c, "bc_cluster_clock", 0, 0, BC_LANES, out);
	out->grid[0] = (uint32_t)c->arg[X]; /* one cluster */
	bc_program_out(out, offsetof(struct bc_cluster_params, cycles), 16);
	return true;
}

static bool clock_check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
			struct bc_mismatch *bad)
{
	const uint32_t *out = data[0];

	(void)c;
	(void)a;
	(void)seed;
	for (uint32_t l = 0; l < BC_LANES; l++)
		if (out[l] != 1)
			return bc_mismatch(bad, "lane", l, out[l], 1);
	return true;
}

/* How many times as long a load takes; what does not grow with their number is left out. */
static bool clock_ratio(const struct bc_case *c, const struct bc_arch *a, void *const *data,
			struct bc_clock_reading *out)
{
	const uint32_t *cycles = data[1];

	(void)c;
	(void)a;
	if (cycles[1] <= cycles[0] || cycles[3] <= cycles[2])
		return false;
	*out = (struct bc_clock_reading){ .value = (double)(cycles[3] - cycles[2]) / (cycles[1] - cycles[0]),
					  .samples = { cycles[0], cycles[1], cycles[2], cycles[3] },
					  .n = 4 };
	return true;
}

#define ISA "PTX ISA, cluster of cooperative thread arrays; mapa, getctarank, barrier.cluster"
#define GUIDE "CUDA C++ Programming Guide, distributed shared memory"

static const struct bc_rule rules[] = {
	{ .name = "ranks",
	  .source = ISA,
	  .build = some_shapes,
	  .program = ranks_program,
	  .check = ranks_check,
	  .sentence = "ranks run through a cluster x first, and an address by mapa names the block of its rank" },
	{ .name = "ld",
	  .source = GUIDE,
	  .build = some_sizes,
	  .program = ld_program,
	  .check = ld_check,
	  .sentence = "loads from the other blocks bring what they stored, and are in no counter of shared loads" },
	{ .name = "ld_generic",
	  .source = GUIDE,
	  .build = some_sizes,
	  .program = gld_program,
	  .check = ld_check,
	  .sentence = "a generic address by mapa reaches another block's shared memory with a plain load" },
	{ .name = "st",
	  .source = GUIDE,
	  .build = some_sizes,
	  .program = st_program,
	  .check = st_check,
	  .sentence = "stores to the other blocks arrive, and are in no counter of shared stores" },
	{ .name = "red",
	  .source = GUIDE,
	  .build = some_sizes,
	  .program = red_program,
	  .check = red_check,
	  .sentence = "all blocks add to one word of another: none is lost, and no counter of shared atomics moves" },
	{ .name = "atom",
	  .source = GUIDE,
	  .build = some_sizes,
	  .program = atom_program,
	  .check = atom_check,
	  .sentence = "an atomic on another block's word returns what was there, and no counter of shared atomics "
		      "moves" },
	{ .name = "ring",
	  .source = ISA,
	  .build = some_sizes,
	  .program = ring_program,
	  .check = ring_check,
	  .sentence = "what is stored to another block before barrier.cluster.arrive is there after its wait" },
	{ .name = "histogram",
	  .source = GUIDE,
	  .build = some_sizes,
	  .program = histogram_program,
	  .check = histogram_check,
	  .sentence = "a histogram whose bins are spread over the blocks of a cluster loses nothing" },
	{ .name = "halo",
	  .source = GUIDE,
	  .build = some_sizes,
	  .program = halo_program,
	  .check = halo_check,
	  .sentence = "a stencil takes the edges of its neighbours from their shared memory" },
	{ .name = "time_ld",
	  .source = "measured on an H200",
	  .build = some_strides,
	  .program = clock_program,
	  .check = clock_check,
	  .clock = clock_ratio,
	  .sentence = "a load from another block's shared memory takes several times as long as one from its own" },
};

const struct bc_suite bc_suite_cluster = {
	.name = "cluster",
	.about = "clusters of blocks, and the shared memory of the others",
	.rules = rules,
	.nrules = BC_ARRAY_LEN(rules),
};
