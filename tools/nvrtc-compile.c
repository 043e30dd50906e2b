/* SPDX-License-Identifier: MIT */
/* tools/nvrtc-compile.c - compile a kernel source to PTX with one CUDA release's NVRTC, where that release has no nvcc.
 *
 *   nvrtc-compile LIBNVRTC --list                           versions and architectures: "12.4", then 50 52 ... one a
 * line nvrtc-compile LIBNVRTC SOURCE.cu STEM ARCH... -- OPTION...   writes STEM.compute_ARCH.ptx for each ARCH (75, 90
 * ...)
 *
 * The library is opened at run time, so that one program serves each release from 11.8 on. tools/toolkit-images.sh
 * calls it. Exit status: 0, 1 when the source does not compile (NVRTC's words are on stderr), 3 for a wrong call.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPTIONS_MAX 64

/* As in nvrtc.h, which need not be here. 0 is success. */
struct program;
struct nvrtc {
	const char *(*error)(int);
	int (*version)(int *major, int *minor);
	int (*count_archs)(int *n);
	int (*archs)(int *archs);
	int (*create)(struct program **, const char *source, const char *name, int nheaders, const char *const *headers,
		      const char *const *names);
	int (*compile)(struct program *, int n, const char *const *options);
	int (*log_size)(struct program *, size_t *);
	int (*log)(struct program *, char *);
	int (*ptx_size)(struct program *, size_t *);
	int (*ptx)(struct program *, char *);
	int (*destroy)(struct program **);
};

static const struct {
	const char *name;
	size_t offset;
} symbols[] = {
	{ "nvrtcGetErrorString", offsetof(struct nvrtc, error) },
	{ "nvrtcVersion", offsetof(struct nvrtc, version) },
	{ "nvrtcGetNumSupportedArchs", offsetof(struct nvrtc, count_archs) },
	{ "nvrtcGetSupportedArchs", offsetof(struct nvrtc, archs) },
	{ "nvrtcCreateProgram", offsetof(struct nvrtc, create) },
	{ "nvrtcCompileProgram", offsetof(struct nvrtc, compile) },
	{ "nvrtcGetProgramLogSize", offsetof(struct nvrtc, log_size) },
	{ "nvrtcGetProgramLog", offsetof(struct nvrtc, log) },
	{ "nvrtcGetPTXSize", offsetof(struct nvrtc, ptx_size) },
	{ "nvrtcGetPTX", offsetof(struct nvrtc, ptx) },
	{ "nvrtcDestroyProgram", offsetof(struct nvrtc, destroy) },
};

static bool open_nvrtc(const char *path, struct nvrtc *rtc)
{
	void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	if (!lib) {
		(void)fprintf(stderr, "nvrtc-compile: %s\n", dlerror());
		return false;
	}
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		void *f = dlsym(lib, symbols[i].name);

		if (!f) {
			(void)fprintf(stderr, "nvrtc-compile: %s has no function %s: it is older than CUDA 11.2\n",
				      path, symbols[i].name);
			return false;
		}
		memcpy((char *)rtc + symbols[i].offset, &f, sizeof(f)); /* a cast would not be ISO C */
	}
	return true;
}

static bool ok(const struct nvrtc *rtc, int result, const char *call, const char *what)
{
	if (result)
		(void)fprintf(stderr, "nvrtc-compile: %s: %s: %s\n", what, call, rtc->error(result));
	return !result;
}

static bool list(const struct nvrtc *rtc)
{
	int major = 0, minor = 0, n = 0, *archs;
	bool good = ok(rtc, rtc->version(&major, &minor), "nvrtcVersion", "--list") &&
		    ok(rtc, rtc->count_archs(&n), "nvrtcGetNumSupportedArchs", "--list");

	if (!good || n <= 0)
		return false;
	archs = calloc((size_t)n, sizeof(*archs));
	good = archs && ok(rtc, rtc->archs(archs), "nvrtcGetSupportedArchs", "--list");
	if (good)
		(void)printf("%d.%d\n", major, minor);
	for (int i = 0; good && i < n; i++)
		(void)printf("%d\n", archs[i]);
	free(archs);
	return good;
}

