// SPDX-License-Identifier: MIT
// A transpose of 32 x 32 tiles. PAD is what keeps its column reads out of one bank: without it they are 32-way.
#ifndef PAD
#define PAD 1
#endif
#define TILE 32

__global__ void transpose(const float *in, float *out, int width, int height)
{
	__shared__ float tile[TILE][TILE + PAD];
	const int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;

	for (int row = 0; row < TILE; row += blockDim.y)
		if (x < width && y + row < height)
			tile[threadIdx.y + row][threadIdx.x] = in[(y + row) * width + x];
	__syncthreads();
	const int tx = blockIdx.y * TILE + threadIdx.x, ty = blockIdx.x * TILE + threadIdx.y;

	for (int row = 0; row < TILE; row += blockDim.y)
		if (tx < height && ty + row < width)
			out[(ty + row) * height + tx] = tile[threadIdx.x][threadIdx.y + row];
}
