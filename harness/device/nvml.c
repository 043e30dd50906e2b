/* SPDX-License-Identifier: MIT */
#include "harness/device/nvml.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NVML_CLOCK_SM 1
#define NVML_CLOCK_MEM 2
#define NVML_TEMPERATURE_GPU 0
#define NVML_ERROR_UNCORRECTED 1
#define NVML_VOLATILE_ECC 0
#define PROCESSES_MAX 64
#define TEXT_MAX 96	/* the longest text that nvml.h speaks of (NVML_DEVICE_PART_NUMBER_BUFFER_SIZE) is 80 */
#define AFTER_MS 20	/* events of one error follow each other closely */
#define EVENTS_READ 256 /* at one time: a flood of them does not hold the worker up */

struct bc_nvml {
	const struct bc_nvml_api *api;
	bc_nvml_device dev;
	bc_nvml_set set; /* NULL: no events are told */
	struct bc_gpu_slowdown slowed;
};

#define SYMBOL(n)                                   \
	{                                           \
#n, offsetof(struct bc_nvml_api, n) \
	}

static const struct {
	const char *name;
	size_t offset;
} symbols[] = {
	SYMBOL(nvmlInit_v2),
	SYMBOL(nvmlDeviceGetHandleByUUID),
	SYMBOL(nvmlDeviceGetHandleByPciBusId_v2),
	SYMBOL(nvmlDeviceGetClockInfo),
	SYMBOL(nvmlDeviceGetTemperature),
	SYMBOL(nvmlDeviceGetCurrentClocksThrottleReasons),
	SYMBOL(nvmlDeviceGetTotalEccErrors),
	SYMBOL(nvmlDeviceGetComputeRunningProcesses_v3),
	SYMBOL(nvmlDeviceGetViolationStatus),
	SYMBOL(nvmlDeviceGetSerial),
	SYMBOL(nvmlDeviceGetBoardPartNumber),
	SYMBOL(nvmlDeviceGetVbiosVersion),
	SYMBOL(nvmlDeviceGetGspFirmwareVersion),
	SYMBOL(nvmlDeviceGetMigMode),
	SYMBOL(nvmlDeviceGetCurrPcieLinkWidth),
	SYMBOL(nvmlDeviceGetMaxPcieLinkWidth),
	SYMBOL(nvmlDeviceGetSupportedEventTypes),
	SYMBOL(nvmlEventSetCreate),
	SYMBOL(nvmlDeviceRegisterEvents),
	SYMBOL(nvmlEventSetWait_v2),
	SYMBOL(nvmlEventSetFree),
};

const struct bc_nvml_api *bc_nvml_api_open(void)
{
	static struct bc_nvml_api api;
	static bool tried, there;
	void *lib;

	if (tried)
		return there ? &api : NULL;
	tried = true;
	lib = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
	for (size_t i = 0; lib && i < BC_ARRAY_LEN(symbols); i++) {
		void *f = dlsym(lib, symbols[i].name);

		memcpy((char *)&api + symbols[i].offset, &f, sizeof(f)); /* a cast would not be ISO C */
	}
	there = api.nvmlInit_v2 && api.nvmlDeviceGetHandleByUUID && api.nvmlInit_v2() == BC_NVML_SUCCESS;
	return there ? &api : NULL;
}

static void read_slowed(const struct bc_nvml *n, struct bc_gpu_slowdown *out)
{
	struct bc_nvml_violation v = { 0 };

	memset(out, 0, sizeof(*out));
	if (!n->api->nvmlDeviceGetViolationStatus)
		return;
	out->has_heat = n->api->nvmlDeviceGetViolationStatus(n->dev, BC_NVML_POLICY_THERMAL, &v) == BC_NVML_SUCCESS;
	out->heat_ns = v.time_ns;
	out->has_board =
		n->api->nvmlDeviceGetViolationStatus(n->dev, BC_NVML_POLICY_BOARD_LIMIT, &v) == BC_NVML_SUCCESS;
	out->board_ns = v.time_ns;
}

