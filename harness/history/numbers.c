/* SPDX-License-Identifier: MIT */
/* Measured numbers as few bytes: most are as the profile's, or near it. One varint each (LEB128):
 *
 *     0  as the base's; 1  none; 2  eight bytes follow, the double itself; 3 + z  the base's and a difference
 *
 * Differences are of whole units (10^-6 of a clock, half a cycle), zigzag: 0, -1, 1, -2 ... All clocks come first, then
 * all cycles, and the whole is compressed.
 */
#include "harness/history/profile.h"

#include <math.h>
#include <string.h>

#include "harness/base/gzip.h"

#define UNPACKED_MAX ((size_t)64 << 20)
#define EXACT_MAX 4503599627370496.0 /* 2^52: below it every whole number of units is a double */

enum { SAME, NONE, RAW, NEAR };

static const double units[BC_KEPT_NUMBERS] = { [BC_KEPT_CLOCK] = 1e6, [BC_KEPT_CYCLES] = 2 };

static bool same_bits(double a, double b)
{
	uint64_t x, y;

	memcpy(&x, &a, sizeof(x));
	memcpy(&y, &b, sizeof(y));
	return x == y || (isnan(a) && isnan(b));
}

/* A number as whole units, if it is that exactly. */
static bool in_units(double v, double unit, int64_t *out)
{
	if (isnan(v) || fabs(v * unit) >= EXACT_MAX)
		return false;
	*out = llround(v * unit);
	return same_bits((double)*out / unit, v);
}

static enum bc_status put(struct bc_text *t, uint64_t v, struct bc_error *err)
{
	char byte[10];
	size_t n = 0;

	do {
		byte[n] = (char)((v & 0x7f) | (v > 0x7f ? 0x80 : 0));
		v >>= 7;
		n++;
	} while (v);
	return bc_text_add(t, byte, n, err);
}

/* The base's number of a case, at or after *@at, which follows it. */
static double base_of(const struct bc_kept *base, int64_t case_id, unsigned which, size_t *at)
{
	while (*at < base->n && base->c[*at].case_id < case_id)
		++*at;
	return *at < base->n && base->c[*at].case_id == case_id ? base->c[*at].number[which] : (double)NAN;
}

static enum bc_status put_number(struct bc_text *t, double v, double from, double unit, struct bc_error *err)
{
	int64_t units_of = 0, base = 0, by;
	enum bc_status st;

	if (same_bits(v, from))
		return put(t, SAME, err);
	if (isnan(v))
		return put(t, NONE, err);
	if (!in_units(v, unit, &units_of)) {
		st = put(t, RAW, err);
		return st ? st : bc_text_add(t, (const char *)&v, sizeof(v), err);
	}
	if (!in_units(from, unit, &base))
		base = 0;
	by = units_of - base;
	return put(t, NEAR + (((uint64_t)by << 1) ^ (by < 0 ? UINT64_MAX : 0)), err);
}

enum bc_status bc_numbers_pack(const struct bc_kept *k, const struct bc_kept *base, struct bc_text *out,
			       struct bc_error *err)
{
	struct bc_text plain = { 0 };
	enum bc_status st = bc_text_add(&plain, "", 0, err);

	for (unsigned w = 0; w < BC_KEPT_NUMBERS; w++) {
		size_t at = 0;

		for (size_t i = 0; !st && i < k->n; i++)
			st = put_number(&plain, k->c[i].number[w], base_of(base, k->c[i].case_id, w, &at), units[w],
					err);
	}
	if (!st)
		st = bc_gzip(plain.data, plain.len, out, err);
	bc_text_release(&plain);
	return st;
}

static bool get(const struct bc_text *t, size_t *at, uint64_t *out)
{
	*out = 0;
	for (unsigned shift = 0; *at < t->len && shift < 64; shift += 7) {
		const unsigned char b = (unsigned char)t->data[(*at)++];

		*out |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80))
			return true;
	}
	return false;
}

static bool get_number(const struct bc_text *t, size_t *at, double from, double unit, double *out)
{
	int64_t base = 0;
	uint64_t v;

	if (!get(t, at, &v))
		return false;
	if (v == SAME) {
		*out = from;
	} else if (v == NONE) {
		*out = (double)NAN;
	} else if (v == RAW) {
		if (t->len - *at < sizeof(*out))
			return false;
		memcpy(out, t->data + *at, sizeof(*out));
		*at += sizeof(*out);
	} else {
		v -= NEAR;
		if (!in_units(from, unit, &base))
			base = 0;
		*out = (double)(int64_t)((uint64_t)base + ((v >> 1) ^ (v & 1 ? UINT64_MAX : 0))) / unit;
	}
	return true;
}

enum bc_status bc_numbers_unpack(const struct bc_text *bytes, struct bc_kept *k, const struct bc_kept *base,
				 struct bc_error *err)
{
	struct bc_text plain = { 0 };
	size_t from = 0;
	bool good = true;
	enum bc_status st = bc_gunzip(bytes, "numbers", UNPACKED_MAX, &plain, err);

	if (st)
		return st;
	for (unsigned w = 0; w < BC_KEPT_NUMBERS; w++) {
		size_t at = 0;

		for (size_t i = 0; good && i < k->n; i++)
			good = get_number(&plain, &from, base_of(base, k->c[i].case_id, w, &at), units[w],
					  &k->c[i].number[w]);
	}
	good = good && from == plain.len;
	bc_text_release(&plain);
	return good ? BC_OK : bc_fail(err, BC_EDATA, "numbers that are not those of the run's cases");
}
