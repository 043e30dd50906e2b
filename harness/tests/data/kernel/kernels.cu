// SPDX-License-Identifier: MIT
// Kernels for the tests of `bankcheck kernel`; kernels.ptx is made of it by
//     nvcc -ptx -lineinfo -arch=compute_75 kernels.cu
// with the path in .file cut to the name. Line numbers are in the tests.
__global__ void transpose(const float *in, float *out)
{
	__shared__ float tile[32][32];

	tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
	__syncthreads();
	out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y]; // line 11: 32-way
}

__global__ void padded(const float *in, float *out)
{
	__shared__ float tile[32][33];

	tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
	__syncthreads();
	out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y]; // line 20: clean
}

namespace ns
{
template <typename T> __global__ void strided(T *out, int stride)
{
	extern __shared__ __align__(16) unsigned char bytes[];
	T *word = (T *)bytes;

	for (int i = threadIdx.x; i < 32 * stride; i += 32)
		word[i] = i;
	__syncwarp();
	if (threadIdx.x < 16)
		out[threadIdx.x] = word[threadIdx.x * stride]; // line 34: half a warp
}
template __global__ void strided<int>(int *, int);
template __global__ void strided<double>(double *, int);
} // namespace ns

__global__ void histogram(unsigned *out)
{
	__shared__ unsigned bin[32];

	bin[threadIdx.x] = 0;
	__syncwarp();
	atomicAdd(&bin[0], threadIdx.x); // line 46: one word, 32 lanes
	__syncwarp();
	out[threadIdx.x] = bin[threadIdx.x];
}

__global__ void racy(const float *in, float *out)
{
	__shared__ float word[64];

	word[threadIdx.x] = in[threadIdx.x];
	out[threadIdx.x] = word[63 - threadIdx.x]; // line 56: no barrier before it
}

__global__ void scatter(const float *in, float *out, float factor, short step, double add, char bias)
{
	out[threadIdx.x * step] = in[threadIdx.x] * factor + (float)add + bias; // line 61: step 8: a sector each
}

__global__ void forever(volatile int *go)
{
	while (!*go)
		;
}

__constant__ float table[32];
__global__ void looked_up(float *out)
{
	out[threadIdx.x] = table[threadIdx.x ^ 1];
}
