/* SPDX-License-Identifier: MIT */
#include "harness/base/escape.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libxml/parserInternals.h>

Suite *bc_test_escape(void);

static struct bc_error err;

static const struct {
	const char *what;
	enum bc_escape how;
	const char *in;
	size_t len;
	const char *want;
} rows[] = {
#define ROW(what, how, in, want)                    \
	{                                           \
		what, how, in, sizeof(in) - 1, want \
	}
	ROW("empty", BC_ESCAPE_LINE, "", ""),
	ROW("plain", BC_ESCAPE_VALUE, "NVIDIA H200 = 1,5 <&>\"'", "NVIDIA H200 = 1,5 <&>\"'"),
	ROW("escape character", BC_ESCAPE_LINE, "a\033[31mb", "a\\x1b[31mb"),
	ROW("NUL", BC_ESCAPE_LINE, "a\0b", "a\\x00b"),
	ROW("last C0 control", BC_ESCAPE_TEXT, "\x1f ", "\\x1f "),
	ROW("DEL", BC_ESCAPE_TEXT, "\x7f", "\\x7f"),
	ROW("tilde is no control", BC_ESCAPE_TEXT, "~", "~"),
	ROW("C1 control NEL", BC_ESCAPE_LINE, "\xc2\x85", "\\u0085"),
	ROW("first after C1", BC_ESCAPE_LINE, "\xc2\xa0", "\xc2\xa0"),
	ROW("text keeps lines and tabs", BC_ESCAPE_TEXT, "a\n\tb\r\n", "a\n\tb\\r\n"),
	ROW("line keeps none", BC_ESCAPE_LINE, "a\n\tb\r\n", "a\\n\\tb\\r\\n"),
	ROW("line keeps a backslash", BC_ESCAPE_LINE, "\\n", "\\n"),
	ROW("value doubles it", BC_ESCAPE_VALUE, "\\n\n", "\\\\n\\n"),
	ROW("umlaut", BC_ESCAPE_VALUE, "\xc3\xbc", "\xc3\xbc"),
	ROW("four bytes", BC_ESCAPE_VALUE, "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"),
	ROW("last code point", BC_ESCAPE_VALUE, "\xf4\x8f\xbf\xbd", "\xf4\x8f\xbf\xbd"),
	ROW("beyond it", BC_ESCAPE_VALUE, "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"),
	ROW("U+FFFD is a character", BC_ESCAPE_LINE, "\xef\xbf\xbd", "\xef\xbf\xbd"),
	ROW("U+FFFE", BC_ESCAPE_LINE, "\xef\xbf\xbe", "\\ufffe"),
	ROW("U+FFFF", BC_ESCAPE_LINE, "\xef\xbf\xbf", "\\uffff"),
	ROW("before the surrogates", BC_ESCAPE_LINE, "\xed\x9f\xbf", "\xed\x9f\xbf"),
	ROW("first surrogate", BC_ESCAPE_LINE, "\xed\xa0\x80", "\\ud800"),
	ROW("last surrogate", BC_ESCAPE_LINE, "\xed\xbf\xbf", "\\udfff"),
	ROW("after the surrogates", BC_ESCAPE_LINE, "\xee\x80\x80", "\xee\x80\x80"),
	ROW("right-to-left override", BC_ESCAPE_LINE, "\xe2\x80\xae", "\\u202e"),
	ROW("byte order mark", BC_ESCAPE_LINE, "\xef\xbb\xbf", "\\ufeff"),
	ROW("overlong slash", BC_ESCAPE_LINE, "\xc0\xaf", "\\xc0\\xaf"),
	ROW("overlong in three bytes", BC_ESCAPE_LINE, "\xe0\x80\xaf", "\\xe0\\x80\\xaf"),
	ROW("overlong in four bytes", BC_ESCAPE_LINE, "\xf0\x80\x80\xaf", "\\xf0\\x80\\x80\\xaf"),
	ROW("stray continuation", BC_ESCAPE_LINE, "a\x80z", "a\\x80z"),
	ROW("cut at the end", BC_ESCAPE_LINE, "a\xe2\x82", "a\\xe2\\x82"),
	ROW("cut by a letter", BC_ESCAPE_LINE, "\xe2\x82z", "\\xe2\\x82z"),
	ROW("Latin-1", BC_ESCAPE_LINE, "f\xfcr", "f\\xfcr"),
#undef ROW
};

START_TEST(escapes_match_the_row)
{
	struct bc_text out = { 0 };

	ck_assert_int_eq(bc_text_add(&out, "<", 1, &err), BC_OK);
	ck_assert_int_eq(bc_escape(&out, rows[_i].how, rows[_i].in, rows[_i].len, &err), BC_OK);
	ck_assert_msg(out.len == strlen(rows[_i].want) + 1 && strcmp(out.data + 1, rows[_i].want) == 0, "%s: got %s",
		      rows[_i].what, out.data + 1);
	bc_text_release(&out);
}
END_TEST

