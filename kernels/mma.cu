// SPDX-License-Identifier: MIT
// kernels/mma.cu - a tile of a matrix product: fragments from shared memory by ldmatrix, mma.sync on them.
//
// One warp. A row of 128 bytes is four steps of 32: 16 columns of 16 bits, 32 of 8, 8 of 32. The fragments of all are
// the same bytes in the same lanes, so that ldmatrix loads them all; 64-bit ones are loaded one by one. bc_mma_<a
// type>: float or 32-bit integer accumulators; bc_mma_f16_f16: of 16 bits. Compute capability 8.0 and up.
#include "bc_kernel.h"

extern __shared__ __align__(16) unsigned char tiles[];

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800

static __device__ __forceinline__ bc_u32 address(const unsigned char *p)
{
	return static_cast<bc_u32>(__cvta_generic_to_shared(p));
}

// Where chunk @chunk of 16 bytes of row @row is.
static __device__ __forceinline__ bc_u32 place(const struct bc_mma_params &p, bc_u32 row, bc_u32 chunk)
{
	return row * p.pitch + 16 * (chunk ^ (row & p.mask));
}

static __device__ __forceinline__ void copy_rows(const struct bc_mma_params &p, unsigned char *to, const bc_u32 *from,
						 bc_u32 rows)
{
	for (bc_u32 i = threadIdx.x; i < rows * 32; i += 32)
		*reinterpret_cast<bc_u32 *>(to + place(p, i / 32, i % 32 / 4) + 4 * (i % 4)) = from[i];
}

static __device__ __forceinline__ void load_a(const struct bc_mma_params &p, bc_u32 step, bc_u32 (&a)[4])
{
	const bc_u32 l = threadIdx.x;

	asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
		     : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
		     : "r"(address(tiles + place(p, l % 16, 2 * step + l / 16)))
		     : "memory");
}

static __device__ __forceinline__ void load_b(const struct bc_mma_params &p, const unsigned char *tile, bc_u32 step,
					      bc_u32 (&b)[2])
{
	const bc_u32 l = threadIdx.x % 16;

	if (p.transposed == 1)
		asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
			     : "=r"(b[0]), "=r"(b[1])
			     : "r"(address(tile + 16 * (16 * step + l)))
			     : "memory");
	else
		asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
			     : "=r"(b[0]), "=r"(b[1])
			     : "r"(p.transposed ? address(tile + 16 * (16 * step + l))
						: address(tile + place(p, l % 8, 2 * step + l / 8)))
			     : "memory");
}

#define MMA(form, kind)                                                                         \
	asm volatile("mma.sync.aligned." form " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, " \
		     "{%0, %1, %2, %3};"                                                        \
		     : "+" kind(c[0]), "+" kind(c[1]), "+" kind(c[2]), "+" kind(c[3])           \
		     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))

// The accumulators of a lane to rows g and g + 8, columns 2t and 2t + 1.
template <typename T> static __device__ __forceinline__ void store(bc_u32 *out, const T (&c)[4])
{
	const bc_u32 g = threadIdx.x / 4, t = threadIdx.x % 4;
	T *to = reinterpret_cast<T *>(out);

	for (bc_u32 i = 0; i < 4; i++)
		to[8 * (g + 8 * (i / 2)) + 2 * t + i % 2] = c[i];
}

#define BC_MMA(name, type, form, kind)                                          \
	extern "C" __global__ void bc_mma_##name(const struct bc_mma_params p)  \
	{                                                                       \
		unsigned char *tile_b = tiles + 16 * p.pitch;                   \
		type c[4] = { 0, 0, 0, 0 };                                     \
                                                                                \
		copy_rows(p, tiles, p.a, 16);                                   \
		if (p.transposed)                                               \
			for (bc_u32 i = threadIdx.x; i < 256; i += 32)          \
				reinterpret_cast<bc_u32 *>(tile_b)[i] = p.b[i]; \
		else                                                            \
			copy_rows(p, tile_b, p.b, 8);                           \
		__syncwarp();                                                   \
		for (bc_u32 step = 0; step < 4; step++) {                       \
			bc_u32 a[4], b[2];                                      \
                                                                                \
			load_a(p, step, a);                                     \
			load_b(p, tile_b, step, b);                             \
			MMA(form, kind);                                        \
		}                                                               \
		store(p.out, c);                                                \
	}

BC_MMA(f16, float, "m16n8k16.row.col.f32.f16.f16.f32", "f")
BC_MMA(bf16, float, "m16n8k16.row.col.f32.bf16.bf16.f32", "f")
BC_MMA(tf32, float, "m16n8k8.row.col.f32.tf32.tf32.f32", "f")
BC_MMA(s8, int, "m16n8k32.row.col.s32.s8.s8.s32", "r")
BC_MMA(u8, int, "m16n8k32.row.col.s32.u8.s8.s32", "r")

// Two accumulators of 16 bits in a register.
extern "C" __global__ void bc_mma_f16_f16(const struct bc_mma_params p)
{
	unsigned char *tile_b = tiles + 16 * p.pitch;
	const bc_u32 g = threadIdx.x / 4, t = threadIdx.x % 4;
	bc_u32 c[2] = { 0, 0 };

	copy_rows(p, tiles, p.a, 16);
	copy_rows(p, tile_b, p.b, 8);
	__syncwarp();
	for (bc_u32 step = 0; step < 4; step++) {
		bc_u32 a[4], b[2];

		load_a(p, step, a);
		load_b(p, tile_b, step, b);
		asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, "
			     "{%0, %1};"
			     : "+r"(c[0]), "+r"(c[1])
			     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
	}
	p.out[4 * g + t] = c[0];
	p.out[4 * (g + 8) + t] = c[1];
}

// 8 rows of 16 elements of 64 bits, four steps of four.
extern "C" __global__ void bc_mma_f64(const struct bc_mma_params p)
{
	const unsigned char *tile_b = tiles + 16 * p.pitch;
	const bc_u32 g = threadIdx.x / 4, t = threadIdx.x % 4;
	double c[2] = { 0, 0 };

	copy_rows(p, tiles, p.a, 8);
	copy_rows(p, tiles + 16 * p.pitch, p.b, 8);
	__syncwarp();
	for (bc_u32 step = 0; step < 4; step++) {
		const bc_u32 k = 4 * step + t, at = place(p, g, k / 2) + 8 * (k % 2);

		asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
			     : "+d"(c[0]), "+d"(c[1])
			     : "d"(*reinterpret_cast<const double *>(tiles + at)),
			       "d"(*reinterpret_cast<const double *>(tile_b + at)));
	}
	reinterpret_cast<double *>(p.out)[8 * g + 2 * t] = c[0];
	reinterpret_cast<double *>(p.out)[8 * g + 2 * t + 1] = c[1];
}

#else
// For an architecture that lacks these shapes: no case runs them there.
#define BC_NOTHING(name)                                              \
	extern "C" __global__ void name(const struct bc_mma_params p) \
	{                                                             \
		(void)p;                                              \
	}
BC_NOTHING(bc_mma_f16)
BC_NOTHING(bc_mma_bf16)
BC_NOTHING(bc_mma_tf32)
BC_NOTHING(bc_mma_s8)
BC_NOTHING(bc_mma_u8)
BC_NOTHING(bc_mma_f16_f16)
BC_NOTHING(bc_mma_f64)
#endif
