/* SPDX-License-Identifier: MIT */
/* harness/tests/stubs/stub_memory.c - memory of the GPU of both libcuda.so.1 here: it is the process's own. */
#include <cuda.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

CUresult cuMemAlloc(CUdeviceptr *at, size_t bytes)
{
	void *memory = malloc(bytes);

	*at = (CUdeviceptr)(uintptr_t)memory;
	if (memory)
		memset(memory, 0xcd, bytes); /* nobody may rely on what new memory holds */
	return memory ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuMemFree(CUdeviceptr at)
{
	free((void *)(uintptr_t)at);
	return CUDA_SUCCESS;
}

CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes)
{
	memcpy((void *)(uintptr_t)to, from, bytes);
	return CUDA_SUCCESS;
}

CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes)
{
	memcpy(to, (const void *)(uintptr_t)from, bytes);
	return CUDA_SUCCESS;
}

CUresult cuMemsetD8(CUdeviceptr at, unsigned char byte, size_t bytes)
{
	memset((void *)(uintptr_t)at, byte, bytes);
	return CUDA_SUCCESS;
}

CUresult cuMemHostAlloc(void **at, size_t bytes, unsigned flags)
{
	(void)flags;
	*at = malloc(bytes);
	return *at ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuMemFreeHost(void *at)
{
	free(at);
	return CUDA_SUCCESS;
}
