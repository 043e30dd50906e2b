/* SPDX-License-Identifier: MIT */
/* The page in a real browser. Where there is none, that is said and nothing is run; `make check-browser` installs one.
 */
#include "harness/tests/html/browser.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "harness/html/html.h"
#include "harness/tests/html/html_sample.h"
#include "harness/tests/program.h"

Suite *bc_test_browser(void);

#define BYTES_MAX ((off_t)8 << 20)
#define OPEN_MAX_MS 10000.0 /* it opens, and does not hang; `make bench` is for speed */
#define BIG_CASES 1200u
#define BIG_REPORTS 10u
#define BIG_FAILS 24u /* of them */

static struct bc_browser browser;
static char program[1024];

static void setup(void)
{
	char profile[BC_PATH_MAX + 16];

	bc_call_setup();
	(void)snprintf(profile, sizeof(profile), "%s/profile", bc_call.dir);
	bc_browser_open(&browser, program, profile);
}

static void teardown(void)
{
	bc_browser_close(&browser);
	bc_call_teardown();
}

static void path_of(const char *name, char path[BC_PATH_MAX + 32])
{
	(void)snprintf(path, BC_PATH_MAX + 32, "%s/%s", bc_call.dir, name);
}

static void write_report(const char *name, const char *gpu, const char *driver, const struct bc_sample_line *line,
			 size_t n)
{
	char path[BC_PATH_MAX + 32];

	path_of(name, path);
	bc_sample_report(path, gpu, driver, line, n);
}

static void go(const char *fragment)
{
	char path[BC_PATH_MAX + 32];

	path_of("page.html", path);
	bc_browser_go(&browser, path, fragment);
}

static void number(const char *expression, double want)
{
	const double got = bc_browser_number(&browser, expression);

	ck_assert_msg(got == want, "%s: %g, want %g", expression, got, want);
}

static void string(const char *expression, const char *want)
{
	ck_assert_str_eq(bc_browser_string(&browser, expression), want);
}

/* No script error, no message, no request but for the file itself. */
static void nothing_went_wrong(void)
{
	ck_assert_msg(!browser.errors, "%zu errors: %s", browser.errors, browser.first_error);
	ck_assert_msg(!browser.requests, "%zu requests: %s", browser.requests, browser.first_error);
}

#define SHOWN "document.querySelectorAll('.k:not([hidden])').length"

static char patterns[4][512];

/* Two reports: 4 PASS, 1 FAIL, 1 SKIP; the second passes all. */
static void two_reports(void)
{
	const struct bc_sample_line a[] = {
		{ "stride/ld/1", "PASS", NULL, bc_sample_pattern(patterns[0], "ld32", 4, 32) },
		{ "stride/ld/2", "FAIL", "ratio: expected 2, measured 3",
		  bc_sample_pattern(patterns[1], "ld32", 8, 32) },
		{ "stride/ld/32", "PASS", NULL, bc_sample_pattern(patterns[2], "ld32", 128, 32) },
		{ "stride/st/1", "PASS", NULL, "rule=stores of neighbours\n" },
		{ "width/ld/8", "PASS", NULL, bc_sample_pattern(patterns[3], "ld64", 8, 32) },
		{ "width/ld/16", "SKIP", "needs more", NULL },
	};
	struct bc_sample_line b[BC_ARRAY_LEN(a)];

	memcpy(b, a, sizeof(b));
	for (size_t i = 0; i < BC_ARRAY_LEN(b); i++) {
		b[i].verdict = "PASS";
		b[i].message = NULL;
	}
	write_report("a.xml", "NVIDIA H200", "580", a, BC_ARRAY_LEN(a));
	write_report("b.xml", "NVIDIA H200", "590", b, BC_ARRAY_LEN(b));
	bc_run_program("html a.xml b.xml -o page.html");
	bc_expect_status(0, NULL);
}

