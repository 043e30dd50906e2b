/* SPDX-License-Identifier: MIT */
/* harness/fleet/odd.h - what majorities and medians say of numbers; pure. */
#ifndef BC_FLEET_ODD_H
#define BC_FLEET_ODD_H

#include "harness/base/base.h"

#define BC_ODD_CLOCK_FLOOR 0.01 /* a ratio to the kind's that is nearer than this is never odd */
#define BC_ODD_MHZ_FLOOR 0.05
#define BC_ODD_MADS 3.0
#define BC_ODD_MAD_SCALE 1.4826 /* makes the MAD of normal data its standard deviation */

/* Has a group this majority: @n of @of, more than two thirds, of at least @least? */
bool bc_is_majority(size_t n, size_t of, size_t least);

/* The median of @v, which is reordered; NaN when @n is 0. The mean of the middle two of an even number. */
double bc_median_of(double *v, size_t n);

/**
 * bc_odd_limit - how far from the middle is odd: the larger of @floor * |middle| and three scaled MADs
 * @v: [n] not changed
 * @room: [n] scratch
 */
double bc_odd_limit(const double *v, size_t n, double middle, double floor, double *room);

#endif
