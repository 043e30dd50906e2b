/* SPDX-License-Identifier: MIT */
/* harness/device/reference/ptx_exec.h - decoded kernels and the state that runs them. Inside of the interpreter.
 *
 * Registers: every register is a column of 32 lanes, uint64_t each, zero-extended from its width; predicates are
 * one bit per lane. Constants and special registers are columns too, filled when a warp starts, so that an operand
 * is always w->r + slot. Column 0 is always 0; column 1 takes what is written to `_`.
 */
#ifndef BC_DEVICE_REFERENCE_PTX_EXEC_H
#define BC_DEVICE_REFERENCE_PTX_EXEC_H

#include "harness/device/reference/ptx_text.h"

#include <stdatomic.h>

#define BC_PTX_FULL 0xffffffffu
#define BC_PTX_SLOT_ZERO 0u
#define BC_PTX_SLOT_SINK 32u
#define BC_PTX_PRED_FALSE 0
#define BC_PTX_PRED_TRUE 1
#define BC_PTX_PRED_SINK 2
#define BC_PTX_NO_PC UINT32_MAX
#define BC_PTX_NO_ADDR UINT64_MAX
#define BC_PTX_WARPS_MAX 32
#define BC_PTX_BARRIERS 16
#define BC_PTX_COUNTED 16
#define BC_PTX_CLUSTER_BARRIER 16u /* bc_ptx_warp.barrier: that of the cluster */

/* Generic addresses of the windows; far from every allocation. */
#define BC_PTX_SHARED_WINDOW UINT64_C(0x00007f0000000000)
#define BC_PTX_LOCAL_WINDOW UINT64_C(0x00007f0100000000)
#define BC_PTX_PARAM_WINDOW UINT64_C(0x00007f0200000000)
#define BC_PTX_WINDOW_BYTES UINT64_C(0x0000000001000000)
#define BC_PTX_LOCAL_BASE 256u /* first local address of a thread */

struct bc_ptx_run;
struct bc_ptx_warp;
struct bc_ptx_insn;

/* Execute for the lanes of @mask (not 0). Failures go to bc_ptx_run.failed. */
typedef void bc_ptx_exec_fn(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask);

enum bc_ptx_flow {
	BC_PTX_F_PLAIN = 0,
	BC_PTX_F_BRANCH,  /* target */
	BC_PTX_F_INDEXED, /* brx.idx: src[0] chooses from list */
	BC_PTX_F_EXIT,
	BC_PTX_F_TRAP,
	BC_PTX_F_SYNC,	  /* lanes of the mask src[3] execute it together */
	BC_PTX_F_WARPBAR, /* bar.warp.sync: mask src[3] */
	BC_PTX_F_BARRIER, /* block barrier */
	BC_PTX_F_YIELD,	  /* nanosleep: the warp's turn ends */
};

enum bc_ptx_round { BC_PTX_RN = 0, BC_PTX_RZ, BC_PTX_RM, BC_PTX_RP, BC_PTX_RNA };

enum bc_ptx_cmp {
	BC_PTX_EQ = 0,
	BC_PTX_NE,
	BC_PTX_LT,
	BC_PTX_LE,
	BC_PTX_GT,
	BC_PTX_GE,
	BC_PTX_EQU,
	BC_PTX_NEU,
	BC_PTX_LTU,
	BC_PTX_LEU,
	BC_PTX_GTU,
	BC_PTX_GEU,
	BC_PTX_NUM,
	BC_PTX_NAN,
};

enum bc_ptx_atomic_op {
	BC_PTX_A_ADD = 0,
	BC_PTX_A_MIN,
	BC_PTX_A_MAX,
	BC_PTX_A_INC,
	BC_PTX_A_DEC,
	BC_PTX_A_AND,
	BC_PTX_A_OR,
	BC_PTX_A_XOR,
	BC_PTX_A_EXCH,
	BC_PTX_A_CAS,
};

