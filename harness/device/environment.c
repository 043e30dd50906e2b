/* SPDX-License-Identifier: MIT */
#include "harness/device/environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Which code is run, which GPUs are seen, what is put into the process, and when work is done. */
static const char *const names[] = {
	"CUDA_FORCE_PTX_JIT",
	"CUDA_FORCE_JIT",
	"CUDA_DISABLE_PTX_JIT",
	"CUDA_DISABLE_JIT",
	"CUDA_MODULE_LOADING",
	"CUDA_MODULE_DATA_LOADING",
	"CUDA_VISIBLE_DEVICES",
	"CUDA_DEVICE_ORDER",
	"CUDA_LAUNCH_BLOCKING",
	"CUDA_MPS_PIPE_DIRECTORY",
	"CUDA_MPS_ACTIVE_THREAD_PERCENTAGE",
	"CUDA_INJECTION64_PATH",
	"NVTX_INJECTION64_PATH",
	"LD_PRELOAD",
};

void bc_without_home(const char *path, char *out, size_t size)
{
	const char *home = getenv("HOME");
	size_t n = home ? strlen(home) : 0;

	while (n > 0 && home[n - 1] == '/')
		n--;
	if (n > 0 && strncmp(path, home, n) == 0 && (path[n] == '/' || path[n] == '\0'))
		(void)snprintf(out, size, "~%s", path + n);
	else
		(void)bc_strlcpy(out, path, size);
}

void bc_environment(char *out, size_t size)
{
	static const char more[] = " ...";
	size_t at = 0;

	out[0] = '\0';
	for (size_t i = 0; i < BC_ARRAY_LEN(names); i++) {
		const char *value = getenv(names[i]);
		char shown[200];
		int n;

		if (!value)
			continue;
		bc_without_home(value, shown, sizeof(shown));
		n = snprintf(out + at, size - at, "%s%s=%s", at ? " " : "", names[i], shown);
		if (n < 0 || (size_t)n >= size - at) {
			at = size > sizeof(more) ? size - sizeof(more) : 0;
			(void)bc_strlcpy(out + at, more, size - at);
			return;
		}
		at += (size_t)n;
	}
}
