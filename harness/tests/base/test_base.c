/* SPDX-License-Identifier: MIT */
#include "harness/base/base.h"

#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/sha256.h"
#include "harness/base/xxh64.h"

Suite *bc_test_base(void);

START_TEST(fail_stores_status_and_text)
{
	struct bc_error err = { 0 };

	ck_assert_int_eq(bc_fail(&err, BC_EREAD, "%s:%d", "a.txt", 7), BC_EREAD);
	ck_assert_int_eq(err.status, BC_EREAD);
	ck_assert_str_eq(err.msg, "a.txt:7");
	ck_assert_int_eq(bc_fail(NULL, BC_EDATA, "nobody listens"), BC_EDATA);
}
END_TEST

START_TEST(fail_may_quote_the_older_text)
{
	struct bc_error err = { 0 };

	bc_fail(&err, BC_EREAD, "inner");
	bc_fail(&err, BC_EDATA, "outer: %s", err.msg);
	ck_assert_str_eq(err.msg, "outer: inner");
	ck_assert_int_eq(err.status, BC_EDATA);
}
END_TEST

START_TEST(fail_cuts_a_long_text)
{
	struct bc_error err;
	char text[3000];

	memset(&err, 0x55, sizeof(err));
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	bc_fail(&err, BC_EDATA, "%s", text);
	ck_assert_uint_eq(strlen(err.msg), 1023);
}
END_TEST

START_TEST(status_gives_the_exit_status)
{
	static const struct {
		enum bc_status st;
		int want;
	} rows[] = {
		{ BC_OK, 0 },	  { BC_EUSAGE, 3 }, { BC_EDATA, 3 },   { BC_EREAD, 3 },
		{ BC_EWRITE, 2 }, { BC_ENOMEM, 2 }, { BC_EDEVICE, 2 },
	};

	for (size_t i = 0; i < BC_ARRAY_LEN(rows); i++)
		ck_assert_int_eq(bc_status_exit(rows[i].st), rows[i].want);
}
END_TEST

START_TEST(strlcpy_ends_every_text)
{
	static const struct {
		const char *src;
		size_t size;
		const char *want;
		bool fitted;
	} rows[] = {
		{ "", 8, "", true },	   { "", 1, "", true },	      { "abc", 8, "abc", true },
		{ "abc", 4, "abc", true }, { "abc", 3, "ab", false }, { "abc", 1, "", false },
	};

	for (size_t i = 0; i < BC_ARRAY_LEN(rows); i++) {
		char dst[9] = "########";

		ck_assert_msg(bc_strlcpy(dst, rows[i].src, rows[i].size) == rows[i].fitted, "row %zu", i);
		ck_assert_str_eq(dst, rows[i].want);
		ck_assert_msg(dst[rows[i].size] == '#' || rows[i].size == 8, "row %zu wrote past its size", i);
	}

	char one = '#';

	ck_assert(!bc_strlcpy(&one, "abc", 0));
	ck_assert(one == '#');
}
END_TEST

START_TEST(a_day_is_of_the_calendar)
{
	static const struct {
		const char *text;
		bool is;
	} rows[] = {
		{ "2026-01-31", true },	 { "2026-12-31", true },  { "2024-02-29", true },   { "2000-02-29", true },
		{ "0001-01-01", true },	 { "", false },		  { "2026-01-32", false },  { "2026-13-01", false },
		{ "2026-00-10", false }, { "2026-04-00", false }, { "2026-04-31", false },  { "2026-02-29", false },
		{ "1900-02-29", false }, { "2026-1-1", false },	  { "2026-01-01 ", false }, { "2026/01/01", false },
		{ "2026-01-1x", false }, { "+026-01-01", false },
	};

	for (size_t i = 0; i < BC_ARRAY_LEN(rows); i++)
		ck_assert_msg(bc_is_day(rows[i].text) == rows[i].is, "%s", rows[i].text);
}
END_TEST

START_TEST(text_grows)
{
	struct bc_text t = { 0 };
	struct bc_error err = { 0 };

	for (unsigned i = 0; i < 1000; i++)
		ck_assert_int_eq(bc_text_addf(&t, &err, "%03u,", i), BC_OK);
	ck_assert_int_eq(bc_text_add(&t, "a\0b", 3, &err), BC_OK);
	ck_assert_int_eq(bc_text_add(&t, NULL, 0, &err), BC_OK);
	ck_assert_uint_eq(t.len, 4003);
	ck_assert(t.cap > t.len);
	ck_assert(memcmp(t.data, "000,001,", 8) == 0);
	ck_assert(memcmp(t.data + 3996, "999,a\0b", 8) == 0); /* with the NUL behind it */
	bc_text_release(&t);
	ck_assert_ptr_null(t.data);
	ck_assert_uint_eq(t.len + t.cap, 0);
	bc_text_release(NULL);
}
END_TEST

