/* SPDX-License-Identifier: MIT */
#include "harness/core/arch.h"
#include "harness/base/textfile.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The only list of the number keys of arch.txt: it parses, checks, and prints the manual. */
static const struct field {
	const char *key, *unit;
	size_t offset;
	uint32_t min, max;
	uint32_t step; /* allowed are min, min + step, ... max; 0: powers of two from min to max */
	const char *meaning;
} fields[] = {
	{ "warp_lanes", "lanes", offsetof(struct bc_arch, warp_lanes), 32, 32, 1, "lanes of a warp" },
	{ "banks", "banks", offsetof(struct bc_arch, banks), 1, 64, 0, "banks of shared memory" },
	{ "bank_bytes", "bytes", offsetof(struct bc_arch, bank_bytes), 4, 8, 4, "width of a bank" },
	{ "window_base", "bytes", offsetof(struct bc_arch, window_base), 0, 1024, 1024,
	  "absolute shared address where dynamic shared memory starts" },
	{ "optin_bytes", "bytes", offsetof(struct bc_arch, optin_bytes), 16384, 1048576, 1024,
	  "most dynamic shared memory of a block, with the opt-in attribute" },
	{ "sm_bytes", "bytes", offsetof(struct bc_arch, sm_bytes), 16384, 1048576, 1024, "shared memory of an SM" },
	{ "reserved_bytes", "bytes", offsetof(struct bc_arch, reserved_bytes), 0, 1024, 1024,
	  "taken by the system from every block" },
	{ "static_bytes", "bytes", offsetof(struct bc_arch, static_bytes), 16384, 1048576, 1024,
	  "most static shared memory of a block" },
	{ "pair_rule", "flag", offsetof(struct bc_arch, pair_rule), 0, 1, 1,
	  "8- and 16-byte loads of equal lane pairs merge (law 4)" },
	{ "ldmatrix", "flag", offsetof(struct bc_arch, ldmatrix), 0, 1, 1, "the instruction exists" },
	{ "stmatrix", "flag", offsetof(struct bc_arch, stmatrix), 0, 1, 1, "the instruction exists" },
	{ "cp_async", "flag", offsetof(struct bc_arch, cp_async), 0, 1, 1, "cp.async exists" },
	{ "ldgsts_conflicts", "flag", offsetof(struct bc_arch, ldgsts_conflicts), 0, 1, 1,
	  "the conflict counter of op_ldgsts exists" },
	{ "redux", "flag", offsetof(struct bc_arch, redux), 0, 1, 1, "redux.sync exists" },
	{ "mma_sync", "flag", offsetof(struct bc_arch, mma_sync), 0, 1, 1,
	  "mma.sync of 16-bit floats, m16n8k16, exists" },
	{ "mbarrier", "flag", offsetof(struct bc_arch, mbarrier), 0, 1, 1, "mbarrier objects exist" },
	{ "cluster", "flag", offsetof(struct bc_arch, cluster), 0, 1, 1,
	  "thread block clusters exist, and their shared memory" },
	{ "bulk_copy", "flag", offsetof(struct bc_arch, bulk_copy), 0, 1, 1,
	  "cp.async.bulk, tensor maps and mbarriers that count bytes exist" },
	{ "wgmma", "flag", offsetof(struct bc_arch, wgmma), 0, 1, 1, "wgmma exists (sm_90a)" },
	{ "tensor_atoms", "flag", offsetof(struct bc_arch, tensor_atoms), 0, 1, 1,
	  "tensor maps can have the swizzles 128B_ATOM_*" },
	{ "popc_inc", "flag", offsetof(struct bc_arch, popc_inc), 0, 1, 1,
	  "a shared add of 1 whose result is unused compiles to ATOMS.POPC.INC (law 8)" },
	{ "max_warps_sm", "warps", offsetof(struct bc_arch, max_warps_sm), 1, 128, 1, "resident warps of an SM" },
	{ "max_blocks_sm", "blocks", offsetof(struct bc_arch, max_blocks_sm), 1, 128, 1, "resident blocks of an SM" },
};