/* Bits of bc_ptx_insn.flags; each family uses its own. */
enum {
	BC_PTX_FL_FTZ = 1 << 0,
	BC_PTX_FL_SAT = 1 << 1,
	BC_PTX_FL_NAN = 1 << 2,
	BC_PTX_FL_XORSIGN = 1 << 3,
	BC_PTX_FL_RELU = 1 << 4,
	BC_PTX_FL_ROUND_INT = 1 << 5, /* cvt.r?i */
	BC_PTX_FL_CLAMP = 1 << 6,
	BC_PTX_FL_LEFT = 1 << 7,
	BC_PTX_FL_TRANS = 1 << 8,
	BC_PTX_FL_RED = 1 << 9,		  /* the atomic's result is not used */
	BC_PTX_FL_CACHE_GLOBAL = 1 << 10, /* cp.async.cg, ld.cg */
	BC_PTX_FL_COUNT_GIVEN = 1 << 11,  /* barrier with a thread count */
	BC_PTX_FL_ARRIVE = 1 << 12,
	BC_PTX_FL_CLOCK = 1 << 13,	/* reads %clock and the like */
	BC_PTX_FL_ALL = 1 << 14,	/* cp.async.wait_all */
	BC_PTX_FL_WHOLE_WARP = 1 << 16, /* every lane of the warp must execute it */
	BC_PTX_FL_CONST_ONE = 1 << 15,	/* atomic add of the constant 1 whose result nobody reads */
	BC_PTX_FL_RELAXED = 1 << 17,	/* mbarrier: it orders nothing */
	BC_PTX_FL_TX = 1 << 18,		/* mbarrier: the operand is bytes to expect */
	BC_PTX_FL_NO_COMPLETE = 1 << 19,
	BC_PTX_FL_NEWER = 1 << 20,   /* mbarrier: a form that came with bulk copies */
	BC_PTX_FL_CLUSTER = 1 << 21, /* the barrier of the cluster */
};

/* What an instruction does with the registers of its list. */
enum bc_ptx_list_use { BC_PTX_LIST_NONE = 0, BC_PTX_LIST_READ, BC_PTX_LIST_WRITTEN };

struct bc_ptx_insn {
	bc_ptx_exec_fn *exec;
	uint32_t dst, dst2;	  /* column * 32, or predicate index */
	uint32_t src[4];	  /* columns * 32 */
	int32_t guard;		  /* predicate index; always PRED_TRUE when there is none */
	uint32_t guard_flip;	  /* 0, or all ones for @!p */
	uint32_t psrc, psrc_flip; /* a predicate operand */
	uint8_t flow, type, stype, round, cmp, mode, space, elem, vec, op;
	uint8_t reg_bytes; /* loads: width of the destination registers */
	bool leader;	   /* first of a basic block */
	uint32_t flags;
	uint64_t imm;
	uint32_t target, rpc;	 /* instruction indices */
	uint32_t order;		 /* scheduling priority of its block: lower goes first */
	uint32_t list, nlist;	 /* kernel->list */
	uint8_t list_use, nregs; /* enum bc_ptx_list_use: of the first nregs of the list */
	uint32_t stmt;
	unsigned line;
};

/* Special registers. */
enum bc_ptx_special {
	BC_PTX_SR_TID_X = 0,
	BC_PTX_SR_TID_Y,
	BC_PTX_SR_TID_Z,
	BC_PTX_SR_NTID_X,
	BC_PTX_SR_NTID_Y,
	BC_PTX_SR_NTID_Z,
	BC_PTX_SR_CTAID_X,
	BC_PTX_SR_CTAID_Y,
	BC_PTX_SR_CTAID_Z,
	BC_PTX_SR_NCTAID_X,
	BC_PTX_SR_NCTAID_Y,
	BC_PTX_SR_NCTAID_Z,
	BC_PTX_SR_LANEID,
	BC_PTX_SR_WARPID,
	BC_PTX_SR_NWARPID,
	BC_PTX_SR_SMID,
	BC_PTX_SR_NSMID,
	BC_PTX_SR_GRIDID,
	BC_PTX_SR_LANEMASK_EQ,
	BC_PTX_SR_LANEMASK_LE,
	BC_PTX_SR_LANEMASK_LT,
	BC_PTX_SR_LANEMASK_GE,
	BC_PTX_SR_LANEMASK_GT,
	BC_PTX_SR_CLOCK,
	BC_PTX_SR_CLOCK_HI,
	BC_PTX_SR_CLOCK64,
	BC_PTX_SR_GLOBALTIMER,
	BC_PTX_SR_GLOBALTIMER_LO,
	BC_PTX_SR_GLOBALTIMER_HI,
	BC_PTX_SR_DYNAMIC_SMEM_SIZE,
	BC_PTX_SR_TOTAL_SMEM_SIZE,
	BC_PTX_SR_WARP_SZ,
	BC_PTX_SR_CLUSTERID_X, /* and y and z, here and below */
	BC_PTX_SR_NCLUSTERID_X = BC_PTX_SR_CLUSTERID_X + 3,
	BC_PTX_SR_CLUSTER_CTAID_X = BC_PTX_SR_NCLUSTERID_X + 3,
	BC_PTX_SR_CLUSTER_NCTAID_X = BC_PTX_SR_CLUSTER_CTAID_X + 3,
	BC_PTX_SR_CLUSTER_CTARANK = BC_PTX_SR_CLUSTER_NCTAID_X + 3,
	BC_PTX_SR_CLUSTER_NCTARANK,
	BC_PTX_NSPECIALS
};

