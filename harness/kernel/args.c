/* SPDX-License-Identifier: MIT */
#include "harness/kernel/args.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/file.h"

#define FORMS                                                                                                    \
	"u32=5, s64=-1, f32=1.5, buf=1M:zero, buf=1M:iota, buf=1M:random:7, buf=file=PATH, out=64K, struct=0a00" \
	"0000"

static enum bc_status bad(struct bc_error *err, const char *text, const char *why)
{
	return bc_fail(err, BC_EUSAGE, "--arg %.80s: %s", text, why);
}

static enum bc_status put(struct bc_kernel_arg *a, const void *bytes, size_t n, struct bc_error *err)
{
	a->data = malloc(n ? n : 1);
	if (!a->data)
		return bc_fail(err, BC_ENOMEM, "--arg: out of memory");
	memcpy(a->data, bytes, n);
	a->bytes = n;
	return BC_OK;
}

static enum bc_status take_integer(struct bc_kernel_arg *a, bool is_signed, unsigned bytes, const char *v,
				   struct bc_error *err)
{
	const bool minus = *v == '-';
	const char *digits = v + minus;
	const int base = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X') ? 16 : 10;
	const uint64_t top = UINT64_C(1) << (bytes * 8 - 1);
	char *end = NULL;
	unsigned long long n;
	uint64_t value;

	if (minus && !is_signed)
		return bad(err, a->text, "an unsigned number has no minus");
	errno = 0;
	n = strtoull(digits, &end, base);
	if (!isxdigit((unsigned char)*digits) || *end || errno)
		return bad(err, a->text, "a whole number is wanted, decimal or 0x...");
	if (is_signed ? n > top - !minus : bytes < 8 && n >> (bytes * 8))
		return bad(err, a->text, "the number does not fit into the type");
	value = minus ? 0 - (uint64_t)n : (uint64_t)n;
	return put(a, &value, bytes, err); /* little-endian, as the GPU is */
}

static enum bc_status take_float(struct bc_kernel_arg *a, unsigned bytes, const char *v, struct bc_error *err)
{
	char *end = NULL;
	const double d = strtod(v, &end);
	const float f = (float)d;

	if (!*v || isspace((unsigned char)*v) || *end)
		return bad(err, a->text, "a number is wanted: 1.5, -0.25, 1e-3, nan, inf");
	return bytes == 4 ? put(a, &f, 4, err) : put(a, &d, 8, err);
}

bool bc_kernel_size_parse(const char *text, size_t len, uint64_t *out)
{
	static const char units[] = "KMG";
	uint64_t v = 0;
	size_t i = 0;

	for (; i < len && isdigit((unsigned char)text[i]); i++) {
		if (v > UINT64_MAX / 20)
			return false;
		v = v * 10 + (uint64_t)(text[i] - '0');
	}
	if (!i)
		return false;
	if (i < len) {
		const char *unit = text[i] ? strchr(units, text[i]) : NULL;
		const unsigned shift = unit ? 10 * ((unsigned)(unit - units) + 1) : 0;

		if (!unit || i + 1 != len || v >> (63 - shift))
			return false;
		v <<= shift;
	}
	*out = v;
	return true;
}

/* 32 bits of splitmix64. */
static uint32_t next_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return (uint32_t)((z ^ (z >> 31)) >> 32);
}

static bool fill(struct bc_kernel_arg *a, const char *how)
{
	uint64_t seed = 1;
	char *end = NULL;

	if (strcmp(how, "zero") == 0)
		return true;
	if (strcmp(how, "iota") == 0 || strcmp(how, "iota-f32") == 0) {
		for (size_t i = 0; i < a->bytes / 4; i++) {
			const uint32_t word = (uint32_t)i;
			const float f = (float)i;

			memcpy(a->data + i * 4, how[4] ? (const void *)&f : &word, 4);
		}
		return true;
	}
	if (strncmp(how, "random", 6) != 0 || (how[6] && how[6] != ':'))
		return false;
	if (how[6]) {
		errno = 0;
		seed = strtoull(how + 7, &end, 10);
		if (!isdigit((unsigned char)how[7]) || *end || errno)
			return false;
	}
	for (size_t i = 0; i < a->bytes; i++)
		a->data[i] = (unsigned char)next_random(&seed);
	return true;
}

static enum bc_status take_buffer(struct bc_kernel_arg *a, const char *v, struct bc_error *err)
{
	const size_t len = strcspn(v, ":");
	uint64_t bytes = 0;

