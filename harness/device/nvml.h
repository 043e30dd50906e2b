/* SPDX-License-Identifier: MIT */
/* harness/device/nvml.h - the GPU's state by NVML (libnvidia-ml.so.1), opened at run time; its header is not needed.
 *
 * All calls go through a table of functions, so that a test can stand in for the library.
 */
#ifndef BC_DEVICE_NVML_H
#define BC_DEVICE_NVML_H

#include "harness/core/facts.h"
#include "harness/device/state.h"

/* What is used of nvml.h. Its names, numbers and structs are part of the library's stable interface. */
typedef struct nvmlDevice_st *bc_nvml_device;
typedef struct nvmlEventSet_st *bc_nvml_set;

#define BC_NVML_SUCCESS 0
#define BC_NVML_INSUFFICIENT_SIZE 7
#define BC_NVML_TIMEOUT 10
#define BC_NVML_GPU_IS_LOST 15
#define BC_NVML_POLICY_THERMAL 1
#define BC_NVML_POLICY_BOARD_LIMIT 3

struct bc_nvml_process {
	unsigned pid;
	unsigned long long used_memory;
	unsigned gpu_instance, compute_instance;
};

struct bc_nvml_event {
	bc_nvml_device device;
	unsigned long long type, data;
	unsigned gpu_instance, compute_instance;
};

struct bc_nvml_violation {
	unsigned long long reference_us, time_ns;
};

/* Each of these may be NULL but the first two: old and cut-down drivers lack some. All return a BC_NVML_ code. */
struct bc_nvml_api {
	int (*nvmlInit_v2)(void);
	int (*nvmlDeviceGetHandleByUUID)(const char *uuid, bc_nvml_device *dev);
	int (*nvmlDeviceGetHandleByPciBusId_v2)(const char *pci, bc_nvml_device *dev);
	int (*nvmlDeviceGetClockInfo)(bc_nvml_device dev, int type, unsigned *mhz);
	int (*nvmlDeviceGetTemperature)(bc_nvml_device dev, int sensor, unsigned *celsius);
	int (*nvmlDeviceGetCurrentClocksThrottleReasons)(bc_nvml_device dev, unsigned long long *reasons);
	int (*nvmlDeviceGetTotalEccErrors)(bc_nvml_device dev, int type, int counter, unsigned long long *count);
	int (*nvmlDeviceGetComputeRunningProcesses_v3)(bc_nvml_device dev, unsigned *n,
						       struct bc_nvml_process *process);
	int (*nvmlDeviceGetViolationStatus)(bc_nvml_device dev, int policy, struct bc_nvml_violation *out);
	int (*nvmlDeviceGetSerial)(bc_nvml_device dev, char *out, unsigned size);
	int (*nvmlDeviceGetBoardPartNumber)(bc_nvml_device dev, char *out, unsigned size);
	int (*nvmlDeviceGetVbiosVersion)(bc_nvml_device dev, char *out, unsigned size);
	int (*nvmlDeviceGetGspFirmwareVersion)(bc_nvml_device dev, char *out); /* 64 bytes */
	int (*nvmlDeviceGetMigMode)(bc_nvml_device dev, unsigned *now, unsigned *after_reset);
	int (*nvmlDeviceGetCurrPcieLinkWidth)(bc_nvml_device dev, unsigned *lanes);
	int (*nvmlDeviceGetMaxPcieLinkWidth)(bc_nvml_device dev, unsigned *lanes);
	int (*nvmlDeviceGetSupportedEventTypes)(bc_nvml_device dev, unsigned long long *types);
	int (*nvmlEventSetCreate)(bc_nvml_set *set);
	int (*nvmlDeviceRegisterEvents)(bc_nvml_device dev, unsigned long long types, bc_nvml_set set);
	int (*nvmlEventSetWait_v2)(bc_nvml_set set, struct bc_nvml_event *event, unsigned timeout_ms);
	int (*nvmlEventSetFree)(bc_nvml_set set);
};

/* The library's functions, opened once a process and never closed. Return: NULL when it is not there or refuses. */
const struct bc_nvml_api *bc_nvml_api_open(void);

/* One GPU, watched from when it was opened. */
struct bc_nvml;

/**
 * bc_nvml_open - find a GPU and begin to listen to its Xid and ECC events
 * @api:  NULL is allowed
 * @uuid: "GPU-..."
 * @pci:  its PCI bus id, asked when the UUID is not known (a MIG instance has one of its own); "": none
 *
 * Return: NULL when there is no @api, no such GPU, or no memory.
 */
struct bc_nvml *bc_nvml_open(const struct bc_nvml_api *api, const char *uuid, const char *pci);

/**
 * bc_nvml_identify - what the board is: serial, board_part, vbios, gsp_firmware, mig and pcie_width of @f
 * @f: the profile of a MIG instance is taken from its name, as CUDA tells it ("NVIDIA H200 MIG 1g.18gb")
 *
 * What the GPU or its driver does not tell stays as it is. With @n NULL nothing is told.
 */
void bc_nvml_identify(struct bc_nvml *n, struct bc_facts *f);

/* Read what can be read now. With @n NULL nothing can: every has_* is false. */
void bc_nvml_read(struct bc_nvml *n, struct bc_gpu_reading *out);

/**
 * bc_nvml_events_since - what has happened since the last call, or since the GPU was opened
 * @wait_ms: wait so long for a first event (one that follows an error comes a moment later)
 *
 * With @n NULL nothing has. NVML advances its slowdown times in steps of about 100 ms.
 */
void bc_nvml_events_since(struct bc_nvml *n, unsigned wait_ms, struct bc_device_events *out);

void bc_nvml_close(struct bc_nvml *n); /* NULL is allowed */

#endif