#define CONFIRMED BC_ARRAY_LEN(fields) /* the one key whose value is words; its place in the list of seen keys */
#define NKEYS (BC_ARRAY_LEN(fields) + 1)

/* "sm_90" to 90. Return: false when @name is no such name. */
static bool parse_cc(const char *name, unsigned *cc)
{
	uint32_t v;

	if (strncmp(name, "sm_", 3) != 0)
		return false;

	const size_t digits = strlen(name + 3);

	if (digits < 2 || digits > 3 || (digits == 3 && name[3] == '0') || !bc_u32_parse(name + 3, &v))
		return false;
	*cc = v;
	return true;
}

static bool allowed(const struct field *f, uint32_t v)
{
	if (v < f->min || v > f->max)
		return false;
	return f->step ? (v - f->min) % f->step == 0 : (v & (v - 1)) == 0;
}

static void range_text(const struct field *f, char *buf, size_t size)
{
	int n;

	if (f->min == f->max)
		n = snprintf(buf, size, "%u", f->min);
	else if (f->max - f->min == f->step)
		n = snprintf(buf, size, "%u or %u", f->min, f->max);
	else if (f->step == 0)
		n = snprintf(buf, size, "%u to %u, a power of two", f->min, f->max);
	else if (f->step > 1)
		n = snprintf(buf, size, "%u to %u in steps of %u", f->min, f->max, f->step);
	else
		n = snprintf(buf, size, "%u to %u", f->min, f->max);
	if (n < 0)
		buf[0] = '\0';
}

/* "none", or three parts that are not empty, split by commas: GPU, driver, date. */
static bool confirmed_ok(const char *value)
{
	unsigned parts = 0;

	if (strcmp(value, "none") == 0)
		return true;
	for (const char *p = value;; p++) {
		p += strspn(p, " \t");
		if (*p == ',' || *p == '\0')
			return false;
		parts++;
		p += strcspn(p, ",");
		if (*p == '\0')
			return parts >= 3;
	}
}

static enum bc_status set_confirmed(const struct bc_lines *l, const char *value, struct bc_arch *a,
				    struct bc_error *err)
{
	if (!value || !confirmed_ok(value))
		return bc_fail(err, BC_EDATA, "%s:%u: confirmed: write 'none' or 'GPU, driver, date'", l->path,
			       l->number);
	if (!bc_strlcpy(a->confirmed, value, sizeof(a->confirmed)))
		return bc_fail(err, BC_EDATA, "%s:%u: confirmed: more than %zu bytes", l->path, l->number,
			       sizeof(a->confirmed) - 1);
	return BC_OK;
}

static enum bc_status set_number(const struct bc_lines *l, const struct field *f, const char *value, const char *more,
				 struct bc_arch *a, struct bc_error *err)
{
	char range[80];
	uint32_t v;

	range_text(f, range, sizeof(range));
	if (!value || more)
		return bc_fail(err, BC_EDATA, "%s:%u: %s takes one number (%s)", l->path, l->number, f->key, range);
	if (!bc_u32_parse(value, &v) || !allowed(f, v))
		return bc_fail(err, BC_EDATA, "%s:%u: %s = '%s': allowed is %s", l->path, l->number, f->key, value,
			       range);
	memcpy((char *)a + f->offset, &v, sizeof(v));
	return BC_OK;
}

enum bc_status bc_text_is_proposal(const char *path, unsigned line, const char *word, struct bc_error *err)
{
	if (strcmp(word, "proposed") != 0)
		return BC_OK;
	return bc_fail(err, BC_EDATA, "%s:%u: this file is only proposed: read it, correct it, then take this line out",
		       path, line);
}

/* A line of a bank law that differs. A random table is no architecture's. */
static enum bc_status parse_law_line(const struct bc_lines *l, const char *key, char **cursor,
				     struct bc_law_lines *lines, struct bc_arch *a, bool *is_law, struct bc_error *err)
{
	enum bc_status st = bc_bank_law_line(l, key, cursor, lines, &a->law, is_law, err);