/* libxml2's own tables are the oracle of what XML 1.0 allows. */
static void check_xml(const struct bc_text *t, const char *what)
{
	const char *p = t->data ? t->data : "";

	ck_assert_msg(xmlCheckUTF8((const xmlChar *)p), "%s: not UTF-8: %s", what, p);
	for (size_t left = strlen(p); left > 0;) {
		int n = left < 4 ? (int)left : 4;
		const int c = xmlGetUTF8Char((const unsigned char *)p, &n);

		ck_assert_msg(c > 0 && IS_CHAR((unsigned)c), "%s: U+%04X in %s", what, (unsigned)c, p);
		p += n;
		left -= (size_t)n;
	}
}

/* There, safe, one line; and back to the same bytes. */
static void round_trip(const char *bytes, size_t len, const char *what)
{
	struct bc_text there = { 0 }, back = { 0 };

	ck_assert_int_eq(bc_escape(&there, BC_ESCAPE_VALUE, bytes, len, &err), BC_OK);
	check_xml(&there, what);
	ck_assert_msg(!there.data || (strlen(there.data) == there.len && !strpbrk(there.data, "\n\r\t")),
		      "%s: more than a line", what);
	ck_assert_int_eq(bc_unescape(&back, there.data ? there.data : "", there.len, &err), BC_OK);
	ck_assert_msg(back.len == len && (len == 0 || memcmp(back.data, bytes, len) == 0), "%s: %s came back changed",
		      what, there.data ? there.data : "");
	bc_text_release(&there);
	bc_text_release(&back);
}

START_TEST(every_byte_comes_back)
{
	for (unsigned a = 0; a < 256; a++)
		for (unsigned b = 0; b < 256; b++) {
			const char bytes[] = { (char)(unsigned char)a, (char)(unsigned char)b, 'x' };
			char what[32];

			(void)snprintf(what, sizeof(what), "bytes %02x %02x", a, b);
			round_trip(bytes, sizeof(bytes), what);
		}
	round_trip("", 0, "nothing");
}
END_TEST

START_TEST(every_short_code_point_comes_back)
{
	for (unsigned cp = 0x80; cp < 0x10000; cp++) {
		char bytes[3], what[32];
		size_t n = 0;

		if (cp < 0x800) {
			bytes[n++] = (char)(unsigned char)(0xc0 | cp >> 6);
		} else {
			bytes[n++] = (char)(unsigned char)(0xe0 | cp >> 12);
			bytes[n++] = (char)(unsigned char)(0x80 | (cp >> 6 & 0x3f));
		}
		bytes[n++] = (char)(unsigned char)(0x80 | (cp & 0x3f));
		(void)snprintf(what, sizeof(what), "U+%04X", cp);
		round_trip(bytes, n, what);
	}
}
END_TEST

START_TEST(random_bytes_come_back)
{
	uint32_t x = 2463534242u;

	for (unsigned k = 0; k < 20000; k++) {
		char bytes[24];

		for (size_t i = 0; i < sizeof(bytes); i++) {
			x ^= x << 13;
			x ^= x >> 17;
			x ^= x << 5;
			/* mostly bytes that begin and go on with long sequences */
			bytes[i] = (char)(unsigned char)(x & 0x100 ? x : 0x80 | x >> 9);
		}
		round_trip(bytes, x % (sizeof(bytes) + 1), "random bytes");
	}
}
END_TEST

static const char *const bad_escapes[] = {
	"\\", "ab\\", "\\q", "\\x", "\\x1", "\\x1g", "\\xg1", "\\u", "\\u123", "\\u12g4", "\\u0041", "\\u007f", "\\N",
};

START_TEST(wrong_escapes_are_refused)
{
	struct bc_text out = { 0 };

	ck_assert_int_eq(bc_text_add(&out, "old", 3, &err), BC_OK);
	ck_assert_msg(bc_unescape(&out, bad_escapes[_i], strlen(bad_escapes[_i]), &err) == BC_EDATA, "%s was taken",
		      bad_escapes[_i]);
	ck_assert_str_eq(out.data, "old");
	ck_assert_uint_eq(out.len, 3);
	bc_text_release(&out);
}
END_TEST

START_TEST(an_escape_ends_with_its_text)
{
	struct bc_text out = { 0 };

	/* the digits lie beyond the length */
	ck_assert_int_eq(bc_unescape(&out, "\\x41", 3, &err), BC_EDATA);
	ck_assert_int_eq(bc_unescape(&out, "\\u2028", 5, &err), BC_EDATA);
	ck_assert_int_eq(bc_unescape(&out, "\\x4A\\u20aC", 10, &err), BC_OK);
	ck_assert_str_eq(out.data, "J\xe2\x82\xac");
	bc_text_release(&out);
}
END_TEST

