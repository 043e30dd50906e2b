/* SPDX-License-Identifier: MIT */
#include "harness/run/message.h"

#include <check.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *bc_test_message(void);

static struct bc_error err;
static struct bc_text text;
static struct bc_fields fields;

static void setup(void)
{
	text = (struct bc_text){ 0 };
}

static void teardown(void)
{
	bc_text_release(&text);
}

/* --- lines ----------------------------------------------------------------------------------------------------- */

static const struct {
	const char *what, *value, *written;
} values[] = {
	{ "plain", "value", "value" },
	{ "nothing", "", "" },
	{ "a field in it", "a\tb=c", "a\\tb=c" },
	{ "a line in it", "a\nobs\tid=x", "a\\nobs\\tid=x" },
	{ "a carriage return", "\r", "\\r" },
	{ "backslashes", "\\n \\\\ \\", "\\\\n \\\\\\\\ \\\\" },
	{ "an equals sign", "a=b=c", "a=b=c" },
	{ "bytes that are no UTF-8", "\xff\xfe\x80", "\xff\xfe\x80" },
	{ "control characters", "\001\033[31m\177", "\001\033[31m\177" },
	{ "percent signs", "%s%n%d", "%s%n%d" },
};

START_TEST(a_value_comes_back)
{
	char want[64];

	ck_assert_int_eq(bc_message_begin(&text, "kind", &err), BC_OK);
	ck_assert_int_eq(bc_message_add(&text, &err, "key", "%s", values[_i].value), BC_OK);
	ck_assert_int_eq(bc_message_add(&text, &err, "last", "%d", 7), BC_OK);
	ck_assert_int_eq(bc_message_end(&text, &err), BC_OK);
	(void)snprintf(want, sizeof(want), "kind\tkey=%s\tlast=7\n", values[_i].written);
	ck_assert_str_eq(text.data, want);
	text.data[text.len - 1] = '\0';
	ck_assert_msg(bc_message_parse(text.data, &fields, &err) == BC_OK, "%s: %s", values[_i].what, err.msg);
	ck_assert_str_eq(fields.kind, "kind");
	ck_assert_uint_eq(fields.n, 2);
	ck_assert_msg(strcmp(bc_message_get(&fields, "key"), values[_i].value) == 0, "%s", values[_i].what);
	ck_assert_str_eq(bc_message_get(&fields, "last"), "7");
	ck_assert_str_eq(bc_message_get(&fields, "ke"), "");
}
END_TEST

static const struct {
	const char *what, *line, *words; /* words of the error, NULL: it is a message */
} lines[] = {
	{ "a kind alone", "done", NULL },
	{ "an empty value", "a\tb=", NULL },
	{ "nothing", "", "an empty line" },
	{ "kind is missing", "\ta=b", "an empty line" },
	{ "no equals sign", "obs\tid", "a field without `=`: id" },
	{ "no key", "obs\t=x", "a field without `=`" },
	{ "an empty field", "obs\tid=x\t\tb=1", "a field without `=`" },
	{ "a tab at the end", "obs\tid=x\t", "a field without `=`" },
	{ "an escape that does not exist", "obs\tid=\\x", "bad escape in id" },
	{ "half an escape at the end", "obs\tid=a\\", "bad escape in id" },
};

START_TEST(a_line_is_a_message_or_not)
{
	char line[64];
	enum bc_status st;

	(void)bc_strlcpy(line, lines[_i].line, sizeof(line));
	st = bc_message_parse(line, &fields, &err);
	ck_assert_msg(st == (lines[_i].words ? BC_EDATA : BC_OK), "%s: status %d", lines[_i].what, st);
	if (lines[_i].words)
		ck_assert_msg(strstr(err.msg, lines[_i].words), "%s: %s", lines[_i].what, err.msg);
}
END_TEST

