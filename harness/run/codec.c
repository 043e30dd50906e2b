/* SPDX-License-Identifier: MIT */
/* harness/run/codec.c - observations and facts as message fields: one table each, read and written by the same rows. */
#include "harness/run/message.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A REAL travels as a whole number of 1e-9, so that no locale has a say. */
enum type { TEXT, BOOL, UINT, U32, U64, REAL, INT };

#define REAL_UNIT 1e9

struct member {
	const char *key;
	enum type type;
	size_t offset, size; /* size: of the text */
	uint64_t max;	     /* of a number */
};

#define O(field) offsetof(struct bc_observation, field), sizeof(((struct bc_observation *)0)->field)
#define F(field) offsetof(struct bc_facts, field), sizeof(((struct bc_facts *)0)->field)

static const struct member observation[] = {
	{ "id", TEXT, O(id), 0 },
	{ "outcome", UINT, O(outcome), BC_NO_KERNEL },
	{ "reason", TEXT, O(reason), 0 },
	{ "data_checked", BOOL, O(data_checked), 1 },
	{ "data_ok", BOOL, O(data_ok), 1 },
	{ "data_detail", TEXT, O(data_detail), 0 },
	{ "data_bytes", U64, O(data_bytes), UINT64_MAX },
	{ "attempts", UINT, O(attempts), BC_ATTEMPTS_MAX },
	{ "requests_0", U64, O(count[0].requests), UINT64_MAX },
	{ "wavefronts_0", U64, O(count[0].wavefronts), UINT64_MAX },
	{ "conflicts_0", U64, O(count[0].conflicts), UINT64_MAX },
	{ "sectors_0", U64, O(count[0].sectors), UINT64_MAX },
	{ "requests_1", U64, O(count[1].requests), UINT64_MAX },
	{ "wavefronts_1", U64, O(count[1].wavefronts), UINT64_MAX },
	{ "conflicts_1", U64, O(count[1].conflicts), UINT64_MAX },
	{ "sectors_1", U64, O(count[1].sectors), UINT64_MAX },
	{ "requests_2", U64, O(count[2].requests), UINT64_MAX },
	{ "wavefronts_2", U64, O(count[2].wavefronts), UINT64_MAX },
	{ "conflicts_2", U64, O(count[2].conflicts), UINT64_MAX },
	{ "sectors_2", U64, O(count[2].sectors), UINT64_MAX },
	{ "requests_stated", U64, O(requests_stated), UINT64_MAX },
	{ "counted_with", U64, O(counted_with), BC_LANES },
	{ "requests_counted", BOOL, O(requests_counted), 1 },
	{ "wavefronts_uncounted", BOOL, O(wavefronts_uncounted), 1 },
	{ "conflicts_uncounted", BOOL, O(conflicts_uncounted), 1 },
	{ "sectors_counted", BOOL, O(sectors_counted), 1 },
	{ "counters_void", BOOL, O(counters_void), 1 },
	{ "counters_absent", TEXT, O(counters_absent), 0 },
	{ "read_again", TEXT, O(read_again), 0 },
	{ "clock_has", BOOL, O(clock_has), 1 },
	{ "clock_wavefronts", REAL, O(clock_wavefronts), 0 },
	{ "clock_value_has", BOOL, O(clock_value_has), 1 },
	{ "clock_value", REAL, O(clock_value), 0 },
	{ "clock_detail", TEXT, O(clock_detail), 0 },
	{ "sms_detail", TEXT, O(sms_detail), 0 },
	{ "nsamples", UINT, O(nsamples), BC_SAMPLES_MAX },
	{ "clock_absent", TEXT, O(clock_absent), 0 },
	{ "clock_flat", TEXT, O(clock_flat), 0 },
	{ "model_has", BOOL, O(model_has), 1 },
	{ "model_wavefronts", U64, O(model_wavefronts), UINT64_MAX },
	{ "model_conflicts", U64, O(model_conflicts), UINT64_MAX },
	{ "model_requests", U64, O(model_requests), UINT64_MAX },
	{ "model_absent", TEXT, O(model_absent), 0 },
	{ "code_absent", TEXT, O(code_absent), 0 },
	{ "seconds", REAL, O(seconds), 0 },
};