struct bc_ptx_kernel {
	const struct bc_ptx_image *image;
	const struct bc_ptx_module *module;
	const struct bc_ptx_entry *entry;
	struct bc_arch arch;
	struct bc_ptx_insn *code;
	size_t ncode, code_cap;
	uint32_t *list;
	size_t nlist, list_cap;
	uint64_t *constant;
	size_t nconstant, constant_cap; /* values of the constant columns */
	uint32_t nslots;		/* all columns */
	uint32_t first_constant;	/* column of constant[0] */
	uint32_t npreds;
	uint32_t *pred_of, *slot_of;	    /* register -> predicate index, column * 32 */
	uint32_t special[BC_PTX_NSPECIALS]; /* column * 32, 0: not used */
	uint64_t *var_addr;		    /* by module variable: address in its space, or BC_PTX_NO_ADDR */
	uint32_t static_bytes;		    /* static shared memory, from window_base */
	uint32_t dynamic_offset;	    /* where dynamic shared memory starts, from window_base */
	uint32_t dynamic_align;
	uint32_t local_bytes; /* of a thread */
	bool uses_async;
};

enum bc_ptx_split_state { BC_PTX_S_READY = 0, BC_PTX_S_SYNC, BC_PTX_S_BARRIER };

/* Lanes of a warp that are at one instruction. */
struct bc_ptx_split {
	uint32_t mask, pc;
	int32_t join;  /* where they are to meet others; -1: nowhere */
	uint32_t need; /* SYNC: lanes it waits for */
	uint8_t state;
	uint64_t ran; /* instructions since it was last put behind others */
};

/* A place where the lanes of @pending meet: they go on from @rpc together when all have arrived. */
struct bc_ptx_join {
	uint32_t rpc, pending, arrived;
	int32_t parent; /* -1: none */
	bool used;
};

#define BC_PTX_JOINS 64

/* A cp.async of one warp that is not complete. */
struct bc_ptx_copy {
	const struct bc_ptx_insn *in;
	uint32_t mask;
	uint32_t bytes;
	uint32_t group[BC_LANES];
	uint32_t addr[BC_LANES];
	unsigned char data[BC_LANES][16];
};

/* Cycles, when the launch has a timing. */
struct bc_ptx_warp_time {
	uint64_t issue;	 /* of the next instruction */
	uint64_t done;	 /* of the last of all results so far */
	uint64_t path;	 /* the warp's path to shared memory is free from then on */
	uint64_t *ready; /* [columns] of what was written to the register */
};

struct bc_ptx_warp {
	struct bc_ptx_block *b;
	uint64_t *r;
	uint32_t *p;
	unsigned char *local; /* [32][kernel->local_bytes] */
	uint32_t index;	      /* in the block */
	uint32_t live;	      /* lanes that have not exited */
	uint32_t carry;	      /* condition code of add.cc ... */
	uint64_t clock;	      /* instructions so far */
	struct bc_ptx_warp_time time;
	struct bc_ptx_split split[BC_LANES];
	unsigned nsplit;
	struct bc_ptx_join join[BC_PTX_JOINS];
	bool done, waiting; /* waiting: at a block barrier, or at the cluster's */
	uint32_t asks;	    /* address of the mbarrier whose phase had not ended when it asked last; 0: none */
	uint32_t barrier;   /* which one */
	uint32_t cluster_arrivals, cluster_waits; /* at the cluster's barrier, so far */
	uint32_t cluster_orders;		  /* arrivals up to the last that was not relaxed */
	uint32_t committed[BC_LANES];		  /* cp.async groups of the lane */
	uint32_t bulk_committed[BC_LANES];	  /* the same of cp.async.bulk */
	struct bc_ptx_copy *copy;
	size_t ncopy, copy_cap;
};

