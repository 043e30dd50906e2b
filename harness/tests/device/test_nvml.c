/* SPDX-License-Identifier: MIT */
#include "harness/device/nvml.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

Suite *bc_test_nvml(void);

/* A library that is told what to answer. */
static struct fake {
	const char *uuid, *pci; /* of the only GPU */
	unsigned long long supported, registered;
	bool no_register;
	struct bc_nvml_event queue[400];
	size_t n, taken;
	int end; /* what a wait comes to when the queue is empty */
	unsigned waits[400];
	size_t nwaits;
	int sets;		      /* event sets that are there */
	int slow_answer, slow_policy; /* of this policy alone; 0: of all */
	unsigned long long heat_ns, board_ns;
	unsigned processes;
	int mig;
} fake;

static struct bc_nvml_api api;
static int gpu_is, set_is; /* their addresses are the handles */

static bc_nvml_device gpu(void)
{
	return (bc_nvml_device)(void *)&gpu_is;
}

static int init(void)
{
	return BC_NVML_SUCCESS;
}

static int by_name(const char *have, const char *want, bc_nvml_device *dev)
{
	if (!have || strcmp(have, want) != 0)
		return 6; /* not found */
	*dev = gpu();
	return BC_NVML_SUCCESS;
}

static int by_uuid(const char *uuid, bc_nvml_device *dev)
{
	return by_name(fake.uuid, uuid, dev);
}

static int by_pci(const char *pci, bc_nvml_device *dev)
{
	return by_name(fake.pci, pci, dev);
}

static int get_clock(bc_nvml_device dev, int type, unsigned *mhz)
{
	ck_assert_ptr_eq(dev, gpu());
	*mhz = type == 1 ? 1980 : 3201;
	return BC_NVML_SUCCESS;
}

static int get_celsius(bc_nvml_device dev, int sensor, unsigned *celsius)
{
	(void)dev;
	(void)sensor;
	(void)celsius;
	return 3; /* not supported */
}

static int violation(bc_nvml_device dev, int policy, struct bc_nvml_violation *out)
{
	ck_assert_ptr_eq(dev, gpu());
	ck_assert(policy == BC_NVML_POLICY_THERMAL || policy == BC_NVML_POLICY_BOARD_LIMIT);
	out->reference_us = 12345;
	out->time_ns = policy == BC_NVML_POLICY_THERMAL ? fake.heat_ns : fake.board_ns;
	return policy == fake.slow_policy || !fake.slow_policy ? fake.slow_answer : BC_NVML_SUCCESS;
}

static int supported(bc_nvml_device dev, unsigned long long *types)
{
	(void)dev;
	*types = fake.supported;
	return BC_NVML_SUCCESS;
}

static int create(bc_nvml_set *set)
{
	*set = (bc_nvml_set)(void *)&set_is;
	fake.sets++;
	return BC_NVML_SUCCESS;
}

static int register_events(bc_nvml_device dev, unsigned long long types, bc_nvml_set set)
{
	ck_assert(dev == gpu() && set == (bc_nvml_set)(void *)&set_is);
	fake.registered = types;
	return fake.no_register ? 4 : BC_NVML_SUCCESS;
}

static int wait_event(bc_nvml_set set, struct bc_nvml_event *event, unsigned timeout_ms)
{
	ck_assert_ptr_eq(set, (bc_nvml_set)(void *)&set_is);
	fake.waits[fake.nwaits++] = timeout_ms;
	if (fake.taken == fake.n)
		return fake.end;
	*event = fake.queue[fake.taken++];
	return BC_NVML_SUCCESS;
}

static int free_set(bc_nvml_set set)
{
	ck_assert_ptr_eq(set, (bc_nvml_set)(void *)&set_is);
	fake.sets--;
	return BC_NVML_SUCCESS;
}

static void setup(void)
{
	fake = (struct fake){ .uuid = "GPU-1", .pci = "0000:01:00.0", .supported = ~0ull, .end = BC_NVML_TIMEOUT };
	api = (struct bc_nvml_api){ .nvmlInit_v2 = init,
				    .nvmlDeviceGetHandleByUUID = by_uuid,
				    .nvmlDeviceGetHandleByPciBusId_v2 = by_pci,
				    .nvmlDeviceGetClockInfo = get_clock,
				    .nvmlDeviceGetTemperature = get_celsius,
				    .nvmlDeviceGetViolationStatus = violation,
				    .nvmlDeviceGetSupportedEventTypes = supported,
				    .nvmlEventSetCreate = create,
				    .nvmlDeviceRegisterEvents = register_events,
				    .nvmlEventSetWait_v2 = wait_event,
				    .nvmlEventSetFree = free_set };
}

