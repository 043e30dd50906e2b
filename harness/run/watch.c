/* SPDX-License-Identifier: MIT */
#include "harness/run/watch.h"

#include <stdio.h>
#include <string.h>

#include "harness/base/clock.h"

#define STATE_AGE_S 1.0

void bc_watch_read(struct bc_watch *w, struct bc_device_state *out)
{
	const double now = bc_now();

	if (w->dev && w->ops->state && (w->read_at <= 0 || now - w->read_at > STATE_AGE_S)) {
		memset(&w->state, 0, sizeof(w->state));
		w->ops->state(w->dev, &w->state);
		w->read_at = now;
	}
	*out = w->state;
}

void bc_watch_events_since(struct bc_watch *w, struct bc_device_events *out)
{
	memset(out, 0, sizeof(*out));
	if (w->dev && w->ops->events_since)
		w->ops->events_since(w->dev, out);
}

void bc_watch_drop_clock(const struct bc_device_state *before, const struct bc_device_state *after,
			 const struct bc_device_events *between, struct bc_observation *o, size_t n)
{
	const char *why = before->disturbed[0]	? before->disturbed
			  : after->disturbed[0] ? after->disturbed
						: between->slowed;

	for (size_t i = 0; why[0] && i < n; i++) {
		if (!o[i].clock_has && !o[i].clock_value_has && !o[i].clock_flat[0])
			continue;
		o[i].clock_has = o[i].clock_value_has = false;
		o[i].clock_flat[0] = '\0';
		(void)snprintf(o[i].clock_absent, sizeof(o[i].clock_absent), "GPU is throttled / busy: %s", why);
	}
}
