/* SPDX-License-Identifier: MIT */
/* harness/cli/cmd_kernel.c - `bankcheck kernel`: conflicts of one's own kernel, by source line. */
#include "harness/cli/options.h"

#include <stdio.h>
#include <string.h>

#include "harness/base/file.h"
#include "harness/base/textfile.h"
#include "harness/cli/find_arch.h"
#include "harness/kernel/kernel.h"

static bc_kernel_printer *printer_of(const char *format)
{
	static const struct {
		const char *name;
		bc_kernel_printer *print;
	} forms[] = { { "text", bc_kernel_text }, { "json", bc_kernel_json }, { "html", bc_kernel_page } };

	for (size_t i = 0; i < BC_ARRAY_LEN(forms); i++)
		if (strcmp(format ? format : "text", forms[i].name) == 0)
			return forms[i].print;
	return NULL;
}

static enum bc_status check(const struct bc_cli *c, double *max, uint32_t *draw, uint64_t *most, struct bc_error *err)
{
	*max = -1;
	*draw = 0;
	*most = 0;
	if (c->noperands != 1)
		return bc_fail(err, BC_EUSAGE,
			       "kernel: one file is wanted, .ptx or .cu, not %zu: type `bankcheck kernel FILE --grid X "
			       "--block Y --arg ...`",
			       c->noperands);
	if (!printer_of(c->format))
		return bc_fail(err, BC_EUSAGE, "--format %.40s: kernel has text, json and html", c->format);
	if (c->max_conflicts && (!bc_number_parse(c->max_conflicts, max) || *max < 0))
		return bc_fail(err, BC_EUSAGE, "--max-conflicts %.40s: a number from 0 is wanted: 0, 0.05",
			       c->max_conflicts);
	if (c->max_instructions &&
	    (!bc_kernel_size_parse(c->max_instructions, strlen(c->max_instructions), most) || !*most))
		return bc_fail(err, BC_EUSAGE, "--max-instructions %.40s: a number from 1 is wanted, also as 64K, 1G",
			       c->max_instructions);
	if (c->draw && (!bc_u32_parse(c->draw, draw) || !*draw))
		return bc_fail(err, BC_EUSAGE, "--draw %.40s: the number of a line is wanted", c->draw);
	if (c->draw && c->format && strcmp(c->format, "text") != 0)
		return bc_fail(err, BC_EUSAGE, "--draw is for text, not --format %s", c->format);
	return BC_OK;
}

static enum bc_status write_out(const struct bc_cli *c, const struct bc_text *text, struct bc_error *err)
{
	const char *slash = c->output ? strrchr(c->output, '/') : NULL;
	char dir[BC_PATH_MAX] = ".";

	if (!c->output) {
		if (text->len && fwrite(text->data, 1, text->len, stdout) != text->len)
			return bc_fail(err, BC_EWRITE, "standard output could not be written");
		return bc_cli_flush(err);
	}
	if (slash && (size_t)snprintf(dir, sizeof(dir), "%.*s", (int)(slash - c->output), c->output) >= sizeof(dir))
		return bc_fail(err, BC_EUSAGE, "--output: the path is too long");
	if (slash == c->output)
		(void)bc_strlcpy(dir, "/", sizeof(dir));
	return bc_file_replace(&bc_file_system, dir, slash ? slash + 1 : c->output, text->data, text->len, err);
}

int bc_cmd_kernel(const struct bc_cli *c, const struct bc_catalog *cat)
{
	struct bc_kernel_report report = { 0 };
	struct bc_text text = { 0 };
	struct bc_error err = { .msg = "" };
	struct bc_arch arch;
	double max;
	uint32_t draw;
	uint64_t most;
	enum bc_status st = check(c, &max, &draw, &most, &err);
	int status = 0;

	(void)cat;
	if (!st)
		st = bc_cli_find_arch(c, &arch, &err);
	if (!st)
		st = bc_kernel_run(&(struct bc_kernel_options){ .file = c->operands[0],
								.entry = c->entry,
								.grid = c->grid,
								.block = c->block,
								.shared_bytes = c->shared_bytes,
								.nvcc_flags = c->nvcc_flags,
								.symbols = &c->kernel_symbols,
								.args = &c->kernel_args,
								.save = c->save,
								.max_instructions = most,
								.arch = &arch },
				   &report, &err);
	if (!st)
		st = printer_of(c->format)(&report, max, &text, &err);
	if (!st && draw)
		st = bc_text_add(&text, "\n", 1, &err);
	if (!st && draw)
		st = bc_kernel_draw(&report, &arch, draw, &text, &err);
	if (!st)
		st = write_out(c, &text, &err);
	status = st ? bc_cli_fail(&err) : report.nfindings || bc_kernel_above(&report, max);
	bc_text_release(&text);
	bc_kernel_report_release(&report);
	return status;
}
