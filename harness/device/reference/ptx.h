/* SPDX-License-Identifier: MIT */
/* harness/device/reference/ptx.h - a PTX interpreter: parse, load, launch, count, check.
 *
 * Depends on harness/core only. The order of use:
 *
 *     bc_ptx_parse(text) -> module          what nvcc wrote, versions 6.0 to 9.x, any target from sm_70 up
 *     bc_ptx_mem_create() -> mem            simulated global memory of one device
 *     bc_ptx_load(module, mem) -> image     .global and .const variables placed in mem
 *     bc_ptx_prepare(image, entry, arch)    -> kernel: decoded, every instruction known, features there
 *     bc_ptx_launch(kernel, launch)         -> result: counters, findings
 *
 * Execution: 32 lanes of a warp in lockstep. Where lanes diverge they are joined again at the immediate
 * post-dominator of the branch, or earlier where they meet; lanes that wait for others (shfl.sync, bar.warp.sync)
 * let those run, a spinning group of lanes is interrupted, and lanes that have waited for one for 65536 instructions
 * go on without it, so that a lock between lanes ends. Warps of a block take turns (at barriers, and after 4096
 * instructions); blocks are independent, each run whole by one host thread. Those of a cooperative launch take turns as
 * warps do (after 64 instructions), so that they may wait for one another in global memory.
 *
 * Numbers: bit-exact where the PTX ISA defines the result; where it does not, as an H200 was seen to do: division by
 * zero gives all ones, remainder too; .ftz flushes what is below the smallest normal number before it is rounded;
 * a NaN result is 0x7fffffff (f32), 0x7fff (f16, bf16), and for f64 the quieted first NaN operand, or
 * 0xfff8000000000000 when none is; conversions from and to f64 keep a NaN's sign and payload. ex2, lg2, sin, cos, tanh,
 * rcp, rsqrt, sqrt, div in their .approx and .full forms are the correctly rounded result, or within 1 ulp of it,
 * which is inside every error bound the ISA states (hardware gives other bits). %clock and %clock64 advance by
 * one for each instruction of the warp, or by the launch's timing; %globaltimer too, as if a cycle were a nanosecond;
 * nanosleep lets as many pass as it was told. Block b is on SM b modulo the launch's number of SMs.
 */
#ifndef BC_DEVICE_REFERENCE_PTX_H
#define BC_DEVICE_REFERENCE_PTX_H

#include "harness/core/arch.h"
#include "harness/core/banks.h"
#include "harness/core/op.h"
#include "harness/core/tensor_map.h"

struct bc_ptx_module; /* a parsed text; read-only after bc_ptx_parse */
struct bc_ptx_mem;    /* global memory of a simulated device */
struct bc_ptx_image;  /* a module placed in a memory */
struct bc_ptx_kernel; /* an entry ready to run on one architecture */

/* Limits. A text or a launch that exceeds one is refused with a message. */
#define BC_PTX_TEXT_MAX (16u << 20)	    /* bytes of PTX text */
#define BC_PTX_SHARED_MAX (1u << 20)	    /* bytes of shared memory of a block, whatever the architecture says */
#define BC_PTX_VARIABLE_MAX (64u << 20)	    /* bytes of one .global or .const variable */
#define BC_PTX_LOCAL_MAX (512u << 10)	    /* bytes of .local memory of a thread */
#define BC_PTX_BLOCK_STATE_MAX (256u << 20) /* bytes of registers and local memory of all threads of a block */
#define BC_PTX_BUDGET_DEFAULT (UINT64_C(1) << 32) /* warp instructions of a launch */
#define BC_PTX_QUANTUM 4096			  /* instructions a warp runs before another one gets its turn */

/**
 * bc_ptx_parse - read PTX text
 * @text: @len bytes, not necessarily ended by NUL; may be released afterwards
 * @path: name used in messages, "kernels/ptx/pattern_ld.ptx"
 *
 * An instruction that is not known but written as an instruction is accepted here; bc_ptx_prepare refuses the
 * entries that contain it. The same holds for calls.
 * Return: BC_EDATA with path:line for malformed text; BC_ENOMEM.
 */
enum bc_status bc_ptx_parse(const char *text, size_t len, const char *path, struct bc_ptx_module **out,
			    struct bc_error *err);
void bc_ptx_free(struct bc_ptx_module *m); /* NULL is allowed; after its images and kernels */

