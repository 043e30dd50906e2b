/* SPDX-License-Identifier: MIT */
#include "harness/explain/layout.h"

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/out.h"
#include "harness/report/json.h"

#define SCHEMA "bankcheck-layout-1"
#define ROW_MAX 4096u
#define CHUNK 16u
#define ROWS_DRAWN 8u
#define CHUNKS_DRAWN 16u

static const struct {
	const char *name;
	unsigned numbers;
	uint32_t min[3], max[3];
	const char *form;
} families[BC_NFAMILIES] = {
	[BC_FAMILY_PLAIN] = { "plain", 0, { 0 }, { 0 }, "plain" },
	[BC_FAMILY_PAD] = { "pad", 1, { 0 }, { 1024 }, "pad:BYTES" },
	[BC_FAMILY_INTERVAL] = { "interval", 2, { 1, 0 }, { 65536, 1024 }, "interval:EVERY,PAD" },
	[BC_FAMILY_CUTE] = { "cute", 3, { 0, 0, 1 }, { 8, 12, 12 }, "cute:B,M,S" },
	[BC_FAMILY_XOR] = { "xor", 1, { 0 }, { 4095 }, "xor:MASK" },
	[BC_FAMILY_PHASE] = { "phase", 3, { 1, 1, 1 }, { 64, 64, 64 }, "phase:VEC,PER,MAX" },
	[BC_FAMILY_ITEMS] = { "items", 1, { 1 }, { 16 }, "items:SHIFT" },
};

#define FORMS                                                                                                 \
	"plain, pad:BYTES, interval:EVERY,PAD, cute:B,M,S, xor:MASK, phase:VEC,PER,MAX or items:SHIFT, then " \
	"row=BYTES "                                                                                          \
	"and elem=BYTES"

/* A decimal number at *@at, which is moved behind it. */
static bool take(const char **at, uint32_t *out)
{
	char *end = NULL;
	unsigned long v;

	errno = 0;
	v = strtoul(*at, &end, 10);
	if (!isdigit((unsigned char)**at) || errno || v > UINT32_MAX)
		return false;
	*at = end;
	*out = (uint32_t)v;
	return true;
}

static enum bc_status take_family(const char *word, size_t len, struct bc_tile_layout *l, struct bc_error *err)
{
	const size_t name = strcspn(word, ": \t");
	const char *at = word + name;
	size_t f = 0;

	while (f < BC_NFAMILIES && (strlen(families[f].name) != name || strncmp(families[f].name, word, name) != 0))
		f++;
	if (f == BC_NFAMILIES)
		return bc_fail(err, BC_EUSAGE, "--layout %.60s: there is no such family; " FORMS, word);
	l->family = (enum bc_layout_family)f;
	for (unsigned k = 0; k < families[f].numbers; k++) {
		if (*at != (k ? ',' : ':') || (at++, !take(&at, &l->n[k])) || l->n[k] < families[f].min[k] ||
		    l->n[k] > families[f].max[k])
			return bc_fail(err, BC_EUSAGE, "--layout %.60s: %s is wanted, number %u from %u to %u", word,
				       families[f].form, k + 1, families[f].min[k], families[f].max[k]);
	}
	if (at != word + len)
		return bc_fail(err, BC_EUSAGE, "--layout %.60s: %s is wanted", word, families[f].form);
	return BC_OK;
}

/* The XOR puts an element of a row behind the row's end, where the next one lies. */
static bool leaves_row(const struct bc_tile_layout *l)
{
	const uint32_t count = l->row / l->elem;
	bool leaves = false;

	for (uint32_t i = 0; l->family == BC_FAMILY_XOR && i < count; i++)
		leaves = leaves || (i | l->n[0]) >= count;
	for (uint32_t i = 0; l->family == BC_FAMILY_PHASE && i < count; i++)
		for (uint32_t phase = 0; phase < l->n[2]; phase++)
			leaves = leaves || (i / l->n[0] ^ phase) * l->n[0] + i % l->n[0] >= count;
	return leaves;
}

enum bc_status bc_tile_layout_parse(const char *text, struct bc_tile_layout *out, struct bc_error *err)
{
	const char *at = text + strspn(text, " \t");
	size_t len = strcspn(at, " \t");
	enum bc_status st;

	*out = (struct bc_tile_layout){ .elem = 4 };
	st = take_family(at, len, out, err);
	for (at += len; !st && *(at += strspn(at, " \t")); at += len) {
		const char *value = at + strcspn(at, "=");
		uint32_t *to = strncmp(at, "row=", 4) == 0    ? &out->row
			       : strncmp(at, "elem=", 5) == 0 ? &out->elem
							      : NULL;

		len = strcspn(at, " \t");
		if (!to || (value++, !take(&value, to)) || value != at + len)
			st = bc_fail(err, BC_EUSAGE, "--layout %.60s: `%.20s` is neither row=BYTES nor elem=BYTES",
				     text, at);
	}
	if (!st && (out->elem < 1 || out->elem > 16 || (out->elem & (out->elem - 1))))
		st = bc_fail(err, BC_EUSAGE, "--layout %.60s: elem= is 1, 2, 4, 8 or 16", text);
	if (!st && (out->row < 4 || out->row > ROW_MAX || out->row % out->elem))
		st = bc_fail(err, BC_EUSAGE, "--layout %.60s: row=BYTES is wanted, 4 to %u, whole elements", text,
			     ROW_MAX);
	if (!st && leaves_row(out))
		st = bc_fail(err, BC_EUSAGE,
			     "--layout %.60s: the XOR leaves rows of %u elements and reaches the next: a smaller %s or "
			     "a longer row is wanted",
			     text, out->row / out->elem, out->family == BC_FAMILY_XOR ? "MASK" : "MAX");
	return st;
}

