/* SPDX-License-Identifier: MIT */
#include "harness/cli/find_arch.h"

#include <string.h>

enum bc_status bc_cli_find_arch(const struct bc_cli *c, struct bc_arch *out, struct bc_error *err)
{
	struct bc_facts f = { .kind = BC_DEVICE_REFERENCE, .name = "--arch" };
	const char *name = c->arch ? c->arch : BC_DEFAULT_REFERENCE;
	const size_t digits = strncmp(name, "sm_", 3) == 0 ? strspn(name + 3, "0123456789") : 0;

	if (digits < 2 || digits > 3 || name[3 + digits] != '\0' || (digits == 3 && name[3] == '0'))
		return bc_fail(err, BC_EUSAGE,
			       "--arch %s: an architecture is sm_ and its compute capability, for example sm_90", name);
	(void)bc_strlcpy(f.arch, name, sizeof(f.arch));
	return bc_arch_of_device(c->expected_dir, &f, out, err);
}
