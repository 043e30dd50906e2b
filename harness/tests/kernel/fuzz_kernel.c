/* SPDX-License-Identifier: MIT */
/* harness/tests/kernel/fuzz_kernel.c - libFuzzer target: what `bankcheck kernel` and `explain --layout` read from
 * people and from compilers: --arg, --grid, .file and .loc, a layout.
 *
 * The first byte chooses which. Found: crashes, leaks, sanitizer reports, and answers that break what the headers say.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/explain/layout.h"
#include "harness/kernel/args.h"
#include "harness/kernel/lines.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "fuzz_kernel: %s\n", what);
	abort();
}

/* A buffer so large that filling it takes the time of a million inputs: seven digits. */
static bool is_large(const char *text)
{
	size_t digits = 0, most = 0;

	for (; *text; text++) {
		digits = *text >= '0' && *text <= '9' ? digits + 1 : 0;
		most = digits > most ? digits : most;
	}
	return most > 6;
}

static void check_arg(const char *text)
{
	struct bc_kernel_arg a = { 0 };
	struct bc_error err = { .msg = "" };
	const enum bc_status st = bc_kernel_arg_parse(text, &a, &err);

	must(st == BC_OK || err.msg[0], "an argument is refused without a word");
	must(st != BC_OK || (a.data && a.bytes), "an argument is taken and has no bytes");
	bc_kernel_arg_release(&a);
}

static void check_grid(const char *text)
{
	uint32_t n[3] = { 0 };
	struct bc_error err = { .msg = "" };

	if (bc_kernel_dim_parse("--grid", text, n, &err))
		must(err.msg[0] != '\0', "a grid is refused without a word");
	else
		must(n[0] && n[1] && n[2], "a grid of nothing is taken");
}

static void check_lines(const char *text)
{
	struct bc_source_lines s;
	struct bc_error err;

	if (bc_source_lines_read(text, &s, &err))
		return;
	for (size_t i = 1; i <= s.nlines; i++) {
		must(s.at[i].line != 0, "a line has no place");
		must(s.at[i].file == 0 || (s.at[i].file < s.nfiles && s.file[s.at[i].file]), "a place has no file");
		must(s.at[i].file != 0 || s.at[i].line == i, "a line without a place is not its own");
	}
	bc_source_lines_release(&s);
}

static void check_layout(const char *text)
{
	const struct bc_geometry g = { .banks = 32, .bank_bytes = 4, .pair_rule = true };
	struct bc_tile_layout l;
	struct bc_error err = { .msg = "" };

	if (bc_tile_layout_parse(text, &l, &err)) {
		must(err.msg[0] != '\0', "a layout is refused without a word");
		return;
	}
	for (size_t i = 0; i < BC_TILE_ACCESSES; i++) {
		struct bc_wavefronts w;
		bool fits = false;

		must(!bc_tile_count(&l, bc_tile_access(i), &g, &fits, &w, &err), "an access of a layout has no count");
		must(!fits || (w.wavefronts > 0 && w.conflicts < w.wavefronts), "conflicts without wavefronts");
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const checks[])(const char *text) = { check_arg, check_grid, check_lines, check_layout };
	char *text;

	if (!size)
		return 0;
	text = strndup((const char *)data + 1, size - 1);
	if (!text)
		return 0;
	/* no file of this machine */
	if (!strstr(text, "file=") && !strpbrk(text, "KMG") && !is_large(text))
		checks[data[0] % BC_ARRAY_LEN(checks)](text);
	free(text);
	return 0;
}
