/* SPDX-License-Identifier: MIT */
#include "harness/html/html.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/html/page.h"
#include "harness/base/sha256.h"
#include "harness/tests/html/html_sample.h"
#include "harness/tests/program.h"

Suite *bc_test_html(void);

static struct bc_error err;
static struct bc_text page;
static char pattern[4][512];

static void teardown(void)
{
	bc_text_release(&page);
	bc_call_teardown();
}

/* The page of one or two reports in the folder of the call. */
static void make(size_t n)
{
	static const char *const names[] = { "a.xml", "b.xml", "c.xml" };
	struct bc_read_file file[3] = { { 0 } };
	char path[BC_PATH_MAX + 16];

	for (size_t i = 0; i < n; i++) {
		(void)snprintf(path, sizeof(path), "%s/%s", bc_call.dir, names[i]);
		ck_assert_msg(!bc_report_read(path, &file[i], &err), "%s", err.msg);
	}
	bc_text_release(&page);
	ck_assert_msg(!bc_html_write(file, n, &page, &err), "%s", err.msg);
	for (size_t i = 0; i < n; i++)
		bc_report_release(&file[i]);
}

static void write_report(const char *name, const char *driver, const struct bc_sample_line *line, size_t n)
{
	char path[BC_PATH_MAX + 16];

	(void)snprintf(path, sizeof(path), "%s/%s", bc_call.dir, name);
	bc_sample_report(path, "NVIDIA H200", driver, line, n);
}

static size_t count(const char *what)
{
	size_t n = 0;

	for (const char *at = strstr(page.data, what); at; at = strstr(at + 1, what))
		n++;
	return n;
}

static void holds(const char *what, size_t times)
{
	ck_assert_msg(count(what) == times, "`%s` is %zu times in the page, want %zu", what, count(what), times);
}

/* The part of the page that is the case @id, without its head. */
static struct bc_text body(const char *id)
{
	char mark[128];
	struct bc_text t = { 0 };
	const char *from, *to;

	(void)snprintf(mark, sizeof(mark), "id=\"%s\">", id);
	from = strstr(page.data, mark);
	ck_assert_msg(from, "no case %s", id);
	to = strstr(from, "</details>");
	ck_assert_ptr_nonnull(to);
	ck_assert_int_eq(bc_text_add(&t, from, (size_t)(to - from), &err), BC_OK);
	return t;
}

static void case_holds(const char *id, const char *what)
{
	struct bc_text t = body(id);

	ck_assert_msg(strstr(t.data, what), "%s does not say `%s`:\n%s", id, what, t.data);
	bc_text_release(&t);
}

static const struct {
	const char *a, *b; /* a comes first */
} orders[] = {
	{ "stride/ld_b32/2", "stride/ld_b32/12" },
	{ "stride/ld_b32/9", "stride/ld_b32/10" },
	{ "stride/ld/33", "stride/ld_b32/1" },
	{ "a/b/c", "a/b/c1" },
	{ "a/b/c01", "a/b/c1" }, /* equal numbers: by the letters */
	{ "a/b/99999999999999999998", "a/b/99999999999999999999" },
	{ "a/b9/c", "a/b10/a" },
	{ "", "a" },
};

START_TEST(numbers_are_in_order)
{
	ck_assert_msg(bc_html_order(orders[_i].a, orders[_i].b) < 0, "%s not before %s", orders[_i].a, orders[_i].b);
	ck_assert_msg(bc_html_order(orders[_i].b, orders[_i].a) > 0, "%s not after %s", orders[_i].b, orders[_i].a);
	ck_assert_int_eq(bc_html_order(orders[_i].a, orders[_i].a), 0);
}
END_TEST

