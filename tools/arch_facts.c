/* SPDX-License-Identifier: MIT */
/* tools/arch_facts.c - what a CUDA toolkit says of an architecture, for tools/check-arch.sh.
 *
 * arch_facts cubin FILE KERNEL
 *     "window_base N", where the kernel's dynamic shared memory starts: the bytes before it are the system's where the
 *     kernel has no static shared memory. "popc_inc 0|1", of a kernel with one shared atomic: is it ATOMS.POPC.INC?
 * arch_facts occupancy CC
 *     "sm_bytes N", "max_blocks_sm N", "reserves 0|1" of compute capability CC (90), by cuda_occupancy.h.
 * arch_facts metric LIBCUPTI CHIP METRIC
 *     "has 0|1": does CUPTI count it on the chip (GA102)? No GPU is needed.
 *
 * Status: 0; 1: the toolkit does not know it, said on stderr; 3: wrong usage or a file that is no cubin.
 */
#include <dlfcn.h>
#include <elf.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if __has_include(<cuda_occupancy.h>)
#include <cuda_occupancy.h>
#define HAVE_OCCUPANCY 1
#else
#define HAVE_OCCUPANCY 0
#endif

#if __has_include(<cupti_profiler_host.h>)
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#define HAVE_CUPTI 1
#else
#define HAVE_CUPTI 0
#endif

#define CUBIN_MAX (16 << 20)
#define INSTRUCTION 16 /* bytes, from compute capability 7.0 on; the operation is in the lowest 12 bits */

/* Checked against nvdisasm 13.5 on code of ptxas 12.4 and 13.0 for sm_70 to sm_121. */
enum { ATOMS = 0x38c, ATOMS_UNIFORM = 0x98c, ATOMS_POPC_INC = 0xf8c };

__attribute__((format(printf, 1, 2))) static int complain(const char *format, ...)
{
	va_list args;

	(void)fputs("arch_facts: ", stderr);
	va_start(args, format);
	(void)vfprintf(stderr, format, args);
	va_end(args);
	(void)fputc('\n', stderr);
	return 3;
}

struct cubin {
	const unsigned char *data;
	size_t size;
	Elf64_Shdr *sections;
	size_t n;
	const char *names; /* ends with a NUL inside the file */
	size_t names_size;
};

static bool inside(const struct cubin *c, uint64_t offset, uint64_t size)
{
	return offset <= c->size && size <= c->size - offset;
}

/* @c: data and size are given, the rest is found. The caller frees its sections. */
static bool parse(struct cubin *c)
{
	const Elf64_Ehdr *head = (const void *)c->data;
	const Elf64_Shdr *names;

	if (c->size < sizeof(*head) || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
	    head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_ident[EI_DATA] != ELFDATA2LSB ||
	    head->e_shentsize != sizeof(Elf64_Shdr) ||
	    !inside(c, head->e_shoff, (uint64_t)head->e_shnum * sizeof(Elf64_Shdr)) ||
	    head->e_shstrndx >= head->e_shnum)
		return false;
	/* A copy: ptxas 13.5 puts them anywhere, not where a struct may lie. */
	c->sections = malloc(head->e_shnum * sizeof(*c->sections));
	if (!c->sections)
		return false;
	memcpy(c->sections, c->data + head->e_shoff, head->e_shnum * sizeof(*c->sections));
	c->n = head->e_shnum;
	names = &c->sections[head->e_shstrndx];
	if (!inside(c, names->sh_offset, names->sh_size) || names->sh_size == 0)
		return false;
	c->names = (const char *)c->data + names->sh_offset;
	c->names_size = names->sh_size;
	return c->names[c->names_size - 1] == '\0';
}

/* The section PREFIX.KERNEL; NULL: none. */
static const Elf64_Shdr *section(const struct cubin *c, const char *prefix, const char *kernel)
{
	const size_t len = strlen(prefix);

	for (size_t i = 0; i < c->n; i++) {
		const Elf64_Shdr *s = &c->sections[i];
		const char *name = s->sh_name < c->names_size ? c->names + s->sh_name : "";

		if (strncmp(name, prefix, len) == 0 && strcmp(name + len, kernel) == 0)
			return s;
	}
	return NULL;
}

static int say_cubin(const struct cubin *c, const char *path, const char *kernel)
{
	const Elf64_Shdr *shared = section(c, ".nv.shared.", kernel), *text = section(c, ".text.", kernel);
	unsigned popc = 0, other = 0;

	if (!shared)
		return complain("%s: kernel %s has no section of shared memory", path, kernel);
	if (!text || text->sh_type == SHT_NOBITS || !inside(c, text->sh_offset, text->sh_size))
		return complain("%s: kernel %s has no code", path, kernel);
	for (uint64_t at = 0; at + INSTRUCTION <= text->sh_size; at += INSTRUCTION) {
		const unsigned char *p = c->data + text->sh_offset + at;
		const unsigned op = p[0] | (p[1] & 0xfu) << 8;

		popc += op == ATOMS_POPC_INC;
		other += op == ATOMS || op == ATOMS_UNIFORM;
	}
	(void)printf("window_base %llu\n", (unsigned long long)shared->sh_size);
	if (popc + other == 0)
		return complain("%s: kernel %s has no ATOMS that is known: another encoding?", path, kernel);
	(void)printf("popc_inc %d\n", popc > 0);
	return 0;
}

