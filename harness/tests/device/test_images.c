/* SPDX-License-Identifier: MIT */
/* harness/tests/device/test_images.c - what an image holds for a GPU, and what made it. */
#include "harness/device/images.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/sha256.h"
#include "harness/device/environment.h"

Suite *bc_test_images(void);

#define DIR BC_TEST_TMP "/test_images"
#define HEAD 16
#define ENTRY 64
#define BODY 8

static struct bc_error err;

static void put(unsigned char *p, uint64_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		p[i] = (unsigned char)(v >> (8 * i));
}

/* An image as fatbinary of CUDA 13 writes it, with an entry for each of @archs: 90 is machine code, -90 PTX; 0 ends. */
static size_t make_image(const int *archs, unsigned char image[1024])
{
	size_t at = HEAD;

	memset(image, 0, 1024);
	for (; *archs; archs++) {
		put(image + at, *archs > 0 ? 2 : 1, 2);
		put(image + at + 2, 0x101, 2);
		put(image + at + 4, ENTRY, 4);
		put(image + at + 8, BODY, 8);
		put(image + at + 28, (uint64_t)abs(*archs), 4);
		at += ENTRY + BODY;
	}
	put(image, 0xba55ed50u, 4);
	put(image + 4, 1, 2);
	put(image + 6, HEAD, 2);
	put(image + 8, at - HEAD, 8);
	return at;
}

static const struct {
	const char *what;
	unsigned cc;
	int archs[8];
	enum bc_image_code code;
	unsigned arch;
} looks[] = {
	{ "its own machine code", 90, { 80, 90, -90 }, BC_IMAGE_MACHINE, 90 },
	{ "of a lower minor, the highest", 89, { 80, 86, 90, -75 }, BC_IMAGE_MACHINE, 86 },
	{ "a higher minor does not run", 80, { 86, 90, -75 }, BC_IMAGE_PTX, 75 },
	{ "another major does not run", 100, { 80, 90, -75, -90 }, BC_IMAGE_PTX, 90 },
	{ "the highest PTX that is not above", 86, { -90, -75, -80 }, BC_IMAGE_PTX, 80 },
	{ "machine code goes before newer PTX", 89, { 80, -89 }, BC_IMAGE_MACHINE, 80 },
	{ "nothing for it", 75, { 80, -80 }, BC_IMAGE_NEITHER, 0 },
	{ "nothing at all", 75, { 0 }, BC_IMAGE_NEITHER, 0 },
};

START_TEST(the_driver_takes_what_fits)
{
	unsigned char image[1024];
	const size_t len = make_image(looks[_i].archs, image);
	unsigned arch = 0;

	ck_assert_msg(bc_image_code(image, len, looks[_i].cc, &arch) == looks[_i].code, "%s", looks[_i].what);
	ck_assert_msg(arch == looks[_i].arch, "%s: sm_%u", looks[_i].what, arch);
}
END_TEST

/* Cut or overwritten anywhere, an image is unknown or still read within its bounds (AddressSanitizer looks on). */
START_TEST(a_broken_image_is_unknown)
{
	static const int archs[] = { 80, 90, -90, 0 };
	unsigned char image[1024];
	const size_t len = make_image(archs, image);
	unsigned arch = 0;

	for (size_t cut = 0; cut < len; cut++) {
		unsigned char *copy = malloc(cut ? cut : 1);

		ck_assert_ptr_nonnull(copy);
		memcpy(copy, image, cut);
		ck_assert_int_eq(bc_image_code(copy, cut, 90, &arch), BC_IMAGE_UNKNOWN);
		free(copy);
	}
	for (size_t at = 0; at < HEAD + 16; at++) { /* the head, and the first entry's sizes */
		unsigned char *copy = malloc(len);

		ck_assert_ptr_nonnull(copy);
		memcpy(copy, image, len);
		copy[at] = 0xff;
		(void)bc_image_code(copy, len, 90, &arch);
		free(copy);
	}
	put(image + HEAD + 8, UINT64_MAX - 63, 8); /* an entry so long that its end wraps around */
	ck_assert_int_eq(bc_image_code(image, len, 90, &arch), BC_IMAGE_UNKNOWN);
	put(image, 0x7f454c46, 4);
	ck_assert_int_eq(bc_image_code(image, len, 90, &arch), BC_IMAGE_UNKNOWN);
}
END_TEST