START_TEST(counts_are_those_of_the_reports)
{
	two_reports();
	go("");
	number("+document.querySelector('[data-run=\"1\"][data-verdict=PASS]').textContent", 4);
	number("+document.querySelector('[data-run=\"1\"][data-verdict=FAIL]').textContent", 1);
	number("+document.querySelector('[data-run=\"1\"][data-verdict=SKIP]').textContent", 1);
	number("+document.querySelector('[data-run=\"2\"][data-verdict=PASS]').textContent", 6);
	number("+document.querySelector('[data-run=\"2\"][data-verdict=all]').textContent", 6);
	number("document.querySelectorAll('.k').length", 6);
	number("document.querySelectorAll('svg.p').length", 4);
	string("document.getElementById('shown').textContent", "6 of 6 cases");
	nothing_went_wrong();
}
END_TEST

START_TEST(filters_work)
{
	two_reports();
	go("");
	bc_browser_key(&browser, "/");
	string("document.activeElement.id", "q");
	bc_browser_type(&browser, "STRIDE ld/");
	(void)bc_browser_number(&browser, "new Promise(r => setTimeout(() => r(1), 300))");
	number(SHOWN, 3);
	string("document.getElementById('shown').textContent", "3 of 6 cases");
	number("document.querySelectorAll('.suite:not([hidden])').length", 1);
	number("document.querySelectorAll('.rule:not([hidden])').length", 1);
	bc_browser_key(&browser, "Escape");
	number(SHOWN, 6);
	bc_browser_click(&browser, "#vs input[value=P]");
	number(SHOWN, 2); /* the two that did not pass in run 1 */
	bc_browser_click(&browser, "#vs input[value=S]");
	number(SHOWN, 1);
	string("document.querySelector('.k:not([hidden])').lastElementChild.id", "stride/ld/2");
	bc_browser_click(&browser, "#vs input[value=P]");
	bc_browser_click(&browser, "#vs input[value=S]");
	number(SHOWN, 6);
	bc_browser_click(&browser, "#dd");
	number(SHOWN, 2); /* verdicts that differ */
	go("#?q=neighbours");
	number(SHOWN, 1); /* by the rule's sentence */
	go("#?v=F");
	number(SHOWN, 1);
	go("#?q=nothing%20has%20this");
	number(SHOWN, 0);
	string("document.getElementById('shown').textContent", "0 of 6 cases");
	nothing_went_wrong();
}
END_TEST

START_TEST(a_case_opens)
{
	two_reports();
	go("#stride/ld/2");
	number("document.getElementById('stride/ld/2').getBoundingClientRect().height > 50 ? 1 : 0", 1);
	number("document.getElementById('stride/ld/2').querySelector('svg.p').getBoundingClientRect().height > 30 ? 1 "
	       ": 0",
	       1);
	number("document.getElementById('stride/ld/1').checkVisibility() ? 1 : 0", 0);
	go("");
	bc_browser_key(&browser, "j");
	bc_browser_key(&browser, "Enter");
	number("document.getElementById('stride/ld/1').parentNode.open ? 1 : 0", 1);
	bc_browser_key(&browser, "j");
	string("document.activeElement.parentNode.lastElementChild.id", "stride/ld/2");
	bc_browser_key(&browser, "k");
	string("document.activeElement.parentNode.lastElementChild.id", "stride/ld/1");
	/* a link to a case that the filter hides shows it all the same */
	go("#?q=width");
	number("document.getElementById('stride/ld/2').checkVisibility() ? 1 : 0", 0);
	number("(location.hash = '#stride/ld/2', new Promise(r => setTimeout(() => r(1), 200)))", 1);
	number("document.getElementById('stride/ld/2').checkVisibility() ? 1 : 0", 1);
	go("");
	bc_browser_click(&browser, "#oa");
	number("document.querySelectorAll('.k[open]').length", 6);
	/* the lane of each of 32 banks stands in its cell (a picture refers to its drawing, so a copy is measured) */
	number("(s => (s.append(document.getElementById('p0').cloneNode(true)), [...Array(32).keys()].filter(k => (x "
	       "=> x >= 38 + 20 * k && "
	       "x < 58 + 20 * k)(s.querySelector('text').getStartPositionOfChar(3 * k + "
	       "1).x)).length))(document.querySelector('svg.p'))",
	       32);
	bc_browser_click(&browser, "#ca");
	number("document.querySelectorAll('.k[open], .suite[open]').length", 0);
	nothing_went_wrong();
}
END_TEST