static struct bc_nvml *open_gpu(void)
{
	struct bc_nvml *n = bc_nvml_open(&api, "GPU-1", "");

	ck_assert_ptr_nonnull(n);
	return n;
}

static void push(unsigned long long type, unsigned long long data)
{
	fake.queue[fake.n++] = (struct bc_nvml_event){ .device = gpu(), .type = type, .data = data };
}

START_TEST(a_gpu_is_found_by_either_name)
{
	struct bc_nvml *n;

	ck_assert_ptr_null(bc_nvml_open(NULL, "GPU-1", ""));
	ck_assert_ptr_null(bc_nvml_open(&api, "GPU-2", ""));
	ck_assert_ptr_null(bc_nvml_open(&api, "GPU-2", "0000:02:00.0"));
	n = bc_nvml_open(&api, "GPU-2", "0000:01:00.0"); /* a MIG instance has a UUID of its own */
	ck_assert_ptr_nonnull(n);
	bc_nvml_close(n);
	api.nvmlDeviceGetHandleByPciBusId_v2 = NULL;
	ck_assert_ptr_null(bc_nvml_open(&api, "GPU-2", "0000:01:00.0"));
	bc_nvml_close(NULL);
}
END_TEST

static int processes(bc_nvml_device dev, unsigned *n, struct bc_nvml_process *p)
{
	const unsigned room = *n;

	ck_assert(dev == gpu() && p);
	*n = fake.processes;
	return fake.processes > room ? BC_NVML_INSUFFICIENT_SIZE : fake.processes ? BC_NVML_SUCCESS : 3;
}

/* 0: the call fails. 1,000: more than anybody has room for, and a shared GPU all the same. */
START_TEST(processes_are_counted_however_many_there_are)
{
	static const unsigned many[] = { 1, 2, 1000, 0 };
	struct bc_device_state s;
	struct bc_gpu_reading r;
	struct bc_nvml *n;

	api.nvmlDeviceGetComputeRunningProcesses_v3 = processes;
	n = open_gpu();
	fake.processes = many[_i];
	bc_nvml_read(n, &r);
	ck_assert_int_eq(r.has_processes, many[_i] > 0);
	if (many[_i])
		ck_assert_uint_eq(r.processes, many[_i]);
	bc_state_describe(&r, &s);
	ck_assert_int_eq(s.disturbed[0] != '\0', many[_i] > 1);
	bc_nvml_close(n);
}
END_TEST

START_TEST(what_is_missing_is_not_known)
{
	const struct bc_nvml_api bare = { .nvmlInit_v2 = init, .nvmlDeviceGetHandleByUUID = by_uuid };
	struct bc_nvml *n = bc_nvml_open(&bare, "GPU-1", "");
	struct bc_device_events h;
	struct bc_gpu_reading r;

	ck_assert_ptr_nonnull(n);
	memset(&r, 0xff, sizeof(r));
	bc_nvml_read(n, &r);
	ck_assert(!r.has_clocks && !r.has_celsius && !r.has_reasons && !r.has_errors && !r.has_processes);
	memset(&h, 'x', sizeof(h));
	bc_nvml_events_since(n, 100, &h);
	ck_assert(!h.events[0] && !h.slowed[0]);
	bc_nvml_close(n);

	memset(&r, 0xff, sizeof(r));
	bc_nvml_read(NULL, &r);
	ck_assert(!r.has_clocks && !r.has_processes);
	memset(&h, 'x', sizeof(h));
	bc_nvml_events_since(NULL, 100, &h);
	ck_assert(!h.events[0] && !h.slowed[0]);

	n = open_gpu();
	bc_nvml_read(n, &r);
	ck_assert(r.has_clocks && r.sm_mhz == 1980 && r.memory_mhz == 3201 && !r.has_celsius);
	bc_nvml_close(n);
}
END_TEST