static void write_toolkit(const char *text)
{
	FILE *f;

	ck_assert(mkdir(DIR, 0777) == 0 || access(DIR, W_OK) == 0);
	f = fopen(DIR "/toolkit", "w");
	ck_assert_ptr_nonnull(f);
	ck_assert_int_ge(fputs(text, f), 0);
	ck_assert_int_eq(fclose(f), 0);
}

/* The facts of one image for sm_90, the file toolkit as given. @hash: whether the file has the image's. */
static void facts_of(const int *archs, const char *toolkit, bool hash, struct bc_facts *f)
{
	struct bc_images im;
	unsigned char image[1024];
	const size_t len = make_image(archs, image);
	char hex[65], text[400];

	memset(f, 0, sizeof(*f));
	bc_sha256_hex(image, len, hex);
	if (!hash)
		hex[0] = hex[0] == '0' ? '1' : '0';
	(void)snprintf(text, sizeof(text), "%simage %s  sync.fatbin\n", toolkit, hex);
	write_toolkit(text);
	ck_assert_int_eq(bc_images_begin(&im, DIR, 90, &err), BC_OK);
	bc_images_add(&im, "sync", image, len);
	bc_images_facts(&im, f);
	bc_images_release(&im);
}

START_TEST(the_report_says_what_made_them)
{
	static const int both[] = { 90, -90, 0 }, ptx[] = { 80, -90, 0 };
	struct bc_facts f;
	struct bc_images im;

	ck_assert_int_eq(unsetenv("CUDA_FORCE_PTX_JIT"), 0);
	ck_assert_int_eq(unsetenv("CUDA_FORCE_JIT"), 0);
	facts_of(both, "release 13.0\nroute nvcc\nnvcc 13.0.88\narchs 80 90\n", true, &f);
	ck_assert_str_eq(f.toolkit, "CUDA 13.0 by nvcc 13.0.88");
	ck_assert_str_eq(f.code, "machine code for sm_90");
	facts_of(ptx, "release 12.4\nroute nvrtc\nptxas 12.4.131\nfatbinary 13.5.37\n", true, &f);
	ck_assert_str_eq(f.toolkit, "CUDA 12.4 by NVRTC and ptxas 12.4.131");
	ck_assert_str_eq(f.code, "PTX, compiled by the driver");
	facts_of(both, "release 12.4\nroute nvrtc\nptxas 12.4.131\n", false, &f);
	ck_assert_str_eq(f.toolkit, "unknown: the file toolkit (CUDA 12.4) is not of these images");
	facts_of(both, "nothing known\n", true, &f);
	ck_assert_str_eq(f.toolkit, "");
	ck_assert_int_eq(setenv("CUDA_FORCE_PTX_JIT", "1", 1), 0);
	facts_of(both, "release 13.0\nroute nvcc\n", true, &f);
	ck_assert_str_eq(f.toolkit, "CUDA 13.0 by nvcc");
	ck_assert_str_eq(f.code, "PTX, compiled by the driver (CUDA_FORCE_PTX_JIT)");
	ck_assert_int_eq(setenv("CUDA_FORCE_PTX_JIT", "0", 1), 0);
	facts_of(both, "release 13.0\nroute nvcc\n", true, &f);
	ck_assert_str_eq(f.code, "machine code for sm_90");
	ck_assert_int_eq(unsetenv("CUDA_FORCE_PTX_JIT"), 0);
	ck_assert_int_eq(unlink(DIR "/toolkit"), 0); /* images alone */
	ck_assert_int_eq(bc_images_begin(&im, DIR, 90, &err), BC_OK);
	bc_images_facts(&im, &f);
	ck_assert_str_eq(f.toolkit, "");
	ck_assert_str_eq(f.code, "");
	bc_images_release(&im);
}
END_TEST

