/* SPDX-License-Identifier: MIT */
/* harness/map/linear.h - the bank function, from pairs of addresses. */
#ifndef BC_MAP_LINEAR_H
#define BC_MAP_LINEAR_H

#include "harness/map/probe.h"

/* Laws that explain all pairs: more than one where words of 8 bytes and lanes that never merge look as an address bit
 * that plays no part. */
struct bc_linear {
	bool found, linear;
	char why[BC_MAP_TEXT]; /* not found, or the counter-example */
	unsigned n;	       /* geometries, 1 or 2 */
	struct bc_geometry geometry[2];
	uint32_t kernel[BC_ADDRESS_BITS_MAX]; /* differences that keep the bank, independent, multiples of 8 */
	unsigned nkernel;
	struct bc_map_weight pairs;
};

/* Return: BC_EDEVICE, BC_ENOMEM; that nothing was found is no error. */
enum bc_status bc_linear_find(struct bc_probe *p, struct bc_linear *out, struct bc_error *err);

#endif