uint32_t bc_tile_address(const struct bc_tile_layout *l, uint32_t row, uint32_t column)
{
	const uint32_t x = row * l->row + column, index = column / l->elem, within = column % l->elem;

	switch (l->family) {
	case BC_FAMILY_PAD: return x + row * l->n[0];
	case BC_FAMILY_INTERVAL: return x + x / l->n[0] * l->n[1];
	case BC_FAMILY_CUTE: return x ^ ((x >> (l->n[1] + l->n[2]) & ((1u << l->n[0]) - 1)) << l->n[1]);
	case BC_FAMILY_XOR: return row * l->row + (index ^ (row & l->n[0])) * l->elem + within;
	case BC_FAMILY_PHASE:
		return row * l->row +
		       ((index / l->n[0] ^ (row / l->n[1] % l->n[2])) * l->n[0] + index % l->n[0]) * l->elem + within;
	case BC_FAMILY_ITEMS: return (x / l->elem + (x / l->elem >> l->n[0])) * l->elem + within;
	default: return x;
	}
}

/* ---- accesses ---- */

static void along(uint32_t at, const struct bc_tile_layout *t, uint32_t *row, uint32_t *column)
{
	*row = at / t->row;
	*column = at % t->row;
}

static void row_4(uint32_t l, const struct bc_tile_layout *t, uint32_t *row, uint32_t *column)
{
	along(l * 4, t, row, column);
}

static void row_8(uint32_t l, const struct bc_tile_layout *t, uint32_t *row, uint32_t *column)
{
	along(l * 8, t, row, column);
}

static void row_16(uint32_t l, const struct bc_tile_layout *t, uint32_t *row, uint32_t *column)
{
	along(l * 16, t, row, column);
}

static void first_column(uint32_t l, const struct bc_tile_layout *t, uint32_t *row, uint32_t *column)
{
	(void)t;
	*row = l;
	*column = 0;
}

static void matrices(uint32_t l, const struct bc_tile_layout *t, uint32_t *row, uint32_t *column)
{
	(void)t;
	*row = l % 16;
	*column = l / 16 * 16;
}

static void words_of_rows(uint32_t l, const struct bc_tile_layout *t, uint32_t *row, uint32_t *column)
{
	(void)t;
	*row = l / 4;
	*column = l % 4 * 4;
}

static void pairs_of_rows(uint32_t l, const struct bc_tile_layout *t, uint32_t *row, uint32_t *column)
{
	(void)t;
	*row = l / 4;
	*column = l % 4 * 8;
}

static const struct bc_tile_access accesses[BC_TILE_ACCESSES] = {
	{ "rows, 4 bytes a lane", BC_OP_LD32, 1, 4, row_4 },
	{ "rows, 8 bytes a lane", BC_OP_LD64, 1, 8, row_8 },
	{ "rows, 16 bytes a lane", BC_OP_LD128, 1, 16, row_16 },
	{ "rows, 4 bytes a lane, stored", BC_OP_ST32, 1, 4, row_4 },
	{ "rows, 16 bytes a lane, stored", BC_OP_ST128, 1, 16, row_16 },
	{ "column, 4 bytes of 32 rows", BC_OP_LD32, 32, 4, first_column },
	{ "column, 8 bytes of 32 rows", BC_OP_LD64, 32, 8, first_column },
	{ "column, 16 bytes of 32 rows", BC_OP_LD128, 32, 16, first_column },
	{ "ldmatrix.x4, 16 rows", BC_OP_LDSM4, 16, 32, matrices },
	{ "fragment of words, 8 rows", BC_OP_LD32, 8, 16, words_of_rows },
	{ "fragment of doubles, 8 rows", BC_OP_LD64, 8, 32, pairs_of_rows },
	{ "mma C of floats, 8 rows, stored", BC_OP_ST64, 8, 32, pairs_of_rows },
};

const struct bc_tile_access *bc_tile_access(size_t i)
{
	return &accesses[i];
}

