/* SPDX-License-Identifier: MIT */
#include "harness/base/xxh64.h"

#define STRIPE 32u

static const uint64_t prime1 = UINT64_C(0x9e3779b185ebca87), prime2 = UINT64_C(0xc2b2ae3d27d4eb4f),
		      prime3 = UINT64_C(0x165667b19e3779f9), prime4 = UINT64_C(0x85ebca77c2b2ae63),
		      prime5 = UINT64_C(0x27d4eb2f165667c5);

static inline uint64_t rotate(uint64_t x, unsigned n)
{
	return x << n | x >> (64 - n);
}

static inline uint64_t little_endian(const unsigned char *p, unsigned bytes)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < bytes; i++)
		v |= (uint64_t)p[i] << (8 * i);
	return v;
}

/* Eight bytes at once; compilers make one load of it. */
static inline uint64_t word(const unsigned char *p)
{
	return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 | (uint64_t)p[3] << 24 |
	       (uint64_t)p[4] << 32 | (uint64_t)p[5] << 40 | (uint64_t)p[6] << 48 | (uint64_t)p[7] << 56;
}

static inline uint64_t accumulate(uint64_t lane, uint64_t input)
{
	return rotate(lane + input * prime2, 31) * prime1;
}

static inline uint64_t merge(uint64_t h, uint64_t lane)
{
	return (h ^ accumulate(0, lane)) * prime1 + prime4;
}

/* The whole stripes of @p, four lanes side by side. */
static uint64_t stripes(uint64_t seed, const unsigned char *p, size_t n)
{
	uint64_t a = seed + prime1 + prime2, b = seed + prime2, c = seed, d = seed - prime1, h;

	for (size_t i = 0; i < n; i++, p += STRIPE) {
		a = accumulate(a, word(p));
		b = accumulate(b, word(p + 8));
		c = accumulate(c, word(p + 16));
		d = accumulate(d, word(p + 24));
	}
	h = rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18);
	return merge(merge(merge(merge(h, a), b), c), d);
}

uint64_t bc_xxh64(uint64_t seed, const void *data, size_t len)
{
	const unsigned char *p = data;
	const size_t whole = len / STRIPE;
	uint64_t h = whole ? stripes(seed, p, whole) : seed + prime5;
	size_t rest = len % STRIPE;

	p += whole * STRIPE;
	h += len;
	for (; rest >= 8; rest -= 8, p += 8)
		h = rotate(h ^ accumulate(0, word(p)), 27) * prime1 + prime4;
	if (rest >= 4) {
		h = rotate(h ^ little_endian(p, 4) * prime1, 23) * prime2 + prime3;
		rest -= 4;
		p += 4;
	}
	for (; rest; rest--, p++)
		h = rotate(h ^ *p * prime5, 11) * prime1;
	h = (h ^ h >> 33) * prime2;
	h = (h ^ h >> 29) * prime3;
	return h ^ h >> 32;
}
