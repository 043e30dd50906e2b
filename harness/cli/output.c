/* SPDX-License-Identifier: MIT */
#include "harness/cli/output.h"

#include <stdio.h>
#include <string.h>

#include "harness/base/escape.h"
#include "harness/report/junit_limits.h"

int bc_cli_fail(const struct bc_error *err)
{
	struct bc_text text = { 0 }; /* one line without what a terminal obeys: a message may quote any file */

	(void)fprintf(stderr, "bankcheck: %s\n",
		      bc_escape_str(&text, BC_ESCAPE_LINE, err->msg, NULL) || !text.data ? err->msg : text.data);
	bc_text_release(&text);
	return bc_status_exit(err->status);
}

void bc_cli_refused(void *ctx, const struct bc_error *why)
{
	(void)ctx;
	(void)bc_cli_fail(why);
}

int bc_cli_left_out(size_t n)
{
	if (n)
		(void)fprintf(stderr, "bankcheck: %zu report%s left out; the others were taken\n", n,
			      n == 1 ? " was" : "s were");
	return n ? 2 : 0;
}

void bc_cli_warn_of_limits(const char *path, bool compact)
{
	char words[200];

	if (bc_junit_limits(path, words, sizeof(words)))
		(void)fprintf(stderr, "bankcheck: note: %s has %s: %s\n", path, words,
			      compact ? "give it the reports of each device by themselves"
				      : "--junit compact writes less (docs/ci.md)");
}

enum bc_status bc_cli_flush(struct bc_error *err)
{
	if (fflush(stdout) || ferror(stdout))
		return bc_fail(err, BC_EWRITE, "standard output could not be written");
	return BC_OK;
}

enum bc_status bc_cli_json(const char *format, bool *json, struct bc_error *err)
{
	*json = format && strcmp(format, "json") == 0;
	if (format && !*json && strcmp(format, "text") != 0)
		return bc_fail(err, BC_EUSAGE, "--format %s: it takes text or json", format);
	return BC_OK;
}