struct bc_ptx_barrier {
	uint32_t arrived;  /* threads, in whole warps */
	uint32_t expected; /* threads; 0: all of the block */
	bool counted;	   /* expected was given */
	uint32_t waiting;  /* warps, one bit each */
	uint32_t arrivers; /* warps that arrived, waiting or not */
	bool reduces;
	uint8_t red; /* bc_ptx_insn.mode of the reduction */
	uint32_t popc, all, any;
	uint64_t cycle; /* when the last of the warps arrived */
};

/* Shared memory of a block (or of two, when a fault makes them share it); the first of the two owns it. */
struct bc_ptx_shared {
	unsigned char *data;	  /* [bytes] */
	unsigned char *written;	  /* [bytes] 1: was written */
	uint32_t base, bytes;	  /* absolute address of data[0]; size */
	struct bc_ptx_race *race; /* NULL: no race check */
	struct bc_ptx_mbarrier {
		uint32_t offset;		 /* from data[0] */
		uint64_t word;			 /* what the object holds */
		struct bc_ptx_race_clock *clock; /* NULL: no race check */
	} * mbarrier;				 /* valid objects (ptx_mbarrier.h) */
	size_t nmbarrier, mbarrier_cap;
	void *touch; /* ptx_cluster_sync.c: [bytes]; NULL: no cluster, or no race check */
};

struct bc_ptx_block {
	uint32_t id[3];
	uint64_t linear;
	uint32_t sm;		 /* that it is on */
	uint32_t rank;		 /* in its cluster */
	uint32_t cluster_phases; /* of the cluster's barrier that have ended */
	uint32_t nthreads, nwarps, ndone;
	uint32_t ordinal; /* 1 for the second of two blocks that share memory */
	bool alone;	  /* it shares its memory with no other block */
	struct bc_ptx_warp warp[BC_PTX_WARPS_MAX];
	struct bc_ptx_barrier barrier[BC_PTX_BARRIERS];
	struct bc_ptx_shared *shared;
	uint64_t serial;		/* memory instructions */
	uint64_t path;			/* the SM's path to shared memory is free from that cycle on */
	struct bc_ptx_pending *pending; /* bulk copies that are not complete; ptx_pending.h */
	size_t npending, pending_cap;
};

/* What the workers of a launch have in common. */
struct bc_ptx_grid {
	const struct bc_ptx_kernel *k;
	const struct bc_ptx_launch *l;
	struct bc_ptx_mem *mem;
	struct bc_geometry geometry;
	const struct bc_ptx_timing *timing; /* of a kernel that reads the clock; NULL: none */
	uint64_t nblocks;
	unsigned together;     /* blocks that run at once on one worker: 1, 2 that share memory, those of a cluster, all
				* of a cooperative launch */
	uint32_t cluster[3];   /* each at least 1 */
	unsigned ranks;	       /* blocks of a cluster; 1: no cluster */
	bool share;	       /* those blocks have one shared memory */
	uint32_t shared_bytes; /* static and dynamic */
	atomic_uint_fast64_t next;   /* block to run next */
	atomic_uint_fast64_t budget; /* instructions left to hand out */
	atomic_uint_fast64_t failed; /* lowest block that failed, UINT64_MAX: none */
	atomic_uint fence;	     /* what membar touches */
};