static const struct member facts[] = {
	{ "kind", UINT, F(kind), BC_DEVICE_REFERENCE },
	{ "index", UINT, F(index), 4096 },
	{ "arch", TEXT, F(arch), 0 },
	{ "name", TEXT, F(name), 0 },
	{ "uuid", TEXT, F(uuid), 0 },
	{ "pci", TEXT, F(pci), 0 },
	{ "serial", TEXT, F(serial), 0 },
	{ "board_part", TEXT, F(board_part), 0 },
	{ "vbios", TEXT, F(vbios), 0 },
	{ "gsp_firmware", TEXT, F(gsp_firmware), 0 },
	{ "mig", TEXT, F(mig), 0 },
	{ "pcie_width", TEXT, F(pcie_width), 0 },
	{ "driver", TEXT, F(driver), 0 },
	{ "cuda", TEXT, F(cuda), 0 },
	{ "cupti", TEXT, F(cupti), 0 },
	{ "cupti_file", TEXT, F(cupti_file), 0 },
	{ "toolkit", TEXT, F(toolkit), 0 },
	{ "images", TEXT, F(images), 0 },
	{ "code", TEXT, F(code), 0 },
	{ "environment", TEXT, F(environment), 0 },
	{ "optin_bytes", U32, F(optin_bytes), UINT32_MAX },
	{ "sm_bytes", U32, F(sm_bytes), UINT32_MAX },
	{ "reserved_bytes", U32, F(reserved_bytes), UINT32_MAX },
	{ "static_bytes", U32, F(static_bytes), UINT32_MAX },
	{ "sms", U32, F(sms), UINT32_MAX },
	{ "clock_khz", U32, F(clock_khz), UINT32_MAX },
	{ "memory_clock_khz", U32, F(memory_clock_khz), UINT32_MAX },
	{ "ecc", INT, F(ecc), 1 },
	{ "counters_absent", TEXT, F(counters_absent), 0 },
	{ "clock_absent", TEXT, F(clock_absent), 0 },
	{ "counters_are_model", BOOL, F(counters_are_model), 1 },
};

/* TEXT, BOOL and U64 are left out when they say nothing: "", false, 0. */
static bool always_sent(enum type t)
{
	return t != TEXT && t != BOOL && t != U64;
}

static enum bc_status add_member(struct bc_text *t, const struct member *m, const void *base, struct bc_error *err)
{
	const void *p = (const char *)base + m->offset;

	switch (m->type) {
	case TEXT: return *(const char *)p ? bc_message_add(t, err, m->key, "%s", (const char *)p) : BC_OK;
	case BOOL: return *(const bool *)p ? bc_message_add(t, err, m->key, "1") : BC_OK;
	case UINT: return bc_message_add(t, err, m->key, "%u", *(const unsigned *)p);
	case U32: return bc_message_add(t, err, m->key, "%u", *(const uint32_t *)p);
	case INT: return bc_message_add(t, err, m->key, "%d", *(const int *)p);
	case U64:
		return *(const uint64_t *)p ? bc_message_add(t, err, m->key, "%llu", *(const unsigned long long *)p)
					    : BC_OK;
	case REAL: return bc_message_add(t, err, m->key, "%lld", llround(*(const double *)p * REAL_UNIT));
	}
	return BC_OK;
}

static enum bc_status bad(const struct member *m, const char *value, struct bc_error *err)
{
	return bc_fail(err, BC_EDATA, "message: %s=%.60s is not valid", m->key, value);
}

static bool parse_u64(const char *s, uint64_t *out)
{
	char *end = NULL;

	errno = 0;
	*out = strtoull(s, &end, 10);
	return *s >= '0' && *s <= '9' && !*end && !errno;
}

static bool parse_i64(const char *s, int64_t *out)
{
	char *end = NULL;

	errno = 0;
	*out = strtoll(s, &end, 10);
	return (*s == '-' || (*s >= '0' && *s <= '9')) && end != s && !*end && !errno;
}