static int get_serial(bc_nvml_device dev, char *out, unsigned size)
{
	ck_assert_ptr_eq(dev, gpu());
	(void)snprintf(out, size, "1654922006399");
	return BC_NVML_SUCCESS;
}

/* A library that fills its buffer and forgets to end it. */
static int get_endless(bc_nvml_device dev, char *out, unsigned size)
{
	(void)dev;
	memset(out, 'x', size);
	return BC_NVML_SUCCESS;
}

static int refuse_text(bc_nvml_device dev, char *out, unsigned size)
{
	(void)dev;
	(void)snprintf(out, size, "garbage");
	return 3; /* not supported */
}

static int get_gsp(bc_nvml_device dev, char *out)
{
	(void)dev;
	memcpy(out, "580.95.05", 10);
	return BC_NVML_SUCCESS;
}

static int get_mig(bc_nvml_device dev, unsigned *now, unsigned *after)
{
	(void)dev;
	*now = (unsigned)fake.mig;
	*after = !fake.mig;
	return BC_NVML_SUCCESS;
}

static int get_width(bc_nvml_device dev, unsigned *lanes)
{
	(void)dev;
	*lanes = 8;
	return BC_NVML_SUCCESS;
}

static int get_most_width(bc_nvml_device dev, unsigned *lanes)
{
	(void)dev;
	*lanes = 16;
	return BC_NVML_SUCCESS;
}

START_TEST(a_board_is_identified)
{
	struct bc_facts f = { .name = "NVIDIA H200" };
	struct bc_nvml *n;

	api.nvmlDeviceGetSerial = get_serial;
	api.nvmlDeviceGetBoardPartNumber = get_endless;
	api.nvmlDeviceGetVbiosVersion = refuse_text;
	api.nvmlDeviceGetGspFirmwareVersion = get_gsp;
	api.nvmlDeviceGetMigMode = get_mig;
	api.nvmlDeviceGetCurrPcieLinkWidth = get_width;
	api.nvmlDeviceGetMaxPcieLinkWidth = get_most_width;
	n = open_gpu();
	bc_nvml_identify(n, &f);
	ck_assert_str_eq(f.serial, "1654922006399");
	ck_assert_str_eq(f.board_part, ""); /* no text */
	ck_assert_str_eq(f.vbios, "");	    /* refused */
	ck_assert_str_eq(f.gsp_firmware, "580.95.05");
	ck_assert_str_eq(f.mig, "off");
	ck_assert_str_eq(f.pcie_width, "x8 of x16");
	fake.mig = 1;
	bc_nvml_identify(n, &f);
	ck_assert_str_eq(f.mig, "on");
	(void)bc_strlcpy(f.name, "NVIDIA H200 MIG 1g.18gb", sizeof(f.name));
	bc_nvml_identify(n, &f);
	ck_assert_str_eq(f.mig, "on, 1g.18gb");
	bc_nvml_close(n);
	f = (struct bc_facts){ .serial = "kept" };
	bc_nvml_identify(NULL, &f);
	ck_assert_str_eq(f.serial, "kept");
}
END_TEST

/* Only errors, and of these only what the GPU can tell: 0x4, 0x10, 0x80, 0x100 are changes of clocks, power and MIG. */
START_TEST(only_errors_are_listened_to)
{
	static const unsigned long long can[] = { ~0ull, 0x1f, 0xc };

	fake.supported = can[_i];
	bc_nvml_close(open_gpu());
	ck_assert_uint_eq(fake.registered, can[_i] & 0xfe0bull);
	ck_assert_int_eq(fake.sets, 0); /* given back */
}
END_TEST

START_TEST(a_gpu_that_tells_nothing_is_not_asked)
{
	struct bc_device_events h;
	struct bc_nvml *n;

	fake.supported = _i ? ~0ull : 0x14;
	fake.no_register = _i;
	n = open_gpu();
	ck_assert_int_eq(fake.sets, 0);
	bc_nvml_events_since(n, 100, &h);
	ck_assert_uint_eq(fake.nwaits, 0);
	ck_assert_str_eq(h.events, "");
	bc_nvml_close(n);
}
END_TEST

