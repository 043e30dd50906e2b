/* SPDX-License-Identifier: MIT */
/* harness/measure/counter_session.h - counter sessions: canaries at both ends, baselines subtracted, cases packed into
 * ranges. */
#ifndef BC_MEASURE_COUNTER_SESSION_H
#define BC_MEASURE_COUNTER_SESSION_H

#include "harness/core/observe.h"
#include "harness/device/device.h"
#include "harness/measure/pack.h"

struct bc_counter_session;

/* @ops, @dev, @arch outlive it. */
enum bc_status bc_counter_session_open(const struct bc_device_ops *ops, struct bc_device *dev,
				       const struct bc_arch *arch, struct bc_counter_session **out,
				       struct bc_error *err);

/**
 * bc_counter_session_count - count cases of one class in one session for each set of counters in the class
 * (ldmatrix, say, shares op_ld with loads but has a request counter of its own)
 * @cls:  counter class of all of them
 * @pack: most cases of one range, 1 (each alone) to BC_PACK_MAX; another: BC_EUSAGE
 * @item: [n]; obs->count[obs->attempts++] is filled (pack.h: twice, when what it counted with others and alone differ);
 * when a canary does not read what it must, counters_void and the reason are; when counting is impossible,
 *        counters_absent is. An obs that a session counted before keeps its counts and gets no more then.
 *
 * The session opens and closes with a known 32-way and a known clean pattern of the class. The launch with 0
 * repetitions of the same kernel and shape is counted once and subtracted; when a case is counted again, twice more: if
 * both say otherwise than the first, the counts are corrected. A session that is void or fails is tried once more. Each
 * leaves its reason in read_again.
 * Return: BC_EDEVICE when the device is no longer usable; BC_ENOMEM.
 */
enum bc_status bc_counter_session_count(struct bc_counter_session *k, enum bc_class cls, unsigned pack,
					const struct bc_count_item *item, size_t n, struct bc_error *err);

void bc_counter_session_close(struct bc_counter_session *k); /* NULL is allowed */

#endif
