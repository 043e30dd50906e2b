/* SPDX-License-Identifier: MIT */
/* harness/run/count.h - counter sessions: canaries at both ends, baselines subtracted, cases packed into ranges. */
#ifndef BC_RUN_COUNT_H
#define BC_RUN_COUNT_H

#include "harness/core/observe.h"
#include "harness/device/device.h"
#include "harness/run/pack.h"

struct bc_counting;

/* @ops, @dev, @arch outlive it. */
enum bc_status bc_counting_open(const struct bc_device_ops *ops, struct bc_device *dev, const struct bc_arch *arch,
				struct bc_counting **out, struct bc_error *err);

/**
 * bc_counting_session - count cases of one class in one session for each set of counters in the class
 * (ldmatrix, say, shares op_ld with loads but has a request counter of its own)
 * @cls:  counter class of all of them
 * @pack: most cases of one range, 1 (each alone) to BC_PACK_MAX; another: BC_EUSAGE
 * @item: [n]; obs->count[obs->attempts++] is filled (pack.h: twice, when what it counted with others and alone differ); when
 *        a canary does not read what it must, counters_void and the reason are; when counting is impossible,
 *        counters_absent is. An obs that a session counted before keeps its counts and gets no more then.
 *
 * The session opens and closes with a known 32-way and a known clean pattern of the class. The launch with 0
 * repetitions of the same kernel and shape is counted once and subtracted.
 * Return: BC_EDEVICE when the device is no longer usable; BC_ENOMEM.
 */
enum bc_status bc_counting_session(struct bc_counting *k, enum bc_class cls, unsigned pack, const struct bc_counted *item,
				   size_t n, struct bc_error *err);

void bc_counting_close(struct bc_counting *k); /* NULL is allowed */

#endif