START_TEST(lines_have_limits)
{
	char *long_value = malloc(BC_MESSAGE_BYTES + 1);
	enum bc_status st = BC_OK;

	ck_assert_ptr_nonnull(long_value);
	memset(long_value, 'x', BC_MESSAGE_BYTES);
	long_value[BC_MESSAGE_BYTES] = '\0';
	ck_assert_int_eq(bc_message_begin(&text, "k", &err), BC_OK);
	ck_assert_int_eq(bc_message_add(&text, &err, "key", "%s", long_value), BC_EDATA); /* one value */
	ck_assert_ptr_nonnull(strstr(err.msg, "the value of key is too long"));
	for (int i = 0; i < 20; i++) /* the whole line */
		ck_assert_int_eq(bc_message_add(&text, &err, "key", "%.4000s", long_value), BC_OK);
	ck_assert_int_eq(bc_message_end(&text, &err), BC_EDATA);
	ck_assert_int_eq(bc_message_begin(&text, "k", &err), BC_OK); /* fields */
	for (int i = 0; i < BC_MESSAGE_FIELDS; i++)
		st = st ? st : bc_message_add(&text, &err, "key", "%d", i);
	ck_assert_int_eq(st, BC_OK);
	ck_assert_int_eq(bc_message_parse(text.data, &fields, &err), BC_OK);
	ck_assert_uint_eq(fields.n, BC_MESSAGE_FIELDS);
	ck_assert_str_eq(bc_message_get(&fields, "key"), "0"); /* the first of one name */
	ck_assert_int_eq(bc_message_begin(&text, "k", &err), BC_OK);
	for (int i = 0; i <= BC_MESSAGE_FIELDS; i++)
		ck_assert_int_eq(bc_message_add(&text, &err, "key", "%d", i), BC_OK);
	ck_assert_int_eq(bc_message_parse(text.data, &fields, &err), BC_EDATA);
	ck_assert_ptr_nonnull(strstr(err.msg, "more than 64 fields"));
	free(long_value);
}
END_TEST

/* --- observations ---------------------------------------------------------------------------------------------- */

/* Every member has a value of its own, the largest where there is a limit. */
static void fill_observation(struct bc_observation *o)
{
	memset(o, 0, sizeof(*o));
	(void)bc_strlcpy(o->id, "suite/rule/variant", sizeof(o->id));
	o->outcome = BC_UNSUPPORTED;
	memset(o->reason, '\t', sizeof(o->reason) - 1); /* twice as long when it is escaped */
	o->data_checked = o->data_ok = o->requests_counted = o->counters_void = o->clock_has = o->model_has = true;
	o->wavefronts_uncounted = o->conflicts_uncounted = o->sectors_counted = o->clock_value_has = true;
	(void)bc_strlcpy(o->data_detail, "lane 3\nrequest 0: read \\x00, \xff", sizeof(o->data_detail));
	o->attempts = BC_ATTEMPTS_MAX;
	for (unsigned i = 0; i < BC_ATTEMPTS_MAX; i++)
		o->count[i] = (struct bc_count){
			.requests = UINT64_MAX - i, .wavefronts = 100 + i, .conflicts = 200 + i, .sectors = 300 + i
		};
	o->requests_stated = UINT64_MAX;
	(void)bc_strlcpy(o->counters_absent, "no\tpermission", sizeof(o->counters_absent));
	o->clock_wavefronts = 2.000000001;
	o->clock_value = -0.125;
	o->nsamples = BC_SAMPLES_MAX;
	for (unsigned i = 0; i < BC_SAMPLES_MAX; i++)
		o->samples[i] = UINT32_MAX - i;
	(void)bc_strlcpy(o->clock_absent, "a", sizeof(o->clock_absent));
	(void)bc_strlcpy(o->clock_flat, "d", sizeof(o->clock_flat));
	o->model_wavefronts = 1;
	o->model_conflicts = 2;
	o->model_requests = 3;
	(void)bc_strlcpy(o->model_absent, "b", sizeof(o->model_absent));
	(void)bc_strlcpy(o->code_absent, "c", sizeof(o->code_absent));
	o->seconds = 1234.5;
}

static void send_observation(const struct bc_observation *o)
{
	ck_assert_int_eq(bc_message_begin(&text, "obs", &err), BC_OK);
	ck_assert_msg(bc_observation_add(&text, o, &err) == BC_OK, "%s", err.msg);
	ck_assert_msg(bc_message_end(&text, &err) == BC_OK, "%s", err.msg);
	ck_assert_ptr_eq(strchr(text.data, '\n'), text.data + text.len - 1); /* one line */
	text.data[--text.len] = '\0';
}

static void observation_comes_back(void)
{
	struct bc_observation o, back;

	fill_observation(&o);
	send_observation(&o);
	ck_assert_msg(bc_message_parse(text.data, &fields, &err) == BC_OK, "%s", err.msg);
	memset(&back, 0xff, sizeof(back));
	ck_assert_msg(bc_observation_parse(&fields, &back, &err) == BC_OK, "%s", err.msg);
	ck_assert_double_eq(back.clock_wavefronts, o.clock_wavefronts);
	ck_assert_double_eq(back.clock_value, o.clock_value);
	ck_assert_str_eq(back.reason, o.reason);
	ck_assert_str_eq(back.clock_flat, o.clock_flat);
	ck_assert_str_eq(back.data_detail, o.data_detail);
	ck_assert_msg(memcmp(&back, &o, sizeof(o)) == 0, "a member is lost on the way");
}

START_TEST(a_full_observation_comes_back)
{
	observation_comes_back();
}
END_TEST