/* What a witness names, from the lines of a report. */
static const struct {
	const char *keys, *quantity;
	enum bc_html_witness w;
	const char *want;
} values[] = {
	{ "requests_stated=8\ncounters=requests:8 wavefronts:16 conflicts:8\n", "wavefronts", BC_HTML_COUNTERS, "2" },
	{ "requests_stated=8\ncounters=requests:8 wavefronts:16 conflicts:8\n", "conflicts", BC_HTML_COUNTERS, "1" },
	{ "requests_stated=8\ncounters=requests:8 wavefronts:16 conflicts:8\n", "requests", BC_HTML_COUNTERS, "8" },
	{ "requests_stated=8\ncounters=wavefronts:16;wavefronts:24;wavefronts:16\n", "wavefronts", BC_HTML_COUNTERS,
	  "2,3,2" },
	{ "requests_stated=8\ncounters=wavefronts:16;wavefronts:24;wavefronts:24\n", "wavefronts", BC_HTML_COUNTERS,
	  "2,3,3" },
	{ "requests_stated=8\ncounters=wavefronts:16;wavefronts:16\n", "wavefronts", BC_HTML_COUNTERS, "2" },
	{ "requests_stated=8\ncounters=requests:8 conflicts:8\n", "wavefronts", BC_HTML_COUNTERS, "" },
	{ "requests_stated=3\ncounters=wavefronts:4\n", "wavefronts", BC_HTML_COUNTERS, "1.333333" },
	{ "model=requests:32 wavefronts:64 conflicts:32\n", "wavefronts", BC_HTML_MODEL, "2" },
	{ "clock=2.02\n", "wavefronts", BC_HTML_CLOCK, "2.02" },
	{ "clock=2.02\n", "clock_slope", BC_HTML_CLOCK, "2.02" },
	{ "clock=2.02\n", "conflicts", BC_HTML_CLOCK, "" },
	{ "data=right\n", "wavefronts", BC_HTML_COUNTERS, "" },
};

START_TEST(values_are_per_request)
{
	const struct bc_sample_line line = { "a/b/c", "PASS", NULL, values[_i].keys };
	char path[BC_PATH_MAX + 16], got[BC_HTML_VALUE_MAX];
	struct bc_read_file file = { 0 };

	write_report("a.xml", "1", &line, 1);
	(void)snprintf(path, sizeof(path), "%s/a.xml", bc_call.dir);
	ck_assert_msg(!bc_report_read(path, &file, &err), "%s", err.msg);
	bc_html_value(&file.devices[0].cases[0], values[_i].w, values[_i].quantity, got);
	ck_assert_str_eq(got, values[_i].want);
	bc_report_release(&file);
}
END_TEST

START_TEST(counts_are_those_of_the_reports)
{
	static const struct bc_sample_line a[] = {
		{ "s/one/1", "PASS", NULL, NULL },           { "s/one/2", "FAIL", "ratio", NULL },
		{ "s/two/1", "SKIP", "needs x", NULL },      { "t/one/1", "XPASS", "known", NULL },
		{ "t/one/2", "UNJUDGED", "no row", NULL },   { "t/one/3", "DISAGREE", "two say", NULL },
		{ "t/one/4", "BROKEN", "tool", NULL },       { "t/one/5", "LOST", "died", NULL },
		{ "t/one/6", "XFAIL", "as known", NULL },    { "t/one/7", "PASS", NULL, NULL },
	}, b[] = {
		{ "s/one/1", "PASS", NULL, NULL },
		{ "s/one/2", "PASS", NULL, NULL },
		{ "u/only/1", "PASS", NULL, NULL },
	};

	write_report("a.xml", "1", a, BC_ARRAY_LEN(a));
	write_report("b.xml", "2", b, BC_ARRAY_LEN(b));
	make(2);
	holds("data-run=1 data-verdict=PASS>2<", 1);
	holds("data-run=1 data-verdict=XFAIL>1<", 1);
	holds("data-run=1 data-verdict=all>10<", 1);
	holds("data-run=2 data-verdict=PASS>3<", 1);
	holds("data-run=2 data-verdict=FAIL>0<", 1);
	holds("data-run=2 data-verdict=all>3<", 1);
	holds("<b>6</b> to look at, 1 skipped", 1); /* FAIL XPASS UNJUDGED DISAGREE BROKEN LOST */
	holds("<details class=k ", 11);		    /* each case once */
	holds("<details class=suite>", 3);
	holds("data-v=PF data-d>", 1); /* s/one/2 */
	holds("data-v=P data-d>", 2);  /* t/one/7 and u/only/1 are in one run only */
	holds("data-v=P>", 1);	       /* s/one/1: no difference */
	holds(">10 of 11 cases have a verdict", 1);
	holds("<span class=z>absent</span>", 9);  /* 8 cases of run 2, 1 of run 1 */
	holds("<b class=d>\u2260 7</b>", 1);	  /* of t: absent */
	holds("<b class=d>\u2260 2</b>", 1);	  /* of s: another verdict, and absent */
	holds("<span class=z>not run</span>", 2); /* t by run 2, u by run 1 */
}
END_TEST

#define RATIO(got, want, line) \
	"ratio wavefronts=" got "; expected wavefronts=" want " (x.txt:" line "); counters wavefronts=" got

