/* SPDX-License-Identifier: MIT */
#include "harness/device/cuda/api.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "harness/device/refusal.h"

#define BC_STRING_(x) #x
#define BC_STRING(x) BC_STRING_(x) /* cuda.h renames functions by macros: the expanded name is the symbol */

struct symbol {
	const char *name;
	size_t offset;
};

#define CUDA_SYMBOL(n) { BC_STRING(n), offsetof(struct bc_cuda_api, n) },
#define CUPTI_SYMBOL(n) { BC_STRING(n), offsetof(struct bc_cupti_api, n) },

static const struct symbol cuda_symbols[] = { BC_CUDA_CALLS(CUDA_SYMBOL) };
static const struct symbol cupti_symbols[] = { BC_CUPTI_CALLS(CUPTI_SYMBOL) };

static enum bc_status resolve(void *lib, const char *path, const struct symbol *s, size_t n, void *api,
			      struct bc_error *err)
{
	for (size_t i = 0; i < n; i++) {
		void *f = dlsym(lib, s[i].name);

		if (!f)
			return bc_fail(err, BC_EDEVICE,
				       "%s has no function %s: it is older than this program needs "
				       "(CUDA 12.6 or later); update it",
				       path, s[i].name);
		memcpy((char *)api + s[i].offset, &f, sizeof(f)); /* a cast would not be ISO C */
	}
	return BC_OK;
}

enum bc_status bc_cuda_api_open(const struct bc_cuda_api **out, struct bc_error *err)
{
	static struct bc_cuda_api api;
	static bool ready;
	enum bc_status st = BC_OK;

	if (!ready) {
		void *lib = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);

		if (!lib)
			return bc_fail(err, BC_EDEVICE,
				       "libcuda.so.1 cannot be opened (%s): install the NVIDIA driver, or in "
				       "a container start it with GPU access",
				       dlerror());
		st = resolve(lib, "libcuda.so.1", cuda_symbols, BC_ARRAY_LEN(cuda_symbols), &api, err);
		if (st)
			return st;
		ready = true;
	}
	*out = &api;
	return BC_OK;
}

/* Open the first CUPTI that is there; @path: its name. */
static void *open_cupti(char *path, size_t size)
{
	const char *home = getenv("CUDA_HOME");
	const char *roots[] = { home ? home : "", "/usr/local/cuda", "/opt/cuda" };
	static const char *const names[] = { "libcupti.so.13", "libcupti.so.12" };
	static const char *const dirs[] = { "lib64", "extras/CUPTI/lib64", "targets/x86_64-linux/lib", "lib" };

	for (size_t n = 0; n < BC_ARRAY_LEN(names); n++) {
		void *lib = dlopen(names[n], RTLD_NOW | RTLD_LOCAL);

		(void)bc_strlcpy(path, names[n], size);
		for (size_t i = 0; !lib && i < BC_ARRAY_LEN(roots); i++) {
			for (size_t d = 0; roots[i][0] && !lib && d < BC_ARRAY_LEN(dirs); d++) {
				int len = snprintf(path, size, "%s/%s/%s", roots[i], dirs[d], names[n]);

				if (len > 0 && (size_t)len < size)
					lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
			}
		}
		if (lib)
			return lib;
	}
	return NULL;
}

enum bc_status bc_cupti_api_open(const struct bc_cupti_api **out, struct bc_error *err)
{
	static struct bc_cupti_api api;
	static bool ready;
	enum bc_status st = BC_OK;

	if (!ready) {
		void *lib = open_cupti(api.path, sizeof(api.path));

		if (!lib)
			return bc_fail(err, BC_EDEVICE,
				       "libcupti.so.13 (or .12) cannot be opened: install the CUDA toolkit's "
				       "CUPTI (package cuda-cupti-13-0) or add its folder to LD_LIBRARY_PATH");
		st = resolve(lib, api.path, cupti_symbols, BC_ARRAY_LEN(cupti_symbols), &api, err);
		if (st)
			return st;
		ready = true;
	}
	*out = &api;
	return BC_OK;
}

enum bc_status bc_cuda_check(CUresult r, const char *call, const char *label, struct bc_error *err)
{
	const struct bc_cuda_api *api = NULL;
	const char *name = NULL, *text = NULL, *cure;

	if (r == CUDA_SUCCESS)
		return BC_OK;
	if (!bc_cuda_api_open(&api, NULL)) {
		if (api->cuGetErrorName(r, &name) != CUDA_SUCCESS)
			name = NULL;
		if (api->cuGetErrorString(r, &text) != CUDA_SUCCESS)
			text = NULL;
	}
	cure = bc_refusal_cuda((int)r);
	return bc_fail(err, BC_EDEVICE, "%s%s%s: %s (%d): %s%s%s", label ? label : "", label ? ": " : "", call,
		       name ? name : "unknown error", (int)r, text ? text : "no description", cure[0] ? ": " : "",
		       cure);
}

enum bc_status bc_cupti_check(CUptiResult r, const char *call, struct bc_error *err)
{
	const struct bc_cupti_api *api = NULL;
	const char *text = NULL;
	struct utsname kernel;

	if (r == CUPTI_SUCCESS)
		return BC_OK;
	if (uname(&kernel) != 0)
		kernel.release[0] = '\0';
	if (!bc_cupti_api_open(&api, NULL) && api->cuptiGetResultString(r, &text) != CUPTI_SUCCESS)
		text = NULL;
	if (!text) /* this library is older than the result's name */
		text = bc_refusal_cupti_name((int)r);
	return bc_fail(err, BC_EDEVICE, "%s: %s (%d): %s", call, text[0] ? text : "unknown CUPTI error", (int)r,
		       bc_refusal_cupti((int)r, kernel.release));
}