START_TEST(no_locale_has_a_say)
{
	ck_assert_msg(setlocale(LC_ALL, "de_DE.UTF-8") != NULL, "no locale de_DE.UTF-8 (LOCPATH)");
	ck_assert_str_eq(localeconv()->decimal_point, ",");
	observation_comes_back();
	(void)setlocale(LC_ALL, "C");
}
END_TEST

START_TEST(an_empty_observation_comes_back)
{
	struct bc_observation o, back;

	memset(&o, 0, sizeof(o));
	(void)bc_strlcpy(o.id, "a/b/c", sizeof(o.id));
	send_observation(&o);
	ck_assert_int_eq(bc_message_parse(text.data, &fields, &err), BC_OK);
	memset(&back, 0xff, sizeof(back));
	ck_assert_int_eq(bc_observation_parse(&fields, &back, &err), BC_OK);
	ck_assert_int_eq(memcmp(&back, &o, sizeof(o)), 0);
}
END_TEST

/* Wherever a line is cut between two fields, what is left is no observation. */
START_TEST(a_torn_observation_is_refused)
{
	struct bc_observation o, back;
	size_t cuts = 0;

	fill_observation(&o);
	(void)bc_strlcpy(o.reason, "r", sizeof(o.reason));
	send_observation(&o);
	for (size_t at = text.len; at-- > 0;) {
		char *copy;

		if (text.data[at] != '\t' || strncmp(text.data + at, "\tsamples=", 9) > 0)
			continue;
		copy = strndup(text.data, at);
		ck_assert_ptr_nonnull(copy);
		ck_assert_int_eq(bc_message_parse(copy, &fields, &err), BC_OK);
		ck_assert_msg(bc_observation_parse(&fields, &back, &err) == BC_EDATA, "accepted: ...%s",
			      copy + at - 20);
		free(copy);
		cuts++;
	}
	ck_assert_uint_gt(cuts, 10);
}
END_TEST

#define GOOD "obs\tid=a/b/c\toutcome=0\tattempts=1\tclock_wavefronts=0\tclock_value=0\tseconds=0"

static const struct {
	const char *what, *line, *words; /* words of the error, NULL: accepted */
} observations[] = {
	{ "the least there is", GOOD "\tnsamples=0", NULL },
	{ "a key that nobody knows", GOOD "\tnsamples=0\tcolour=red", NULL },
	{ "samples", GOOD "\tnsamples=2\tsamples=1,4294967295", NULL },
	{ "no id", "obs\toutcome=0\tattempts=1\tclock_wavefronts=0\tclock_value=0\tseconds=0\tnsamples=0",
	  "id is missing" },
	{ "no count of samples", GOOD, "nsamples is missing" },
	{ "fewer samples than stated", GOOD "\tnsamples=3\tsamples=1,2", "the 3 numbers" },
	{ "more samples than stated", GOOD "\tnsamples=1\tsamples=1,2", "the 1 numbers" },
	{ "stated and not there", GOOD "\tnsamples=1", "the 1 numbers" },
	{ "a sample that is no number", GOOD "\tnsamples=2\tsamples=1,x", "the 2 numbers" },
	{ "a sample too large", GOOD "\tnsamples=1\tsamples=4294967296", "the 1 numbers" },
	{ "more samples than there is room for", GOOD "\tnsamples=33", "nsamples=33 is not valid" },
	{ "an outcome that does not exist", "obs\tid=x\toutcome=99", "outcome=99 is not valid" },
	{ "more attempts than there is room for", "obs\tid=x\toutcome=0\tattempts=4", "attempts=4 is not valid" },
	{ "a negative number", "obs\tid=x\toutcome=-1", "outcome=-1 is not valid" },
	{ "a number with a tail", "obs\tid=x\toutcome=0x1", "outcome=0x1 is not valid" },
	{ "a number with a blank", "obs\tid=x\toutcome= 1", "outcome= 1 is not valid" },
	{ "a truth value that is none", "obs\tid=x\toutcome=0\tdata_ok=yes", "data_ok=yes is not valid" },
	{ "a truth value of 2", "obs\tid=x\toutcome=0\tdata_ok=2", "data_ok=2 is not valid" },
	{ "2^64", "obs\tid=x\toutcome=0\tattempts=0\trequests_0=18446744073709551616", "requests_0=1844" },
	{ "a real number with a point", "obs\tid=x\toutcome=0\tattempts=0\tclock_wavefronts=1.5",
	  "clock_wavefronts=1.5" },
	{ "an id too long",
	  "obs\tid=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
	  "is not valid" },
};