START_TEST(findings_are_put_together_by_cause)
{
	static const struct bc_sample_line a[] = {
		{ "s/one/1", "FAIL", RATIO("4", "2", "1"), NULL }, { "s/one/2", "FAIL", RATIO("2", "1", "2"), NULL },
		{ "s/one/3", "FAIL", RATIO("2", "1", "3"), NULL }, { "s/two/1", "FAIL", RATIO("2", "1", "4"), NULL },
		{ "s/two/2", "DISAGREE", "data: lane 3", NULL },   { "s/two/3", "DISAGREE", "data: lane 4", NULL },
		{ "s/two/4", "DISAGREE", "data: lane 4", NULL },   { "s/two/5", "PASS", NULL, NULL },
		{ "s/two/6", "SKIP", RATIO("2", "1", "5"), NULL },
	};
	const char *data, *two, *four;

	write_report("a.xml", "1", a, BC_ARRAY_LEN(a));
	make(1);
	holds("<title>FAILED 7 \u00b7 bankcheck: NVIDIA H200</title>", 1);
	holds("<strong>FAILED</strong>", 1);
	holds("<td class=num data-l=cases>", 4);
	data = strstr(page.data, "<td class=num data-l=cases>3<td><b class=\"v vD\">DISAGREE</b><td><code>s/two");
	two = strstr(page.data, "<td class=num data-l=cases>2<td><b class=\"v vF\">FAIL</b><td><code>s/one</code><td>2 "
				"instead of 1 wavefronts<td data-l=first><a href=\"#s/one/2\">");
	four = strstr(page.data, "<td>4 instead of 2 wavefronts<");
	ck_assert(data && two && four && data < two && two < four); /* the largest first */
	holds("Case by case: 7</summary>", 1);
	holds("<details class=facts open><summary>Case by case", 1);
}
END_TEST

START_TEST(what_is_broken_is_one_whatever_the_rule)
{
	static const struct bc_sample_line a[] = {
		{ "s/one/1", "FAIL", RATIO("2", "1", "2"), NULL }, { "s/one/2", "BROKEN", "counters void: x", NULL },
		{ "s/one/3", "FAIL", RATIO("2", "1", "3"), NULL }, { "s/two/1", "BROKEN", "counters void: x", NULL },
		{ "s/two/2", "FAIL", RATIO("2", "1", "4"), NULL }, { "t/one/1", "BROKEN", "counters void: x", NULL },
		{ "t/one/2", "BROKEN", "another reason", NULL },
	};

	write_report("a.xml", "1", a, BC_ARRAY_LEN(a));
	make(1);
	holds("<td class=num data-l=cases>", 4);
	holds("<td class=num data-l=cases>3<td><b class=\"v vB\">BROKEN</b><td><code>s/one</code> and 2 more rules<td>",
	      1);
	holds("<td class=num data-l=cases>2<td><b class=\"v vF\">FAIL</b><td><code>s/one</code><td>", 1);
}
END_TEST

START_TEST(causes_name_their_runs)
{
	static const struct bc_sample_line a[] = { { "s/one/1", "FAIL", RATIO("2", "1", "1"), NULL },
						   { "s/one/2", "FAIL", RATIO("2", "1", "2"), NULL } },
					   b[] = { { "s/one/1", "PASS", NULL, NULL },
						   { "s/one/2", "FAIL", RATIO("3", "1", "2"), NULL } };

	write_report("a.xml", "1", a, 2);
	write_report("b.xml", "2", b, 2);
	make(2);
	holds("<title>FAILED 3 \u00b7 bankcheck: NVIDIA H200 and 1 more run</title>", 1);
	holds("<span class=r>run 1</span> 2 instead of 1 wavefronts", 1);
	holds("<span class=r>run 2</span> 3 instead of 1 wavefronts", 1);
}
END_TEST

START_TEST(many_findings_are_closed_at_first)
{
	static struct bc_sample_line a[51];
	static char id[51][16];

	for (unsigned i = 0; i < 51; i++) {
		(void)snprintf(id[i], sizeof(id[i]), "s/one/%u", i);
		a[i] = (struct bc_sample_line){ id[i], "FAIL", RATIO("2", "1", "1"), NULL };
	}
	write_report("a.xml", "1", a, 51);
	make(1);
	holds("<td class=num data-l=cases>51<td><b", 1);
	holds("<details class=facts><summary>Case by case: 51", 1);
}
END_TEST

