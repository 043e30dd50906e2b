/* SPDX-License-Identifier: MIT */
/* harness/tests/measure/launch_fixture.h - one launch that a test makes, looks at and checks, of the fake device's
 * architecture. */
#ifndef BC_TESTS_MEASURE_LAUNCH_FIXTURE_H
#define BC_TESTS_MEASURE_LAUNCH_FIXTURE_H

#include "harness/measure/launch.h"

extern struct bc_arch bc_made_arch;
extern struct bc_error bc_made_err;
extern struct bc_case_launch bc_made;
extern char bc_made_detail[400];

void bc_made_setup(void);
void bc_made_teardown(void);

/* Lane l at first + l * stride. */
struct bc_pattern bc_made_strided(enum bc_op op, uint32_t mask, uint32_t first, uint32_t stride, uint32_t count,
				  uint32_t step);

/* A data launch whose window was seen as it is. */
void bc_make(const struct bc_pattern *p, unsigned seed);

/* Is what it brought back right? bc_made_detail says what is not. */
bool bc_made_accepted(void);

#endif