static enum bc_status set_member(const struct member *m, const char *value, void *base, struct bc_error *err)
{
	void *p = (char *)base + m->offset;
	uint64_t u = 0;
	int64_t i = 0;

	if (m->type == TEXT)
		return bc_strlcpy(p, value, m->size) ? BC_OK : bad(m, value, err);
	if (m->type == REAL || m->type == INT) {
		if (!parse_i64(value, &i) || (m->type == INT && (i < -1 || i > (int64_t)m->max)))
			return bad(m, value, err);
		if (m->type == REAL)
			*(double *)p = (double)i / REAL_UNIT;
		else
			*(int *)p = (int)i;
		return BC_OK;
	}
	if (!parse_u64(value, &u) || u > m->max)
		return bad(m, value, err);
	switch (m->type) {
	case BOOL: *(bool *)p = u != 0; break;
	case UINT: *(unsigned *)p = (unsigned)u; break;
	case U32: *(uint32_t *)p = (uint32_t)u; break;
	default: *(uint64_t *)p = u; break;
	}
	return BC_OK;
}

static enum bc_status set_members(const struct member *m, size_t n, const struct bc_fields *f, void *base,
				  struct bc_error *err)
{
	enum bc_status st = BC_OK;

	for (size_t i = 0; !st && i < n; i++) {
		const char *value = bc_message_get(f, m[i].key);

		if (*value)
			st = set_member(&m[i], value, base, err);
		else if (always_sent(m[i].type))
			st = bc_fail(err, BC_EDATA,
				     "message %.40s: %s is missing (an incomplete line, or one of another program)",
				     f->kind, m[i].key);
	}
	return st;
}

enum bc_status bc_observation_add(struct bc_text *t, const struct bc_observation *o, struct bc_error *err)
{
	char samples[BC_SAMPLES_MAX * 11 + 1] = "";
	size_t at = 0;
	enum bc_status st = BC_OK;

	for (size_t i = 0; !st && i < BC_ARRAY_LEN(observation); i++)
		st = add_member(t, &observation[i], o, err);
	for (unsigned i = 0; i < o->nsamples && i < BC_SAMPLES_MAX; i++)
		at += (size_t)snprintf(samples + at, sizeof(samples) - at, "%s%u", i ? "," : "", o->samples[i]);
	if (!st && at)
		st = bc_message_add(t, err, "samples", "%s", samples);
	return st;
}

enum bc_status bc_observation_parse(const struct bc_fields *f, struct bc_observation *o, struct bc_error *err)
{
	const char *s = bc_message_get(f, "samples");
	enum bc_status st;

	memset(o, 0, sizeof(*o));
	st = set_members(observation, BC_ARRAY_LEN(observation), f, o, err);
	if (!st && !o->id[0])
		return bc_fail(err, BC_EDATA, "message %.40s: id is missing", f->kind);
	for (unsigned i = 0; !st && i < o->nsamples; i++) {
		char *end = NULL;
		unsigned long v;

		errno = 0;
		v = strtoul(s, &end, 10);
		if (end == s || errno || v > UINT32_MAX || *end != (i + 1 < o->nsamples ? ',' : '\0'))
			return bc_fail(err, BC_EDATA,
				       "message of %s: samples does not hold the %u numbers that nsamples announces",
				       o->id, o->nsamples);
		o->samples[i] = (uint32_t)v;
		s = end + 1;
	}
	return st;
}

enum bc_status bc_facts_add(struct bc_text *t, const struct bc_facts *f, struct bc_error *err)
{
	enum bc_status st = BC_OK;

	for (size_t i = 0; !st && i < BC_ARRAY_LEN(facts); i++)
		st = add_member(t, &facts[i], f, err);
	return st;
}

enum bc_status bc_facts_parse(const struct bc_fields *m, struct bc_facts *f, struct bc_error *err)
{
	memset(f, 0, sizeof(*f));
	f->ecc = -1;
	return set_members(facts, BC_ARRAY_LEN(facts), m, f, err);
}
