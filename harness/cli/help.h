/* SPDX-License-Identifier: MIT */
/* harness/cli/help.h - --help and the man page, printed from the tables of commands and options. */
#ifndef BC_CLI_HELP_H
#define BC_CLI_HELP_H

#include "harness/cli/options.h"

/* --help of one command; 0: of the program. */
void bc_cli_help(unsigned command);

/* The man page, troff with the man macros. BC_EWRITE, BC_ENOMEM. */
enum bc_status bc_cli_man(struct bc_error *err);

#endif