START_TEST(a_page_of_passes_says_so)
{
	static const struct bc_sample_line a[] = { { "s/one/1", "PASS", NULL, NULL } },
					   b[] = { { "s/one/1", "SKIP", "no GPU", NULL } };

	write_report("a.xml", "1", a, 1);
	make(1);
	holds("<strong>PASSED</strong>", 1);
	holds("<title>PASSED \u00b7 bankcheck: NVIDIA H200</title>", 1);
	holds("None: every case", 1);
	holds("id=differences", 0);
	write_report("a.xml", "1", b, 1);
	make(1);
	holds("<strong>NOTHING WAS JUDGED</strong>", 1);
	holds("<title>NOTHING JUDGED \u00b7 ", 1);
	holds("Skipped and known failures: 1", 1);
}
END_TEST

START_TEST(a_case_tells_all)
{
	static const struct bc_sample_line a[] = {
		{ "s/one/2", "FAIL", "ratio: expected 2, measured 3",
		  "outcome=ratio wavefronts=3\nwavefronts=2..2\nwavefronts_origin=published\nwavefronts_basis=two "
		  "words\nconflicts=0.5..1.5\n"
		  "conflicts_origin=rule\ndata=right\nrequests_stated=8\ncounters=requests:8 wavefronts:24;requests:8 "
		  "wavefronts:24\n"
		  "counters_by=model\nclock=3\nclock_samples=10,12,10,11\nmodel=requests:1 wavefronts:2 "
		  "conflicts:1\ntwin=s/one/1\n"
		  "rule=words of one bank wait\nsource=the guide\nrerun=bankcheck run --filter s/one/2\n" },
		{ "s/one/1", "PASS", NULL,
		  "data=wrong\ndata_detail=word 7\ndata_origin=rule\ndata_basis=as written\n"
		  "counters_absent=not permitted\nclock_absent=throttled\nrule=another sentence\nrerun=bankcheck run "
		  "--filter s/one/1\n" },
	};

	write_report("a.xml", "1", a, 2);
	make(1);
	case_holds("s/one/2", "ratio: expected 2, measured 3");
	case_holds("s/one/2", "<tr><th>expected wavefronts<td><b>2</b> <i>published</i> two words\n");
	case_holds("s/one/2", "<tr><th>expected conflicts<td><b>0.5\u20131.5</b> <i>rule</i> \n");
	case_holds("s/one/2", "<tr><th>data<td>right\n");
	case_holds("s/one/2", "requests 8, wavefronts 24, 2 times alike (by the model)");
	case_holds("s/one/2", "<b>3</b>; cycles 10\u202f\u00d72, 11, 12\n");
	case_holds("s/one/2", "<tr><th>model<td>requests 1, wavefronts 2, conflicts 1\n");
	case_holds("s/one/2", "<a href=\"#s/one/1\">s/one/1</a>");
	case_holds("s/one/2", "<code>bankcheck run --filter s/one/2</code>");
	case_holds("s/one/2", "<p>words of one bank wait");
	case_holds("s/one/1", "<tr><th>expected data<td><b>right</b> <i>rule</i> as written\n");
	case_holds("s/one/1", "<tr><th>data<td>wrong: word 7\n");
	case_holds("s/one/1", "<em>none: not permitted</em>");
	case_holds("s/one/1", "<em>none: throttled</em>");
	holds("<p class=law>another sentence", 1); /* of the rule's first case */
	holds("run --filter s/one/1", 0);	   /* a pass need not be run again */
	holds("<span>2 wavefronts</span><span class=odd>\u2260 3</span><span class=odd>\u2260 3</span><span>2</span>",
	      1);
}
END_TEST

START_TEST(runs_that_agree_are_one_line)
{
	static const struct bc_sample_line a[] = { { "s/one/1", "PASS", NULL,
						     "counters=requests:8 conflicts:0\nclock=1\n" } },
					   b[] = { { "s/one/1", "PASS", NULL,
						     "counters=requests:8 conflicts:8\nclock=1.009\n" } };

	write_report("a.xml", "1", a, 1);
	write_report("b.xml", "2", b, 1);
	write_report("c.xml", "3", a, 1);
	make(3);
	case_holds("s/one/1", "<td><span class=r>runs 1, 3</span> requests 8, conflicts 0\n");
	case_holds("s/one/1", "<td><span class=r>run 2</span> requests 8, conflicts 8\n");
	holds("data-v=P data-d>", 1);
	write_report("b.xml", "2", (const struct bc_sample_line[]){ { "s/one/1", "PASS", NULL, "clock=1.009\n" } }, 1);
	make(3);
	holds("data-v=P>", 1); /* a clock within 1 %, and an absent counter */
	write_report("b.xml", "2", (const struct bc_sample_line[]){ { "s/one/1", "PASS", NULL, "clock=1.02\n" } }, 1);
	make(3);
	holds("data-v=P data-d>", 1);
}
END_TEST

