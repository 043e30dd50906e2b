/* SPDX-License-Identifier: MIT */
/* harness/qualify/child.h - a step as a process of this program. */
#ifndef BC_QUALIFY_CHILD_H
#define BC_QUALIFY_CHILD_H

#include "harness/qualify/qualify.h"

/* What `devices --format json` prints. */
enum bc_status bc_qualify_ask_devices(const struct bc_qualify_options *o, struct bc_text *out, struct bc_error *err);

/* From here on signals go to the step at hand. The one that came, 0: none. */
void bc_qualify_catch_signals(bool on);
int bc_qualify_signal(void);

/**
 * bc_qualify_child - run a step to its end
 * @dir: its folder, which is made; output.txt in it takes what it prints (map, diff and selftest: standard output)
 * @baseline, @catalogue: diff: the old reports and the folder of the new ones
 *
 * Return: BC_EWRITE, BC_EDEVICE (no process could be started), BC_ENOMEM.
 */
enum bc_status bc_qualify_child(const struct bc_qualify_options *o, const struct bc_qualify_device *d,
				enum bc_qualify_kind k, const char *dir, const char *baseline, const char *catalogue,
				int *status, struct bc_error *err);

#endif
