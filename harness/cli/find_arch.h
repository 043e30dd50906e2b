/* SPDX-License-Identifier: MIT */
/* harness/cli/find_arch.h - the architecture that --arch names. */
#ifndef BC_CLI_FIND_ARCH_H
#define BC_CLI_FIND_ARCH_H

#include "harness/cli/options.h"
#include "harness/core/arch.h"

/**
 * bc_cli_find_arch - the architecture of --arch, sm_90 when there is none
 *
 * One without a folder in expected/ is provisional: it has the laws and the figures of the nearest older one.
 * Return: BC_EUSAGE when it is not the name of an architecture, BC_EDATA when no folder is older.
 */
enum bc_status bc_cli_find_arch(const struct bc_cli *c, struct bc_arch *out, struct bc_error *err);

/**
 * bc_cli_check_law - the file of --law, before a worker reads it
 *
 * On every architecture that the command is for the law must be one. Return: BC_EUSAGE when --device names a GPU or
 * --fault is given too; what bc_arch_law_load returns.
 */
enum bc_status bc_cli_check_law(const struct bc_cli *c, struct bc_error *err);

#endif