START_TEST(text_of_nothing_is_a_text)
{
	struct bc_text t = { 0 };

	ck_assert_int_eq(bc_text_add(&t, "", 0, NULL), BC_OK);
	ck_assert_str_eq(t.data, "");
	bc_text_release(&t);
}
END_TEST

START_TEST(text_keeps_its_content_when_memory_ends)
{
	struct bc_text t = { 0 };
	struct bc_error err = { 0 };

	ck_assert_int_eq(bc_text_addf(&t, &err, "kept"), BC_OK);
	ck_assert_int_eq(bc_text_add(&t, "x", SIZE_MAX - 2, &err), BC_ENOMEM);
	ck_assert_int_eq(err.status, BC_ENOMEM);
	ck_assert_str_eq(t.data, "kept");
	ck_assert_uint_eq(t.len, 4);
	bc_text_release(&t);
}
END_TEST

#define FILE_PATH BC_TEST_TMP "/test_base.txt"

static void write_file(size_t bytes)
{
	FILE *f = fopen(FILE_PATH, "wb");

	ck_assert_ptr_nonnull(f);
	for (size_t i = 0; i < bytes; i++)
		ck_assert_int_ne(fputc((int)(i % 251), f), EOF);
	ck_assert_int_eq(fclose(f), 0);
}

START_TEST(file_is_read_whole)
{
	static const size_t sizes[] = { 0, 1, 16383, 16384, 16385, 100000 };

	for (size_t i = 0; i < BC_ARRAY_LEN(sizes); i++) {
		struct bc_text t = { 0 };

		write_file(sizes[i]);
		ck_assert_int_eq(bc_file_read(FILE_PATH, sizes[i], &t, NULL), BC_OK);
		ck_assert_uint_eq(t.len, sizes[i]);
		ck_assert_ptr_nonnull(t.data);
		for (size_t k = 0; k < t.len; k++)
			ck_assert(t.data[k] == (char)(k % 251));
		ck_assert(t.data[t.len] == '\0');
		bc_text_release(&t);
	}
	unlink(FILE_PATH);
}
END_TEST

START_TEST(file_errors_name_the_path)
{
	struct bc_text t = { 0 };
	struct bc_error err = { 0 };

	ck_assert_int_eq(bc_file_read(BC_TEST_TMP "/no/such", 10, &t, &err), BC_EREAD);
	ck_assert_ptr_nonnull(strstr(err.msg, BC_TEST_TMP "/no/such: "));
	ck_assert_int_eq(bc_file_read(BC_TEST_TMP, 10, &t, &err), BC_EREAD);
	ck_assert_str_eq(err.msg, BC_TEST_TMP ": is a folder, not a file");
	ck_assert_int_eq(bc_file_read("/dev/zero", 10, &t, &err), BC_EREAD);
	ck_assert_str_eq(err.msg, "/dev/zero: is not a regular file or pipe");
	write_file(11);
	ck_assert_int_eq(bc_file_read(FILE_PATH, 10, &t, &err), BC_EREAD);
	ck_assert_str_eq(err.msg, FILE_PATH ": larger than 10 bytes");
	write_file(40000); /* more than is read at a time */
	ck_assert_int_eq(bc_file_read(FILE_PATH, 39999, &t, &err), BC_EREAD);
	ck_assert_str_eq(err.msg, FILE_PATH ": larger than 39999 bytes");
	ck_assert_ptr_null(t.data);
	unlink(FILE_PATH);
}
END_TEST

START_TEST(file_may_be_a_pipe)
{
	struct bc_text t = { 0 };
	char path[64];
	int end[2];

	ck_assert_int_eq(pipe(end), 0);
	ck_assert_int_eq(write(end[1], "piped", 5), 5);
	ck_assert_int_eq(close(end[1]), 0);
	snprintf(path, sizeof(path), "/dev/fd/%d", end[0]);
	ck_assert_int_eq(bc_file_read(path, 100, &t, NULL), BC_OK);
	ck_assert_str_eq(t.data, "piped");
	bc_text_release(&t);
	close(end[0]);
}
END_TEST