/* The whole file, NUL at the end; NULL when it cannot be read, which was said. */
static char *read_file(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = NULL;
	long size = -1;

	if (f && !fseek(f, 0, SEEK_END))
		size = ftell(f);
	if (size >= 0 && !fseek(f, 0, SEEK_SET))
		text = calloc((size_t)size + 1, 1);
	if (text && fread(text, 1, (size_t)size, f) != (size_t)size) {
		free(text);
		text = NULL;
	}
	if (f)
		(void)fclose(f);
	if (!text)
		(void)fprintf(stderr, "nvrtc-compile: %s: cannot be read\n", path);
	return text;
}

static bool write_file(const char *path, const char *text, size_t len)
{
	FILE *f = fopen(path, "w");
	bool good = f && fwrite(text, 1, len, f) == len;

	if (f && fclose(f))
		good = false;
	if (!good) {
		(void)fprintf(stderr, "nvrtc-compile: %s: cannot be written\n", path);
		(void)remove(path);
	}
	return good;
}

static void print_log(const struct nvrtc *rtc, struct program *p)
{
	size_t size = 0;
	char *log;

	if (rtc->log_size(p, &size) || size < 2)
		return;
	log = malloc(size);
	if (log && !rtc->log(p, log))
		(void)fputs(log, stderr);
	free(log);
}

/* @options: the last is the architecture's. */
static bool compile(const struct nvrtc *rtc, const char *source, const char *name, const char *out,
		    const char *const *options, int noptions)
{
	struct program *p = NULL;
	size_t size = 0;
	char *ptx = NULL;
	bool good = ok(rtc, rtc->create(&p, source, name, 0, NULL, NULL), "nvrtcCreateProgram", name);

	if (!good)
		return false;
	good = ok(rtc, rtc->compile(p, noptions, options), "nvrtcCompileProgram", name);
	print_log(rtc, p);
	if (good)
		good = ok(rtc, rtc->ptx_size(p, &size), "nvrtcGetPTXSize", name) && size > 1;
	if (good) {
		ptx = malloc(size);
		good = ptx && ok(rtc, rtc->ptx(p, ptx), "nvrtcGetPTX", name) && write_file(out, ptx, size - 1);
	}
	free(ptx);
	(void)rtc->destroy(&p);
	return good;
}

static bool compile_all(const struct nvrtc *rtc, char **argv, int argc)
{
	const char *options[OPTIONS_MAX + 1];
	int dashes = 4, n = 0;
	char *source;
	bool good = true;

	while (dashes < argc && strcmp(argv[dashes], "--") != 0)
		dashes++;
	for (int i = dashes + 1; i < argc && n < OPTIONS_MAX; i++)
		options[n++] = argv[i];
	source = read_file(argv[2]);
	if (!source)
		return false;
	for (int i = 4; good && i < dashes; i++) {
		char arch[64], out[4096];

		(void)snprintf(arch, sizeof(arch), "--gpu-architecture=compute_%s", argv[i]);
		options[n] = arch;
		good = (size_t)snprintf(out, sizeof(out), "%s.compute_%s.ptx", argv[3], argv[i]) < sizeof(out) &&
		       compile(rtc, source, argv[2], out, options, n + 1);
	}
	free(source);
	return good;
}

int main(int argc, char **argv)
{
	struct nvrtc rtc;
	const bool listing = argc == 3 && strcmp(argv[2], "--list") == 0;

	if (!listing && argc < 5) {
		(void)fprintf(stderr, "usage: nvrtc-compile LIBNVRTC --list\n"
				      "       nvrtc-compile LIBNVRTC SOURCE.cu STEM ARCH... [-- OPTION...]\n");
		return 3;
	}
	if (!open_nvrtc(argv[1], &rtc))
		return 1;
	return (listing ? list(&rtc) : compile_all(&rtc, argv, argc)) ? 0 : 1;
}