/* A pattern and what must be drawn of it. */
static const struct {
	const char *what, *op;
	unsigned step, modulo;
	const char *model; /* total wavefronts of the report's model */
	const char *drawn; /* of the definition */
	const char *caption;
	unsigned rows;
} pictures[] = {
	{ "a word in each bank", "ld32", 4, 32, "1", "<path class=pa d=\"M0 0h32\"/><use",
	  "ld32</b>, byte offsets 4 \u00d7 lane<", 1 },
	{ "2-way: lanes 0 to 15, then 16 to 31, in even banks", "ld32", 8, 32, "2",
	  "<path class=px d=\"M0 1h1M2 1h1M4 1h1M6 1h1M8 1h1M10 1h1M12 1h1M14 1h1M16 1h1M18 1h1M20 1h1M22 1h1M24 "
	  "1h1M26 1h1M28 1h1M30 1h1\"/>"
	  "<use href=\"#pg\"/><text x=39 y=31 textLength=620> 0     1     2     3     4     5     6     7     8     9  "
	  "  10    11    12  "
	  "  13    14    15 </text><text x=39 y=49 textLength=620>16    17 ",
	  "8 \u00d7 lane", 2 },
	{ "one word serves all", "ld32", 0, 32, "1", "<text x=39 y=31 textLength=20>\u00d732</text>",
	  "0 for every lane. \u00d7 served together: bank 0 lanes 0-31", 1 },
	{ "atomics on one word take turns", "atom32", 0, 32, "32", "<text x=39 y=589 textLength=20>31 </text>",
	  "atom32", 32 },
	{ "8 bytes: two groups", "ld64", 8, 32, "2",
	  "<text class=pl x=684 y=31>lanes 0\u201315</text><path class=ps d=\"M0 36H764\"/>"
	  "<text class=pl x=684 y=49>lanes 16\u201331</text>",
	  "8 \u00d7 lane", 2 },
	{ "an architecture without the pair rule", "ld64", 0, 32, "2",
	  "<text x=39 y=49 textLength=40>\u00d716\u00d716</text>",
	  "banks 0\u20131 lanes 0-15; banks 0\u20131 lanes 16-31<", 2 },
	{ "one with it", "ld64", 0, 32, "1", "<text x=39 y=31 textLength=40>\u00d732\u00d732</text>",
	  "banks 0\u20131 lanes 0-31<", 1 },
	{ "no law", "cpa4z", 4, 32, NULL, "<path class=pn d=\"M0 0h32\"/>", "No law names wavefronts here", 1 },
	{ "another model", "ld32", 4, 32, "7", "M0 0h32", "model counts otherwise", 1 },
};

START_TEST(a_pattern_is_drawn)
{
	char keys[1024], label[64];
	const struct bc_sample_line line = { "s/one/1", "PASS", NULL, keys };

	(void)snprintf(keys, sizeof(keys), "%s%s%s%s", pictures[_i].model ? "model=requests:1 wavefronts:" : "",
		       pictures[_i].model ? pictures[_i].model : "", pictures[_i].model ? " conflicts:0\n" : "",
		       bc_sample_pattern(pattern[0], pictures[_i].op, pictures[_i].step, pictures[_i].modulo));
	write_report("a.xml", "1", &line, 1);
	make(1);
	ck_assert_msg(strstr(page.data, pictures[_i].drawn), "%s: not drawn: %.600s", pictures[_i].what,
		      strstr(page.data, "<g id=p0>"));
	case_holds("s/one/1", pictures[_i].caption);
	(void)snprintf(label, sizeof(label), "aria-label=\"%u row", pictures[_i].rows);
	case_holds("s/one/1", label);
}
END_TEST

