/* SPDX-License-Identifier: MIT */
#include "harness/device/refusal.h"

#include <stdio.h>
#include <string.h>

/* A result and what is said of it. */
struct cure {
	int code;
	const char *text;
};

#define OTHER_PROFILER "stop it (ncu, nsys, DCGM: `dcgmi profiling --pause`) and run again"
#define INJECTED "unset what injects a tool into this process (CUDA_INJECTION64_PATH, NVTX_INJECTION64_PATH)"
#define STOP_MPS "stop MPS (`echo quit | nvidia-cuda-mps-control`)"

#define UNDER_WSL                                                                                                    \
	"under WSL the NVIDIA driver of Windows and the version of Windows decide about counters, not root: "        \
	"update both (docs.nvidia.com/cuda/wsl-user-guide), let all users access them in the NVIDIA control panel, " \
	"`wsl --shutdown`; or `--witness clock`"

static const struct cure cupti[] = {
	{ BC_REFUSED_INVALID_OPERATION, "another tool is at work in this process: " INJECTED ", or `--witness clock`" },
	{ BC_REFUSED_OUT_OF_MEMORY, "free memory of the host or the GPU and run again" },
	{ BC_REFUSED_HARDWARE,
	  "the counters of this GPU do not work: look into the kernel's log (`dmesg | grep Xid`), or "
	  "`--witness clock`" },
	{ BC_REFUSED_NOT_IMPLEMENTED,
	  "this CUPTI does not fit the driver: install the toolkit of the driver's version" },
	{ BC_REFUSED_MAX_LIMIT, "too many profilers are at work: " OTHER_PROFILER },
	{ BC_REFUSED_NOT_COMPATIBLE, "another profiler is at work: " OTHER_PROFILER },
	{ BC_REFUSED_NOT_INITIALIZED,
	  "this CUPTI does not fit the driver: install the toolkit of the driver's version" },
	{ BC_REFUSED_METRIC_NAME, "this CUPTI does not know the counter: install a newer CUDA toolkit" },
	{ BC_REFUSED_DISABLED, "another profiler has disabled CUPTI: " OTHER_PROFILER ", and " INJECTED },
	{ BC_REFUSED_BUSY, "the counters are in use by another process: " OTHER_PROFILER },
	{ BC_REFUSED_NOT_SUPPORTED, "this GPU or driver does not support profiling: see docs/counters.md" },
	{ BC_REFUSED_MPS, "no profiling under MPS: " STOP_MPS },
	{ BC_REFUSED_VIRTUAL, "CUPTI does not profile this virtual GPU: use a whole GPU" },
	{ BC_REFUSED_PRIVILEGES,
	  "counters need permission: run as root or with CAP_SYS_ADMIN (in a container "
	  "--cap-add=SYS_ADMIN), or load the nvidia module with NVreg_RestrictProfilingToAdminUsers=0" },
	{ BC_REFUSED_OLD_API, "an older profiling API is active in this process: " INJECTED },
	{ BC_REFUSED_LEGACY, "an older profiling API is active in this process: " INJECTED },
	{ BC_REFUSED_SUBSCRIBERS, "another profiler is attached to this process: run without it, and " INJECTED },
	{ BC_REFUSED_VIRTUAL_PRIVILEGES,
	  "the hypervisor forbids profiling of this vGPU: enable it "
	  "there (pciPassthru.cfg.enable_profiling or the plugin's enable_profiling=1)" },
	{ BC_REFUSED_CONFIDENTIAL, "no profiling under confidential computing: use devtools mode" },
	{ BC_REFUSED_CMP, "CMP devices cannot be profiled: use `--witness clock`" },
	{ BC_REFUSED_MIG, "this MIG instance cannot be profiled: use the whole GPU or `--witness clock`" },
	{ BC_REFUSED_SLI, "GPUs in SLI cannot be profiled: turn it off" },
	{ BC_REFUSED_WSL, UNDER_WSL },
	{ BC_REFUSED_CHIP, "this CUPTI does not know the GPU: install a newer CUDA toolkit" },
};