START_TEST(the_page_is_whole_without_javascript)
{
	two_reports();
	bc_browser_scripts(&browser, false);
	go("");
	number("document.getElementById('filters').checkVisibility() ? 1 : 0", 0); /* it would do nothing */
	number("document.querySelectorAll('.k').length", 6);
	number("document.getElementById('stride/ld/2').checkVisibility() ? 1 : 0", 0);
	bc_browser_click(&browser, ".suite > summary");
	bc_browser_click(&browser, ".k[data-v=PF] > summary");
	number("document.getElementById('stride/ld/2').checkVisibility() ? 1 : 0", 1);
	number("document.getElementById('stride/ld/2').querySelector('svg.p').getBoundingClientRect().height > 30 ? 1 "
	       ": 0",
	       1);
	nothing_went_wrong();
}
END_TEST

/* Contrast of an element's text with the page, by WCAG; 4.5 is what is wanted. */
#define CONTRAST                                                                                                       \
	"(() => { const l = c => { const v = c.match(/[0-9.]+/g).slice(0, 3).map(x => (x /= 255) <= .04045 ? x / "     \
	"12.92 : ((x + .055) / 1.055) ** 2.4);"                                                                        \
	" return .2126 * v[0] + .7152 * v[1] + .0722 * v[2]; };"                                                       \
	" const bg = l(getComputedStyle(document.body).backgroundColor);"                                              \
	" return Math.min(...['vP', 'vF', 'vD', 'vB', 'vL', 'vS', 'vU', 'vx', 'vX', 'note', 'cn'].map(c => { const e " \
	"= document.createElement('span');"                                                                            \
	" e.className = c; document.body.append(e); const x = l(getComputedStyle(e).color); e.remove();"               \
	" return (Math.max(x, bg) + .05) / (Math.min(x, bg) + .05); })); })()"

START_TEST(dark_light_and_print)
{
	two_reports();
	bc_browser_media(&browser, "", false);
	go("");
	string("getComputedStyle(document.body).backgroundColor", "rgb(255, 255, 255)");
	ck_assert_double_ge(bc_browser_number(&browser, CONTRAST), 4.5);
	bc_browser_media(&browser, "", true);
	string("getComputedStyle(document.body).backgroundColor", "rgb(15, 20, 26)");
	ck_assert_double_ge(bc_browser_number(&browser, CONTRAST), 4.5);
	bc_browser_media(&browser, "print", true);
	string("getComputedStyle(document.body).backgroundColor", "rgb(255, 255, 255)");
	string("getComputedStyle(document.getElementById('filters')).display", "none");
	ck_assert_double_ge(bc_browser_number(&browser, CONTRAST), 4.5);
	nothing_went_wrong();
}
END_TEST

/* Elements that are seen, reach over the right edge and cannot be scrolled to; and the narrowest cell that holds words.
 */
#define OFF_SCREEN                                                                                                    \
	"[...document.querySelectorAll('main *, header *')].filter(e => e.checkVisibility() && !e.closest('svg') && " \
	"!e.closest('.scroll, .slopes, .skip') && e.getBoundingClientRect().right > innerWidth + 1).length"
#define NARROWEST                                                                                          \
	"Math.min(...[...document.querySelectorAll('#runs td:not(.num), .causes td:not(.num), .list td')]" \
	".filter(e => e.checkVisibility()).map(e => e.getBoundingClientRect().width))"

/* Names of suites that are broken over lines. */
#define BROKEN_NAMES \
	"[...document.querySelectorAll('.matrix tbody th a')].filter(a => a.getClientRects().length > 1).length"

