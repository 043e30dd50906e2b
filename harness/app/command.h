/* SPDX-License-Identifier: MIT */
/* harness/app/command.h - run a program with the library in it, and gather the records of its processes. */
#ifndef BC_APP_COMMAND_H
#define BC_APP_COMMAND_H

#include "harness/app/config.h"
#include "harness/app/record.h"

/* How the program ended. */
struct bc_app_end {
	int status; /* exit status, 128 + signal when a signal ended it */
	int signal; /* 0: none */
	double seconds;
};

/**
 * bc_app_run - run a program to its end
 * @argv:    its words, NULL at the end; looked for in PATH
 * @library: libbankcheck-app.so
 * @config:  dir is set by this call, to a folder of its own that is removed afterwards
 * @records: malloc'ed array of those of all processes, by the order of their names; the caller releases each and frees
 *           it, also after a failure
 *
 * Standard input, output and error are the program's own. SIGTERM is passed on; SIGINT, which a terminal sends to both,
 * is left to the program. A record that cannot be read is a failure; the program has ended then, and @end says how.
 * Return: BC_EUSAGE when the program cannot be started (status 127 or 126, as a shell has it), BC_EDEVICE, BC_EDATA.
 */
enum bc_status bc_app_run(char *const *argv, const char *library, struct bc_app_config *config, struct bc_app_end *end,
			  struct bc_app_record **records, size_t *n, struct bc_error *err);

#endif