/* Entries (.entry with a body) in order of the text. */
size_t bc_ptx_nentries(const struct bc_ptx_module *m);
const char *bc_ptx_entry_name(const struct bc_ptx_module *m, size_t i); /* NULL: no i-th entry */
/* Return: index of the entry called @name, -1 when there is none. */
long bc_ptx_entry_find(const struct bc_ptx_module *m, const char *name);
/* Bytes of parameters of entry @i: offsets as in a C struct of the parameters, without padding at the end. */
size_t bc_ptx_entry_params(const struct bc_ptx_module *m, size_t i);

/* One parameter: where it lies in the parameters. The name is of the text, without NUL. */
struct bc_ptx_param {
	const char *name;
	size_t name_len, offset, bytes;
};
size_t bc_ptx_entry_nparams(const struct bc_ptx_module *m, size_t i);
/* Parameter @k of entry @i, both below their counts. */
struct bc_ptx_param bc_ptx_entry_param(const struct bc_ptx_module *m, size_t i, size_t k);

/*
 * Global memory. Addresses are 64-bit, every allocation starts at a multiple of 256 and is followed by at least
 * 4096 unmapped bytes, so that an overrun is seen. Addresses are reproducible: they depend on the sequence of
 * calls only. Not to be changed while a launch on it runs.
 */
/* @limit: most bytes of all allocations together. */
enum bc_status bc_ptx_mem_create(uint64_t limit, struct bc_ptx_mem **out, struct bc_error *err);
void bc_ptx_mem_destroy(struct bc_ptx_mem *m); /* NULL is allowed */
/* @bytes: 1 .. limit. The new bytes are 0. BC_ENOMEM beyond the limit. */
enum bc_status bc_ptx_mem_alloc(struct bc_ptx_mem *m, uint64_t bytes, uint64_t *addr, struct bc_error *err);
/* @addr: as bc_ptx_mem_alloc gave it, else BC_EUSAGE. */
enum bc_status bc_ptx_mem_free(struct bc_ptx_mem *m, uint64_t addr, struct bc_error *err);
/* Copy @bytes out of or into one allocation; BC_EUSAGE when they do not lie inside one. 0 bytes: allowed anywhere. */
enum bc_status bc_ptx_mem_read(const struct bc_ptx_mem *m, uint64_t addr, void *dst, size_t bytes,
			       struct bc_error *err);
enum bc_status bc_ptx_mem_write(struct bc_ptx_mem *m, uint64_t addr, const void *src, size_t bytes,
				struct bc_error *err);

/**
 * bc_ptx_load - place a module's .global and .const variables, with their initial values, in a memory
 *
 * The image refers to both; unload it before either goes.
 */
enum bc_status bc_ptx_load(const struct bc_ptx_module *m, struct bc_ptx_mem *mem, struct bc_ptx_image **out,
			   struct bc_error *err);
void bc_ptx_unload(struct bc_ptx_image *i); /* NULL is allowed; frees the variables */
/* Address and size of a .global or .const variable; BC_EUSAGE when there is none. */
enum bc_status bc_ptx_symbol(const struct bc_ptx_image *i, const char *name, uint64_t *addr, size_t *bytes,
			     struct bc_error *err);

/**
 * bc_ptx_prepare - decode an entry for an architecture
 *
 * The .target of the text is ignored; what decides is @arch: ldmatrix, stmatrix, cp.async and redux.sync are
 * refused when it lacks them. @arch is copied.
 * Return: BC_EDATA with path:line and the instruction for one that is not known, a call, a missing feature,
 * a register or label that is not declared, an operand of the wrong kind; BC_EUSAGE when there is no such entry.
 */
enum bc_status bc_ptx_prepare(const struct bc_ptx_image *i, const char *entry, const struct bc_arch *arch,
			      struct bc_ptx_kernel **out, struct bc_error *err);
void bc_ptx_release(struct bc_ptx_kernel *k);		      /* NULL is allowed */
uint32_t bc_ptx_static_shared(const struct bc_ptx_kernel *k); /* bytes of static shared memory of a block */

struct bc_ptx_hooks;

/**
 * bc_ptx_tensor_encode - the bytes of a tensor map, as kernels on @a take them
 * @address: of its tensor in the simulated memory
 * @hooks:   with a planted fault; NULL: none
 *
 * Return: BC_EUSAGE when cuTensorMapEncodeTiled would refuse it (bc_tensor_map_check), or @a has no tensor copies.
 */
enum bc_status bc_ptx_tensor_encode(const struct bc_tensor_map *m, uint64_t address, const struct bc_arch *a,
				    const struct bc_ptx_hooks *hooks, unsigned char out[BC_TENSOR_MAP_BYTES],
				    struct bc_error *err);