START_TEST(a_narrow_screen_shows_all)
{
	static const char message[] = "disagree counters wavefronts=2 conflicts=1; clock wavefronts=1; expected "
				      "wavefronts=1 conflicts=0 (expected/common/stride.txt:14)";
	static char keys[1024];
	const struct bc_sample_line a[] = {
		{ "stride/a_rule_with_quite_a_long_name_ld_b32/a_variant_with_a_longer_name", "DISAGREE", message,
		  keys },
		{ "stride/ld/1", "PASS", NULL, NULL },
		{ "stride/ld/2", "SKIP", "needs more", NULL },
		{ "transpose/ld/2", "PASS", NULL, NULL },
	};

	(void)snprintf(
		keys, sizeof(keys),
		"wavefronts=1..1\nrequests_stated=1\ncounters=requests:1 wavefronts:2\nclock=1\nmodel=requests:1 "
		"wavefronts:1\n%s",
		bc_sample_pattern(patterns[0], "ld32", 4, 32));
	write_report("a.xml", "NVIDIA H200", "580.159.04", a, BC_ARRAY_LEN(a));
	bc_run_program("html a.xml -o page.html");
	bc_expect_status(0, NULL);
	bc_browser_width(&browser, 420);
	go("#stride/a_rule_with_quite_a_long_name_ld_b32/a_variant_with_a_longer_name");
	number("innerWidth", 420);
	number("document.documentElement.scrollWidth", 420);
	number("document.querySelector('#runs').getBoundingClientRect().right <= 420 ? 1 : 0", 1);
	number(OFF_SCREEN, 0);
	number(BROKEN_NAMES, 0);
	ck_assert_double_ge(bc_browser_number(&browser, NARROWEST), 200);
	string("document.querySelector('.k[open] .numbers').textContent.trim()",
	       "expected 1 wavefront counters \u2260 2 clock 1 model 1");
	number("document.querySelector('.numbers').checkVisibility() ? 1 : 0", 1);
	nothing_went_wrong();
}
END_TEST

START_TEST(hostile_strings_are_text)
{
	const char *const evil = "</title></style></script><script>document.title='had'</script><img "
				 "src=http://127.0.0.1:9/x onerror=document.title='had'>"
				 "\"' onmouseover=x <a href=javascript:x>";
	static char keys[1024];
	const struct bc_sample_line a[] = { { evil, "FAIL", evil, keys }, { "s/one/1", "PASS", NULL, NULL } };

	(void)snprintf(keys, sizeof(keys),
		       "rule=%s\nsource=<a href=javascript:x>\ndata=<img src=http://127.0.0.1:9/x onerror=x>\n", evil);
	write_report("a.xml", evil, evil, a, 2);
	write_report("b.xml", evil, evil, a + 1, 1);
	bc_run_program("html a.xml b.xml -o page.html");
	bc_expect_status(0, NULL);
	go("#case-1");
	number("document.title.startsWith('FAILED 1 \u00b7 bankcheck: </title>') ? 1 : 0", 1);
	number("document.images.length", 0);
	number("document.scripts.length", 1);
	number("document.querySelectorAll('[onerror], [onmouseover], a[href^=javascript]').length", 0);
	number("document.querySelectorAll('.k').length", 2);
	number("document.getElementById('case-1').checkVisibility() ? 1 : 0", 1);
	nothing_went_wrong();
}
END_TEST

START_TEST(the_policy_stops_what_gets_in)
{
	two_reports();
	go("");
	/* as if the escaping had a hole: the policy must still refuse */
	(void)bc_browser_number(&browser, "document.body.insertAdjacentHTML('beforeend', '<img "
					  "src=\"http://127.0.0.1:9/x\" onerror=\"window.had=1\">'),"
					  "new Promise(r => setTimeout(() => r(1), 200))");
	number("window.had ? 1 : 0", 0);
	ck_assert_uint_eq(browser.requests, browser.refused);
	ck_assert_uint_gt(browser.errors, 0); /* the browser says that it refused */
}
END_TEST