START_TEST(an_observation_is_checked)
{
	struct bc_observation o;
	char *line = strdup(observations[_i].line);
	enum bc_status st;

	ck_assert_ptr_nonnull(line);
	ck_assert_int_eq(bc_message_parse(line, &fields, &err), BC_OK);
	st = bc_observation_parse(&fields, &o, &err);
	ck_assert_msg(st == (observations[_i].words ? BC_EDATA : BC_OK), "%s: status %d", observations[_i].what, st);
	if (observations[_i].words)
		ck_assert_msg(strstr(err.msg, observations[_i].words), "%s: %s", observations[_i].what, err.msg);
	free(line);
}
END_TEST

/* --- facts ----------------------------------------------------------------------------------------------------- */

#define FILL(field, text) (void)bc_strlcpy(f.field, text, sizeof(f.field))

START_TEST(facts_come_back)
{
	struct bc_facts f, back;

	memset(&f, 0, sizeof(f));
	f.kind = BC_DEVICE_REFERENCE;
	f.index = 4096;
	FILL(arch, "sm_90");
	FILL(name, "NVIDIA\tH200\n");
	FILL(uuid, "GPU-1");
	FILL(pci, "0000:01:00.0");
	FILL(driver, "580.159.04");
	FILL(cuda, "13.0");
	FILL(cupti, "13.0.85");
	FILL(toolkit, "13.0");
	f.optin_bytes = UINT32_MAX;
	f.sm_bytes = 2;
	f.reserved_bytes = 3;
	f.static_bytes = 4;
	f.sms = 132;
	f.clock_khz = 1980000;
	f.memory_clock_khz = 3201000;
	f.ecc = -1;
	FILL(counters_absent, "insufficient privileges (35): NVreg_RestrictProfilingToAdminUsers=0");
	FILL(clock_absent, "none");
	f.counters_are_model = true;
	ck_assert_int_eq(bc_message_begin(&text, "opened", &err), BC_OK);
	ck_assert_int_eq(bc_facts_add(&text, &f, &err), BC_OK);
	ck_assert_int_eq(bc_message_parse(text.data, &fields, &err), BC_OK);
	memset(&back, 0xff, sizeof(back));
	ck_assert_msg(bc_facts_parse(&fields, &back, &err) == BC_OK, "%s", err.msg);
	ck_assert_str_eq(back.name, "NVIDIA\tH200\n");
	ck_assert_msg(memcmp(&back, &f, sizeof(f)) == 0, "a member is lost on the way");
}
END_TEST

START_TEST(bad_facts_are_refused)
{
	static const struct {
		const char *line, *words;
	} rows[] = {
		{ "opened", "kind is missing" },
		{ "opened\tkind=2", "kind=2 is not valid" },
		{ "opened\tkind=0\tindex=4097", "index=4097 is not valid" },
		{ "opened\tkind=0\tindex=0\tarch=sm_1234567890123", "arch=sm_1234567890123 is not valid" },
		{ "opened\tkind=0\tindex=0\toptin_bytes=4294967296", "optin_bytes=4294967296 is not valid" },
		{ "opened\tkind=0\tindex=0\toptin_bytes=0\tsm_bytes=0\treserved_bytes=0\tstatic_bytes=0\tsms=0\tclock_"
		  "khz=0"
		  "\tmemory_clock_khz=0\tecc=2",
		  "ecc=2 is not valid" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bc_facts f;
		char *line = strdup(rows[i].line);

		ck_assert_ptr_nonnull(line);
		ck_assert_int_eq(bc_message_parse(line, &fields, &err), BC_OK);
		ck_assert_msg(bc_facts_parse(&fields, &f, &err) == BC_EDATA, "%s", rows[i].line);
		ck_assert_msg(strstr(err.msg, rows[i].words), "%s", err.msg);
		free(line);
	}
}
END_TEST

Suite *bc_test_message(void)
{
	Suite *s = suite_create("message");
	TCase *tc = tcase_create("message");

	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, a_value_comes_back, 0, (int)BC_ARRAY_LEN(values));
	tcase_add_loop_test(tc, a_line_is_a_message_or_not, 0, (int)BC_ARRAY_LEN(lines));
	tcase_add_test(tc, lines_have_limits);
	tcase_add_test(tc, a_full_observation_comes_back);
	tcase_add_test(tc, no_locale_has_a_say);
	tcase_add_test(tc, an_empty_observation_comes_back);
	tcase_add_test(tc, a_torn_observation_is_refused);
	tcase_add_loop_test(tc, an_observation_is_checked, 0, (int)BC_ARRAY_LEN(observations));
	tcase_add_test(tc, facts_come_back);
	tcase_add_test(tc, bad_facts_are_refused);
	suite_add_tcase(s, tc);
	return s;
}