/* Ask for the GPU's error events. Without them the rest still works. */
static void register_events(struct bc_nvml *n)
{
	const struct bc_nvml_api *api = n->api;
	unsigned long long can = BC_GPU_ERROR_EVENTS;

	if (!api->nvmlEventSetCreate || !api->nvmlDeviceRegisterEvents || !api->nvmlEventSetWait_v2 ||
	    !api->nvmlEventSetFree || !api->nvmlDeviceGetSupportedEventTypes ||
	    api->nvmlDeviceGetSupportedEventTypes(n->dev, &can) != BC_NVML_SUCCESS || !(can & BC_GPU_ERROR_EVENTS) ||
	    api->nvmlEventSetCreate(&n->set) != BC_NVML_SUCCESS) {
		n->set = NULL;
		return;
	}
	if (api->nvmlDeviceRegisterEvents(n->dev, can & BC_GPU_ERROR_EVENTS, n->set) != BC_NVML_SUCCESS) {
		(void)api->nvmlEventSetFree(n->set);
		n->set = NULL;
	}
}

struct bc_nvml *bc_nvml_open(const struct bc_nvml_api *api, const char *uuid, const char *pci)
{
	bc_nvml_device dev = NULL;
	struct bc_nvml *n;

	if (!api)
		return NULL;
	if (api->nvmlDeviceGetHandleByUUID(uuid, &dev) != BC_NVML_SUCCESS &&
	    (!pci[0] || !api->nvmlDeviceGetHandleByPciBusId_v2 ||
	     api->nvmlDeviceGetHandleByPciBusId_v2(pci, &dev) != BC_NVML_SUCCESS))
		return NULL;
	n = calloc(1, sizeof(*n));
	if (!n)
		return NULL;
	n->api = api;
	n->dev = dev;
	register_events(n);
	read_slowed(n, &n->slowed);
	return n;
}

void bc_nvml_close(struct bc_nvml *n)
{
	if (!n)
		return;
	if (n->set)
		(void)n->api->nvmlEventSetFree(n->set);
	free(n);
}

/* A text of the board; what is not told, and what is longer than a library of today gives, leaves @out as it is. */
static void read_text(int (*get)(bc_nvml_device, char *, unsigned), bc_nvml_device dev, char *out, size_t size)
{
	char text[TEXT_MAX] = "";

	if (get && get(dev, text, sizeof(text)) == BC_NVML_SUCCESS && memchr(text, '\0', sizeof(text)) && text[0])
		(void)bc_strlcpy(out, text, size);
}

static void read_mig(const struct bc_nvml *n, struct bc_facts *f)
{
	static const char mark[] = " MIG ";
	const char *profile = strstr(f->name, mark);
	unsigned now = 0, after = 0;

	if (profile)
		(void)snprintf(f->mig, sizeof(f->mig), "on, %.50s", profile + sizeof(mark) - 1);
	else if (n->api->nvmlDeviceGetMigMode && n->api->nvmlDeviceGetMigMode(n->dev, &now, &after) == BC_NVML_SUCCESS)
		(void)bc_strlcpy(f->mig, now ? "on" : "off", sizeof(f->mig));
}

void bc_nvml_identify(struct bc_nvml *n, struct bc_facts *f)
{
	const struct bc_nvml_api *api;
	char gsp[TEXT_MAX] = "";
	unsigned lanes = 0, most = 0;

	if (!n)
		return;
	api = n->api;
	read_text(api->nvmlDeviceGetSerial, n->dev, f->serial, sizeof(f->serial));
	read_text(api->nvmlDeviceGetBoardPartNumber, n->dev, f->board_part, sizeof(f->board_part));
	read_text(api->nvmlDeviceGetVbiosVersion, n->dev, f->vbios, sizeof(f->vbios));
	if (api->nvmlDeviceGetGspFirmwareVersion &&
	    api->nvmlDeviceGetGspFirmwareVersion(n->dev, gsp) == BC_NVML_SUCCESS && gsp[0])
		(void)bc_strlcpy(f->gsp_firmware, gsp, sizeof(f->gsp_firmware));
	read_mig(n, f);
	if (api->nvmlDeviceGetCurrPcieLinkWidth && api->nvmlDeviceGetMaxPcieLinkWidth &&
	    api->nvmlDeviceGetCurrPcieLinkWidth(n->dev, &lanes) == BC_NVML_SUCCESS &&
	    api->nvmlDeviceGetMaxPcieLinkWidth(n->dev, &most) == BC_NVML_SUCCESS)
		(void)snprintf(f->pcie_width, sizeof(f->pcie_width), "x%u of x%u", lanes, most);
}