START_TEST(equal_drawings_are_there_once)
{
	const struct bc_sample_line a[] = {
		{ "s/one/1", "PASS", NULL, bc_sample_pattern(pattern[0], "ld32", 4, 32) },
		{ "s/one/2", "PASS", NULL, bc_sample_pattern(pattern[1], "st32", 4, 32) },
		{ "s/one/3", "PASS", NULL, bc_sample_pattern(pattern[2], "ld32", 8, 32) },
		{ "s/one/4", "PASS", NULL,
		  "pattern=op:ld32 mask:ffffffff origin:start count:1 step:0 offsets:1,2,3\n" },
		{ "s/one/5", "PASS", NULL, "pattern=<script>\n" },
		{ "s/one/6", "PASS", NULL, bc_sample_pattern(pattern[3], "st32", 8, 32) },
	};

	write_report("a.xml", "1", a, BC_ARRAY_LEN(a));
	write_report("b.xml", "2", a, BC_ARRAY_LEN(a));
	make(2);
	holds("<g id=p0>", 1);
	holds("<g id=p1>", 1);
	holds("<g id=p2>", 0);
	holds("<svg class=\"p\" ", 4); /* once a case, not once a report */
	holds("<use href=\"#p0\"/>", 2);
	holds("<use href=\"#p1\"/>", 2);
	case_holds("s/one/4", "Not drawn");
	case_holds("s/one/5", "&lt;script&gt;");
}
END_TEST

START_TEST(text_of_a_report_is_text)
{
	const char *const evil = "</style></script><script>alert(1)</script>\"' onload=x & \\u202e";
	char path[BC_PATH_MAX + 16], keys[2048];
	const struct bc_sample_line line[] = { { evil, "FAIL", evil, keys } };

	(void)snprintf(keys, sizeof(keys),
		       "reason=</td><img src=x>two\\nlines\nrule=<b onclick=x>\nsource=<i>&amp;\ntwin=\" "
		       "onclick=x\nrerun=</code><script>\n"
		       "wavefronts=1..2\nwavefronts_origin=<u>\nwavefronts_basis=<u>\ncounters=<u>:1;<u>:2\n"
		       "data=<u>\ndata_detail=<u>\nclock_absent=<u>\ncounters_absent=\\u202e<u>\n");
	(void)snprintf(path, sizeof(path), "%s/a.xml", bc_call.dir);
	bc_sample_report(path, evil, evil, line, 1);
	make(1);
	holds("<script>", 1);
	holds("</script>", 1);
	holds("</style>", 1);
	holds("<img", 0);
	holds("<u>", 0);
	holds("<b onclick", 0);
	holds("\" onclick", 0);
	holds("\xe2\x80\xae", 0); /* what turns the direction of text around */
	/* title, the run's device and driver, the finding's link and message at the least */
	ck_assert_uint_ge(
		count("&lt;/style&gt;&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39; onload=x &amp;"),
		5);
	holds("id=\"case-1\"", 1); /* not an id by the grammar */
	holds("two\\nlines", 1);
	holds("&lt;i&gt;&amp;amp;", 1);
}
END_TEST

/* SHA-256 in base 64, as a policy names it. */
static void hash_of(const char *text, size_t len, char out[48])
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	unsigned char b[33] = { 0 };
	char hex[65];
	size_t at = 0;

	bc_sha256_hex(text, len, hex);
	for (size_t i = 0; i < 32; i++) {
		const char two[] = { hex[2 * i], hex[2 * i + 1], '\0' };

		b[i] = (unsigned char)strtoul(two, NULL, 16);
	}
	for (size_t i = 0; i < 33; i += 3) {
		const unsigned v = (unsigned)b[i] << 16 | (unsigned)b[i + 1] << 8 | b[i + 2];

		for (int shift = 18; shift >= 0; shift -= 6)
			out[at++] = digits[v >> shift & 63];
	}
	out[at - 1] = '=';
	out[at] = '\0';
}

static const struct {
	const char *start, *end, *file, *policy;
} embedded[] = {
	{ "<style>", "</style>", "page.css", "style-src 'sha256-%s'" },
	{ "<script>", "</script>", "page.js", "script-src 'sha256-%s'" },
};