/* What ends a context or comes of a launch needs no cure of the machine. */
static const struct cure cuda[] = {
	{ 34, "this libcuda is the toolkit's stub: take its folder out of LD_LIBRARY_PATH" },
	{ 46, "the GPU is in use and in exclusive mode: end the other process, or `nvidia-smi -c 0`" },
	{ 100, "no GPU is visible: look at CUDA_VISIBLE_DEVICES and `nvidia-smi -L`; start a container with GPU access "
	       "(`--gpus all`)" },
	{ 209, "the images hold no code for this GPU: build them with its toolkit (`make kernels`)" },
	{ 222, "the driver is older than the toolkit that built the images: update it" },
	{ 304, "the driver cannot be reached: in a container, start it with GPU access (`--gpus all`)" },
	{ 802, "the fabric manager is not ready: start nvidia-fabricmanager and wait" },
	{ 803, "the kernel module and libcuda are of different versions: reboot, or load the module anew" },
	{ 804, "this GPU does not support the compatibility package: take its libcuda out of LD_LIBRARY_PATH" },
	{ 805, "the MPS server cannot be reached: start it anew, or " STOP_MPS " and unset CUDA_MPS_PIPE_DIRECTORY" },
	{ 806, "the MPS server failed: start it anew, or " STOP_MPS },
	{ 807, "the MPS server is recovering from a failure: wait, or " STOP_MPS },
	{ 808, "MPS has as many clients as it can have: end one, or " STOP_MPS },
	{ 809, "MPS has as many connections as it can have: end a client, or " STOP_MPS },
	{ 810, "the MPS server ended this client: look into its log, or " STOP_MPS },
	{ 999, "look into the kernel's log (`dmesg | grep -i nvrm`); load the nvidia modules anew" },
};

/* CUPTI's own names, for results that the library at hand is too old to name. */
static const struct cure cupti_names[] = {
	{ BC_REFUSED_INVALID_OPERATION, "CUPTI_ERROR_INVALID_OPERATION" },
	{ BC_REFUSED_OUT_OF_MEMORY, "CUPTI_ERROR_OUT_OF_MEMORY" },
	{ BC_REFUSED_HARDWARE, "CUPTI_ERROR_HARDWARE" },
	{ BC_REFUSED_NOT_IMPLEMENTED, "CUPTI_ERROR_API_NOT_IMPLEMENTED" },
	{ BC_REFUSED_MAX_LIMIT, "CUPTI_ERROR_MAX_LIMIT_REACHED" },
	{ BC_REFUSED_NOT_COMPATIBLE, "CUPTI_ERROR_NOT_COMPATIBLE" },
	{ BC_REFUSED_NOT_INITIALIZED, "CUPTI_ERROR_NOT_INITIALIZED" },
	{ BC_REFUSED_METRIC_NAME, "CUPTI_ERROR_INVALID_METRIC_NAME" },
	{ BC_REFUSED_DISABLED, "CUPTI_ERROR_DISABLED" },
	{ BC_REFUSED_BUSY, "CUPTI_ERROR_HARDWARE_BUSY" },
	{ BC_REFUSED_NOT_SUPPORTED, "CUPTI_ERROR_NOT_SUPPORTED" },
	{ BC_REFUSED_MPS, "CUPTI_ERROR_UM_PROFILING_NOT_SUPPORTED_WITH_MPS" },
	{ BC_REFUSED_VIRTUAL, "CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED" },
	{ BC_REFUSED_PRIVILEGES, "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES" },
	{ BC_REFUSED_OLD_API, "CUPTI_ERROR_OLD_PROFILER_API_INITIALIZED" },
	{ BC_REFUSED_LEGACY, "CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED" },
	{ BC_REFUSED_SUBSCRIBERS, "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED" },
	{ BC_REFUSED_VIRTUAL_PRIVILEGES, "CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES" },
	{ BC_REFUSED_CONFIDENTIAL, "CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED" },
	{ BC_REFUSED_CMP, "CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED" },
	{ BC_REFUSED_MIG, "CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED" },
	{ BC_REFUSED_SLI, "CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED" },
	{ BC_REFUSED_WSL, "CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED" },
	{ BC_REFUSED_CHIP, "CUPTI_ERROR_INVALID_CHIP_NAME" },
	{ BC_REFUSED_UNKNOWN, "CUPTI_ERROR_UNKNOWN" },
};

static const char *find(const struct cure *c, size_t n, int code, const char *otherwise)
{
	for (size_t i = 0; i < n; i++)
		if (c[i].code == code)
			return c[i].text;
	return otherwise;
}

const char *bc_refusal_cupti(int code, const char *kernel)
{
	if (code == BC_REFUSED_PRIVILEGES && strcasestr(kernel, "microsoft"))
		return UNDER_WSL;
	return find(cupti, BC_ARRAY_LEN(cupti), code, "`--witness clock` does without counters: see docs/counters.md");
}

const char *bc_refusal_cupti_name(int code)
{
	return find(cupti_names, BC_ARRAY_LEN(cupti_names), code, "");
}

const char *bc_refusal_cuda(int code)
{
	return find(cuda, BC_ARRAY_LEN(cuda), code, "");
}

void bc_refusal_mps(char *msg, size_t size)
{
	const size_t len = strlen(msg);

	if (len < size)
		(void)snprintf(msg + len, size - len,
			       "; this process runs under MPS, where counters may be refused or "
			       "belong to all its clients: " STOP_MPS);
}