	a->pointer = true;
	if (strncmp(v, "file=", 5) == 0) {
		struct bc_text text = { 0 };
		const enum bc_status st = bc_file_read(v + 5, BC_KERNEL_BUFFER_MAX, &text, err);

		if (st)
			return st;
		a->data = (unsigned char *)text.data;
		a->bytes = text.len;
		return a->bytes ? BC_OK : bad(err, a->text, "the file is empty");
	}
	if (!bc_kernel_size_parse(v, len, &bytes) || !bytes || bytes > BC_KERNEL_BUFFER_MAX)
		return bad(err, a->text, "a size is wanted, from 1 byte to 1G: 4096, 64K, 1M");
	a->data = calloc(1, (size_t)bytes);
	if (!a->data)
		return bc_fail(err, BC_ENOMEM, "--arg %.80s: out of memory", a->text);
	a->bytes = (size_t)bytes;
	if (a->keep)
		return v[len] ? bad(err, a->text, "out=SIZE has no filling: it is zeroes") : BC_OK;
	if (v[len] != ':' || !fill(a, v + len + 1))
		return bad(err, a->text,
			   "a filling is wanted behind the size: zero, iota, iota-f32, random, random:SEED");
	return BC_OK;
}

static int hex_digit(char c)
{
	return isdigit((unsigned char)c)    ? c - '0'
	       : isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10
					    : -1;
}

static enum bc_status take_struct(struct bc_kernel_arg *a, const char *v, struct bc_error *err)
{
	const size_t len = strlen(v);
	unsigned char bytes[BC_KERNEL_STRUCT_MAX];

	if (!len || len % 2 || len / 2 > sizeof(bytes))
		return bad(err, a->text, "two hexadecimal digits for each byte are wanted, at most 4096 bytes");
	for (size_t i = 0; i < len; i += 2) {
		const int high = hex_digit(v[i]), low = hex_digit(v[i + 1]);

		if (high < 0 || low < 0)
			return bad(err, a->text, "two hexadecimal digits for each byte are wanted");
		bytes[i / 2] = (unsigned char)(high * 16 + low);
	}
	return put(a, bytes, len / 2, err);
}

enum bc_status bc_kernel_arg_parse(const char *text, struct bc_kernel_arg *out, struct bc_error *err)
{
	static const struct {
		const char *name;
		char kind;
		unsigned bytes;
	} types[] = { { "u8", 'u', 1 },	 { "u16", 'u', 2 }, { "u32", 'u', 4 }, { "u64", 'u', 8 }, { "s8", 's', 1 },
		      { "s16", 's', 2 }, { "s32", 's', 4 }, { "s64", 's', 8 }, { "f32", 'f', 4 }, { "f64", 'f', 8 } };
	const char *equals = strchr(text, '=');
	const size_t len = equals ? (size_t)(equals - text) : 0;

	*out = (struct bc_kernel_arg){ .text = text };
	if (!equals)
		return bad(err, text, "TYPE=VALUE is wanted: " FORMS);
	for (size_t i = 0; i < BC_ARRAY_LEN(types); i++) {
		if (strlen(types[i].name) != len || strncmp(types[i].name, text, len) != 0)
			continue;
		return types[i].kind == 'f' ? take_float(out, types[i].bytes, equals + 1, err)
					    : take_integer(out, types[i].kind == 's', types[i].bytes, equals + 1, err);
	}
	if (len == 3 && strncmp(text, "buf", len) == 0)
		return take_buffer(out, equals + 1, err);
	if (len == 3 && strncmp(text, "out", len) == 0) {
		out->keep = true;
		return take_buffer(out, equals + 1, err);
	}
	if (len == 6 && strncmp(text, "struct", len) == 0)
		return take_struct(out, equals + 1, err);
	return bad(err, text, "there is no such type; " FORMS);
}

void bc_kernel_arg_release(struct bc_kernel_arg *a)
{
	free(a->data);
	*a = (struct bc_kernel_arg){ 0 };
}

enum bc_status bc_kernel_dim_parse(const char *option, const char *text, uint32_t out[3], struct bc_error *err)
{
	const char *at = text;

	out[0] = out[1] = out[2] = 1;
	for (unsigned i = 0; i < 3; i++) {
		char *end = NULL;
		unsigned long v;

		errno = 0;
		v = strtoul(at, &end, 10);
		if (!isdigit((unsigned char)*at) || errno || v < 1 || v > INT32_MAX)
			break;
		out[i] = (uint32_t)v;
		if (!*end)
			return BC_OK;
		if (*end != ',' && *end != 'x')
			break;
		at = end + 1;
	}
	return bc_fail(err, BC_EUSAGE, "%s %.60s: one to three numbers from 1 are wanted: 64 or 8,8 or 4,4,2", option,
		       text);
}