void bc_nvml_read(struct bc_nvml *n, struct bc_gpu_reading *out)
{
	struct bc_nvml_process process[PROCESSES_MAX];
	const struct bc_nvml_api *api;
	unsigned processes = PROCESSES_MAX;
	unsigned long long reasons = 0, errors = 0;
	int r = -1;

	memset(out, 0, sizeof(*out));
	if (!n)
		return;
	api = n->api;
	out->has_clocks = api->nvmlDeviceGetClockInfo &&
			  api->nvmlDeviceGetClockInfo(n->dev, NVML_CLOCK_SM, &out->sm_mhz) == BC_NVML_SUCCESS &&
			  api->nvmlDeviceGetClockInfo(n->dev, NVML_CLOCK_MEM, &out->memory_mhz) == BC_NVML_SUCCESS;
	out->has_celsius =
		api->nvmlDeviceGetTemperature &&
		api->nvmlDeviceGetTemperature(n->dev, NVML_TEMPERATURE_GPU, &out->celsius) == BC_NVML_SUCCESS;
	out->has_reasons = api->nvmlDeviceGetCurrentClocksThrottleReasons &&
			   api->nvmlDeviceGetCurrentClocksThrottleReasons(n->dev, &reasons) == BC_NVML_SUCCESS;
	out->has_errors = api->nvmlDeviceGetTotalEccErrors &&
			  api->nvmlDeviceGetTotalEccErrors(n->dev, NVML_ERROR_UNCORRECTED, NVML_VOLATILE_ECC,
							   &errors) == BC_NVML_SUCCESS;
	if (api->nvmlDeviceGetComputeRunningProcesses_v3)
		r = api->nvmlDeviceGetComputeRunningProcesses_v3(n->dev, &processes, process);
	/* More than there is room for: it says how many, and who they are does not matter. */
	out->has_processes = r == BC_NVML_SUCCESS || r == BC_NVML_INSUFFICIENT_SIZE;
	out->reasons = reasons;
	out->errors = errors;
	out->processes = processes;
}

/* A figure that cannot be read this time keeps its older value. */
static void update_slowed(struct bc_gpu_slowdown *kept, const struct bc_gpu_slowdown *now)
{
	if (now->has_heat) {
		kept->has_heat = true;
		kept->heat_ns = now->heat_ns;
	}
	if (now->has_board) {
		kept->has_board = true;
		kept->board_ns = now->board_ns;
	}
}

static void read_events(struct bc_nvml *n, unsigned wait_ms, struct bc_gpu_events *out)
{
	for (unsigned i = 0; n->set && i < EVENTS_READ; i++) {
		struct bc_nvml_event e = { 0 };
		const int r = n->api->nvmlEventSetWait_v2(n->set, &e, wait_ms);

		out->lost = out->lost || r == BC_NVML_GPU_IS_LOST;
		if (r != BC_NVML_SUCCESS)
			return; /* BC_NVML_TIMEOUT: there are no more */
		if (out->n < BC_GPU_EVENTS_MAX)
			out->event[out->n++] = (struct bc_gpu_event){ .type = e.type, .data = e.data };
		else
			out->more++;
		wait_ms = wait_ms > AFTER_MS ? AFTER_MS : wait_ms;
	}
}

void bc_nvml_events_since(struct bc_nvml *n, unsigned wait_ms, struct bc_device_events *out)
{
	struct bc_gpu_slowdown before, now;
	struct bc_gpu_events events = { .n = 0 };

	memset(out, 0, sizeof(*out));
	if (!n)
		return;
	before = n->slowed;
	read_events(n, wait_ms, &events);
	read_slowed(n, &now);
	bc_state_events_since(&events, &before, &now, out);
	update_slowed(&n->slowed, &now);
}