/* One worker. */
struct bc_ptx_run {
	struct bc_ptx_grid *g;
	const struct bc_ptx_kernel *k;
	struct bc_ptx_block *block;   /* [together] */
	struct bc_ptx_shared *remote; /* of another block, which the current access reaches; NULL: the block's own */
	struct bc_ptx_counts counts;
	bool failed;	  /* the current block cannot go on */
	bool yielded;	  /* the split that ran gives up its warp's turn */
	uint32_t quantum; /* instructions of a warp's turn */
	struct bc_error error;
	uint64_t error_block;
	struct bc_ptx_finding finding[BC_PTX_FINDINGS_MAX]; /* its first ones; its blocks come in ascending order */
	uint64_t finding_block[BC_PTX_FINDINGS_MAX];
	size_t nfinding;
	struct bc_ptx_seen {
		uint64_t block;
		uint8_t kind;
		unsigned line;
	} seen[64]; /* reported already in the current blocks */
	size_t nseen;
	uint64_t findings;	 /* also those not kept, up to seen's size a block */
	uint64_t budget;	 /* instructions taken from the grid and not used */
	const void *last_map;	 /* allocation hit last */
	uint64_t addr[BC_LANES]; /* of the current memory instruction */
	struct bc_ptx_served {
		uint32_t wavefronts, groups; /* of shared memory */
		bool global;		     /* a global load */
	} served;			     /* what the current instruction was served: for its time */
	unsigned char data[BC_LANES][BC_PTX_LANE_BYTES];
	struct bc_ptx_counted { /* by statement: the last request that the bank laws were asked about */
		bool valid;
		enum bc_op op;
		uint32_t mask;
		uint32_t addr[BC_LANES];
		struct bc_wavefronts n;
	} counted[BC_PTX_COUNTED];
};

/* ptx_decode.c: what the families' decoders use. Each fails with path:line and the instruction's text. */
struct bc_ptx_decoder {
	struct bc_ptx_kernel *k;
	const struct bc_ptx_entry *e;
	const struct bc_ptx_stmt *s;
	struct bc_ptx_insn *in;
	struct bc_ptx_slice mod[24]; /* opcode's parts; [0] is its name */
	unsigned nmod, at;	     /* at: next modifier */
	struct bc_error *err;
	uint32_t *seen; /* constants by hash: index + 1, 0: free */
	size_t seen_cap;
	uint32_t *uses; /* by register: operands of the entry that name it */
	int32_t *def;	/* by register: the only statement whose first operand it is; -1 none, -2 several */
};

typedef enum bc_status bc_ptx_decode_fn(struct bc_ptx_decoder *d);

enum bc_status bc_ptx_refuse(const struct bc_ptx_decoder *d, const char *why);
enum bc_status bc_ptx_unknown(const struct bc_ptx_decoder *d);
enum bc_status bc_ptx_lacks(const struct bc_ptx_decoder *d, const char *feature); /* the architecture has no @feature */
bool bc_ptx_take_modifier(struct bc_ptx_decoder *d, const char *word); /* take the next modifier if it is @word */
enum bc_ptx_type bc_ptx_take_type(struct bc_ptx_decoder *d);	       /* take a type; NONE: the next one is none */
bool bc_ptx_has_modifier(const struct bc_ptx_decoder *d, const char *word);
enum bc_ptx_type bc_ptx_last_type(const struct bc_ptx_decoder *d);
bool bc_ptx_modifiers_done(const struct bc_ptx_decoder *d);
const struct bc_ptx_operand *bc_ptx_operand_at(const struct bc_ptx_decoder *d, unsigned i); /* NULL: no i-th operand */
enum bc_status bc_ptx_noperands(const struct bc_ptx_decoder *d, unsigned lo, unsigned hi);
/* Column of a destination of @bytes (@wide: or more). `_` is allowed. */
enum bc_status bc_ptx_dst(struct bc_ptx_decoder *d, unsigned i, unsigned bytes, bool wide, uint32_t *slot);
enum bc_status bc_ptx_src(struct bc_ptx_decoder *d, unsigned i, enum bc_ptx_type type, bool wide, uint32_t *slot);
enum bc_status bc_ptx_operand_dst(struct bc_ptx_decoder *d, const struct bc_ptx_operand *o, unsigned bytes, bool wide,
				  uint32_t *slot);
enum bc_status bc_ptx_operand_src(struct bc_ptx_decoder *d, const struct bc_ptx_operand *o, enum bc_ptx_type type,
				  bool wide, uint32_t *slot);
enum bc_status bc_ptx_pred_dst(struct bc_ptx_decoder *d, unsigned i, uint32_t *pred, uint32_t *second);
enum bc_status bc_ptx_pred_src(struct bc_ptx_decoder *d, unsigned i, uint32_t *pred, uint32_t *flip);
/* Address operand [reg + imm]: src[slot], imm. */
enum bc_status bc_ptx_address(struct bc_ptx_decoder *d, unsigned i, enum bc_ptx_space space, uint32_t *slot,
			      uint64_t *offset);
