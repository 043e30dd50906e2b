/* SPDX-License-Identifier: MIT */
#include "harness/explain/patternfile.h"

#include <errno.h>
#include <string.h>

static const char *const column_names[BC_NCOLUMNS] = {
	[BC_COLUMN_OP] = "op",
	[BC_COLUMN_NAME] = "pattern",
	[BC_COLUMN_MASK] = "lane_mask",
	[BC_COLUMN_OFFSETS] = "byte_offsets_lane0_to_31",
};

static unsigned digit(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (unsigned)(c - 'a') + 10;
	return c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10 : 16;
}

/* Digits of @base from *@s on, which is moved behind them. Return: false for no digit or a number over @max. */
static bool number(const char **s, unsigned base, uint32_t max, uint32_t *out)
{
	const char *p = *s;
	uint64_t v = 0;

	for (; digit(*p) < base; p++) {
		v = v * base + digit(*p);
		if (v > max)
			return false;
	}
	if (p == *s)
		return false;
	*s = p;
	*out = (uint32_t)v;
	return true;
}

static bool skip_0x(const char **s)
{
	if ((*s)[0] != '0' || ((*s)[1] != 'x' && (*s)[1] != 'X'))
		return false;
	*s += 2;
	return true;
}

static enum bc_status parse_mask(const char *s, uint32_t *out, struct bc_error *err)
{
	const char *p = s;
	uint32_t mask = 0;

	(void)skip_0x(&p);
	if (strlen(p) > 8 || !number(&p, 16, UINT32_MAX, &mask) || *p)
		return bc_fail(err, BC_EUSAGE,
			       "mask '%.40s': it is hexadecimal, 1 to 8 digits, bit 0 is lane 0 (ffffffff: all "
			       "lanes)",
			       s);
	*out = mask;
	return BC_OK;
}

static enum bc_status parse_offsets(const char *s, uint32_t out[BC_LANES], struct bc_error *err)
{
	uint32_t offset[BC_LANES];
	unsigned n = 0;

	for (const char *p = s;; p++) {
		const char *start = p + strspn(p, " ");
		unsigned base;
		uint32_t v = 0;
		bool good;

		p = start;
		base = skip_0x(&p) ? 16 : 10;
		good = number(&p, base, BC_PATTERN_OFFSET_MAX, &v);
		p += strspn(p, " ");
		if (!good || (*p && *p != ','))
			return bc_fail(err, BC_EUSAGE, "offset %u of 32: '%.*s' is not a number of bytes from 0 to %d",
				       n + 1, (int)(strcspn(start, ",") > 40 ? 40 : strcspn(start, ",")), start,
				       BC_PATTERN_OFFSET_MAX);
		if (n < BC_LANES)
			offset[n] = v;
		n++;
		if (!*p)
			break;
	}
	if (n != BC_LANES)
		return bc_fail(err, BC_EUSAGE,
			       "%u offsets: 32 are needed, one a lane (0 for a lane that is not active)", n);
	memcpy(out, offset, sizeof(offset));
	return BC_OK;
}

static enum bc_status unknown_op(const char *name, struct bc_error *err)
{
	char all[512] = "";

	for (unsigned op = BC_OP_NONE + 1; op < BC_NOPS; op++) {
		const size_t len = strlen(all);

		(void)snprintf(all + len, sizeof(all) - len, " %s", bc_op_info((enum bc_op)op)->name);
	}
	return bc_fail(err, BC_EUSAGE, "unknown operation '%.40s'; there are:%s", name, all);
}

enum bc_status bc_pattern_make(const char *op, const char *mask, const char *offsets, struct bc_pattern *out,
			       struct bc_error *err)
{
	struct bc_pattern p = { .op = bc_op_parse(op), .origin = BC_FROM_START, .count = 1 };
	const struct bc_op_info *info = bc_op_info(p.op);
	enum bc_status st = BC_OK;

	if (p.op == BC_OP_NONE)
		st = unknown_op(op, err);
	if (!st)
		st = parse_mask(mask, &p.mask, err);
	if (!st)
		st = parse_offsets(offsets, p.offset, err);
	if (!st && info->matrices && p.mask != UINT32_MAX)
		st = bc_fail(err, BC_EUSAGE, "mask %08x: %s needs all 32 lanes, ffffffff", p.mask, info->name);
	for (unsigned lane = 0; !st && lane < BC_LANES; lane++) {
		if (!(p.mask >> lane & 1) || (info->matrices && lane >= 8 * info->matrices))
			p.offset[lane] = 0;
		else if (p.offset[lane] % info->bytes != 0)
			st = bc_fail(err, BC_EUSAGE, "lane %u's offset %u is not a multiple of the %u bytes of %s",
				     lane, p.offset[lane], info->bytes, info->name);
	}
	if (!st)
		*out = p;
	return st;
}

/* One line into f->text, without its end. Return: BC_EDATA for one that is too long or holds a control character. */
static enum bc_status read_line(struct bc_patternfile *f, bool *more, struct bc_error *err)
{
	size_t len = 0;
	int c;

