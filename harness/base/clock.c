/* SPDX-License-Identifier: MIT */
#include "harness/base/clock.h"

#include <time.h>

double bc_now(void)
{
	struct timespec t = { 0 };

	(void)clock_gettime(CLOCK_MONOTONIC, &t); /* cannot fail: the clock exists on Linux */
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