START_TEST(some_images_lack_machine_code)
{
	static const int both[] = { 90, -90, 0 }, ptx[] = { 80, -90, 0 };
	struct bc_images im;
	struct bc_facts f = { .arch = "" };
	unsigned char image[1024];

	write_toolkit("");
	ck_assert_int_eq(bc_images_begin(&im, DIR, 90, &err), BC_OK);
	bc_images_add(&im, "sync", image, make_image(both, image));
	bc_images_add(&im, "clock", image, make_image(ptx, image));
	bc_images_add(&im, "meta", image, make_image(both, image));
	bc_images_facts(&im, &f);
	ck_assert_str_eq(f.code, "machine code for sm_90, but 1 of 3 images have none (clock)");
	bc_images_release(&im);
}
END_TEST

/* What tools/toolkit-file.sh wrote of the images of this build, where there are some. */
START_TEST(the_builds_own_file_is_of_its_images)
{
	struct bc_error why = { .msg = "" };
	struct bc_text image = { 0 };
	struct bc_images im;
	struct bc_facts f = { .arch = "" };

	if (access(BC_TEST_KERNELS "/toolkit", R_OK) != 0 ||
	    bc_file_read(BC_TEST_KERNELS "/sync.fatbin", 64u << 20, &image, &why))
		return;
	ck_assert_int_eq(bc_images_begin(&im, BC_TEST_KERNELS, 90, &err), BC_OK);
	bc_images_add(&im, "sync", image.data, image.len);
	bc_images_facts(&im, &f);
	ck_assert_msg(strncmp(f.toolkit, "CUDA ", 5) == 0, "%s", f.toolkit);
	ck_assert_msg(strstr(f.code, "sm_90") || strstr(f.code, "PTX"), "%s", f.code);
	bc_images_release(&im);
	bc_text_release(&image);
}
END_TEST

START_TEST(the_environment_is_told)
{
	char text[400], small[40];

	ck_assert_int_eq(clearenv(), 0);
	bc_environment(text, sizeof(text));
	ck_assert_str_eq(text, "");
	ck_assert_int_eq(setenv("HOME", "/home/ann/", 1), 0);
	ck_assert_int_eq(setenv("CUDA_VISIBLE_DEVICES", "", 1), 0); /* set and empty: no GPU is seen */
	ck_assert_int_eq(setenv("CUDA_INJECTION64_PATH", "/home/ann/tool.so", 1), 0);
	ck_assert_int_eq(setenv("CUDA_FORCE_PTX_JIT", "1", 1), 0);
	ck_assert_int_eq(setenv("PATH", "/bin", 1), 0); /* not the driver's business */
	bc_environment(text, sizeof(text));
	ck_assert_str_eq(text, "CUDA_FORCE_PTX_JIT=1 CUDA_VISIBLE_DEVICES= CUDA_INJECTION64_PATH=~/tool.so");
	bc_environment(small, sizeof(small));
	ck_assert_uint_lt(strlen(small), sizeof(small));
	ck_assert_msg(strcmp(small + strlen(small) - 4, " ...") == 0, "%s", small);
	bc_without_home("/home/anna/x", text, sizeof(text));
	ck_assert_str_eq(text, "/home/anna/x");
	bc_without_home("/home/ann", text, sizeof(text));
	ck_assert_str_eq(text, "~");
	ck_assert_int_eq(setenv("HOME", "/", 1), 0);
	bc_without_home("/home/ann", text, sizeof(text));
	ck_assert_str_eq(text, "/home/ann");
}
END_TEST

Suite *bc_test_images(void)
{
	Suite *s = suite_create("images");
	TCase *tc = tcase_create("images");

	tcase_add_loop_test(tc, the_driver_takes_what_fits, 0, (int)BC_ARRAY_LEN(looks));
	tcase_add_test(tc, a_broken_image_is_unknown);
	tcase_add_test(tc, the_report_says_what_made_them);
	tcase_add_test(tc, some_images_lack_machine_code);
	tcase_add_test(tc, the_builds_own_file_is_of_its_images);
	tcase_add_test(tc, the_environment_is_told);
	suite_add_tcase(s, tc);
	return s;
}
