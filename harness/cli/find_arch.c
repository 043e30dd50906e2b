/* SPDX-License-Identifier: MIT */
#include "harness/cli/find_arch.h"

#include <stdlib.h>
#include <string.h>

#include "harness/run/targets.h"

enum bc_status bc_cli_find_arch(const struct bc_cli *c, struct bc_arch *out, struct bc_error *err)
{
	struct bc_facts f = { .kind = BC_DEVICE_REFERENCE, .name = "--arch" };
	const char *name = c->arch ? c->arch : BC_DEFAULT_REFERENCE;
	const size_t digits = strncmp(name, "sm_", 3) == 0 ? strspn(name + 3, "0123456789") : 0;

	if (digits < 2 || digits > 3 || name[3 + digits] != '\0' || (digits == 3 && name[3] == '0'))
		return bc_fail(err, BC_EUSAGE,
			       "--arch %s: an architecture is sm_ and its compute capability, for example sm_90", name);
	(void)bc_strlcpy(f.arch, name, sizeof(f.arch));

	const enum bc_status st = bc_arch_of_device(c->expected_dir, &f, out, err);

	return !st && c->run.law ? bc_arch_law_load(c->run.law, out, err) : st;
}

enum bc_status bc_cli_check_law(const struct bc_cli *c, struct bc_error *err)
{
	struct bc_target *target = NULL;
	size_t n = 0;
	enum bc_status st;

	if (!c->run.law)
		return BC_OK;
	if (c->run.devices && bc_targets_want_cuda(c->run.devices))
		return bc_fail(err, BC_EUSAGE,
			       "--law %.200s: only the reference device takes a law, and --device %.200s "
			       "names a GPU",
			       c->run.law, c->run.devices);
	if (c->run.fault)
		return bc_fail(err, BC_EUSAGE, "--law and --fault exclude each other: which of them is found?");
	st = bc_targets_resolve(c->run.devices ? c->run.devices : "reference", c->expected_dir, NULL, 0, "", &target,
				&n, err);
	for (size_t i = 0; !st && i < n; i++)
		st = bc_arch_law_load(c->run.law, &target[i].arch, err);
	free(target);
	return st;
}
