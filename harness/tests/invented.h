/* SPDX-License-Identifier: MIT */
/* harness/tests/invented.h - suites and an architecture that exist for the tests only.
 *
 * Suites alpha (rules ld, st), alphabet (rule uniform) and beta (rules edge, needs); their expectations and those of
 * the invented sm_00 are in harness/tests/data/core/expected/.
 */
#ifndef BC_TESTS_INVENTED_H
#define BC_TESTS_INVENTED_H

#include "harness/core/case.h"

/* NULL-terminated; not in order of their names. */
extern const struct bc_suite *const bc_invented_suites[];

/* The catalogue of the invented suites; ends the test program when it cannot be built. Release it. */
struct bc_catalog bc_invented_catalog(void);

/* sm_00 as data/core/expected/sm_00/arch.txt has it, written out by hand. */
struct bc_arch bc_invented_arch(void);

#endif