enum bc_status bc_ptx_constant(struct bc_ptx_decoder *d, uint64_t value, uint32_t *slot);
enum bc_status bc_ptx_list_add(struct bc_ptx_decoder *d, uint32_t value);
/* An operand that must be an integer constant. */
enum bc_status bc_ptx_literal(const struct bc_ptx_decoder *d, unsigned i, uint64_t *value);
/* Is the operand the constant @value, or a register whose only definition is a mov of it? */
bool bc_ptx_is_constant(const struct bc_ptx_decoder *d, const struct bc_ptx_operand *o, uint64_t value);
/* Width of register operand @i in bytes, 0 when it is no register. */
unsigned bc_ptx_operand_bytes(const struct bc_ptx_decoder *d, unsigned i);

/* The families; each decodes d->s into *d->in. */
bc_ptx_decode_fn bc_ptx_decode_integer, bc_ptx_decode_bits, bc_ptx_decode_float, bc_ptx_decode_half;
bc_ptx_decode_fn bc_ptx_decode_math, bc_ptx_decode_cvt, bc_ptx_decode_compare, bc_ptx_decode_move;
bc_ptx_decode_fn bc_ptx_decode_ldst, bc_ptx_decode_atom, bc_ptx_decode_matrix, bc_ptx_decode_async;
bc_ptx_decode_fn bc_ptx_decode_sync, bc_ptx_decode_control, bc_ptx_decode_mbarrier, bc_ptx_decode_mma;
bc_ptx_decode_fn bc_ptx_decode_cluster; /* barrier.cluster, mapa, getctarank */
bc_ptx_decode_fn bc_ptx_decode_tensor, bc_ptx_decode_bulk, bc_ptx_decode_bulk_group; /* of cp.async.bulk */

/* ptx_layout.c: addresses of variables (shared, local, parameters, global) of the entry, and special registers. */
/* @used: [nvar] zeroes; filled. */
enum bc_status bc_ptx_layout(struct bc_ptx_decoder *d, unsigned char *used);
/* Return: the special register called @name (with %), -1 when there is none; *@bytes: its widths, 4, 8 or 12 (both). */
int bc_ptx_special_find(struct bc_ptx_slice name, unsigned *bytes);
bool bc_ptx_special_moves(int special); /* it changes while the warp runs */

/* ptx_flow.c: leaders, immediate post-dominators, order. */
enum bc_status bc_ptx_flow_build(struct bc_ptx_kernel *k, struct bc_error *err);

/* ptx_check.c: failures and findings. */
void bc_ptx_fail_at(struct bc_ptx_run *x, const struct bc_ptx_block *b, const struct bc_ptx_insn *in, const char *fmt,
		    ...) __attribute__((format(printf, 4, 5)));
struct bc_ptx_where_at { /* an access of one lane */
	enum bc_ptx_fault_kind kind;
	enum bc_ptx_space space;
	uint32_t lane;
	uint64_t addr;
	uint32_t bytes;
	bool write;
	unsigned other_line;
	uint32_t other_thread;
	const char *detail; /* may be NULL */
};
void bc_ptx_add_finding(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in,
			const struct bc_ptx_where_at *at);
/* Bytes of shared memory for @bytes at @addr; NULL when there was a finding that stops the launch. */
unsigned char *bc_ptx_shared_at(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in,
				uint32_t lane, uint64_t addr, uint32_t bytes, uint32_t align, bool write);
/* The same in global memory (with .const variables). */
unsigned char *bc_ptx_global_at(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in,
				uint32_t lane, uint64_t addr, uint32_t bytes, uint32_t align, bool write);
unsigned char *bc_ptx_local_at(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t lane,
			       uint64_t addr, uint32_t bytes, uint32_t align, bool write);
const unsigned char *bc_ptx_param_at(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in,
				     uint32_t lane, uint64_t addr, uint32_t bytes, uint32_t align);
/* Constant memory: .const variables only. */
const unsigned char *bc_ptx_const_at(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in,
				     uint32_t lane, uint64_t addr, uint32_t bytes, uint32_t align);
