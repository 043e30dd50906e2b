/* SPDX-License-Identifier: MIT */
#include "harness/tests/world.h"

#include <check.h>
#include <stdlib.h>

struct bc_world bc_world;

void bc_world_need(enum bc_status st, const char *what)
{
	ck_assert_msg(st == BC_OK, "%s: %s", what, bc_world.err.msg);
}

void bc_world_open(void)
{
	bc_world_need(bc_catalog_build(bc_suites, &bc_world.cat, &bc_world.err), "catalogue");
	bc_world_need(bc_arch_list(BC_TEST_EXPECTED, &bc_world.archs, &bc_world.narchs, &bc_world.err),
		      "architectures");
}

void bc_world_close(void)
{
	bc_catalog_release(&bc_world.cat);
	free(bc_world.archs);
	bc_world.archs = NULL;
}