	if (!st && lines->not_linear)
		st = bc_fail(err, BC_EDATA,
			     "%s:%u: not_linear is for --law: a table of random banks is no architecture's", l->path,
			     l->number);
	return st;
}

/* One line. @seen: [NKEYS] number of the line that set a key, 0: none yet. */
static enum bc_status parse_line(struct bc_lines *l, struct bc_arch *a, unsigned seen[NKEYS],
				 struct bc_law_lines *lines, struct bc_error *err)
{
	char *cursor = l->text;
	const char *key = bc_field(&cursor);
	bool is_law = false;
	size_t i = 0;
	enum bc_status st = bc_text_is_proposal(l->path, l->number, key, err);

	if (!st)
		st = parse_law_line(l, key, &cursor, lines, a, &is_law, err);

	if (st || is_law)
		return st;
	while (i < BC_ARRAY_LEN(fields) && strcmp(fields[i].key, key) != 0)
		i++;
	if (i == CONFIRMED && strcmp(key, "confirmed") != 0)
		return bc_fail(err, BC_EDATA, "%s:%u: unknown key '%s'", l->path, l->number, key);
	if (seen[i] != 0)
		return bc_fail(err, BC_EDATA, "%s:%u: %s is already set in line %u", l->path, l->number, key, seen[i]);
	seen[i] = l->number;
	if (i == CONFIRMED)
		return set_confirmed(l, bc_rest(&cursor), a, err);

	const char *value = bc_field(&cursor);

	return set_number(l, &fields[i], value, bc_rest(&cursor), a, err);
}

enum bc_status bc_arch_parse(const char *text, const char *path, const char *name, struct bc_arch *out,
			     struct bc_error *err)
{
	struct bc_arch a = { 0 };
	struct bc_law_lines lines = { 0 };
	unsigned seen[NKEYS] = { 0 };
	struct bc_lines l;
	enum bc_status st = BC_OK;

	if (!parse_cc(name, &a.cc) || !bc_strlcpy(a.name, name, sizeof(a.name)))
		return bc_fail(err, BC_EDATA, "%s: '%s' is not the name of an architecture (sm_90)", path, name);
	bc_lines_start(&l, text, path);
	for (;;) {
		bool more;

		st = bc_lines_next(&l, &more, err);
		if (!st && !more)
			break;
		if (!st)
			st = parse_line(&l, &a, seen, &lines, err);
		if (st)
			return st;
	}
	for (size_t i = 0; i < NKEYS; i++)
		if (seen[i] == 0)
			return bc_fail(err, BC_EDATA, "%s:%u: the file ends without the key %s", path, l.number,
				       i == CONFIRMED ? "confirmed" : fields[i].key);
	if (a.optin_bytes > a.sm_bytes)
		return bc_fail(err, BC_EDATA, "%s:%u: optin_bytes %u is more than sm_bytes %u", path, seen[4],
			       a.optin_bytes, a.sm_bytes);
	st = bc_bank_law_check(&a.law, &lines, path, a.banks, a.bank_bytes, a.window_base + a.optin_bytes, err);
	if (!st)
		*out = a;
	return st;
}

/* The keys of arch.txt that a law may set too. */
static const struct field *law_field(const char *key)
{
	/* A window may begin anywhere where it is aligned. */
	static const struct field window = { "window_base", "bytes", offsetof(struct bc_arch, window_base), 0, 16384,
					     128,	    NULL };

	if (strcmp(key, window.key) == 0)
		return &window;
	for (size_t i = 0; i < BC_ARRAY_LEN(fields); i++)
		if (strcmp(fields[i].key, key) == 0 && (strcmp(key, "banks") == 0 || strcmp(key, "bank_bytes") == 0))
			return &fields[i];
	return NULL;
}

/* Lines that set banks, bank_bytes and window_base. */
struct law_seen {
	const struct field *field[3];
	unsigned line[3], n;
};

