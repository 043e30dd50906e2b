/* SPDX-License-Identifier: MIT */
#include "harness/device/refusal.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

Suite *bc_test_refusal(void);

#define LINUX "6.1.0-38-amd64"

/* Numbers are those of cupti_result.h; what has to be named, and what is to be done. */
static const struct {
	int code;
	const char *what, *named, *cure;
} cupti[] = {
	{ 35, "no permission", "permission", "NVreg_RestrictProfilingToAdminUsers=0" },
	{ 35, "a container without the capability", "container", "--cap-add=SYS_ADMIN" },
	{ 26, "another process reads them", "another process", "dcgmi profiling --pause" },
	{ 39, "a profiler attached to this process", "attached", "CUDA_INJECTION64_PATH" },
	{ 23, "CUPTI disabled by another profiler", "another profiler", "ncu" },
	{ 14, "another profiler's state", "another profiler", "ncu" },
	{ 12, "too many profilers", "too many", "ncu" },
	{ 7, "a tool in this process", "another tool", "CUDA_INJECTION64_PATH" },
	{ 36, "an old API", "older profiling API", "CUDA_INJECTION64_PATH" },
	{ 38, "an old API", "older profiling API", "CUDA_INJECTION64_PATH" },
	{ 43, "MIG", "MIG", "--witness clock" },
	{ 31, "MPS", "MPS", "echo quit | nvidia-cuda-mps-control" },
	{ 33, "a virtual GPU", "virtual GPU", "whole GPU" },
	{ 40, "a vGPU that may not be profiled", "vGPU", "enable_profiling" },
	{ 41, "confidential computing", "confidential computing", "devtools mode" },
	{ 42, "mining cards", "CMP", "--witness clock" },
	{ 44, "SLI", "SLI", "turn it off" },
	{ 45, "WSL", "WSL", "--witness clock" },
	{ 46, "a chip that is too new", "does not know the GPU", "newer CUDA toolkit" },
	{ 17, "a counter that is too new", "does not know the counter", "newer CUDA toolkit" },
	{ 27, "a chip without", "does not support", "docs/counters.md" },
	{ 15, "another driver", "does not fit the driver", "toolkit" },
	{ 11, "another driver", "does not fit the driver", "toolkit" },
	{ 9, "broken counters", "do not work", "dmesg" },
	{ 8, "no memory", "memory", "run again" },
};

START_TEST(a_refusal_is_named_with_its_cure)
{
	const char *text = bc_refusal_cupti(cupti[_i].code, LINUX);

	ck_assert_msg(strstr(text, cupti[_i].named) != NULL, "%s (%d): %s", cupti[_i].what, cupti[_i].code, text);
	ck_assert_msg(strstr(text, cupti[_i].cure) != NULL, "%s (%d): %s", cupti[_i].what, cupti[_i].code, text);
	ck_assert_msg(strcmp(text, bc_refusal_cupti(BC_REFUSED_UNKNOWN, LINUX)) != 0, "%s has no cure of its own",
		      cupti[_i].what);
}
END_TEST

/* WSL's kernels name Microsoft. There code 35 is no matter of root, a capability or a module option; the driver and the
 * version of Windows decide, and newer ones may allow what these refuse. */
START_TEST(permission_under_wsl_is_a_matter_of_windows)
{
	static const char *const kernels[] = { "6.6.87.2-microsoft-standard-WSL2", "4.4.0-19041-Microsoft" };
	static const char *const named[] = { "WSL", "NVIDIA driver of Windows", "version of Windows", "update",
					     "--witness clock" };
	static const char *const wrong[] = { "CAP_SYS_ADMIN", "NVreg",	       "no profiling", "not possible",
					     "cannot",	      "not supported", "use Linux" };
	static const int codes[] = { 35, 45 };

	for (size_t c = 0; c < BC_ARRAY_LEN(codes); c++) {
		for (size_t k = 0; k < BC_ARRAY_LEN(kernels); k++) {
			const char *text = bc_refusal_cupti(codes[c], kernels[k]);

			for (size_t i = 0; i < BC_ARRAY_LEN(named); i++)
				ck_assert_msg(strstr(text, named[i]) != NULL, "%d: no `%s`: %s", codes[c], named[i],
					      text);
			for (size_t i = 0; i < BC_ARRAY_LEN(wrong); i++)
				ck_assert_msg(!strstr(text, wrong[i]), "%d: `%s`: %s", codes[c], wrong[i], text);
		}
	}
	ck_assert_ptr_null(strstr(bc_refusal_cupti(35, LINUX), "WSL"));
	ck_assert_str_eq(bc_refusal_cupti(26, kernels[0]),
			 bc_refusal_cupti(26, LINUX)); /* the others are the same there */
}
END_TEST

