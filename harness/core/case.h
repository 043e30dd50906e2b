/* SPDX-License-Identifier: MIT */
/* harness/core/case.h - suites, rules and cases. A case says what to run and nothing else. */
#ifndef BC_CORE_CASE_H
#define BC_CORE_CASE_H

#include "harness/core/arch.h"
#include "harness/core/banks.h"
#include "harness/core/facts.h"
#include "harness/core/op.h"
#include "harness/core/program.h"

#define BC_ID_MAX 96
#define BC_NAME_MAX 32
#define BC_CASES_MAX 100000

/* What a case asks of an architecture, beside memory. Bits of bc_case.needs. */
enum bc_need {
	BC_NEED_LDMATRIX = 1 << 0,
	BC_NEED_STMATRIX = 1 << 1,
	BC_NEED_CP_ASYNC = 1 << 2,
	BC_NEED_LDGSTS_COUNTER = 1 << 3,
	BC_NEED_CLOCK = 1 << 4,		 /* the rule is about time: no clock, no verdict */
	BC_NEED_CODE = 1 << 5,		 /* the law depends on the instruction chosen: the image's .code is needed */
	BC_NEED_POPC_INC = 1 << 6,	 /* an add of 1 whose result is unused is ATOMS.POPC.INC there */
	BC_NEED_HARDWARE_CLOCK = 1 << 7, /* with BC_NEED_CLOCK: times that no published law gives (barriers, blocks of
					    an SM), so the reference device's clock has none of them */
	BC_NEED_MMA_SYNC = 1 << 8,	 /* mma.sync of 16-bit floats, m16n8k16 */
	BC_NEED_MBARRIER = 1 << 9,	 /* mbarrier objects that count arrivals */
	BC_NEED_CLUSTER = 1 << 10,	 /* clusters and the shared memory of other blocks */
	BC_NEED_BULK_COPY = 1 << 11,	 /* cp.async.bulk, tensor maps, mbarriers that count bytes */
	BC_NEED_WGMMA = 1 << 12,	 /* wgmma: images of sm_90a */
};

/* Where a pattern's offsets count from. */
enum bc_origin {
	BC_FROM_START = 0, /* the first byte of dynamic shared memory */
	BC_FROM_ABSOLUTE,  /* absolute shared address 0 (window_base is the first byte that may be touched) */
	BC_FROM_OPTIN_END, /* so that the pattern's last byte (over all requests) is the last of the opt-in window */
};

/*
 * A pattern: @count requests of one operation by one warp; request k (0-based) touches
 * offset[lane] + k * step for the active lanes.
 */
struct bc_pattern {
	enum bc_op op;
	enum bc_origin origin;
	uint32_t mask;		   /* active lanes, not 0 */
	uint32_t offset[BC_LANES]; /* bytes, aligned to the access */
	uint32_t count;		   /* requests, 1, 2, 4, 8, 16 or 32 */
	uint32_t step;		   /* bytes, aligned to the access */
};

/* What the worker does to itself or to an observation before it answers for a case: of the suite that tests the runner.
 */
enum bc_misbehave {
	BC_MISBEHAVE_NONE = 0,
	BC_MISBEHAVE_EXIT_0,
	BC_MISBEHAVE_EXIT_3, /* exit with this status */
	BC_MISBEHAVE_ABORT,
	BC_MISBEHAVE_SEGV,
	BC_MISBEHAVE_KILL,     /* end by this signal */
	BC_MISBEHAVE_SLEEP,    /* never answer */
	BC_MISBEHAVE_LATE,     /* answer 1.5 s late */
	BC_MISBEHAVE_FLOOD,    /* write 1 MB to standard output and 64 KB to standard error first */
	BC_MISBEHAVE_NONSENSE, /* send the parent a line that is no message */
	BC_MISBEHAVE_MISCOUNT, /* report one conflict more than was counted */
};

struct bc_suite;
struct bc_rule;

struct bc_case {
	char id[BC_ID_MAX]; /* suite/rule/variant, filled by the catalogue */
	char variant[BC_NAME_MAX * 2];
	char twin[BC_ID_MAX]; /* id of the clean twin: set on every case that conflicts, else "" */
	const struct bc_suite *suite;
	const struct bc_rule *rule;
	unsigned needs;		   /* enum bc_need bits */
	struct bc_pattern pattern; /* op BC_OP_NONE: the rule has programs */
	/* Rules with programs: */
	int32_t arg[8];	       /* what the rule's functions need to know of the variant */
	uint32_t shared_bytes; /* static and dynamic shared memory that a block needs */
	/* The first CUDA release, ten times major plus minor, whose compiler takes the kernel: images of older ones
	 * lack it. 0: any. */
	uint16_t release;
	/* Set: the case runs all cases of this rule of patterns on every SM; harness/measure/sms.h. */
	const struct bc_suite *of_suite;
	const struct bc_rule *of_rule;
	enum bc_misbehave misbehave; /* hidden suites only */
	unsigned misbehave_attempts; /* the first so many attempts do it, 0: all */
};