static enum bc_status parse_law(struct bc_lines *l, struct bc_arch *a, struct law_seen *seen,
				struct bc_law_lines *lines, struct bc_error *err)
{
	char *cursor = l->text;
	const char *key = bc_field(&cursor);
	const struct field *f = law_field(key);
	bool is_law;
	enum bc_status st = bc_bank_law_line(l, key, &cursor, lines, &a->law, &is_law, err);

	if (st || is_law)
		return st;
	if (!f)
		return bc_fail(err, BC_EDATA,
			       "%s:%u: '%.40s' is no word of a law: banks, bank_bytes, bank_bit, group, merge, "
			       "cas_factor, window_base, not_linear",
			       l->path, l->number, key);
	for (unsigned i = 0; i < seen->n; i++)
		if (seen->field[i] == f)
			return bc_fail(err, BC_EDATA, "%s:%u: %s is already set in line %u", l->path, l->number, key,
				       seen->line[i]);
	seen->field[seen->n] = f;
	seen->line[seen->n++] = l->number;

	const char *value = bc_field(&cursor);

	return set_number(l, f, value, bc_rest(&cursor), a, err);
}

enum bc_status bc_arch_law_parse(const char *text, const char *path, struct bc_arch *out, struct bc_error *err)
{
	struct bc_arch a = *out;
	struct law_seen seen = { .n = 0 };
	struct bc_law_lines lines = { 0 };
	struct bc_lines l;
	enum bc_status st = BC_OK;
	bool more = true;

	a.law = (struct bc_bank_law){ 0 };
	bc_lines_start(&l, text, path);
	while (!st && more) {
		st = bc_lines_next(&l, &more, err);
		if (!st && more)
			st = parse_law(&l, &a, &seen, &lines, err);
	}
	if (!st)
		st = bc_bank_law_check(&a.law, &lines, path, a.banks, a.bank_bytes, a.window_base + a.optin_bytes, err);
	if (!st)
		*out = a;
	return st;
}

enum bc_status bc_arch_law_load(const char *path, struct bc_arch *a, struct bc_error *err)
{
	struct bc_text text = { 0 };
	enum bc_status st = bc_textfile_read(path, &text, err);

	if (!st)
		st = bc_arch_law_parse(text.data ? text.data : "", path, a, err);
	bc_text_release(&text);
	return st;
}

enum bc_status bc_arch_load(const char *expected_dir, const char *name, struct bc_arch *out, struct bc_error *err)
{
	struct bc_text path = { 0 }, text = { 0 };
	enum bc_status st;
	unsigned cc;

	if (!parse_cc(name, &cc))
		return bc_fail(err, BC_EREAD, "'%s' is not the name of an architecture (sm_90)", name);
	st = bc_text_addf(&path, err, "%s/%s/arch.txt", expected_dir, name);
	if (!st && access(path.data, F_OK) != 0 && errno == ENOENT)
		st = bc_fail(err, BC_EREAD,
			     "%s: no such file; architectures are the folders of %s (--expected names another)",
			     path.data, expected_dir);
	if (!st)
		st = bc_textfile_read(path.data, &text, err);
	if (!st)
		st = bc_arch_parse(text.data, path.data, name, out, err);
	bc_text_release(&text);
	bc_text_release(&path);
	return st;
}

static int by_cc(const void *left, const void *right)
{
	const struct bc_arch *a = left, *b = right;

	return (a->cc > b->cc) - (a->cc < b->cc);
}

/* Load the architectures that @dir has folders of. */
static enum bc_status list_folder(DIR *dir, const char *expected_dir, struct bc_arch **list, size_t *n,
				  struct bc_error *err)
{
	for (;;) {
		unsigned cc;

		errno = 0;

		const struct dirent *entry = readdir(dir);

		if (!entry && errno != 0)
			return bc_fail(err, BC_EREAD, "%s: cannot be listed: %s", expected_dir, strerror(errno));
		if (!entry)
			return BC_OK;
		if (!parse_cc(entry->d_name, &cc))
			continue;

		struct bc_arch *more = realloc(*list, (*n + 1) * sizeof(more[0]));

		if (!more)
			return bc_fail(err, BC_ENOMEM, "out of memory: %zu architectures", *n + 1);
		*list = more;

		const enum bc_status st = bc_arch_load(expected_dir, entry->d_name, &more[*n], err);

		if (st)
			return st;
		++*n;
	}
}

