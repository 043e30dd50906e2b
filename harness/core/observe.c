/* SPDX-License-Identifier: MIT */
#include "harness/core/observe.h"

#include <stdio.h>
#include <string.h>

void bc_observation_read_again(struct bc_observation *o, const char *why)
{
	const size_t len = strlen(o->read_again);

	if (!strstr(o->read_again, why))
		(void)snprintf(o->read_again + len, sizeof(o->read_again) - len, "%s%s", len ? "; " : "", why);
}