/* Note reads and writes of shared bytes: unwritten reads, races. */
void bc_ptx_shared_read(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t lane,
			uint64_t addr, uint32_t bytes, bool atomic);
/* The race check alone; @enable: bit i: byte i. */
void bc_ptx_shared_race(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t lane,
			uint64_t addr, uint32_t bytes, uint32_t enable, bool write, bool atomic);
void bc_ptx_shared_write(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t lane,
			 uint64_t addr, uint32_t bytes, uint32_t enable, bool atomic);
/* Write what @lane stores, x->data[lane], to shared memory at an address that was checked; @enable: bit i: byte i. */
void bc_ptx_shared_put(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t lane,
		       uint64_t addr, uint32_t bytes, uint32_t enable);

/* ptx_words.c: ld.shared and st.shared of one 32-bit word by each of 32 lanes, one after the other in memory, that have
 * nothing to be told. Return: false when the access is another one; nothing was done then. */
bool bc_ptx_load_words(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask);
bool bc_ptx_store_words(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t mask);

/* Which space a generic address lies in: SHARED, LOCAL, PARAM, CONST (a .const variable), else GLOBAL. */
enum bc_ptx_space bc_ptx_space_of(struct bc_ptx_run *x, uint64_t addr);

/* ptx_race.c: who touched a shared byte last, and which barriers lie between. */
enum bc_status bc_ptx_race_create(uint32_t bytes, struct bc_ptx_race **out, struct bc_error *err);
void bc_ptx_race_destroy(struct bc_ptx_race *r); /* NULL is allowed */
void bc_ptx_race_reset(struct bc_ptx_race *r);	 /* a new block */
struct bc_ptx_race_hit {
	uint32_t thread;
	uint32_t stmt;
	bool same_instruction;
};
/* Return: true when the access races with an earlier one, told in @hit. @when: number of the instruction executed. */
bool bc_ptx_race_access(struct bc_ptx_race *r, uint32_t offset, uint32_t thread, uint32_t stmt, uint64_t when,
			bool write, bool atomic, bool multi_writer, struct bc_ptx_race_hit *hit);
/*
 * The same for the 4 bytes of an aligned word at once. Return: false when they are to be checked one by one: they were
 * touched by different accesses, or this one races. Nothing is noted then.
 */
bool bc_ptx_race_word(struct bc_ptx_race *r, uint32_t offset, uint32_t thread, uint32_t stmt, uint64_t when, bool write,
		      bool multi_writer);
void bc_ptx_race_barrier_all(struct bc_ptx_race *r); /* every thread of the block waited */
/* Lanes of one warp, or whole warps, synchronise: @release threads before, @acquire threads after it. */
enum bc_status bc_ptx_race_sync(struct bc_ptx_race *r, const uint32_t release[BC_PTX_WARPS_MAX],
				const uint32_t acquire[BC_PTX_WARPS_MAX], struct bc_error *err);

/* Who an object that threads arrive at and wait for has heard of: an mbarrier. */
struct bc_ptx_race_clock;
/* A new object; *@c is made when it is NULL, else used again. Free it with free(). */
enum bc_status bc_ptx_race_clock_start(struct bc_ptx_race *r, struct bc_ptx_race_clock **c, struct bc_error *err);
/* @thread arrives: what it did is told to those that wait for this phase. */
enum bc_status bc_ptx_race_release(struct bc_ptx_race *r, uint32_t thread, struct bc_ptx_race_clock *c,
				   struct bc_error *err);
void bc_ptx_race_phase(struct bc_ptx_race *r, struct bc_ptx_race_clock *c); /* the phase has ended */
/* @thread has waited for a phase that ended. */
void bc_ptx_race_acquire(struct bc_ptx_race *r, uint32_t thread, struct bc_ptx_race_clock *c);

/* ptx_atom.c: one element of global memory, by the operation, type and width of @in, atomically. Return: what it held
 * before. */
uint64_t bc_ptx_update_global(const struct bc_ptx_insn *in, unsigned char *p, uint64_t b, uint64_t c, bool write);

/* ptx_count.c */
/* Wavefronts and conflicts of one shared request to the counters of the operation's class. No law: nothing. */
void bc_ptx_count_shared(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, enum bc_op op,
			 const uint64_t addr[BC_LANES], uint32_t mask);