enum bc_status bc_tile_count(const struct bc_tile_layout *l, const struct bc_tile_access *a,
			     const struct bc_geometry *g, bool *fits, struct bc_wavefronts *out, struct bc_error *err)
{
	const uint32_t bytes = bc_op_info(a->op)->bytes;
	uint32_t addr[BC_LANES];

	*fits = l->row >= a->bytes && (a->rows > 1 || l->row % bytes == 0);
	*out = (struct bc_wavefronts){ 0 };
	for (uint32_t lane = 0; *fits && lane < BC_LANES; lane++) {
		uint32_t row, column;

		a->place(lane, l, &row, &column);
		addr[lane] = bc_tile_address(l, row, column);
		*fits = addr[lane] % bytes == 0;
		for (uint32_t k = 1; *fits && k < bytes; k++)
			*fits = bc_tile_address(l, row, column + k) == addr[lane] + k;
	}
	return *fits ? bc_banks_count(g, a->op, addr, UINT32_MAX, out, err) : BC_OK;
}

/* ---- what is shown ---- */

static bool has_op(const struct bc_arch *arch, const struct bc_tile_access *a)
{
	return !bc_op_info(a->op)->matrices || arch->ldmatrix;
}

/* Chunks of 16 bytes: which of the eight groups of four banks each lies in. */
static void put_picture(struct bc_out *o, const struct bc_tile_layout *l)
{
	const uint32_t chunks = l->row / CHUNK < CHUNKS_DRAWN ? l->row / CHUNK : CHUNKS_DRAWN;

	if (!chunks)
		return;
	bc_put(o, "\nWhere each 16 bytes of a row lie: the first of their banks\n\nrow |");
	for (uint32_t k = 0; k < chunks; k++)
		bc_putf(o, "%4u", k * CHUNK);
	bc_put(o, chunks * CHUNK < l->row ? " ...\n----+" : "\n----+");
	for (uint32_t k = 0; k < chunks; k++)
		bc_put(o, "----");
	for (uint32_t row = 0; row < ROWS_DRAWN; row++) {
		bc_putf(o, "\n%3u |", row);
		for (uint32_t k = 0; k < chunks; k++)
			bc_putf(o, "%4u", bc_tile_address(l, row, k * CHUNK) / 4 % 32);
	}
	bc_put(o, "\n");
}

enum bc_status bc_tile_draw(const struct bc_tile_layout *l, const struct bc_arch *arch, struct bc_text *out,
			    struct bc_error *err)
{
	const struct bc_geometry g = bc_arch_geometry(arch);
	struct bc_out o = { .to = out, .err = err };

	bc_putf(&o, "layout      %s", families[l->family].name);
	for (unsigned k = 0; k < families[l->family].numbers; k++)
		bc_putf(&o, "%s%u", k ? "," : ":", l->n[k]);
	bc_putf(&o, " row=%u elem=%u\narch        %s\n", l->row, l->elem, arch->name);
	put_picture(&o, l);
	bc_putf(&o, "\n%-34s %-6s %10s %6s %10s\n", "access of a warp", "op", "wavefronts", "ideal", "conflicts");
	for (size_t i = 0; i < BC_TILE_ACCESSES; i++) {
		const struct bc_tile_access *a = &accesses[i];
		struct bc_wavefronts w = { 0 };
		bool fits = false;

		if (!has_op(arch, a))
			continue;
		if (!o.st)
			o.st = bc_tile_count(l, a, &g, &fits, &w, err);
		if (fits)
			bc_putf(&o, "%-34s %-6s %10u %6u %10u\n", a->name, bc_op_info(a->op)->name, w.wavefronts,
				w.wavefronts - w.conflicts, w.conflicts);
		else
			bc_putf(&o, "%-34s %-6s %10s\n", a->name, bc_op_info(a->op)->name, "-");
	}
	bc_put(&o, "\n-: the row is too short for it, or the layout takes the bytes of a lane apart\n");
	return o.st;
}

enum bc_status bc_tile_json(const struct bc_tile_layout *l, const struct bc_arch *arch, struct bc_text *out,
			    struct bc_error *err)
{
	const struct bc_geometry g = bc_arch_geometry(arch);
	json_t *list = json_array();
	enum bc_status st = list ? BC_OK : bc_fail(err, BC_ENOMEM, "explain: out of memory");

	for (size_t i = 0; !st && i < BC_TILE_ACCESSES; i++) {
		const struct bc_tile_access *a = &accesses[i];
		struct bc_wavefronts w = { 0 };
		bool fits = false;
		json_t *one;

		if (!has_op(arch, a))
			continue;
		st = bc_tile_count(l, a, &g, &fits, &w, err);
		one = json_pack("{ss, ss, so, so}", "access", a->name, "op", bc_op_info(a->op)->name, "wavefronts",
				fits ? json_integer(w.wavefronts) : json_null(), "conflicts",
				fits ? json_integer(w.conflicts) : json_null());
		if (json_array_append_new(list, one) && !st)
			st = bc_fail(err, BC_ENOMEM, "explain: out of memory");
	}
	if (st) {
		json_decref(list);
		return st;
	}
	return bc_json_write(json_pack("{ss, ss, ss, s[III], sI, sI, so}", "schema", SCHEMA, "arch", arch->name,
				       "family", families[l->family].name, "numbers", (json_int_t)l->n[0],
				       (json_int_t)l->n[1], (json_int_t)l->n[2], "row", (json_int_t)l->row, "elem",
				       (json_int_t)l->elem, "accesses", list),
			     false, out, err);
}