START_TEST(a_cap_holds)
{
	char in[400];
	struct bc_text out = { 0 };

	memset(in, '\033', sizeof(in)); /* 4 bytes each when escaped */
	for (size_t max = 64; max < 1700; max++) {
		size_t kept = 0, cut = 0;

		bc_text_clear(&out);
		ck_assert_int_eq(bc_escape_capped(&out, BC_ESCAPE_TEXT, in, sizeof(in), max, &err), BC_OK);
		ck_assert_msg(out.len <= max, "cap %zu: %zu bytes", max, out.len);
		while (strncmp(out.data + kept * 4, "\\x1b", 4) == 0)
			kept++;
		if (max >= 1600) {
			ck_assert_uint_eq(kept, sizeof(in));
			ck_assert_uint_eq(out.len, 1600);
			continue;
		}
		ck_assert_int_eq(sscanf(out.data + kept * 4, "... (%zu bytes cut)", &cut), 1);
		ck_assert_uint_eq(kept + cut, sizeof(in));
		ck_assert_msg(kept * 4 + 100 > max, "cap %zu: only %zu kept", max, kept);
	}
	bc_text_release(&out);
}
END_TEST

static const struct {
	const char *word, *want;
} shell[] = {
	{ "", "''" },
	{ "stride/ld_b32/2", "stride/ld_b32/2" },
	{ "cuda:0,cuda:1", "cuda:0,cuda:1" },
	{ "--reports=a", "--reports=a" },
	{ "=a", "'=a'" },
	{ "stride/*", "'stride/*'" },
	{ "~/x", "'~/x'" },
	{ "a b", "'a b'" },
	{ "it's", "'it'\\''s'" },
	{ "$(rm x)`y`\"", "'$(rm x)`y`\"'" },
	{ "a\\b", "'a\\b'" },
	{ "\xc3\xbc", "'\xc3\xbc'" },
	{ "a\nb", "$'a\\012b'" },
	{ "\033'\\\xff"
	  "7",
	  "$'\\033\\'\\\\\\3777'" },
};

START_TEST(shell_words_match_the_row)
{
	struct bc_text out = { 0 };

	ck_assert_int_eq(bc_shell_quote(&out, shell[_i].word, &err), BC_OK);
	ck_assert_str_eq(out.data, shell[_i].want);
	bc_text_release(&out);
}
END_TEST

/* The shell itself reads every word back that needs no $'...'. */
START_TEST(the_shell_reads_the_word)
{
	struct bc_text cmd = { 0 };
	char got[64];
	FILE *p;
	size_t n;

	if (strpbrk(shell[_i].word, "\n\033"))
		return;
	ck_assert_int_eq(bc_text_addf(&cmd, &err, "printf '%%s' "), BC_OK);
	ck_assert_int_eq(bc_shell_quote(&cmd, shell[_i].word, &err), BC_OK);
	p = popen(cmd.data, "r");
	ck_assert_ptr_nonnull(p);
	n = fread(got, 1, sizeof(got) - 1, p);
	got[n] = '\0';
	ck_assert_int_eq(pclose(p), 0);
	ck_assert_str_eq(got, shell[_i].word);
	bc_text_release(&cmd);
}
END_TEST

static const struct {
	double seconds;
	const char *want;
} times[] = {
	{ 0, "0.000" },	     { 0.0004, "0.000" },      { 0.0006, "0.001" },
	{ 1.2346, "1.235" }, { 59.9999, "60.000" },    { 12345.678, "12345.678" },
	{ -1, "0.000" },     { (double)NAN, "0.000" }, { (double)INFINITY, "1000000000000.000" },
};

START_TEST(times_match_the_row)
{
	char buf[BC_SECONDS_MAX];

	bc_seconds(bc_milliseconds(times[_i].seconds), buf);
	ck_assert_str_eq(buf, times[_i].want);
}
END_TEST

Suite *bc_test_escape(void)
{
	Suite *s = suite_create("escape");
	TCase *tc = tcase_create("escape");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, escapes_match_the_row, 0, (int)BC_ARRAY_LEN(rows));
	tcase_add_test(tc, every_byte_comes_back);
	tcase_add_test(tc, every_short_code_point_comes_back);
	tcase_add_test(tc, random_bytes_come_back);
	tcase_add_loop_test(tc, wrong_escapes_are_refused, 0, (int)BC_ARRAY_LEN(bad_escapes));
	tcase_add_test(tc, an_escape_ends_with_its_text);
	tcase_add_test(tc, a_cap_holds);
	tcase_add_loop_test(tc, shell_words_match_the_row, 0, (int)BC_ARRAY_LEN(shell));
	tcase_add_loop_test(tc, the_shell_reads_the_word, 0, (int)BC_ARRAY_LEN(shell));
	tcase_add_loop_test(tc, times_match_the_row, 0, (int)BC_ARRAY_LEN(times));
	suite_add_tcase(s, tc);
	return s;
}