enum bc_status bc_arch_list(const char *expected_dir, struct bc_arch **out, size_t *n, struct bc_error *err)
{
	struct bc_arch *list = NULL;
	size_t len = 0;
	DIR *dir = opendir(expected_dir);

	if (!dir)
		return bc_fail(err, BC_EREAD, "%s: cannot be opened: %s (--expected names the folder)", expected_dir,
			       strerror(errno));

	const enum bc_status st = list_folder(dir, expected_dir, &list, &len, err);

	closedir(dir);
	if (st) {
		free(list);
		return st;
	}
	if (len > 1)
		qsort(list, len, sizeof(list[0]), by_cc);
	*out = list;
	*n = len;
	return BC_OK;
}

enum bc_status bc_arch_print(const struct bc_arch *a, struct bc_text *out, struct bc_error *err)
{
	enum bc_status st = BC_OK;

	for (size_t i = 0; !st && i < BC_ARRAY_LEN(fields); i++) {
		uint32_t v;

		memcpy(&v, (const char *)a + fields[i].offset, sizeof(v));
		st = bc_text_addf(out, err, "# %s\n%s %u\n", fields[i].meaning, fields[i].key, v);
	}
	if (!st)
		st = bc_bank_law_print(&a->law, out, err);
	return st ? st
		  : bc_text_addf(out, err, "# who has run the suites on one and saw them pass\nconfirmed %s\n",
				 a->confirmed);
}

enum bc_status bc_arch_manual(struct bc_text *out, struct bc_error *err)
{
	for (size_t i = 0; i < BC_ARRAY_LEN(fields); i++) {
		const struct field *f = &fields[i];
		char range[80];

		range_text(f, range, sizeof(range));

		const enum bc_status st =
			bc_text_addf(out, err, "%-17s %-8s %-34s %s\n", f->key, f->unit, range, f->meaning);

		if (st)
			return st;
	}
	return bc_text_addf(out, err, "%-17s %-8s %-34s %s\n", "confirmed", "words", "none, or GPU, driver, date",
			    "where the expectations were seen to hold");
}

enum bc_status bc_arch_of_device(const char *expected, const struct bc_facts *f, struct bc_arch *out,
				 struct bc_error *err)
{
	struct bc_arch *known = NULL, *best = NULL;
	size_t n = 0;
	const bool named = strncmp(f->arch, "sm_", 3) == 0;
	char *end = NULL;
	const unsigned long cc = named ? strtoul(f->arch + 3, &end, 10) : 0;
	enum bc_status st = bc_arch_list(expected, &known, &n, err);

	if (st)
		return st;
	if (!named || end == f->arch + 3 || *end || cc > 999999)
		st = bc_fail(err, BC_EDEVICE, "device %s: `%s` is no architecture", f->name, f->arch);
	for (size_t i = 0; !st && i < n; i++)
		if (known[i].cc <= cc)
			best = &known[i];
	if (!st && !best)
		st = bc_fail(err, BC_EDATA, "%s: no folder for %s and none older", expected, f->arch);
	if (!st) {
		*out = *best;
		if (best->cc != cc) {
			(void)bc_strlcpy(out->name, f->arch, sizeof(out->name));
			out->cc = (unsigned)cc;
			out->provisional = true;
			(void)bc_strlcpy(out->confirmed, "none", sizeof(out->confirmed));
			out->optin_bytes = f->optin_bytes ? f->optin_bytes : out->optin_bytes;
			out->sm_bytes = f->sm_bytes ? f->sm_bytes : out->sm_bytes;
			out->reserved_bytes = f->reserved_bytes;
			out->static_bytes = f->static_bytes ? f->static_bytes : out->static_bytes;
		}
	}
	free(known);
	return st;
}
