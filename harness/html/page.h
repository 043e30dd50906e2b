/* SPDX-License-Identifier: MIT */
/* harness/html/page.h - the page while it is written, and its parts; for this folder and its tests. */
#ifndef BC_HTML_PAGE_H
#define BC_HTML_PAGE_H

#include "harness/base/out.h"
#include "harness/report/reader.h"

/* One device of one report. */
struct bc_html_run {
	const struct bc_read_device *d;
	const char *path;
	size_t n[BC_NVERDICTS]; /* cases by verdict */
};

/* What is drawn of a pattern. */
struct bc_html_picture {
	size_t index;  /* of the drawing among those of the page: equal ones are there once */
	unsigned rows; /* wavefronts; without a law words of the fullest bank */
	bool groups;   /* lanes are served in groups, which are named at the right */
	bool drawn;    /* false: the case has no pattern, or one that cannot be read */
	char *caption; /* HTML: what is drawn, offsets, which lanes are served together; NULL: no picture */
};

struct bc_html_case {
	const char *id;
	const struct bc_read_case **of; /* [nruns], NULL: the run has no such case */
	bool differs;			/* a verdict, count or clock is not that of the other runs */
	struct bc_html_picture picture;
};

struct bc_html {
	struct bc_out out; /* HTML is put here as it is */
	struct bc_html_run *run;
	size_t nruns;
	struct bc_html_case *cases; /* by suite, rule, variant; numbers by their value */
	size_t ncases;
	const struct bc_read_case **pool; /* of all cases' `of` */
	struct bc_text scratch;
};

/* page.c: runs and cases of the reports. */
enum bc_status bc_html_gather(struct bc_html *p, const struct bc_read_file *files, size_t n);
void bc_html_release(struct bc_html *p);

/* Orders ids so that 2 comes before 12. */
int bc_html_order(const char *a, const char *b);

/* Append text: escaped, safe between tags and in a quoted attribute. */
void bc_html_text(struct bc_html *p, const char *s);

/* The verdict's word, in its colour and frame. */
void bc_html_verdict(struct bc_html *p, enum bc_verdict v);

/* The case's id as an anchor or a fragment: the id itself when it is one by the grammar, else its number. */
void bc_html_anchor(struct bc_html *p, const struct bc_html_case *c);

/* A link to a case, its id as the text. */
void bc_html_link(struct bc_html *p, const struct bc_html_case *c);

/* "runs 1-3, 7" of those with @in; nothing when all have it. */
void bc_html_runs(struct bc_html *p, const bool *in);

/* Length of the suite, or of suite/rule, at the start of an id. */
size_t bc_html_suite_len(const char *id);
size_t bc_html_rule_len(const char *id);

/* picture.c: draw all patterns; equal drawings once, as definitions that pictures refer to. */
void bc_html_pictures(struct bc_html *p);
void bc_html_picture(struct bc_html *p, const struct bc_html_case *c);

/* summary.c. The title is text: the verdict, then the device. */
void bc_html_title(struct bc_html *p);
void bc_html_summary(struct bc_html *p);
void bc_html_matrix(struct bc_html *p);
void bc_html_differences(struct bc_html *p);

/* findings.c: by cause, then case by case. */
void bc_html_findings(struct bc_html *p);

/* chart.c */
void bc_html_layouts(struct bc_html *p);
void bc_html_clock(struct bc_html *p);

/* case.c: all cases by suite and rule. */
void bc_html_cases(struct bc_html *p);

/* rows.c: rows of an opened case. What each run shows of a row; equal texts are one. */
struct bc_html_shown {
	struct bc_text *text; /* [nruns] */
	bool *in, *done;      /* [nruns] */
};
void bc_html_rows(struct bc_html *p, const struct bc_html_case *c, struct bc_html_shown *s);

/* value.c: an expectation's "1..1" as "1", "0.9..1.1" with a dash. */
void bc_html_bounds(struct bc_html *p, const char *bounds);

/* The number that a witness names for the quantity, per request, into @buf: "2", "31,32,31" of attempts that differ,
 * "" when it names none. */
#define BC_HTML_VALUE_MAX 160
enum bc_html_witness { BC_HTML_COUNTERS, BC_HTML_CLOCK, BC_HTML_MODEL };
void bc_html_value(const struct bc_read_case *c, enum bc_html_witness w, const char *quantity,
		   char buf[BC_HTML_VALUE_MAX]);

/* Is a number of @value ("2", "31,32,31") outside @bounds ("1..1")? A clock's is as far as its whole number is, when it
 * is within 0.2 of one. Without bounds, or without a value, nothing is odd. */
bool bc_html_is_odd(const char *bounds, enum bc_html_witness w, const char *quantity, const char *value);

/* The quantity that a case is mainly about: "wavefronts", "conflicts" ... "data". */
const char *bc_html_quantity(const struct bc_read_case *c);

/* page.css and page.js, as lines with NULL at the end, and the name that the page's policy lets each in by: its SHA-256
 * in base 64. The build makes them (tools/embed.sh). */
extern const char *const bc_html_style[], *const bc_html_script[];
extern const char bc_html_style_hash[], bc_html_script_hash[];

#endif
