/* SPDX-License-Identifier: MIT */
/* harness/run/order.h - which of the chosen cases a shard takes, and in which order a device runs them. Pure. */
#ifndef BC_RUN_ORDER_H
#define BC_RUN_ORDER_H

#include "harness/core/results.h"

/**
 * bc_shard - keep every @of-th chosen case, from the @shard-th (1-based) on
 * @chosen: [n] changed
 *
 * Shards differ by one case at most, are disjoint and together are everything. Return: how many are left.
 */
size_t bc_shard(bool *chosen, size_t n, unsigned shard, unsigned of);

/**
 * bc_order - indices of the results that are not seen, by counter class: a change of class costs the profiler a new
 * start
 * @todo:    [d->nresults] filled
 * @shuffle: in an order that only @seed decides, instead; of each 1,024 cases in that order those with the counters of
 * one pass stand together
 *
 * Return: how many.
 */
size_t bc_order(const struct bc_device_run *d, const bool *seen, bool shuffle, uint32_t seed, size_t *todo);

#endif
