/* SPDX-License-Identifier: MIT */
/* harness/cli/output.h - what every subcommand prints in the same way: errors, and the end of standard output. */
#ifndef BC_CLI_OUTPUT_H
#define BC_CLI_OUTPUT_H

#include "harness/base/base.h"

/* Print an error as one line of standard error. Return: its exit status. */
int bc_cli_fail(const struct bc_error *err);

/* Name a report that is left out (bc_report_refused_fn); @ctx is not used. */
void bc_cli_refused(void *ctx, const struct bc_error *why);

/* The end of a command that left @n reports out and did the rest. Return: its exit status: 2, 0 when @n is 0. */
int bc_cli_left_out(size_t n);

/* Say on standard error when the report @path is larger than CI servers take; @compact: it is compact already. */
void bc_cli_warn_of_limits(const char *path, bool compact);

/* Flush standard output; BC_EWRITE when anything that was printed did not get out. */
enum bc_status bc_cli_flush(struct bc_error *err);

/* @format: the argument of --format of a command that has text and json, NULL: none. Return: BC_EUSAGE for another. */
enum bc_status bc_cli_json(const char *format, bool *json, struct bc_error *err);

#endif