/* What a browser does: it hashes what stands in the element and looks for that in the policy. */
START_TEST(policy_names_style_and_script)
{
	static const struct bc_sample_line a[] = { { "s/one/1", "PASS", NULL, NULL } };
	struct bc_text file = { 0 };
	char hash[48], policy[80], path[BC_PATH_MAX];
	const char *from, *to;

	write_report("a.xml", "1", a, 1);
	make(1);
	holds(embedded[_i].start, 1);
	holds(embedded[_i].end, 1);
	from = strstr(page.data, embedded[_i].start) + strlen(embedded[_i].start);
	to = strstr(from, embedded[_i].end);
	ck_assert_ptr_nonnull(to);
	hash_of(from, (size_t)(to - from), hash);
	(void)snprintf(policy, sizeof(policy), embedded[_i].policy, hash);
	holds(policy, 1);
	(void)snprintf(path, sizeof(path), BC_TEST_EXPECTED "/../harness/html/%s", embedded[_i].file);
	ck_assert_msg(!bc_file_read(path, 1 << 20, &file, &err), "%s", err.msg);
	ck_assert_msg(file.len == (size_t)(to - from) && memcmp(file.data, from, file.len) == 0, "not %s", path);
	bc_text_release(&file);
}
END_TEST

START_TEST(nothing_is_asked_of_the_network)
{
	static const struct bc_sample_line a[] = { { "s/one/1", "PASS", NULL, NULL } };

	write_report("a.xml", "1", a, 1);
	make(1);
	holds("default-src 'none'", 1);
	holds("http:", 0);
	holds("https:", 0);
	holds("src=", 0);
	holds("@import", 0);
	holds("<link", 0);
	holds(" style=", 0); /* the policy forbids it */
}
END_TEST

START_TEST(layouts_are_those_of_the_kernels)
{
	static const struct bc_sample_line a[] = { { "s/one/1", "PASS", NULL, NULL } };

	write_report("a.xml", "1", a, 1);
	make(1);
	holds("plain: banks of a tile of 32 by 32 words; a column takes 32 wavefronts", 1);
	holds("padded: banks of a tile of 32 by 32 words; a column takes 1 wavefront\"", 1);
	holds("xor: banks of a tile of 32 by 32 words; a column takes 1 wavefront\"", 1);
	holds("textLength=352> 0  1  2  3 ",
	      31 + 2 + 1); /* all rows of plain; row 0 of the others. Row 31 of padded starts 31 */
	holds("textLength=352>31 30 29 28 ", 1); /* the last row of xor */
	holds("textLength=352>31  0  1  2 ", 1); /* of padded */
}
END_TEST

START_TEST(slope_is_that_of_the_samples)
{
	struct bc_sample_line a[8];
	static char keys[8][1024], id[8][16];

	/* 32 timed requests of w wavefronts: 32 * (23 + 2 w) cycles, one wild sample */
	for (unsigned i = 0; i < 8; i++) {
		const unsigned w = i + 1, cycles = 32 * (23 + 2 * w);

		(void)snprintf(id[i], sizeof(id[i]), "s/one/%u", w);
		(void)snprintf(keys[i], sizeof(keys[i]),
			       "clock_samples=%u,%u,%u,99999\nmodel=requests:1 wavefronts:%u conflicts:0\n%s", cycles,
			       cycles, cycles, w, bc_sample_pattern(pattern[0], "ld32", 4, 32));
		a[i] = (struct bc_sample_line){ id[i], "PASS", NULL, keys[i] };
	}
	write_report("a.xml", "1", a, 8);
	make(1);
	holds("<b>ld32</b> loads, each waits for the one before it: <b>2</b> cycles for each further wavefront", 1);
	holds("<use href=\"#mc\" x=", 8);
	holds("<use href=\"#ms\" x=", 0); /* no store */
	holds("<path class=\"sl c\"", 1);
}
END_TEST

START_TEST(program_writes_the_page_whole)
{
	static const struct bc_sample_line a[] = { { "s/one/1", "PASS", NULL, NULL } };
	struct bc_text t;

	write_report("a.xml", "1", a, 1);
	bc_run_program("html a.xml -o page.html");
	bc_expect_status(0, NULL);
	bc_expect_output("page.html: 1 report, 1 verdict,");
	t = bc_program_file(&bc_call, "page.html");
	ck_assert_str_eq(t.data + t.len - strlen("</html>\n"), "</html>\n");
	bc_text_release(&t);
	bc_write_file("cut.xml", "w", "<testsuites><testsuite");
	bc_write_file("page.html", "w", "old");
	bc_run_program("html cut.xml -o page.html");
	bc_expect_status(3, "cut.xml");
	t = bc_program_file(&bc_call, "page.html");
	ck_assert_str_eq(t.data, "old");
	bc_text_release(&t);
	bc_run_program("html a.xml cut.xml -o page.html"); /* the rest is not lost */
	bc_expect_status(2, "cut.xml");
	bc_expect_output("page.html: 1 report, 1 verdict,");
}
END_TEST