struct bc_rule {
	const char *name;     /* [a-z0-9_]+ */
	const char *sentence; /* the rule, one sentence that a report can print */
	const char *source;   /* where it is taught or documented */
	/* Fill variant @i (0-based): variant, pattern, needs, twin. @c arrives zeroed with suite and rule set.
	 * The twin may be written as "rule/variant" of the same suite; the catalogue prefixes the suite.
	 * Return: false when there is no @i-th variant. */
	bool (*build)(unsigned i, struct bc_case *c);

	/* Rules whose cases run kernels of their own; NULL in rules of patterns. */
	/* What is launched. Return: false when it cannot be told (an error of the suite). */
	bool (*program)(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out);
	/* Compare what came back; @data[i]: buffer i. Return: true when all is right, else @bad is filled. */
	bool (*check)(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
		      struct bc_mismatch *bad);
	/* The clock witness, from cycles that the kernel wrote; NULL: the rule has none. False: nothing sensible there.
	 */
	bool (*clock)(const struct bc_case *c, const struct bc_arch *a, void *const *data,
		      struct bc_clock_reading *out);
	/* The @k-th shared request of the counted class, for the model; false when there is none. NULL: no model. */
	bool (*request)(const struct bc_case *c, const struct bc_arch *a, uint64_t k, struct bc_program_request *out);
};

struct bc_suite {
	const char *name;
	const char *about; /* one line */
	const struct bc_rule *rules;
	size_t nrules;
	bool hidden;   /* not run by default: a filter has to name it */
	bool every_sm; /* hidden, but run with --sms all or a list */
};

/* Generated at build time from suites/<name>.c, which defines bc_suite_<name>. NULL-terminated. */
extern const struct bc_suite *const bc_suites[];

struct bc_catalog {
	struct bc_case *cases; /* in order of suite (by name), rule, variant as the tables have them */
	size_t n;
	size_t nhidden;		      /* cases of hidden suites: they follow the n, in the same order */
	const struct bc_case **by_id; /* [n + nhidden] all of them, sorted by id: bc_catalog_find needs it */
};

/**
 * bc_catalog_build - every case of a list of suites
 * @suites: NULL-terminated
 *
 * Checks the grammar of names, that no id is there twice, that each rule has a case, that twins exist, run the
 * same operation and name no twin themselves, that patterns are well-formed (mask, alignment, count).
 *
 * Return: BC_EDATA naming the id at fault.
 */
enum bc_status bc_catalog_build(const struct bc_suite *const *suites, struct bc_catalog *out, struct bc_error *err);
void bc_catalog_release(struct bc_catalog *c);

/* Return: the case called @id, NULL when there is none. O(log n). */
const struct bc_case *bc_catalog_find(const struct bc_catalog *c, const char *id);

/**
 * bc_case_class - the class whose counters judge the case; of a case of the SMs, that of its rule's first pattern
 *
 * Return: BC_CLASS_NONE when nothing of it is counted, or a program's launch on @a cannot be told.
 */
enum bc_class bc_case_class(const struct bc_case *c, const struct bc_arch *a);

/**
 * bc_case_extent - bytes of dynamic shared memory the case touches on @a, from the first byte of the window
 *
 * For BC_FROM_ABSOLUTE the window base of @a is subtracted. BC_FROM_OPTIN_END: the whole opt-in window (more
 * when the pattern itself reaches further).
 * Return: bytes, 0 when an absolute address lies below the window.
 */
uint64_t bc_case_extent(const struct bc_case *c, const struct bc_arch *a);

/**
 * bc_case_addresses - absolute shared address of each lane in request @k on @a
 * @addr: [32]; entries of inactive lanes are 0
 */
void bc_case_addresses(const struct bc_case *c, const struct bc_arch *a, uint32_t k, uint32_t addr[BC_LANES]);

/**
 * bc_case_model - the model witness: the bank laws applied to all requests of a case
 * @wavefronts, @conflicts: totals over pattern.count requests
 */
enum bc_status bc_case_model(const struct bc_case *c, const struct bc_arch *a, uint64_t *wavefronts,
			     uint64_t *conflicts, struct bc_error *err);

struct bc_model {
	uint64_t requests, wavefronts, conflicts;
};

/**
 * bc_case_model_all - the model of a pattern or of a program whose rule lists its requests
 *
 * Return: BC_EDATA when the rule lists none.
 */
enum bc_status bc_case_model_all(const struct bc_case *c, const struct bc_arch *a, struct bc_model *out,
				 struct bc_error *err);

/**
 * bc_case_unmet - the first need of the case that @a lacks
 * @buf: filled with one phrase, "131076 bytes of shared memory (sm_75 has 65536)", or "ldmatrix (not on sm_70)"
 *
 * Return: true when a need is unmet.
 */
bool bc_case_unmet(const struct bc_case *c, const struct bc_arch *a, char *buf, size_t size);

/**
 * bc_device_lacks - does a device have less shared memory a block than its arch.txt says, and are @bytes more than
 * that?
 * @bytes: that are needed; more than arch.txt has are no lack of the device
 * @why:   filled with the reason when so
 *
 * Return: false also when the device does not say how much it has.
 */
bool bc_device_lacks(const struct bc_arch *a, const struct bc_facts *f, uint64_t bytes, char *why, size_t size);

/* Is there a clock protocol for it? A pattern of one request, or of as many as a timed section makes, of an operation
 * that is timed; a program whose kernel reads the clock. */
bool bc_case_has_clock(const struct bc_case *c);

#endif