START_TEST(an_event_is_told_once)
{
	struct bc_nvml *n = open_gpu();
	struct bc_device_events h;

	bc_nvml_events_since(n, 0, &h);
	ck_assert_str_eq(h.events, "");
	ck_assert(fake.nwaits == 1 && fake.waits[0] == 0); /* an ordinary look waits for nothing */
	push(BC_GPU_XID, 31);
	push(0x2, 0);
	bc_nvml_events_since(n, 300, &h);
	ck_assert_str_eq(h.events, "Xid 31 (GPU memory page fault), double-bit ECC error");
	ck_assert_uint_eq(fake.nwaits, 4);
	ck_assert_uint_eq(fake.waits[1], 300); /* for the first; what belongs to it follows closely */
	ck_assert(fake.waits[2] < 300 && fake.waits[3] < 300);
	bc_nvml_events_since(n, 0, &h);
	ck_assert_str_eq(h.events, "");
	bc_nvml_close(n);
}
END_TEST

START_TEST(a_flood_ends)
{
	struct bc_nvml *n = open_gpu();
	struct bc_device_events h;

	for (unsigned i = 0; i < 399; i++)
		push(BC_GPU_XID, 1000);
	bc_nvml_events_since(n, 0, &h);
	ck_assert_str_eq(h.events, "Xid 1000 16 times, 240 more");
	bc_nvml_close(n);
}
END_TEST

START_TEST(a_lost_gpu_says_so)
{
	struct bc_nvml *n = open_gpu();
	struct bc_device_events h;

	push(BC_GPU_XID, 79);
	fake.end = BC_NVML_GPU_IS_LOST;
	bc_nvml_events_since(n, 0, &h);
	ck_assert_str_eq(h.events, "the GPU is lost, Xid 79 (GPU has fallen off the bus)");
	bc_nvml_close(n);
}
END_TEST

START_TEST(a_short_slowdown_is_not_missed)
{
	struct bc_device_events h;
	struct bc_nvml *n;

	fake.heat_ns = 7000000;
	n = open_gpu(); /* what was before does not count, what comes does from then on */
	fake.heat_ns += 2000000;
	bc_nvml_events_since(n, 0, &h);
	ck_assert_str_eq(h.slowed, "slowed down for 2.0 ms by heat");
	bc_nvml_events_since(n, 0, &h);
	ck_assert_str_eq(h.slowed, "");
	fake.board_ns += 500000;
	fake.slow_answer = 999; /* it cannot be read for once */
	bc_nvml_events_since(n, 0, &h);
	ck_assert_str_eq(h.slowed, "");
	fake.slow_answer = 0;
	bc_nvml_events_since(n, 0, &h);
	ck_assert_str_eq(h.slowed, "slowed down for 0.5 ms by the board's power limit");
	fake.heat_ns += 3000000;
	fake.board_ns += 500000;
	fake.slow_answer = 999; /* one of the two cannot be read for once */
	fake.slow_policy = _i ? BC_NVML_POLICY_THERMAL : BC_NVML_POLICY_BOARD_LIMIT;
	bc_nvml_events_since(n, 0, &h);
	ck_assert_str_eq(h.slowed,
			 _i ? "slowed down for 0.5 ms by the board's power limit" : "slowed down for 3.0 ms by heat");
	fake.slow_answer = 0;
	bc_nvml_events_since(n, 0, &h);
	ck_assert_str_eq(h.slowed,
			 _i ? "slowed down for 3.0 ms by heat" : "slowed down for 0.5 ms by the board's power limit");
	bc_nvml_close(n);
}
END_TEST

Suite *bc_test_nvml(void)
{
	Suite *s = suite_create("nvml");
	TCase *tc = tcase_create("nvml");

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, a_gpu_is_found_by_either_name);
	tcase_add_loop_test(tc, processes_are_counted_however_many_there_are, 0, 4);
	tcase_add_test(tc, a_board_is_identified);
	tcase_add_test(tc, what_is_missing_is_not_known);
	tcase_add_loop_test(tc, only_errors_are_listened_to, 0, 3);
	tcase_add_loop_test(tc, a_gpu_that_tells_nothing_is_not_asked, 0, 2);
	tcase_add_test(tc, an_event_is_told_once);
	tcase_add_test(tc, a_flood_ends);
	tcase_add_test(tc, a_lost_gpu_says_so);
	tcase_add_loop_test(tc, a_short_slowdown_is_not_missed, 0, 2);
	suite_add_tcase(s, tc);
	return s;
}
