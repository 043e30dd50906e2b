/* SPDX-License-Identifier: MIT */
#include "harness/device/cuda/nvml.h"

#include <dlfcn.h>
#include <string.h>

/* What is used of nvml.h; the numbers are its enums' and part of the library's stable interface. */
typedef struct nvmlDevice_st *nvml_device;

#define NVML_CLOCK_SM 1
#define NVML_CLOCK_MEM 2
#define NVML_TEMPERATURE_GPU 0
#define NVML_ERROR_UNCORRECTED 1
#define NVML_VOLATILE_ECC 0
#define PROCESSES_MAX 64

struct nvml_process {
	unsigned pid;
	unsigned long long used_memory;
	unsigned gpu_instance, compute_instance;
};

static struct nvml {
	int (*nvmlInit_v2)(void);
	int (*nvmlDeviceGetHandleByUUID)(const char *uuid, nvml_device *dev);
	int (*nvmlDeviceGetClockInfo)(nvml_device dev, int type, unsigned *mhz);
	int (*nvmlDeviceGetTemperature)(nvml_device dev, int sensor, unsigned *celsius);
	int (*nvmlDeviceGetCurrentClocksThrottleReasons)(nvml_device dev, unsigned long long *reasons);
	int (*nvmlDeviceGetTotalEccErrors)(nvml_device dev, int type, int counter, unsigned long long *count);
	int (*nvmlDeviceGetComputeRunningProcesses_v3)(nvml_device dev, unsigned *n, struct nvml_process *process);
} nvml;

/* Look a function up; void * and function pointers have one size wherever there is dlsym. */
static bool find(void *lib, const char *name, void *at)
{
	void *f = dlsym(lib, name);

	memcpy(at, &f, sizeof(f));
	return f != NULL;
}

#define FIND(name) find(lib, #name, &nvml.name)

/* Opened once a process and never closed. Return: false when it is not there or refuses. */
static bool open_nvml(void)
{
	static bool tried, there;
	void *lib;

	if (tried)
		return there;
	tried = true;
	lib = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!lib || !FIND(nvmlInit_v2) || !FIND(nvmlDeviceGetHandleByUUID) || nvml.nvmlInit_v2() != 0)
		return false;
	/* Each of these may be missing from an old or a cut-down driver. */
	(void)FIND(nvmlDeviceGetClockInfo);
	(void)FIND(nvmlDeviceGetTemperature);
	(void)FIND(nvmlDeviceGetCurrentClocksThrottleReasons);
	(void)FIND(nvmlDeviceGetTotalEccErrors);
	(void)FIND(nvmlDeviceGetComputeRunningProcesses_v3);
	there = true;
	return true;
}

void bc_nvml_read(const char *uuid, struct bc_gpu_reading *out)
{
	struct nvml_process process[PROCESSES_MAX];
	unsigned n = PROCESSES_MAX;
	unsigned long long reasons = 0, errors = 0;
	nvml_device dev = NULL;

	memset(out, 0, sizeof(*out));
	if (!open_nvml() || nvml.nvmlDeviceGetHandleByUUID(uuid, &dev) != 0)
		return;
	out->has_clocks = nvml.nvmlDeviceGetClockInfo &&
			  nvml.nvmlDeviceGetClockInfo(dev, NVML_CLOCK_SM, &out->sm_mhz) == 0 &&
			  nvml.nvmlDeviceGetClockInfo(dev, NVML_CLOCK_MEM, &out->memory_mhz) == 0;
	out->has_celsius = nvml.nvmlDeviceGetTemperature &&
			   nvml.nvmlDeviceGetTemperature(dev, NVML_TEMPERATURE_GPU, &out->celsius) == 0;
	out->has_reasons = nvml.nvmlDeviceGetCurrentClocksThrottleReasons &&
			   nvml.nvmlDeviceGetCurrentClocksThrottleReasons(dev, &reasons) == 0;
	out->has_errors =
		nvml.nvmlDeviceGetTotalEccErrors &&
		nvml.nvmlDeviceGetTotalEccErrors(dev, NVML_ERROR_UNCORRECTED, NVML_VOLATILE_ECC, &errors) == 0;
	out->has_processes = nvml.nvmlDeviceGetComputeRunningProcesses_v3 &&
			     nvml.nvmlDeviceGetComputeRunningProcesses_v3(dev, &n, process) == 0;
	out->reasons = reasons;
	out->errors = errors;
	out->processes = n;
}