	f->line++;
	f->bad_row = false;
	while ((c = getc_unlocked(f->file)) != EOF && c != '\n') {
		if (len == sizeof(f->text) - 1)
			return bc_fail(err, BC_EDATA,
				       "%s:%lu: the line is longer than %zu bytes: is this a table of patterns?",
				       f->path, f->line, sizeof(f->text) - 1);
		f->text[len++] = (char)c;
	}
	if (c == EOF && ferror(f->file))
		return bc_fail(err, BC_EREAD, "%s:%lu: cannot be read: %s", f->path, f->line, strerror(errno));
	*more = c != EOF || len > 0;
	if (len > 0 && f->text[len - 1] == '\r')
		len--;
	f->text[len] = '\0';
	f->bad_row = true;
	for (size_t i = 0; i < len; i++)
		if (((unsigned char)f->text[i] < 0x20 && f->text[i] != '\t') || f->text[i] == 0x7f)
			return bc_fail(err, BC_EDATA, "%s:%lu: control character 0x%02x in column %zu: is this a text?",
				       f->path, f->line, (unsigned)(unsigned char)f->text[i], i + 1);
	f->bad_row = false;
	return BC_OK;
}

/* Read the header: where each column is. The line is cut in place. */
static enum bc_status read_header(struct bc_patternfile *f, struct bc_error *err)
{
	bool seen[BC_NCOLUMNS] = { false };
	char *next = f->text;
	unsigned n = 0;

	do {
		const char *field = strsep(&next, "\t");

		for (unsigned k = 0; k < BC_NCOLUMNS; k++) {
			if (strcmp(field, column_names[k]) != 0)
				continue;
			if (seen[k])
				return bc_fail(err, BC_EDATA, "%s:%lu: the column %s is there twice", f->path, f->line,
					       field);
			seen[k] = true;
			f->column[k] = n;
		}
		n++;
	} while (next);
	for (unsigned k = 0; k < BC_NCOLUMNS; k++)
		if (!seen[k])
			return bc_fail(err, BC_EDATA, "%s:%lu: the header has no column %s", f->path, f->line,
				       column_names[k]);
	f->header = true;
	return BC_OK;
}

/* Cut the line into the columns. */
static enum bc_status split(struct bc_patternfile *f, const char *field[BC_NCOLUMNS], struct bc_error *err)
{
	char *next = f->text;
	unsigned n = 0;

	for (unsigned k = 0; k < BC_NCOLUMNS; k++)
		field[k] = NULL;
	do {
		const char *s = strsep(&next, "\t");

		for (unsigned k = 0; k < BC_NCOLUMNS; k++)
			if (f->column[k] == n)
				field[k] = s;
		n++;
	} while (next);
	for (unsigned k = 0; k < BC_NCOLUMNS; k++)
		if (!field[k])
			return bc_fail(err, BC_EDATA,
				       "%s:%lu: the column %s is missing: the line has %u field%s, separated by tabs",
				       f->path, f->line, column_names[k], n, n == 1 ? "" : "s");
	if (!f->header && n > BC_NCOLUMNS)
		return bc_fail(err, BC_EDATA,
			       "%s:%lu: %u fields: without a header line they are op, name, mask and 32 offsets",
			       f->path, f->line, n);
	return BC_OK;
}

/* The first line that says something: a header, or the first pattern. */
static enum bc_status start(struct bc_patternfile *f, bool *is_header, struct bc_error *err)
{
	f->started = true;
	for (unsigned k = 0; k < BC_NCOLUMNS; k++)
		f->column[k] = k;
	*is_header = strcspn(f->text, "\t") == 2 && strncmp(f->text, "op", 2) == 0;
	return *is_header ? read_header(f, err) : BC_OK;
}

enum bc_status bc_patternfile_next(struct bc_patternfile *f, struct bc_pattern *out, const char **name, bool *more,
				   struct bc_error *err)
{
	static const char mark[] = "\xef\xbb\xbf"; /* byte order mark */
	const char *field[BC_NCOLUMNS];
	struct bc_error what;
	bool has = false, skip = true;
	enum bc_status st;

	while (skip) {
		st = read_line(f, &has, err);
		if (st)
			return st;
		if (f->line == 1 && strncmp(f->text, mark, 3) == 0)
			memmove(f->text, f->text + 3, strlen(f->text + 3) + 1);
		skip = has && (f->text[0] == '#' || f->text[strspn(f->text, " \t")] == '\0');
		if (has && !skip && !f->started)
			st = start(f, &skip, err);
		if (st)
			return st;
	}
	*more = has;
	if (!has)
		return BC_OK;
	f->bad_row = true;
	st = split(f, field, err);
	if (st)
		return st;
	st = bc_pattern_make(field[BC_COLUMN_OP], field[BC_COLUMN_MASK], field[BC_COLUMN_OFFSETS], out, &what);
	if (st)
		return bc_fail(err, BC_EDATA, "%s:%lu: %s", f->path, f->line, what.msg);
	f->bad_row = false;
	*name = field[BC_COLUMN_NAME];
	return BC_OK;
}
