/* SPDX-License-Identifier: MIT */
/* harness/map/probe.h - samples: lane addresses in, wavefronts or cycles out. */
#ifndef BC_MAP_PROBE_H
#define BC_MAP_PROBE_H

#include "harness/map/map.h"

/* A request and what came of it. */
struct bc_sample {
	enum bc_op op;
	uint32_t mask;
	uint32_t addr[BC_LANES]; /* absolute */
	bool has;
	bool whole; /* counts are the same in each request; false: they are no multiple of the requests */
	bool wavefronts_counted;
	unsigned wavefronts, conflicts; /* by counters, of one request */
	double cycles;			/* by clock, of BC_TIMED_ACCESSES requests */
	uint32_t spread;
};

struct bc_probe {
	const struct bc_map_source *source;
	enum bc_map_by by;
	const struct bc_arch *arch;
	uint32_t base, end;	  /* the window: absolute addresses [base, end) */
	uint64_t random;	  /* state */
	char absent[BC_MAP_TEXT]; /* why the witness is not to be had */
	/* By clock: */
	double lone;  /* cycles of a 4-byte load by one lane */
	double unit;  /* more of them for a second wavefront */
	double noise; /* cycles that mean nothing */
};

uint64_t bc_probe_random(struct bc_probe *p);
uint32_t bc_probe_below(struct bc_probe *p, uint32_t n); /* 0 to n - 1; n at least 1 */

/* A random address in the window, a multiple of @bytes. */
uint32_t bc_probe_address(struct bc_probe *p, uint32_t bytes);

/* Measure @n samples. Return: BC_EDEVICE, BC_ENOMEM; what could not be measured has has = false and p->absent. */
enum bc_status bc_probe_measure(struct bc_probe *p, struct bc_sample *s, size_t n, struct bc_error *err);

/* Two addresses, loaded by lanes 0 and 1. */
struct bc_pair {
	uint32_t a, b;
	bool conflict; /* two wavefronts: one bank, and not one word */
};

/* Find what one wavefront costs by clock; by counters nothing is to be found. @ok: false, with p->absent. */
enum bc_status bc_probe_prepare(struct bc_probe *p, bool *ok, struct bc_error *err);

/* Measure pairs. @ok: false, with p->absent, when one of them is neither one nor two wavefronts. */
enum bc_status bc_probe_pairs(struct bc_probe *p, struct bc_pair *pair, size_t n, bool *ok, struct bc_error *err);

/* A pair of addresses in the window that differ by the bits of @difference. Return: false when there seems none. */
bool bc_probe_pair_of(struct bc_probe *p, uint32_t difference, struct bc_pair *out);

#endif
