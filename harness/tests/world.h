/* SPDX-License-Identifier: MIT */
/* harness/tests/world.h - the real catalogue and the architectures of expected/, as a fixture. */
#ifndef BC_TESTS_WORLD_H
#define BC_TESTS_WORLD_H

#include "harness/core/arch.h"
#include "harness/core/case.h"

struct bc_world {
	struct bc_error err;
	struct bc_catalog cat;
	struct bc_arch *archs; /* [narchs] */
	size_t narchs;
};
extern struct bc_world bc_world;

void bc_world_open(void);
void bc_world_close(void);

/* The step @what went well; else the test fails with bc_world.err. */
void bc_world_need(enum bc_status st, const char *what);

#endif