/* A farm of 40 hosts: two columns, for one of them differs; the page does not grow with hosts that do not. */
START_TEST(equal_runs_of_a_farm_are_one_column)
{
	static const struct bc_sample_line same[] = { { "s/one/1", "PASS", NULL, NULL } };
	static const struct bc_sample_line odd[] = { { "s/one/1", "FAIL", "2 instead of 1", NULL } };
	size_t len[2];

	for (unsigned round = 0; round < 2; round++) {
		struct bc_text t;

		for (unsigned i = 0; i < (round ? 80u : 40u); i++) {
			char name[32];

			(void)snprintf(name, sizeof(name), "%02u.xml", i);
			write_report(name, "580.1", i == 17 ? odd : same, 1);
		}
		bc_run_program("html . -o page.htm");
		bc_expect_status(0, NULL);
		bc_expect_output(round ? "80 reports, 80 verdicts, " : "40 reports, 40 verdicts, ");
		bc_expect_output(round ? "80 runs, of which 2 differ\n" : "40 runs, of which 2 differ\n");
		t = bc_program_file(&bc_call, "page.htm");
		len[round] = t.len;
		ck_assert_ptr_nonnull(strstr(t.data, round ? "the same verdicts and counts: 78 more: "
							   : "the same verdicts and counts: 38 more: "));
		ck_assert_ptr_null(strstr(t.data, "run 3<"));
		bc_text_release(&t);
	}
	ck_assert_uint_le(len[1], len[0] + 400);
	bc_run_program("html 00.xml 01.xml 02.xml -o page.htm"); /* few are all shown */
	bc_expect_no_output("differ");
	bc_shell("grep -q 'run 3<' page.htm");
}
END_TEST

static const struct {
	const char *words;
	int status;
	const char *said;
} wrong[] = {
	{ "html -o page.html", 3, "html: name the reports" },
	{ "html a.xml", 3, "html: name the page" },
	{ "html a.xml -o page/", 3, "a folder" },
	{ "html . -o a.xml", 3, "--output a.xml: is ./a.xml, a report that is read" },
	{ "html none.xml -o page.html", 3, "none.xml" },
	{ "html a.xml -o nowhere/page.html", 2, "nowhere" },
};

START_TEST(wrong_use_is_told)
{
	static const struct bc_sample_line a[] = { { "s/one/1", "PASS", NULL, NULL } };

	write_report("a.xml", "1", a, 1);
	bc_run_program(wrong[_i].words);
	bc_expect_status(wrong[_i].status, wrong[_i].said);
	ck_assert(!bc_file_exists("page.html"));
}
END_TEST

Suite *bc_test_html(void)
{
	Suite *s = suite_create("html");
	TCase *tc = tcase_create("page");

	tcase_add_checked_fixture(tc, bc_call_setup, teardown);
	tcase_add_loop_test(tc, numbers_are_in_order, 0, (int)BC_ARRAY_LEN(orders));
	tcase_add_loop_test(tc, values_are_per_request, 0, (int)BC_ARRAY_LEN(values));
	tcase_add_test(tc, counts_are_those_of_the_reports);
	tcase_add_test(tc, findings_are_put_together_by_cause);
	tcase_add_test(tc, what_is_broken_is_one_whatever_the_rule);
	tcase_add_test(tc, causes_name_their_runs);
	tcase_add_test(tc, many_findings_are_closed_at_first);
	tcase_add_test(tc, a_page_of_passes_says_so);
	tcase_add_test(tc, a_case_tells_all);
	tcase_add_test(tc, runs_that_agree_are_one_line);
	tcase_add_loop_test(tc, a_pattern_is_drawn, 0, (int)BC_ARRAY_LEN(pictures));
	tcase_add_test(tc, equal_drawings_are_there_once);
	tcase_add_test(tc, text_of_a_report_is_text);
	tcase_add_loop_test(tc, policy_names_style_and_script, 0, (int)BC_ARRAY_LEN(embedded));
	tcase_add_test(tc, nothing_is_asked_of_the_network);
	tcase_add_test(tc, layouts_are_those_of_the_kernels);
	tcase_add_test(tc, slope_is_that_of_the_samples);
	tcase_add_test(tc, program_writes_the_page_whole);
	tcase_add_test(tc, equal_runs_of_a_farm_are_one_column);
	tcase_add_loop_test(tc, wrong_use_is_told, 0, (int)BC_ARRAY_LEN(wrong));
	suite_add_tcase(s, tc);
	return s;
}
