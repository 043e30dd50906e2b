/* SPDX-License-Identifier: MIT */
/* harness/tests/stubs/stub_nvml.c - a libnvidia-ml.so.1 for tests where no GPU is: stub_cuda.c's GPU, and its board. */
#include <stdio.h>
#include <string.h>

#include "harness/device/nvml.h"

static int board; /* its address is the handle */

int nvmlInit_v2(void);
int nvmlDeviceGetHandleByUUID(const char *uuid, bc_nvml_device *dev);
int nvmlDeviceGetSerial(bc_nvml_device dev, char *out, unsigned size);
int nvmlDeviceGetBoardPartNumber(bc_nvml_device dev, char *out, unsigned size);
int nvmlDeviceGetVbiosVersion(bc_nvml_device dev, char *out, unsigned size);
int nvmlDeviceGetGspFirmwareVersion(bc_nvml_device dev, char *out);
int nvmlDeviceGetMigMode(bc_nvml_device dev, unsigned *now, unsigned *after_reset);
int nvmlDeviceGetCurrPcieLinkWidth(bc_nvml_device dev, unsigned *lanes);
int nvmlDeviceGetMaxPcieLinkWidth(bc_nvml_device dev, unsigned *lanes);

int nvmlInit_v2(void)
{
	return BC_NVML_SUCCESS;
}

int nvmlDeviceGetHandleByUUID(const char *uuid, bc_nvml_device *dev)
{
	if (strcmp(uuid, "GPU-11111111-1111-1111-1111-111111111111") != 0)
		return 6; /* not found */
	*dev = (bc_nvml_device)(void *)&board;
	return BC_NVML_SUCCESS;
}

static int say(bc_nvml_device dev, char *out, unsigned size, const char *text)
{
	if (dev != (bc_nvml_device)(void *)&board)
		return 2; /* invalid argument */
	return snprintf(out, size, "%s", text) < (int)size ? BC_NVML_SUCCESS : BC_NVML_INSUFFICIENT_SIZE;
}

int nvmlDeviceGetSerial(bc_nvml_device dev, char *out, unsigned size)
{
	return say(dev, out, size, "1650000000001");
}

int nvmlDeviceGetBoardPartNumber(bc_nvml_device dev, char *out, unsigned size)
{
	return say(dev, out, size, "900-21010-0040-000");
}

int nvmlDeviceGetVbiosVersion(bc_nvml_device dev, char *out, unsigned size)
{
	return say(dev, out, size, "96.00.A5.00.01");
}

int nvmlDeviceGetGspFirmwareVersion(bc_nvml_device dev, char *out)
{
	return say(dev, out, 64, "580.00.01");
}

int nvmlDeviceGetMigMode(bc_nvml_device dev, unsigned *now, unsigned *after_reset)
{
	(void)dev;
	*now = *after_reset = 0;
	return BC_NVML_SUCCESS;
}

int nvmlDeviceGetCurrPcieLinkWidth(bc_nvml_device dev, unsigned *lanes)
{
	(void)dev;
	*lanes = 16;
	return BC_NVML_SUCCESS;
}

int nvmlDeviceGetMaxPcieLinkWidth(bc_nvml_device dev, unsigned *lanes)
{
	return nvmlDeviceGetCurrPcieLinkWidth(dev, lanes);
}
