/* SPDX-License-Identifier: MIT */
/* harness/core/program.h - a case that runs a kernel of its own (an idiom, as people write it) instead of a pattern.
 *
 * A rule with programs says, as data and pure functions, what is launched, what the buffers hold before, what they must
 * hold afterwards, and what its kernel states of itself (the requests it executes). No device is named.
 */
#ifndef BC_CORE_PROGRAM_H
#define BC_CORE_PROGRAM_H

#include "harness/core/arch.h"
#include "harness/core/op.h"
#include "harness/core/tensor_map.h"

#define BC_PROGRAM_BUFFERS 6
#define BC_PROGRAM_PARAMS_MAX 448
#define BC_PROGRAM_MAPS 2
#define BC_CLOCK_READING_MAX 32

struct bc_case;

enum bc_buffer_use {
	BC_BUFFER_IN = 0, /* filled before the launch, compared afterwards: the kernel must not change it */
	BC_BUFFER_OUT,	  /* poisoned before the launch */
	BC_BUFFER_INOUT,  /* filled, and changed by the kernel */
	/* Of a launch on every SM: BC_SMS_WORDS(SMs) words, zeroes before the launch; the harness looks after it. When
	 * a check reads it, [0] is the number of SMs, [1 + i] the SM of block i. */
	BC_BUFFER_SMS,
	BC_BUFFER_DEVICE_LIMITS, /* not the kernel's: after the launch the harness puts a struct bc_device_limits there
				  */
};

/* What the device says of itself and of the launch, for cases about capacities. 0: it does not say. */
struct bc_device_limits {
	uint32_t optin_bytes, sm_bytes, reserved_bytes, static_bytes;
	uint32_t blocks_per_sm; /* of this launch, by the device's occupancy calculator */
};

struct bc_program_buffer {
	size_t bytes;
	enum bc_buffer_use use;
	size_t param_offset; /* where in the parameters its 64-bit address goes */
	bool per_sm;	     /* OUT of a launch on every SM: there once for each block, in their order */
	/* IN and INOUT: write all @bytes. @seed differs between the launches whose data is checked. */
	void (*fill)(const struct bc_case *c, void *data, size_t bytes, uint32_t seed);
};

struct bc_program {
	const char *image, *kernel;
	uint32_t grid[3], block[3], cluster[3];	     /* 0 is taken as 1 */
	uint32_t shared_bytes;			     /* dynamic */
	unsigned char params[BC_PROGRAM_PARAMS_MAX]; /* as a C struct of the kernel's parameters */
	size_t params_size;
	struct bc_program_buffer buffers[BC_PROGRAM_BUFFERS];
	size_t nbuffers;
	/* Of its buffers, by their index; none of them is a BC_BUFFER_DEVICE_LIMITS. */
	struct bc_tensor_map maps[BC_PROGRAM_MAPS];
	size_t nmaps;
	/* What is counted: all of the launch's instructions of one class. BC_CLASS_NONE: nothing. */
	enum bc_class cls;
	enum bc_op counted_as; /* an ldmatrix, stmatrix or generic operation: the counters are those of its patterns.
				* BC_OP_NONE: the class's own */
	uint64_t requests; /* instructions of that class, one per warp, that the launch executes; 0 is a claim that the
			    * case's row of the quantity requests must make too */
	bool multi_writer, reads_unwritten; /* exemptions from the reference device's checks */
	const char *mnemonic; /* cases with BC_NEED_CODE: the opcode, or its first parts, that the kernel must have */
	bool every_sm;	      /* one block on every SM, in one cooperative launch; grid is not looked at */
	uint64_t compared;    /* bytes that the kernel compares itself, each block */
	bool no_optin;	      /* do not opt in to more than 48 KB of shared memory */
	bool refused;	      /* the launch must be refused with a clean error; nothing else is observed */
	uint32_t
		accepted_bytes; /* refused: dynamic shared memory with which the same launch must run right after ... */
	struct bc_tensor_map accepted_map; /* ... with this one for its first tensor map; rank 0: as it is */
};

/* A wrong element. */
struct bc_mismatch {
	const char *what; /* "element", "thread" ...: a noun for @index */
	uint64_t index;
	double got, want;
	const char *note; /* more words, NULL: none */
	char text[240];	  /* not "": this is said and nothing else */
};

/* What the kernel's own clock reads came to. */
struct bc_clock_reading {
	double value;				/* the ratio or slope that expected/ bounds */
	uint32_t samples[BC_CLOCK_READING_MAX]; /* cycles */
	unsigned n;
	char detail[160]; /* whose value it is, said when it is out of bounds; "": the kernel's */
};

/* One request of a program for the model witness. */
struct bc_program_request {
	enum bc_op op;
	uint32_t mask;
	uint32_t addr[32]; /* absolute shared addresses */
};

#endif