static int read_cubin(const char *path, const char *kernel)
{
	unsigned char *data = malloc(CUBIN_MAX);
	FILE *f = data ? fopen(path, "rb") : NULL;
	struct cubin c = { .data = data };
	int status = 3;

	if (f)
		c.size = fread(data, 1, CUBIN_MAX, f);
	if (!f || ferror(f) || !feof(f))
		(void)complain("%s: cannot be read, or has more than %d bytes", path, CUBIN_MAX);
	else if (!parse(&c))
		(void)complain("%s: no cubin", path);
	else
		status = say_cubin(&c, path, kernel);
	if (f)
		(void)fclose(f);
	free(c.sections);
	free(data);
	return status;
}

#if HAVE_OCCUPANCY
static int say_occupancy(unsigned cc)
{
	cudaOccDeviceProp p = { .computeMajor = (int)(cc / 10),
				.computeMinor = (int)(cc % 10),
				.sharedMemPerBlock = 48u << 10,
				.reservedSharedMemPerBlock = 1u << 10 };
	size_t carveout = 0, block = 0;
	int blocks = 0;

	/* The largest carve-out is the one that no size is rounded up beyond. */
	for (size_t kb = 1; kb <= 1024; kb++) {
		size_t rounded = kb << 10;

		if (cudaOccAlignUpShmemSizeVoltaPlus(&rounded, &p) == CUDA_OCC_SUCCESS)
			carveout = rounded;
	}
	if (carveout == 0 || cudaOccMaxBlocksPerMultiprocessor(&blocks, &p) != CUDA_OCC_SUCCESS ||
	    cudaOccSMemPerBlock(&block, &p, FUNC_SHMEM_LIMIT_DEFAULT, 0) != CUDA_OCC_SUCCESS) {
		(void)complain("cuda_occupancy.h does not know compute capability %u.%u", cc / 10, cc % 10);
		return 1;
	}
	(void)printf("sm_bytes %zu\nmax_blocks_sm %d\nreserves %d\n", carveout, blocks, block > p.sharedMemPerBlock);
	return 0;
}
#else
static int say_occupancy(unsigned cc)
{
	(void)complain("no cuda_occupancy.h for compute capability %u.%u", cc / 10, cc % 10);
	return 1;
}
#endif

#if HAVE_CUPTI
/* CUPTI's functions, of the library that is opened. A cast of dlsym's result would not be ISO C. */
struct cupti {
	__typeof__(cuptiProfilerInitialize) *initialize;
	__typeof__(cuptiProfilerHostInitialize) *host_initialize;
	__typeof__(cuptiProfilerHostConfigAddMetrics) *add_metrics;
	__typeof__(cuptiProfilerHostDeinitialize) *host_deinitialize;
};

static bool find_function(void *lib, const char *name, void *out)
{
	void *f = dlsym(lib, name);

	memcpy(out, &f, sizeof(f));
	return f != NULL;
}

static int ask_cupti(const struct cupti *api, const char *chip, const char *metric)
{
	CUpti_Profiler_Initialize_Params init = { .structSize = CUpti_Profiler_Initialize_Params_STRUCT_SIZE };
	CUpti_Profiler_Host_Initialize_Params host = {
		.structSize = CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE,
		.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER,
		.pChipName = chip,
	};
	CUpti_Profiler_Host_ConfigAddMetrics_Params add = {
		.structSize = CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE,
		.ppMetricNames = &metric,
		.numMetrics = 1,
	};
	CUpti_Profiler_Host_Deinitialize_Params end = { .structSize =
								CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE };
	CUptiResult r;

	(void)api->initialize(&init); /* without a driver it fails, and the host's half works all the same */
	r = api->host_initialize(&host);
	if (r != CUPTI_SUCCESS) {
		(void)complain("CUPTI does not take chip %s (%d)", chip, (int)r);
		return 1;
	}
	add.pHostObject = end.pHostObject = host.pHostObject;
	r = api->add_metrics(&add);
	(void)api->host_deinitialize(&end);
	if (r != CUPTI_SUCCESS && r != CUPTI_ERROR_INVALID_METRIC_NAME && r != CUPTI_ERROR_INVALID_PARAMETER) {
		(void)complain("chip %s: CUPTI neither takes nor refuses %s (%d)", chip, metric, (int)r);
		return 1;
	}
	(void)printf("has %d\n", r == CUPTI_SUCCESS);
	return 0;
}

static int say_metric(const char *library, const char *chip, const char *metric)
{
	void *lib = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	struct cupti api;

	if (!lib || !find_function(lib, "cuptiProfilerInitialize", &api.initialize) ||
	    !find_function(lib, "cuptiProfilerHostInitialize", &api.host_initialize) ||
	    !find_function(lib, "cuptiProfilerHostConfigAddMetrics", &api.add_metrics) ||
	    !find_function(lib, "cuptiProfilerHostDeinitialize", &api.host_deinitialize)) {
		(void)complain("%s", dlerror());
		return 1;
	}
	return ask_cupti(&api, chip, metric);
}
#else
static int say_metric(const char *library, const char *chip, const char *metric)
{
	(void)complain("no headers of CUPTI to ask %s for %s of %s", library, metric, chip);
	return 1;
}
#endif

int main(int argc, char **argv)
{
	if (argc == 4 && strcmp(argv[1], "cubin") == 0)
		return read_cubin(argv[2], argv[3]);
	if (argc == 3 && strcmp(argv[1], "occupancy") == 0) {
		char *end;
		const unsigned long cc = strtoul(argv[2], &end, 10);

		if (end != argv[2] && *end == '\0' && cc >= 10 && cc < 1000)
			return say_occupancy((unsigned)cc);
	}
	if (argc == 5 && strcmp(argv[1], "metric") == 0)
		return say_metric(argv[2], argv[3], argv[4]);
	return complain("usage: arch_facts cubin FILE KERNEL | occupancy CC | metric LIBCUPTI CHIP METRIC");
}
