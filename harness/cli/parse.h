/* SPDX-License-Identifier: MIT */
/* harness/cli/parse.h - from argv to struct bc_cli. */
#ifndef BC_CLI_PARSE_H
#define BC_CLI_PARSE_H

#include "harness/cli/options.h"

/**
 * bc_cli_parse - take the command line apart
 * @out: released by the caller, also after a failure
 *
 * Also finds the binary, its kernels (--kernels, a folder or a release; build/kernels beside it,
 * ../lib/bankcheck/kernels) and expected/ (--expected, ../expected, ../share/bankcheck/expected). Options that have a
 * variable of the environment take its value until the command line gives one. Answers `help`, --help and --version
 * itself.
 * Return: BC_EUSAGE with what is wrong and what to type.
 */
enum bc_status bc_cli_parse(int argc, char **argv, struct bc_cli *out, struct bc_error *err);
void bc_cli_release(struct bc_cli *c);

#endif