START_TEST(a_big_page_opens_fast)
{
	static struct bc_sample_line a[BIG_CASES];
	static char keys[BIG_CASES][1500], id[BIG_CASES][32];
	char path[BC_PATH_MAX + 32], words[256] = "html", name[16], one[512];
	struct stat s;

	for (unsigned r = 0; r < BIG_REPORTS; r++) {
		for (unsigned i = 0; i < BIG_CASES; i++) {
			const unsigned n = i % 32 + 1;
			int at = snprintf(
				keys[i], sizeof(keys[i]),
				"wavefronts=%u..%u\nwavefronts_origin=rule\nwavefronts_basis=%u words in a bank\n"
				"data=right\nrequests_stated=8\ncounters=requests:8 wavefronts:%u "
				"conflicts:%u\nclock=%u\nclock_samples=",
				n, n, n, 8 * n, 8 * n - 8, n);

			/* every sample of every report another */
			for (unsigned k = 0; k < 32; k++)
				at += snprintf(keys[i] + at, sizeof(keys[i]) - (size_t)at, "%s%u", k ? "," : "",
					       900 + 64 * n + 11 * r + 7 * k + i % 7);
			(void)snprintf(keys[i] + at, sizeof(keys[i]) - (size_t)at,
				       "\nmodel=requests:1 wavefronts:%u conflicts:%u\nrule=a rule\n%s", n, n - 1,
				       bc_sample_pattern(one, i % 2 ? "ld32" : "st32", 4 * (i % 67), 32));
			(void)snprintf(id[i], sizeof(id[i]), "suite%u/rule%u/%u", i / 100, i / 20, i);
			a[i] = (struct bc_sample_line){ id[i], i % (BIG_CASES / BIG_FAILS) ? "PASS" : "FAIL",
							i % (BIG_CASES / BIG_FAILS) ? NULL : "ratio: wrong", keys[i] };
		}
		(void)snprintf(name, sizeof(name), "r%u.xml", r);
		write_report(name, "NVIDIA H200", "580", a, BIG_CASES);
		(void)snprintf(words + strlen(words), sizeof(words) - strlen(words), " %s", name);
	}
	(void)snprintf(words + strlen(words), sizeof(words) - strlen(words), " -o page.html");
	bc_run_program(words);
	bc_expect_status(0, NULL);
	path_of("page.html", path);
	ck_assert_int_eq(stat(path, &s), 0);
	ck_assert_int_lt(s.st_size, BYTES_MAX);
	go("");
	number("document.querySelectorAll('.k').length", BIG_CASES);
	number("+document.querySelector('[data-run=\"10\"][data-verdict=FAIL]').textContent", BIG_FAILS);
	/* A busy machine is slow for a while: the fastest of three counts. */
	for (unsigned k = 0;
	     k < 2 &&
	     bc_browser_number(&browser, "performance.getEntriesByType('navigation')[0].loadEventEnd") > OPEN_MAX_MS;
	     k++)
		go("");
	ck_assert_double_lt(bc_browser_number(&browser, "performance.getEntriesByType('navigation')[0].loadEventEnd"),
			    OPEN_MAX_MS);
	nothing_went_wrong();
}
END_TEST

START_TEST(there_is_no_browser)
{
	(void)puts("browser: the page was not opened in one: no chromium here (`make check-browser` installs it)");
}
END_TEST

Suite *bc_test_browser(void)
{
	Suite *s = suite_create("browser");
	TCase *tc = tcase_create("page");

	suite_add_tcase(s, tc);
	if (!bc_browser_find(program, sizeof(program))) {
		tcase_add_test(tc, there_is_no_browser);
		return s;
	}
	(void)printf("browser: the page is opened in %s\n", program);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 180);
	tcase_add_test(tc, counts_are_those_of_the_reports);
	tcase_add_test(tc, filters_work);
	tcase_add_test(tc, a_case_opens);
	tcase_add_test(tc, the_page_is_whole_without_javascript);
	tcase_add_test(tc, dark_light_and_print);
	tcase_add_test(tc, a_narrow_screen_shows_all);
	tcase_add_test(tc, hostile_strings_are_text);
	tcase_add_test(tc, the_policy_stops_what_gets_in);
	tcase_add_test(tc, a_big_page_opens_fast);
	return s;
}
