/* SPDX-License-Identifier: MIT */
#include "harness/device/cuda/facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t bc_cuda_attribute(const struct bc_cuda_api *cu, CUdevice dev, CUdevice_attribute a)
{
	int v = 0;

	return cu->cuDeviceGetAttribute(&v, a, dev) == CUDA_SUCCESS && v > 0 ? (uint32_t)v : 0;
}

static void versions(const struct bc_cuda_api *cu, struct bc_facts *f)
{
	int v = 0;
	FILE *file = fopen("/proc/driver/nvidia/version", "r");

	if (cu->cuDriverGetVersion(&v) == CUDA_SUCCESS)
		(void)snprintf(f->cuda, sizeof(f->cuda), "%d.%d", v / 1000, v % 1000 / 10);
	if (file) {
		char line[256];

		/* "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build": the first
		 * number */
		if (fgets(line, sizeof(line), file)) {
			for (char *save = NULL, *t = strtok_r(line, " \t\n", &save); t;
			     t = strtok_r(NULL, " \t\n", &save)) {
				if (t[0] >= '1' && t[0] <= '9' && strchr(t, '.') &&
				    strspn(t, "0123456789.") == strlen(t)) {
					(void)bc_strlcpy(f->driver, t, sizeof(f->driver));
					break;
				}
			}
		}
		(void)fclose(file);
	}
}

enum bc_status bc_cuda_facts(const struct bc_cuda_api *cu, unsigned index, struct bc_facts *f, struct bc_error *err)
{
	CUdevice dev;
	CUuuid id;
	enum bc_status st = bc_cuda_check(cu->cuDeviceGet(&dev, (int)index), "cuDeviceGet", NULL, err);

	if (st)
		return st;
	memset(f, 0, sizeof(*f));
	f->kind = BC_DEVICE_CUDA;
	f->index = index;
	st = bc_cuda_check(cu->cuDeviceGetName(f->name, (int)sizeof(f->name), dev), "cuDeviceGetName", NULL, err);
	if (st)
		return st;
	(void)snprintf(f->arch, sizeof(f->arch), "sm_%u",
		       bc_cuda_attribute(cu, dev, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) * 10 +
			       bc_cuda_attribute(cu, dev, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
	if (cu->cuDeviceGetUuid(&id, dev) == CUDA_SUCCESS) {
		const unsigned char *b = (const unsigned char *)id.bytes;

		(void)snprintf(f->uuid, sizeof(f->uuid),
			       "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1],
			       b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14],
			       b[15]);
	}
	if (cu->cuDeviceGetPCIBusId(f->pci, (int)sizeof(f->pci), dev) != CUDA_SUCCESS)
		f->pci[0] = '\0';
	versions(cu, f);
	f->optin_bytes = bc_cuda_attribute(cu, dev, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
	f->sm_bytes = bc_cuda_attribute(cu, dev, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
	f->static_bytes = bc_cuda_attribute(cu, dev, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
	f->reserved_bytes = bc_cuda_attribute(cu, dev, CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
	f->sms = bc_cuda_attribute(cu, dev, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
	f->clock_khz = bc_cuda_attribute(cu, dev, CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
	f->memory_clock_khz = bc_cuda_attribute(cu, dev, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
	f->ecc = (int)bc_cuda_attribute(cu, dev, CU_DEVICE_ATTRIBUTE_ECC_ENABLED);
	return BC_OK;
}

enum bc_status bc_cuda_list(const struct bc_open_options *o, struct bc_facts **out, size_t *n, struct bc_error *err)
{
	const struct bc_cuda_api *cu = NULL;
	struct bc_facts *facts = NULL;
	int count = 0;
	enum bc_status st = bc_cuda_api_open(&cu, err);
	CUresult r;

	(void)o;
	*out = NULL;
	*n = 0;
	if (st)
		return st;
	r = cu->cuInit(0);
	if (r == CUDA_ERROR_NO_DEVICE)
		return BC_OK;
	st = bc_cuda_check(r, "cuInit", NULL, err);
	if (!st)
		st = bc_cuda_check(cu->cuDeviceGetCount(&count), "cuDeviceGetCount", NULL, err);
	if (st || count <= 0)
		return st;
	facts = calloc((size_t)count, sizeof(*facts));
	if (!facts)
		return bc_fail(err, BC_ENOMEM, "device list: out of memory");
	for (int i = 0; !st && i < count; i++)
		st = bc_cuda_facts(cu, (unsigned)i, &facts[i], err);
	if (st) {
		free(facts);
		return st;
	}
	*out = facts;
	*n = (size_t)count;
	return BC_OK;
}
