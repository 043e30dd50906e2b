/* SPDX-License-Identifier: MIT */
/* harness/run/watch.h - watches over a device while it is measured: its state now, and what has happened in between. */
#ifndef BC_RUN_WATCH_H
#define BC_RUN_WATCH_H

#include "harness/core/observe.h"
#include "harness/device/device.h"

/* Zero-initialise, then set ops and dev once the device is open; before that nothing is seen. */
struct bc_watch {
	const struct bc_device_ops *ops;
	struct bc_device *dev;
	struct bc_device_state state; /* as it was last looked at */
	double read_at;		      /* when, monotonic seconds; 0: never */
};

/* The state of the device, all "" where it has none; at most a second old, for a look costs milliseconds. */
void bc_watch_read(struct bc_watch *w, struct bc_device_state *out);

/* What has happened since this was last asked, or since the device was opened. Cheap. */
void bc_watch_events_since(struct bc_watch *w, struct bc_device_events *out);

/**
 * bc_watch_drop_clock - drop the clock witness of cases that were timed on a GPU that was throttled or shared
 * @before, @after: looks on both sides of the measurement
 * @between:        what happened from one to the other: a slowdown too short for either look
 * @o:              [n] each that has a clock loses it, with the reason
 */
void bc_watch_drop_clock(const struct bc_device_state *before, const struct bc_device_state *after,
			 const struct bc_device_events *between, struct bc_observation *o, size_t n);

#endif
