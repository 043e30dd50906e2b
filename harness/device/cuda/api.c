/* SPDX-License-Identifier: MIT */
#include "harness/device/cuda/api.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "harness/device/environment.h"
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
				       "(CUDA 12.6 Update 2 or later); update it",
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

/* CUPTI's names, and where a toolkit keeps it: as NVIDIA installs it, or in Python packages of CUDA 12 or 13. */
static const char *const cupti_names[] = { "libcupti.so.13", "libcupti.so.12" };
static const char *const cupti_dirs[] = {
	"lib64",   "extras/CUPTI/lib64", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib", "lib", "cuda_cupti/lib",
	"cu13/lib"
};

/* Open the first CUPTI below @root; NULL when there is none. */
static void *open_below(const char *root, char *why, size_t size)
{
	void *lib = NULL;

	for (size_t n = 0; root && root[0] && !lib && n < BC_ARRAY_LEN(cupti_names); n++) {
		for (size_t d = 0; !lib && d < BC_ARRAY_LEN(cupti_dirs); d++) {
			char path[1200];

			(void)snprintf(path, sizeof(path), "%.900s/%s/%s", root, cupti_dirs[d], cupti_names[n]);
			if (access(path, F_OK) != 0)
				continue;
			lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
			if (!lib)
				(void)bc_strlcpy(why, dlerror(), size);
		}
	}
	return lib;
}

/* In the order that bc_cupti_api_open tells. @why: of the last that was there and did not open. */
static void *open_cupti(char *why, size_t size)
{
	static const char *const roots[] = { "/usr/local/cuda", "/opt/cuda" };
	void *lib = open_below(getenv("CUDA_HOME"), why, size);

	for (size_t n = 0; !lib && n < BC_ARRAY_LEN(cupti_names); n++)
		lib = dlopen(cupti_names[n], RTLD_NOW | RTLD_LOCAL);
	for (size_t i = 0; !lib && i < BC_ARRAY_LEN(roots); i++)
		lib = open_below(roots[i], why, size);
	return lib;
}

/* CUPTI opens it by its plain name when it first needs it, and the loader then takes that of whichever toolkit the
 * system knows, of another release perhaps. One of that name that is open already is taken instead. No CUPTI of 11.8 to
 * 13.5 opens libnvperf_target.so, which takes as long to load: 0.1 s. */
static void open_companion(const char *path)
{
	const char *slash = strrchr(path, '/');
	char beside[PATH_MAX + 32];

	if (!slash)
		return;
	(void)snprintf(beside, sizeof(beside), "%.*s/libnvperf_host.so", (int)(slash - path), path);
	if (access(beside, F_OK) == 0)
		(void)dlopen(beside, RTLD_NOW | RTLD_LOCAL);
}

/* The file that @lib was loaded from, links resolved; what belongs to it is opened too. */
static void note_path(void *lib, char *path, size_t size)
{
	struct link_map *map = NULL;
	char real[PATH_MAX];

	if (dlinfo(lib, RTLD_DI_LINKMAP, &map) || !map || !map->l_name)
		return;
	if (!realpath(map->l_name, real))
		(void)bc_strlcpy(real, map->l_name, sizeof(real));
	open_companion(real);
	bc_without_home(real, path, size);
}

enum bc_status bc_cupti_api_open(const char *file, const struct bc_cupti_api **out, struct bc_error *err)
{
	static struct bc_cupti_api api;
	static bool ready;
	char why[300] = "";
	enum bc_status st = BC_OK;
	void *lib;

	if (ready) {
		*out = &api;
		return BC_OK;
	}
	/* A name without a slash would be searched for. */
	if (file && !strchr(file, '/') && snprintf(api.path, sizeof(api.path), "./%s", file) > 0)
		file = api.path;
	lib = file ? dlopen(file, RTLD_NOW | RTLD_LOCAL) : open_cupti(why, sizeof(why));
	if (!lib && file)
		return bc_fail(err, BC_EDEVICE, "--cupti %s: %s", file, dlerror());
	if (!lib)
		return bc_fail(
			err, BC_EDEVICE,
			"libcupti.so.13 (or .12) cannot be opened%s%s%s: install the CUDA toolkit's CUPTI "
			"(package cuda-cupti, or `pip install nvidia-cuda-cupti`) and name it with --cupti FILE, "
			"or set CUDA_HOME",
			why[0] ? " (" : "", why, why[0] ? ")" : "");
	note_path(lib, api.path, sizeof(api.path));
	st = resolve(lib, api.path, cupti_symbols, BC_ARRAY_LEN(cupti_symbols), &api, err);
	if (!st) {
		ready = true;
		*out = &api;
	}
	return st;
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
	if (!bc_cupti_api_open(NULL, &api, NULL) && api->cuptiGetResultString(r, &text) != CUPTI_SUCCESS)
		text = NULL;
	if (!text) /* this library is older than the result's name */
		text = bc_refusal_cupti_name((int)r);
	return bc_fail(err, BC_EDEVICE, "%s: %s (%d): %s", call, text[0] ? text : "unknown CUPTI error", (int)r,
		       bc_refusal_cupti((int)r, kernel.release));
}