void bc_ptx_count_global(struct bc_ptx_run *x, const uint64_t addr[BC_LANES], uint32_t bytes, uint32_t mask,
			 bool store);
/* The law's operation for a plain access of @bytes. */
enum bc_op bc_ptx_access_op(uint32_t bytes, bool store, bool generic);

/* Does an ld or st move the request counter of its class? Not when it is generic, .shared::cluster, or reaches another
 * block's memory. */
bool bc_ptx_counts_request(const struct bc_ptx_run *x, const struct bc_ptx_insn *in);

/* What the launch's hooks are told of an access. */
struct bc_ptx_access bc_ptx_access_of(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in,
				      enum bc_ptx_kind kind, enum bc_ptx_space space, uint32_t bytes, uint32_t mask,
				      const uint64_t addr[BC_LANES]);

/* ptx_mem.c */
struct bc_ptx_map_entry {
	uint64_t addr, bytes;
	unsigned char *data;
	bool constant; /* kernels may not write it */
};
/* The allocation that holds @addr, else NULL and in *@before the one below it (NULL: none). @hint: last answer. */
const struct bc_ptx_map_entry *bc_ptx_mem_find(const struct bc_ptx_mem *m, uint64_t addr, const void *hint,
					       const struct bc_ptx_map_entry **before);
/* Element reads and writes of global memory, atomic for 1, 2, 4 and 8 aligned bytes. */
void bc_ptx_global_load(void *dst, const unsigned char *src, uint32_t bytes, uint32_t elem);
void bc_ptx_global_store(unsigned char *dst, const void *src, uint32_t bytes, uint32_t elem, uint32_t enable);

/* One compare-and-swap of 2, 4 or 8 bytes; as __atomic_compare_exchange_n. */
bool bc_ptx_global_cas(unsigned char *at, uint32_t elem, uint64_t *expected, uint64_t desired);

struct bc_ptx_image {
	const struct bc_ptx_module *m;
	struct bc_ptx_mem *mem;
	uint64_t *addr; /* by module variable; BC_PTX_NO_ADDR: not in memory */
};

/* ptx_number.c: numbers apart from their format. */
enum bc_ptx_class { BC_PTX_FINITE = 0, BC_PTX_INFINITE, BC_PTX_NOT_A_NUMBER };

/* Finite: (sign ? -1 : 1) * m * 2^e, exactly. m 0: a zero. */
struct bc_ptx_real {
	enum bc_ptx_class cls;
	bool sign;
	uint64_t m;
	int e;
};

/* @type: F16, BF16, F32, F64, or an integer type. */
void bc_ptx_unpack(enum bc_ptx_type type, uint64_t bits, struct bc_ptx_real *r);
/* To F16, BF16, F32 or F64, rounded once. NaN: 0x7fff, 0x7fffffff, 0x7ff8000000000000. */
uint64_t bc_ptx_pack(enum bc_ptx_type type, const struct bc_ptx_real *r, enum bc_ptx_round round);
/* The integer next to a finite number: RN ties to even, RZ, RM, RP. The result has e 0; above 2^64: saturated. */
void bc_ptx_to_integer(struct bc_ptx_real *r, enum bc_ptx_round round);

float bc_ptx_as_float(uint64_t bits);
double bc_ptx_as_double(uint64_t bits);
uint64_t bc_ptx_float_bits(float v);			       /* NaN: 0x7fffffff */
uint64_t bc_ptx_double_bits(double v);			       /* as it is */
double bc_ptx_value(enum bc_ptx_type type, uint64_t bits);     /* F16, BF16, F32, F64: exact */
uint64_t bc_ptx_round_double(enum bc_ptx_type type, double v); /* to nearest, ties to even */
/* a + b rounded to odd in 53 bits: rounding it again to 51 bits or fewer is right. */
double bc_ptx_add_odd(double a, double b);
uint64_t bc_ptx_flush(enum bc_ptx_type type, uint64_t bits); /* subnormal: zero of its sign (F16, BF16, F32) */
void bc_ptx_host_round(enum bc_ptx_round r);		     /* the host's rounding mode */
/* .rn .rz .rm .rp: take it if it is next. */
bool bc_ptx_take_round(struct bc_ptx_decoder *d, uint8_t *round);

#endif
