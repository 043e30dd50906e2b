/* SPDX-License-Identifier: MIT */
#include "harness/base/sha256.h"

#include <string.h>

#define BLOCK 64u

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t round_constant[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate(uint32_t x, unsigned n)
{
	return x >> n | x << (32 - n);
}

/* One round. The eight working variables stay where they are: the caller names them in turned order, so that only two
 * of them are written. */
static inline void turn(uint32_t a, uint32_t b, uint32_t c, uint32_t *d, uint32_t e, uint32_t f, uint32_t g,
			uint32_t *h, uint32_t added)
{
	const uint32_t t1 = *h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + (g ^ (e & (f ^ g))) + added;

	*d += t1;
	*h = t1 + (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) | (c & (a | b)));
}

/* Word @t of the message schedule, t from 16 on: @w holds the last 16 of them. */
static inline uint32_t schedule(uint32_t w[16], unsigned t)
{
	const uint32_t a = w[(t + 1) % 16], b = w[(t + 14) % 16];

	w[t % 16] +=
		(rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + w[(t + 9) % 16] + (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
	return w[t % 16];
}

/* Rounds @t to @t + 7, whose words are in @w: after eight turns the variables are back in order. */
static inline void eight_turns(uint32_t v[8], const uint32_t *k, const uint32_t *w)
{
	uint32_t a = v[0], b = v[1], c = v[2], d = v[3], e = v[4], f = v[5], g = v[6], h = v[7];

	turn(a, b, c, &d, e, f, g, &h, k[0] + w[0]);
	turn(h, a, b, &c, d, e, f, &g, k[1] + w[1]);
	turn(g, h, a, &b, c, d, e, &f, k[2] + w[2]);
	turn(f, g, h, &a, b, c, d, &e, k[3] + w[3]);
	turn(e, f, g, &h, a, b, c, &d, k[4] + w[4]);
	turn(d, e, f, &g, h, a, b, &c, k[5] + w[5]);
	turn(c, d, e, &f, g, h, a, &b, k[6] + w[6]);
	turn(b, c, d, &e, f, g, h, &a, k[7] + w[7]);
	v[0] = a, v[1] = b, v[2] = c, v[3] = d, v[4] = e, v[5] = f, v[6] = g, v[7] = h;
}

static void compress(uint32_t state[8], const unsigned char block[BLOCK])
{
	uint32_t w[16], v[8];

	for (unsigned t = 0; t < 16; t++)
		w[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 |
		       (uint32_t)block[4 * t + 2] << 8 | block[4 * t + 3];
	memcpy(v, state, sizeof(v));
	for (unsigned t = 0; t < 64; t += 16) {
		for (unsigned i = 0; t && i < 16; i++)
			(void)schedule(w, i);
		eight_turns(v, round_constant + t, w);
		eight_turns(v, round_constant + t + 8, w + 8);
	}
	for (unsigned i = 0; i < 8; i++)
		state[i] += v[i];
}

void bc_sha256_hex(const void *data, size_t len, char hex[65])
{
	static const char digits[] = "0123456789abcdef";
	uint32_t h[8] = {
		0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19
	};
	const unsigned char *p = data;
	unsigned char end[2 * BLOCK] = { 0 };
	const size_t rest = len % BLOCK, tail = rest + 9 > BLOCK ? 2 * BLOCK : BLOCK;

	for (size_t i = 0; i + BLOCK <= len; i += BLOCK)
		compress(h, p + i);
	if (rest)
		memcpy(end, p + len - rest, rest);
	end[rest] = 0x80;
	for (unsigned i = 0; i < 8; i++)
		end[tail - 1 - i] = (unsigned char)((uint64_t)len * 8 >> 8 * i);
	for (size_t i = 0; i < tail; i += BLOCK)
		compress(h, end + i);
	for (unsigned i = 0; i < 64; i++)
		hex[i] = digits[h[i / 8] >> (28 - i % 8 * 4) & 15u];
	hex[64] = '\0';
}