/* Published vectors of FNV-1a, 64 bit. */
START_TEST(hash_is_fnv_1a)
{
	ck_assert_uint_eq(bc_hash(BC_HASH_INIT, "", 0), UINT64_C(0xcbf29ce484222325));
	ck_assert_uint_eq(bc_hash(BC_HASH_INIT, "a", 1), UINT64_C(0xaf63dc4c8601ec8c));
	ck_assert_uint_eq(bc_hash(BC_HASH_INIT, "foobar", 6), UINT64_C(0x85944171f73967e8));
	ck_assert_uint_eq(bc_hash(bc_hash(BC_HASH_INIT, "foo", 3), "bar", 3), UINT64_C(0x85944171f73967e8));
}
END_TEST

/* Published vectors of XXH64: less than a stripe of 32 bytes, and more. */
START_TEST(xxh64_has_its_published_values)
{
	static const char nobody[] = "Nobody inspects the spammish repetition";

	ck_assert_uint_eq(bc_xxh64(0, "", 0), UINT64_C(0xef46db3751d8e999));
	ck_assert_uint_eq(bc_xxh64(0, "a", 1), UINT64_C(0xd24ec4f1a98c6e5b));
	ck_assert_uint_eq(bc_xxh64(0, "abc", 3), UINT64_C(0x44bc2cf5ad770999));
	ck_assert_uint_eq(bc_xxh64(0, nobody, sizeof(nobody) - 1), UINT64_C(0xfbcea83c8a378bf1));
}
END_TEST

/* One bit of a large file, wherever it is, and what was hashed before it, are in the hash. */
START_TEST(xxh64_sees_each_bit)
{
	unsigned char data[100] = { 0 };
	uint64_t seen[8 * sizeof(data)];

	for (size_t i = 0; i < 8 * sizeof(data); i++) {
		data[i / 8] ^= (unsigned char)(1u << i % 8);
		seen[i] = bc_xxh64(0, data, sizeof(data));
		ck_assert_uint_ne(seen[i], bc_xxh64(1, data, sizeof(data)));
		for (size_t k = 0; k < i; k++)
			ck_assert_uint_ne(seen[i], seen[k]);
		data[i / 8] ^= (unsigned char)(1u << i % 8);
	}
}
END_TEST

/* Vectors of FIPS 180: no block, one, two, and many. */
START_TEST(sha256_has_its_published_values)
{
	static const char two[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
	static char million[1000000];
	char hex[65];

	bc_sha256_hex("", 0, hex);
	ck_assert_str_eq(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	bc_sha256_hex("abc", 3, hex);
	ck_assert_str_eq(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	bc_sha256_hex(two, sizeof(two) - 1, hex);
	ck_assert_str_eq(hex, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
	memset(million, 'a', sizeof(million));
	bc_sha256_hex(million, sizeof(million), hex);
	ck_assert_str_eq(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}
END_TEST

/* Against the C library's own names, of every signal that has one and is no real-time signal. */
START_TEST(signals_have_their_names)
{
	for (int n = 1; n < 32; n++)
		if (n != SIGSTKFLT)
			ck_assert_str_eq(bc_signal_name(n), sigabbrev_np(n));
	ck_assert_str_eq(bc_signal_name(0), "?");
	ck_assert_str_eq(bc_signal_name(99), "?");
}
END_TEST

Suite *bc_test_base(void)
{
	Suite *s = suite_create("base");
	TCase *errors = tcase_create("errors"), *text = tcase_create("text"), *files = tcase_create("files");

	tcase_add_test(errors, fail_stores_status_and_text);
	tcase_add_test(errors, fail_may_quote_the_older_text);
	tcase_add_test(errors, fail_cuts_a_long_text);
	tcase_add_test(errors, status_gives_the_exit_status);
	tcase_add_test(text, signals_have_their_names);
	suite_add_tcase(s, errors);
	tcase_add_test(text, strlcpy_ends_every_text);
	tcase_add_test(text, a_day_is_of_the_calendar);
	tcase_add_test(text, text_grows);
	tcase_add_test(text, text_of_nothing_is_a_text);
	tcase_add_test(text, text_keeps_its_content_when_memory_ends);
	tcase_add_test(text, hash_is_fnv_1a);
	tcase_add_test(text, xxh64_has_its_published_values);
	tcase_add_test(text, xxh64_sees_each_bit);
	tcase_add_test(text, sha256_has_its_published_values);
	suite_add_tcase(s, text);
	tcase_add_test(files, file_is_read_whole);
	tcase_add_test(files, file_errors_name_the_path);
	tcase_add_test(files, file_may_be_a_pipe);
	suite_add_tcase(s, files);
	return s;
}
