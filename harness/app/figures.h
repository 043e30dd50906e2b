/* SPDX-License-Identifier: MIT */
/* harness/app/figures.h - what a budget can bound and a report shows of a kernel: figures made of counters. Pure. */
#ifndef BC_APP_FIGURES_H
#define BC_APP_FIGURES_H

#include "harness/app/record.h"

enum bc_figure {
	BC_FIGURE_LD_CONFLICTS = 0, /* a request; ldmatrix counts as one */
	BC_FIGURE_LD_WAVEFRONTS,
	BC_FIGURE_ST_CONFLICTS, /* stmatrix counts as a request */
	BC_FIGURE_ST_WAVEFRONTS,
	BC_FIGURE_ATOM_CONFLICTS,
	BC_FIGURE_ATOM_WAVEFRONTS,
	BC_FIGURE_LDGSTS_CONFLICTS,
	BC_FIGURE_GMMA_CONFLICTS, /* a wavefront: CUPTI counts no requests of wgmma */
	BC_FIGURE_SECTORS,	  /* of 32 bytes, a request to global memory */
	BC_FIGURE_LD_SECTORS,
	BC_FIGURE_ST_SECTORS,
	BC_FIGURE_ARBITRATION, /* conflicts a launch that come from other traffic, not from addresses */
	BC_FIGURE_DURATION,    /* microseconds a launch */
	BC_FIGURE_LAUNCHES,    /* measured or not */
	BC_NFIGURES
};

/* "ld.conflicts" */
const char *bc_figure_name(enum bc_figure f);

/* Return: false when there is none of that name. */
bool bc_figure_parse(const char *name, enum bc_figure *out);

/* Bits of enum bc_counter that the figure is made of; 0: launches, which need none. */
uint32_t bc_figure_counters(enum bc_figure f);

enum bc_figure_state {
	BC_FIGURE_THERE = 0,
	BC_FIGURE_NONE,	    /* the kernel makes no such request */
	BC_FIGURE_UNCOUNTED /* no launch of it was counted for this, or the chip has no such counter */
};

/* @value: meaningful when there; @launches: that it rests on. */
enum bc_figure_state bc_figure_of(const struct bc_app_kernel *k, enum bc_figure f, double *value, uint64_t *launches);

/* What the figure's value is a quotient by: requests (gmma: wavefronts) of the launches that it rests on. 0: it is none
 * of a request, or is not there. */
uint64_t bc_figure_requests(const struct bc_app_kernel *k, enum bc_figure f);

/* A counter's sum, a launch; negative: it was not counted. */
double bc_count_of(const struct bc_app_kernel *k, enum bc_counter c);

/* Wavefronts beyond the ideal that all launches of the kernel made: conflicts of ld, st, atom, ldgsts and gmma, each as
 * often as the kernel was launched. */
double bc_lost_wavefronts(const struct bc_app_kernel *k);

#endif
