/* SPDX-License-Identifier: MIT */
#include "harness/core/cells.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/core/banks.h"
#include "kernels/bc_kernel.h"

#define DISTINCT_MAX 2 /* words that a finding names */

unsigned bc_bank_of(const struct bc_arch *a, uint32_t address)
{
	const struct bc_geometry g = bc_arch_geometry(a);
	const uint32_t addr[BC_LANES] = { address & ~3u };
	struct bc_bank_access touch[BC_LANES * BC_LANE_WORDS_MAX];
	struct bc_wavefronts w;
	struct bc_error ignored;
	size_t n = 0;

	if (bc_banks_schedule(&g, BC_OP_LD32, addr, 1, &w, touch, BC_ARRAY_LEN(touch), &n, &ignored) || !n)
		return 0;
	return touch[0].bank;
}

static void add_word(const struct bc_arch *a, const struct bc_cells_wrong *w, char *text, size_t size)
{
	const uint32_t bits = w->expected ^ w->found;
	const size_t len = strlen(text);
	char which[32] = "";

	if (bits && (bits & (bits - 1)) == 0)
		(void)snprintf(which, sizeof(which), " (bit %d)", __builtin_ctz(bits));
	(void)snprintf(text + len, size - len, "%saddress 0x%x, bank %u: expected 0x%08x, found 0x%08x%s",
		       len ? "; " : "", w->address, bc_bank_of(a, w->address), w->expected, w->found, which);
}

/* The first wrong words of one SM, each address once. */
static void add_words(const struct bc_arch *a, const struct bc_cells_report *r, char *text, size_t size)
{
	const uint32_t kept = r->wrong < BC_CELLS_KEPT ? r->wrong : BC_CELLS_KEPT;
	unsigned named = 0;

	for (uint32_t i = 0; i < kept && named < DISTINCT_MAX; i++) {
		bool again = false;

		for (uint32_t k = 0; k < i; k++)
			again |= r->first[k].address == r->first[i].address;
		if (!again)
			add_word(a, &r->first[i], text, size);
		named += !again;
	}
}

bool bc_cells_check(const struct bc_arch *a, const uint32_t *sms, const struct bc_cells_report *report, uint32_t read,
		    struct bc_mismatch *bad)
{
	char words[200] = "";
	uint32_t faulty = 0, lowest = 0;

	*bad = (struct bc_mismatch){ .what = "word" };
	for (uint32_t i = 0; i < sms[0]; i++) {
		const struct bc_cells_report *r = &report[i];

		if (r->base != a->window_base || r->size != a->optin_bytes || r->read != read) {
			(void)snprintf(bad->text, sizeof(bad->text),
				       "SM %u read %u words of %u bytes from 0x%x, it should be %u of %u from 0x%x",
				       sms[1 + i], r->read, r->size, r->base, read, a->optin_bytes, a->window_base);
			return false;
		}
		if (r->wrong && (!faulty || sms[1 + i] < sms[1 + lowest]))
			lowest = i;
		faulty += r->wrong != 0;
	}
	if (!faulty)
		return true;
	add_words(a, &report[lowest], words, sizeof(words));
	(void)snprintf(bad->text, sizeof(bad->text), "SM %u, %.140s; %u wrong reads on it, and %u of %u SMs have some",
		       sms[1 + lowest], words, report[lowest].wrong, faulty, sms[0]);
	return false;
}

static int by_value(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

bool bc_cells_speed(const struct bc_arch *a, const uint32_t *sms, const uint32_t *cycles, struct bc_clock_reading *out)
{
	const uint32_t n = sms[0] * a->banks;
	uint32_t *sorted = malloc((n ? n : 1) * sizeof(*sorted)), worst = 0;
	const size_t middle = n / 2;
	double median = 0;

	memset(out, 0, sizeof(*out));
	if (sorted && n) {
		memcpy(sorted, cycles, n * sizeof(*sorted));
		qsort(sorted, n, sizeof(*sorted), by_value);
		median = sorted[middle];
		out->samples[0] = sorted[0];
		out->samples[1] = sorted[n / 2];
		out->samples[2] = sorted[n - 1];
	}
	free(sorted);
	if (median <= 0)
		return false;
	for (uint32_t i = 1; i < n; i++)
		if (fabs(cycles[i] - median) > fabs(cycles[worst] - median))
			worst = i;
	out->n = 3;
	out->value = cycles[worst] / median;
	(void)snprintf(out->detail, sizeof(out->detail),
		       "SM %u, bank %u: %d dependent loads take %u cycles; the median of all banks of all SMs is %.0f",
		       sms[1 + worst / a->banks], worst % a->banks, BC_CELLS_SPEED_LOADS, cycles[worst], median);
	return true;
}