enum bc_ptx_space { BC_PTX_GLOBAL = 0, BC_PTX_SHARED, BC_PTX_LOCAL, BC_PTX_CONST, BC_PTX_PARAM, BC_PTX_GENERIC };

/* What a memory instruction does, as the hooks see it. */
enum bc_ptx_kind {
	BC_PTX_LOAD = 0,
	BC_PTX_STORE,
	BC_PTX_ATOMIC,	 /* atom and red */
	BC_PTX_LDMATRIX, /* @bytes 16: one row an address */
	BC_PTX_STMATRIX,
	BC_PTX_COPY, /* cp.async: the write of shared memory, when it is waited for */
};

/* One memory instruction of one warp in one space (a generic one whose lanes reach several spaces: one each). */
struct bc_ptx_access {
	enum bc_ptx_kind kind;
	enum bc_ptx_space space;	    /* never BC_PTX_GENERIC */
	bool generic;			    /* it was written without a space */
	enum bc_op op;			    /* shared: the operation with its bank law; BC_OP_NONE: no law */
	uint32_t bytes;			    /* bytes per lane, 1 .. 32 */
	uint32_t mask;			    /* active lanes (matrix operations: lanes that name a row) */
	const uint64_t *addr;		    /* [32] shared: absolute shared address; of inactive lanes: unspecified */
	const char *kernel;		    /* entry */
	unsigned line;			    /* of the PTX text */
	uint64_t block;			    /* linear block index */
	uint32_t warp;			    /* warp of the block */
	uint32_t sm;			    /* that the block is on */
	uint64_t time;			    /* cycles, which are nanoseconds, since the warp started */
	unsigned char *shared;		    /* [shared_bytes] the block's shared memory: a hook may change it */
	uint32_t shared_base, shared_bytes; /* absolute address of its first byte; size */
	uint64_t serial;		    /* 0, 1, 2 ... : memory instructions of this block so far */
};

/* Cycles that instructions take. Wavefronts cost what is published for all architectures (ptx_time.c). */
struct bc_ptx_timing {
	uint32_t shared; /* from a clean shared load to the use of its value */
	uint32_t l1, l2; /* the same of a global load, and of one that says .cg */
	uint32_t noise;	 /* each read of the clock is late by 0 to so many cycles ... */
	uint64_t seed;	 /* ... which follow from this, and from block, warp and cycle */
};

/* What is published for the architecture, or for the next older one; no noise. */
struct bc_ptx_timing bc_ptx_timing_of(const struct bc_arch *a);

/* What a tensor copy can do wrong: bits of bc_ptx_hooks.tensor. */
enum bc_ptx_tensor_fault {
	BC_PTX_TENSOR_RELATIVE = 1 << 0,  /* swizzles go by offsets in the tile instead of addresses */
	BC_PTX_TENSOR_PACKED = 1 << 1,	  /* rows shorter than the swizzle's span lie one behind the other */
	BC_PTX_TENSOR_UNFILLED = 1 << 2,  /* elements outside the tensor leave shared memory as it was */
	BC_PTX_TENSOR_DENSE = 1 << 3,	  /* element strides are 1 */
	BC_PTX_TENSOR_CUT = 1 << 4,	  /* the last 16 bytes of a tile are not copied, either way */
	BC_PTX_TENSOR_STORES = 1 << 5,	  /* reductions store */
	BC_PTX_TENSOR_UNCHECKED = 1 << 6, /* every tensor map can be made */
	BC_PTX_TENSOR_UNCOUNTED = 1 << 7, /* one copy completes a barrier's transactions, however many are expected */
};

/* What a cluster can do wrong: bits of bc_ptx_hooks.cluster. */
enum bc_ptx_cluster_fault {
	BC_PTX_CLUSTER_OWN = 1 << 0,	   /* mapa names the block's own memory */
	BC_PTX_CLUSTER_UNORDERED = 1 << 1, /* who waits at the cluster's barrier goes on at once */
	BC_PTX_CLUSTER_COUNTED = 1 << 2,   /* accesses of another block's memory count as local ones */
};

#define BC_PTX_LANE_BYTES 32 /* space for a lane in the hooks' data */

/* What a lane does to an mbarrier object. */
enum bc_ptx_mbarrier_event {
	BC_PTX_MBARRIER_ARRIVE = 0,
	BC_PTX_MBARRIER_DROP, /* after its arrival: expected arrivals become fewer */
	BC_PTX_MBARRIER_EXPECT,
	BC_PTX_MBARRIER_COMPLETE,
	BC_PTX_MBARRIER_WAIT, /* the phase has not ended */
};

