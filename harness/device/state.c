/* SPDX-License-Identifier: MIT */
#include "harness/device/state.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* NVML's nvmlClocksEventReason* bits. Slowing down for heat, a power brake or a hardware fault moves the clocks while a
 * kernel runs; a power cap or a chosen clock is steady, and cycles do not depend on it. */
static const struct {
	uint64_t bit;
	bool disturbs;
	const char *name;
} reasons[] = {
	{ 0x001, false, "idle" },
	{ 0x002, false, "application clocks" },
	{ 0x004, false, "software power cap" },
	{ 0x008, true, "hardware slowdown" },
	{ 0x010, false, "sync boost" },
	{ 0x020, true, "software thermal slowdown" },
	{ 0x040, true, "hardware thermal slowdown" },
	{ 0x080, true, "hardware power brake" },
	{ 0x100, false, "display clocks" },
};

/* Append, with a comma behind what is there. */
static void add(char *buf, size_t size, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static void add(char *buf, size_t size, const char *fmt, ...)
{
	const size_t len = strlen(buf);
	va_list ap;

	if (len + 3 >= size)
		return;
	if (len)
		memcpy(buf + len, ", ", 3);
	va_start(ap, fmt);
	(void)vsnprintf(buf + len + (len ? 2 : 0), size - len - (len ? 2 : 0), fmt, ap);
	va_end(ap);
}

void bc_state_describe(const struct bc_gpu_reading *r, struct bc_device_state *out)
{
	const unsigned others = r->has_processes && r->processes > 1 ? r->processes - 1 : 0;

	memset(out, 0, sizeof(*out));
	if (r->has_clocks)
		add(out->text, sizeof(out->text), "%u MHz, memory %u MHz", r->sm_mhz, r->memory_mhz);
	if (r->has_celsius)
		add(out->text, sizeof(out->text), "%u C", r->celsius);
	for (size_t i = 0; r->has_reasons && i < BC_ARRAY_LEN(reasons); i++) {
		if (!(r->reasons & reasons[i].bit))
			continue;
		add(out->text, sizeof(out->text), "%s", reasons[i].name);
		if (reasons[i].disturbs)
			add(out->disturbed, sizeof(out->disturbed), "%s", reasons[i].name);
	}
	if (r->has_errors)
		add(out->text, sizeof(out->text), "%" PRIu64 " uncorrected ECC errors", r->errors);
	if (r->has_processes)
		add(out->text, sizeof(out->text), "%u other process%s", others, others == 1 ? "" : "es");
	if (others)
		add(out->disturbed, sizeof(out->disturbed), "%u other process%s on the GPU", others,
		    others == 1 ? "" : "es");
}
