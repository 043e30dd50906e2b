/* SPDX-License-Identifier: MIT */
#include "harness/tests/measure/launch_fixture.h"

#include <check.h>
#include <string.h>

#include "harness/tests/measure/fake_device.h"

struct bc_arch bc_made_arch;
struct bc_error bc_made_err;
struct bc_case_launch bc_made;
char bc_made_detail[400];

void bc_made_setup(void)
{
	bc_made_arch = bc_fake_arch();
	memset(&bc_made, 0, sizeof(bc_made));
}

void bc_made_teardown(void)
{
	bc_case_launch_release(&bc_made);
}

struct bc_pattern bc_made_strided(enum bc_op op, uint32_t mask, uint32_t first, uint32_t stride, uint32_t count,
				  uint32_t step)
{
	struct bc_pattern p = { .op = op, .mask = mask, .count = count, .step = step };

	for (uint32_t lane = 0; lane < BC_LANES; lane++)
		p.offset[lane] = mask >> lane & 1 ? first + lane * stride : 0;
	return p;
}

void bc_make(const struct bc_pattern *p, unsigned seed)
{
	bc_case_launch_release(&bc_made);
	ck_assert_msg(bc_case_launch_data(p, &bc_made_arch, "a/b/c", seed, &bc_made, &bc_made_err) == BC_OK, "%s",
		      bc_made_err.msg);
	bc_made.info[0] = bc_made_arch.window_base;
	bc_made.info[1] = bc_made.launch.shared_bytes;
}

bool bc_made_accepted(void)
{
	bc_made_detail[0] = '\0';
	return bc_case_launch_check(&bc_made, &bc_made_arch, bc_made_detail, sizeof(bc_made_detail));
}