/*
 * Places where a fault can be planted. NULL or false: the device is sound. Called from several host threads
 * when a launch has several workers: a hook that keeps state must guard it.
 */
struct bc_ptx_hooks {
	void *ctx;
	/* Instead of bc_banks_count. @addr has entries for all lanes; those of inactive lanes are what their address
	 * operand holds, aligned down to the access. */
	enum bc_status (*count)(void *ctx, const struct bc_geometry *g, enum bc_op op, const uint32_t addr[BC_LANES],
				uint32_t mask, struct bc_wavefronts *out, struct bc_error *err);
	/* After a shared request was counted, whose operation has a bank law: it may change what it was served. The
	 * access says where and by whom; its kind is not told. */
	void (*serve)(void *ctx, const struct bc_ptx_access *a, struct bc_wavefronts *n);
	/* After memory was read, before the registers are written: data[lane] holds the @bytes bytes that the lane
	 * (ldmatrix: the row named by the lane) read; it may change them. */
	void (*load)(void *ctx, const struct bc_ptx_access *a, unsigned char (*data)[BC_PTX_LANE_BYTES]);
	/* Before memory is written (store, stmatrix, cp.async): it may change data[lane], and bytes[lane]: bit i set:
	 * byte i is written (all set for active lanes on entry). Lanes are written in ascending order. */
	void (*store)(void *ctx, const struct bc_ptx_access *a, unsigned char (*data)[BC_PTX_LANE_BYTES],
		      uint32_t bytes[BC_LANES]);
	/* Before an atomic: lanes cleared in @update return the old value but do not change memory. */
	void (*atomic)(void *ctx, const struct bc_ptx_access *a, uint32_t *update);
	/* At a block barrier (bar.sync, barrier.sync, bar.red): true: the warp goes on without waiting. */
	bool (*skip_barrier)(void *ctx, uint64_t block, uint32_t warp, unsigned line);
	/* An mbarrier operation of one lane. True: an arrival, a drop, bytes to expect or bytes that arrived are lost;
	 * a wait is told that the phase has ended. */
	bool (*mbarrier)(void *ctx, enum bc_ptx_mbarrier_event e, uint32_t lane);
	/* Shared memory: what is stored (store, stmatrix, cp.async) is stored so many bytes further up as well, where
	 * the block has memory; 0: it is not. */
	uint32_t also_at;
	unsigned tensor;     /* enum bc_ptx_tensor_fault */
	unsigned cluster;    /* enum bc_ptx_cluster_fault */
	bool lost_products;  /* mma.sync leaves out the last column of A */
	bool share_blocks;   /* blocks 2k and 2k + 1 run together and have one shared memory */
	bool count_shuffles; /* a shuffle counts as a clean shared load and a clean shared store too */
	bool whole_lines;    /* a global request counts all four sectors of each 128-byte line it touches */
	bool by_words; /* a global request of 8 or 16 bytes per lane counts its sectors for each 4 bytes of a lane */
};

struct bc_ptx_launch {
	uint32_t grid[3], block[3];	    /* each at least 1; a block has at most 1024 threads */
	uint32_t shared_bytes;		    /* dynamic shared memory of a block */
	const void *params;		    /* [params_size], laid out as a C struct of the parameters */
	size_t params_size;		    /* what the entry needs; up to 15 bytes of padding more are allowed */
	uint64_t budget;		    /* warp instructions of the whole launch; 0: BC_PTX_BUDGET_DEFAULT */
	unsigned workers;		    /* host threads that run blocks; 0: 1 */
	bool racecheck;			    /* report unsynchronised accesses of shared bytes */
	bool multi_writer;		    /* lanes of one instruction may store to one shared word */
	bool reads_unwritten;		    /* shared bytes may be read before they were written */
	const struct bc_ptx_hooks *hooks;   /* NULL: none */
	const struct bc_ptx_timing *timing; /* NULL: the clock counts a warp's instructions */
	uint32_t sms;			    /* multiprocessors of the device; 0: 1 */
	bool cooperative;		    /* all blocks at once; at most as many as there are multiprocessors */
	uint32_t cluster[3];		    /* blocks of a cluster, at most 16; 0 is 1, unless the entry says */
};