/* Whatever CUPTI comes to say, there is something to do. */
START_TEST(no_result_is_without_a_cure)
{
	for (int code = -1; code <= 1000; code++) {
		const char *text = bc_refusal_cupti(code, code % 2 ? LINUX : "5.15.90.1-microsoft-standard-WSL2");

		ck_assert_ptr_nonnull(text);
		ck_assert_uint_gt(strlen(text), 10);
		ck_assert_uint_lt(strlen(text), 300); /* it has to fit behind the call and the code */
	}
	ck_assert_ptr_nonnull(strstr(bc_refusal_cupti(BC_REFUSED_UNKNOWN, LINUX), "--witness clock"));
	ck_assert_ptr_nonnull(strstr(bc_refusal_cupti(4711, LINUX), "docs/counters.md"));
}
END_TEST

/* As cupti_result.h of CUDA 13.5 pairs them. */
START_TEST(a_refusal_has_its_name)
{
	ck_assert_str_eq(bc_refusal_cupti_name(35), "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES");
	ck_assert_str_eq(bc_refusal_cupti_name(43), "CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED");
	ck_assert_str_eq(bc_refusal_cupti_name(46), "CUPTI_ERROR_INVALID_CHIP_NAME");
	ck_assert_str_eq(bc_refusal_cupti_name(999), "CUPTI_ERROR_UNKNOWN");
	ck_assert_str_eq(bc_refusal_cupti_name(4711), "");
	for (size_t i = 0; i < BC_ARRAY_LEN(cupti); i++)
		ck_assert_msg(strncmp(bc_refusal_cupti_name(cupti[i].code), "CUPTI_ERROR_", 12) == 0, "%d",
			      cupti[i].code);
}
END_TEST

/* Numbers are those of cuda.h. */
START_TEST(the_driver_too)
{
	static const struct {
		int code;
		const char *cure;
	} rows[] = {
		{ 46, "exclusive" },   { 100, "CUDA_VISIBLE_DEVICES" },
		{ 304, "--gpus all" }, { 802, "fabricmanager" },
		{ 803, "reboot" },     { 999, "dmesg" },
	};
	static const int none[] = { 0, 1, 2, 214, 700, 710, 716, 719 }; /* memory, launches and kernels */

	for (size_t i = 0; i < BC_ARRAY_LEN(rows); i++)
		ck_assert_msg(strstr(bc_refusal_cuda(rows[i].code), rows[i].cure) != NULL, "%d", rows[i].code);
	for (int mps = 805; mps <= 810; mps++)
		ck_assert_msg(strstr(bc_refusal_cuda(mps), "MPS") &&
				      strstr(bc_refusal_cuda(mps), "nvidia-cuda-mps-control"),
			      "%d", mps);
	for (size_t i = 0; i < BC_ARRAY_LEN(none); i++)
		ck_assert_str_eq(bc_refusal_cuda(none[i]), "");
}
END_TEST

START_TEST(mps_is_named)
{
	char msg[400] = "cuptiRangeProfilerEnable: CUPTI_ERROR_UNKNOWN (999)", small[12] = "abc", full[4] = "abc";

	bc_refusal_mps(msg, sizeof(msg));
	ck_assert_int_eq(
		strncmp(msg, "cuptiRangeProfilerEnable: CUPTI_ERROR_UNKNOWN (999); this process runs under MPS", 79),
		0);
	ck_assert_ptr_nonnull(strstr(msg, "`echo quit | nvidia-cuda-mps-control`"));
	bc_refusal_mps(small, sizeof(small));
	ck_assert_str_eq(small, "abc; this p");
	bc_refusal_mps(full, sizeof(full));
	ck_assert_str_eq(full, "abc");
}
END_TEST

Suite *bc_test_refusal(void)
{
	Suite *s = suite_create("refusal");
	TCase *tc = tcase_create("cures");

	tcase_add_loop_test(tc, a_refusal_is_named_with_its_cure, 0, (int)BC_ARRAY_LEN(cupti));
	tcase_add_test(tc, permission_under_wsl_is_a_matter_of_windows);
	tcase_add_test(tc, no_result_is_without_a_cure);
	tcase_add_test(tc, a_refusal_has_its_name);
	tcase_add_test(tc, the_driver_too);
	tcase_add_test(tc, mps_is_named);
	suite_add_tcase(s, tc);
	return s;
}
