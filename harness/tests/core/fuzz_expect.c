/* SPDX-License-Identifier: MIT */
/* harness/tests/core/fuzz_expect.c - libFuzzer target: rows of expectations and arch.txt from bytes.
 *
 * The bytes are parsed as both. Found: crashes, leaks, sanitizer reports, and answers that break what the headers say.
 */
#include "harness/core/arch.h"
#include "harness/core/expect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool build(unsigned i, struct bc_case *c)
{
	snprintf(c->variant, sizeof(c->variant), "%u", i);
	c->pattern = (struct bc_pattern){ .op = BC_OP_LD8, .mask = 1, .count = 1 };
	return i < 40;
}

static const struct bc_rule rules[] = {
	{ .name = "ld", .sentence = "a sentence", .build = build },
	{ .name = "st", .sentence = "a sentence", .build = build },
};
static const struct bc_suite suite = {
	.name = "alpha", .about = "for the fuzzer", .rules = rules, .nrules = BC_ARRAY_LEN(rules)
};
static const struct bc_suite *const suites[] = { &suite, NULL };

static void must(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "fuzz_expect: %s\n", what);
	abort();
}

static void check_layer(const char *text, const struct bc_catalog *cat)
{
	struct bc_layer l = { 0 };
	struct bc_error err = { 0 };
	enum bc_status st = bc_layer_parse(&l, text, "f", cat, &err);

	if (!st)
		st = bc_layer_finish(&l, &err);
	if (st)
		must(strncmp(err.msg, "f:", 2) == 0, "an error without its place");
	for (size_t i = 0; i < l.n && !st; i++) {
		must(bc_catalog_find(cat, l.rows[i].id) != NULL, "a row of no case");
		must(l.rows[i].lo <= l.rows[i].hi, "bounds that nothing fits");
		must(l.rows[i].absent || l.rows[i].basis[0] != '\0', "a row without a basis");
	}
	bc_layer_release(&l);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct bc_catalog cat;
	struct bc_arch arch;
	struct bc_error err = { 0 };
	char *text = malloc(size + 1);

	must(text != NULL, "out of memory");
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	if (!cat.cases)
		must(bc_catalog_build(suites, &cat, &err) == BC_OK, err.msg);
	check_layer(text, &cat);
	if (bc_arch_parse(text, "f", "sm_90", &arch, &err))
		must(strncmp(err.msg, "f:", 2) == 0, "an error without its place");
	else
		must(arch.banks >= 1 && arch.banks <= 64 && arch.optin_bytes <= arch.sm_bytes, "an arch out of range");
	free(text);
	return 0;
}