/*
 * Counts of one launch, under the names of the device's counters. Bank laws: docs/bank-laws.md.
 *
 * Generic ld and st that reach shared memory add to wavefronts and conflicts of their class, not to requests.
 * ldmatrix: ldsm_requests, and wavefronts and conflicts of class ld; stmatrix: stsm_requests, and class st;
 * cp.async.ca: ldgsts_requests, ldgsts_conflicts; cp.async.cg adds to ldgsts_requests only. The few requests that
 * commit_group and wait_group add to ld_requests on hardware are not counted.
 * atom.shared and red.shared: atom_requests; wavefronts and conflicts where the operation has a bank law (op.c):
 * 32-bit add, max, and, inc, dec, exch, cas, and 64-bit exch and cas. The others count requests only: add.f32,
 * add.f16x2, 64-bit add and the like are loops on hardware whose counts depend on contention, 32-bit min, or, xor
 * were not measured.
 * An add of the constant 1 with unused result (red, or atom whose result nobody reads) merges lanes of one word
 * as a 4-byte store does.
 * A sector is 32 bytes; sectors of a request are the distinct ones of its lanes. Global atomics and the global
 * side of cp.async are in none of the global counters.
 * An instruction whose predicate is false for all lanes counts as an instruction, but as no request.
 */
struct bc_ptx_counts {
	uint64_t ld_requests, ld_wavefronts, ld_conflicts;
	uint64_t st_requests, st_wavefronts, st_conflicts;
	uint64_t atom_requests, atom_wavefronts, atom_conflicts;
	uint64_t ldsm_requests, stsm_requests;
	uint64_t ldgsts_requests, ldgsts_conflicts;
	uint64_t global_ld_requests, global_ld_sectors;
	uint64_t global_st_requests, global_st_sectors;
	uint64_t tma_ld_sectors, tma_st_sectors; /* of each row of a box on its own; reductions are in neither */
	uint64_t instructions;			 /* warp instructions */
	uint64_t lane_instructions;		 /* sum of active lanes over them */
	uint64_t barriers;			 /* block barriers executed, one per warp: sync, arrive, red */
};

enum bc_ptx_fault_kind {
	BC_PTX_UNMAPPED = 0,  /* no allocation, variable or window there */
	BC_PTX_OUT_OF_BOUNDS, /* starts inside an allocation and leaves it, or lies in the gap after one */
	BC_PTX_MISALIGNED,
	BC_PTX_SHARED_LIMIT, /* beyond the block's shared memory, or below the window */
	BC_PTX_READ_ONLY,    /* a store to .const or to parameters */
	BC_PTX_UNWRITTEN,    /* a shared byte read that was never written; does not stop the launch */
	BC_PTX_RACE,	     /* racecheck; does not stop the launch. Two atomics never race; an atomic and a
			      * plain access do */
};

struct bc_ptx_finding {
	enum bc_ptx_fault_kind kind;
	enum bc_ptx_space space;
	bool write;	     /* the access writes */
	unsigned line;	     /* PTX line of the access */
	unsigned other_line; /* race: PTX line of the earlier access, else 0 */
	uint32_t block[3], thread[3];
	uint32_t other_thread; /* race: linear thread index of the earlier access */
	uint32_t lane;
	uint32_t bytes;	  /* of the lane's access */
	uint64_t address; /* first byte of the access; race, unwritten: the byte at fault; shared: absolute */
	char text[400];	  /* all of it in one line: kernel, path:line, block, thread, lane, address, space */
};

#define BC_PTX_FINDINGS_MAX 32

struct bc_ptx_result {
	struct bc_ptx_counts counts;
	size_t nfindings; /* all of them, also those beyond the array; one a (kind, PTX line) of a block */
	struct bc_ptx_finding finding[BC_PTX_FINDINGS_MAX]; /* in order of block */
};

/**
 * bc_ptx_launch - run a grid
 * @out: always filled; counts are those up to the failure when there is one
 *
 * Return: BC_OK when it ran to its end (findings UNWRITTEN and RACE may be there).
 * BC_EUSAGE: geometry, clusters that the grid or the entry does not allow, a cooperative launch of more blocks than
 * SMs, parameter size, shared memory above what the architecture allows (static plus dynamic above optin_bytes, static
 * above static_bytes). BC_EDEVICE: the kernel failed: a finding that stops it (its text is the message), trap, a
 * barrier or a warp-wide instruction that waits for lanes that never come, "hang: instruction budget used up". The
 * failure reported is that of the lowest block that fails.
 */
enum bc_status bc_ptx_launch(const struct bc_ptx_kernel *k, const struct bc_ptx_launch *l, struct bc_ptx_result *out,
			     struct bc_error *err);

#endif
