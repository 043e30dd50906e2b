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
	if (r->mps)
		add(out->text, sizeof(out->text), "under MPS");
}

static const struct {
	uint64_t xid;
	const char *meaning;
} xids[] = {
	{ 8, "GPU stopped processing" },
	{ 13, "graphics engine exception" },
	{ 31, "GPU memory page fault" },
	{ 32, "invalid or corrupted push buffer stream" },
	{ 38, "driver firmware error" },
	{ 43, "GPU stopped processing" },
	{ 44, "graphics engine fault during context switch" },
	{ 45, "preemptive cleanup, due to previous errors" },
	{ 46, "GPU stopped processing" },
	{ 48, "double-bit ECC error" },
	{ 61, "internal micro-controller breakpoint" },
	{ 62, "internal micro-controller halt" },
	{ 63, "ECC page retirement or row remapping recording event" },
	{ 64, "ECC page retirement or row remapping recording failure" },
	{ 68, "video processor exception" },
	{ 69, "graphics engine class error" },
	{ 74, "NVLINK error" },
	{ 79, "GPU has fallen off the bus" },
	{ 92, "high single-bit ECC error rate" },
	{ 94, "contained ECC error" },
	{ 95, "uncontained ECC error" },
	{ 109, "context switch timeout" },
	{ 119, "GSP RPC timeout" },
	{ 120, "GSP error" },
	{ 140, "unrecovered ECC error" },
	{ 154, "GPU recovery action changed" },
};

const char *bc_xid_meaning(uint64_t xid)
{
	for (size_t i = 0; i < BC_ARRAY_LEN(xids); i++)
		if (xids[i].xid == xid)
			return xids[i].meaning;
	return NULL;
}

/* The other error events: bit i of the type. */
static const char *const event_names[] = {
	[0] = "single-bit ECC error",  [1] = "double-bit ECC error",  [9] = "storm of single-bit ECC errors",
	[10] = "DRAM row retired",     [11] = "DRAM row not retired", [12] = "poisoned data, contained",
	[13] = "poisoned data, fatal", [14] = "GPU unavailable",      [15] = "GPU recovery action changed",
};

static void add_event(char *buf, size_t size, const struct bc_gpu_event *e, size_t times)
{
	const char *meaning = bc_xid_meaning(e->data), *name = NULL;
	char count[40] = "";

	for (size_t i = 0; i < BC_ARRAY_LEN(event_names); i++)
		if (e->type == UINT64_C(1) << i)
			name = event_names[i];
	if (times > 1)
		(void)snprintf(count, sizeof(count), " %zu times", times);
	if (e->type == BC_GPU_XID)
		add(buf, size, "Xid %" PRIu64 "%s%s%s%s", e->data, meaning ? " (" : "", meaning ? meaning : "",
		    meaning ? ")" : "", count);
	else if (name)
		add(buf, size, "%s%s", name, count);
	else
		add(buf, size, "NVML event 0x%" PRIx64 "%s", e->type, count);
}

/* Does the event say the same as an earlier one? The data of an ECC event is an address or nothing, not what it is. */
static bool same_event(const struct bc_gpu_event *a, const struct bc_gpu_event *b)
{
	return a->type == b->type && (a->type != BC_GPU_XID || a->data == b->data);
}

static void add_slowed(char *buf, size_t size, uint64_t before, uint64_t after, const char *by)
{
	if (after > before)
		add(buf, size, "slowed down for %.1f ms by %s", (double)(after - before) * 1e-6, by);
}

void bc_state_events_since(const struct bc_gpu_events *events, const struct bc_gpu_slowdown *before,
			   const struct bc_gpu_slowdown *after, struct bc_device_events *out)
{
	memset(out, 0, sizeof(*out));
	if (events->lost)
		add(out->events, sizeof(out->events), "the GPU is lost");
	for (size_t i = 0; i < events->n; i++) {
		size_t times = 0, first = i;

		for (size_t k = 0; k < events->n; k++) {
			if (!same_event(&events->event[i], &events->event[k]))
				continue;
			first = k < first ? k : first;
			times++;
		}
		if (first == i)
			add_event(out->events, sizeof(out->events), &events->event[i], times);
	}
	if (events->more)
		add(out->events, sizeof(out->events), "%zu more", events->more);
	if (before->has_heat && after->has_heat)
		add_slowed(out->slowed, sizeof(out->slowed), before->heat_ns, after->heat_ns, "heat");
	if (before->has_board && after->has_board)
		add_slowed(out->slowed, sizeof(out->slowed), before->board_ns, after->board_ns,
			   "the board's power limit");
}
