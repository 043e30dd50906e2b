/* SPDX-License-Identifier: MIT */
#include "harness/core/judge.h"
#include "harness/base/file.h"
#include "harness/base/textfile.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* What observes the device beside the data. The model is no witness: it is the expectation's check, and the
 * explanation. */
enum witness_kind { COUNTERS, CLOCK, NWITNESSES };

static const char *const witness_names[NWITNESSES] = { "counters", "clock" };

/* Quantities that are numbers, in the order in which messages have them, and which hardware witness can name them. */
static const struct {
	enum bc_quantity quantity;
	bool by_counters, by_clock;
} named[] = {
	{ BC_Q_WAVEFRONTS, true, true },   { BC_Q_CONFLICTS, true, false },   { BC_Q_SECTORS, true, false },
	{ BC_Q_CLOCK_RATIO, false, true }, { BC_Q_CLOCK_SLOPE, false, true }, { BC_Q_REQUESTS, true, false },
};

/* What one witness says of the case, per request (requests: of one run of the case). */
struct witness {
	bool names[BC_NQUANTITIES];
	double value[BC_NQUANTITIES];
	const char
		*no_number; /* the clock: "fraction", a time between two whole numbers of wavefronts, or "flat" ... */
	double between;	    /* ... the fraction */
	const char *flat;   /* ... why */
	const char *detail; /* the clock: whose value it is; NULL: the kernel's */
};

static const char *const verdict_names[BC_NVERDICTS] = {
	[BC_PASS] = "PASS",	    [BC_FAIL] = "FAIL",	  [BC_DISAGREE] = "DISAGREE",
	[BC_BROKEN] = "BROKEN",	    [BC_LOST] = "LOST",	  [BC_SKIP] = "SKIP",
	[BC_UNJUDGED] = "UNJUDGED", [BC_XFAIL] = "XFAIL", [BC_XPASS] = "XPASS",
};

const char *bc_skip_name(enum bc_skip s)
{
	static const char *const names[BC_NSKIPS] = {
		[BC_SKIPPED_NOT] = "",
		[BC_SKIPPED_NEED] = "need",
		[BC_SKIPPED_NO_LISTING] = "no_listing",
		[BC_SKIPPED_NO_FIGURE] = "no_figure",
		[BC_SKIPPED_NOT_ASKED] = "not_asked",
		[BC_SKIPPED_NOT_JUDGED] = "not_judged",
		[BC_SKIPPED_NOT_RUN] = "not_run",
	};

	return (unsigned)s < BC_NSKIPS ? names[s] : "";
}

const char *bc_verdict_name(enum bc_verdict v)
{
	return (unsigned)v < BC_NVERDICTS ? verdict_names[v] : "?";
}

bool bc_verdict_parse(const char *name, enum bc_verdict *out)
{
	for (unsigned v = 0; v < BC_NVERDICTS; v++) {
		if (strcmp(verdict_names[v], name) != 0)
			continue;
		*out = (enum bc_verdict)v;
		return true;
	}
	return false;
}

bool bc_verdict_is_finding(enum bc_verdict v)
{
	return v != BC_PASS && v != BC_XFAIL && v != BC_SKIP;
}

char bc_verdict_letter(enum bc_verdict v)
{
	static const char letters[BC_NVERDICTS + 1] = {
		[BC_PASS] = 'P', [BC_FAIL] = 'F',     [BC_DISAGREE] = 'D', [BC_BROKEN] = 'B', [BC_LOST] = 'L',
		[BC_SKIP] = 'S', [BC_UNJUDGED] = 'U', [BC_XFAIL] = 'x',	   [BC_XPASS] = 'X',
	};

	return (unsigned)v < BC_NVERDICTS ? letters[v] : '?';
}

static void append(char *buf, size_t size, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Append to a text; what does not fit is cut. */
static void append(char *buf, size_t size, const char *fmt, ...)
{
	const size_t len = strlen(buf);
	va_list ap;

	va_start(ap, fmt);
	if (vsnprintf(buf + len, size - len, fmt, ap) < 0)
		buf[len] = '\0';
	va_end(ap);
}

static void set(struct bc_judgement *out, enum bc_verdict v, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void set(struct bc_judgement *out, enum bc_verdict v, const char *fmt, ...)
{
	va_list ap;

	out->skip = BC_SKIPPED_NOT;
	out->verdict = v;
	va_start(ap, fmt);
	if (vsnprintf(out->message, sizeof(out->message), fmt, ap) < 0)
		out->message[0] = '\0';
	va_end(ap);
}

static void skip(struct bc_judgement *out, enum bc_skip why, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void skip(struct bc_judgement *out, enum bc_skip why, const char *fmt, ...)
{
	va_list ap;

	out->verdict = BC_SKIP;
	out->skip = why;
	va_start(ap, fmt);
	if (vsnprintf(out->message, sizeof(out->message), fmt, ap) < 0)
		out->message[0] = '\0';
	va_end(ap);
}

/* A reason that is there for the reader even when nobody wrote one. */
static const char *or_unknown(const char *reason)
{
	return reason[0] != '\0' ? reason : "no reason was recorded";
}

static unsigned attempts_of(const struct bc_observation *o)
{
	return o->attempts < BC_ATTEMPTS_MAX ? o->attempts : BC_ATTEMPTS_MAX;
}

static bool has_counters(const struct bc_observation *o)
{
	return !o->counters_void && o->attempts > 0;
}

/* A clock of either kind: wavefronts by calibration, or that this shows none apart, or a program's own reads. */
static bool has_clock(const struct bc_observation *o)
{
	return o->clock_has || o->clock_flat[0] || o->clock_value_has;
}

static const char *counters_absent(const struct bc_observation *o)
{
	if (o->counters_void)
		return "void: the canary of the counter session did not read what it must; end other tools that use "
		       "the counters (DCGM, ncu) and run again";
	return or_unknown(o->counters_absent);
}

/* One attempt's count of a quantity, per request; NaN when there is nothing to divide by. */
static double per_request(const struct bc_observation *o, unsigned attempt, enum bc_quantity q)
{
	const struct bc_count *c = &o->count[attempt];
	const uint64_t requests = o->requests_counted ? c->requests : o->requests_stated;
	const uint64_t total = q == BC_Q_WAVEFRONTS ? c->wavefronts : q == BC_Q_SECTORS ? c->sectors : c->conflicts;

	return requests ? (double)total / (double)requests : (double)NAN;
}

static bool data_row_only(const struct bc_bounds *b)
{
	for (unsigned q = 0; q < BC_NQUANTITIES; q++)
		if ((b->row[q] != NULL) != (q == BC_Q_DATA))
			return false;
	return true;
}

/* The case is about a class of which no request may be there: the kernel says so, and its row does. */
static bool states_none(const struct bc_judge_in *in)
{
	const struct bc_row *row = in->bounds->row[BC_Q_REQUESTS];

	return in->obs->requests_stated == 0 && in->obs->requests_counted && row && row->lo >= 0 && row->hi <= 0;
}

/* Step 1 of the design: LOST and BROKEN. Each step returns true when it formed the verdict. */
static bool judge_run(const struct bc_judge_in *in, struct bc_judgement *out)
{
	const struct bc_observation *o = in->obs;

	if (o->outcome == BC_LOST_WORKER) {
		set(out, BC_LOST, "%s", or_unknown(o->reason));
		return true;
	}
	if (o->outcome == BC_TOOL_ERROR) {
		set(out, BC_BROKEN, "%s", or_unknown(o->reason));
		return true;
	}
	if (o->outcome == BC_NOT_RUN) {
		skip(out, BC_SKIPPED_NOT_RUN, "not run: %s", or_unknown(o->reason));
		return true;
	}
	if (o->outcome == BC_NO_IMAGES) {
		skip(out, BC_SKIPPED_NOT_JUDGED, "no images: %s", or_unknown(o->reason));
		return true;
	}
	if (o->outcome != BC_RAN || !has_counters(o))
		return false;
	if (states_none(in))
		return false; /* a request that is counted all the same is judged by its row */
	if (o->requests_stated == 0) {
		set(out, BC_BROKEN, "the kernel states 0 requests: nothing to count");
		return true;
	}
	for (unsigned i = 0; i < attempts_of(o) && o->requests_counted; i++) {
		if (o->count[i].requests == o->requests_stated)
			continue;
		set(out, BC_BROKEN, "executed %" PRIu64 " requests, kernel states %" PRIu64, o->count[i].requests,
		    o->requests_stated);
		return true;
	}
	return false;
}

/* Step 1, of counters that had to be there; not of cases that are judged by data alone. */
static bool judge_counters_needed(const struct bc_judge_in *in, struct bc_judgement *out)
{
	const struct bc_observation *o = in->obs;

	if (has_counters(o) || data_row_only(in->bounds))
		return false;
	if (in->require_counters) {
		set(out, BC_BROKEN, "counters are required and absent: %s", counters_absent(o));
		return true;
	}
	if (o->counters_void && !has_clock(o)) {
		set(out, BC_BROKEN, "counters %s; no clock to take their place: %s", counters_absent(o),
		    or_unknown(o->clock_absent));
		return true;
	}
	return false;
}

/* Step 2: what the architecture lacks; a device that has less than its arch.txt says fails. */
static bool judge_needs(const struct bc_judge_in *in, struct bc_judgement *out)
{
	char need[200];

	if (bc_case_unmet(in->c, in->arch, need, sizeof(need))) {
		skip(out, BC_SKIPPED_NEED, "needs %s", need);
		return true;
	}
	if (in->obs->outcome == BC_NO_KERNEL) {
		skip(out, BC_SKIPPED_NEED, "needs %s", or_unknown(in->obs->reason));
		return true;
	}
	if (in->obs->outcome != BC_UNSUPPORTED)
		return false;
	bc_strlcpy(out->outcome, "unsupported", sizeof(out->outcome));
	set(out, BC_FAIL, "unsupported: the device cannot run the case although arch.txt of %s says that it can: %s",
	    in->arch->name, or_unknown(in->obs->reason));
	return true;
}

/* Step 3; and what should be the same on all SMs and is not. */
static bool judge_data(const struct bc_judge_in *in, struct bc_judgement *out)
{
	const struct bc_observation *o = in->obs;

	if (!o->data_checked) {
		set(out, BC_BROKEN, "the data was not compared: data is always judged");
		return true;
	}
	if (o->data_ok && o->sms_detail[0] != '\0') {
		bc_strlcpy(out->outcome, "sms", sizeof(out->outcome));
		set(out, BC_FAIL, "sms: %s", o->sms_detail);
		return true;
	}
	if (o->data_ok)
		return false;
	bc_strlcpy(out->outcome, "data", sizeof(out->outcome));
	set(out, BC_FAIL, "data: %s", o->data_detail[0] != '\0' ? o->data_detail : "wrong, no element was recorded");
	return true;
}

/* Repeated counts that differ. */
static bool judge_stable(const struct bc_judge_in *in, struct bc_judgement *out)
{
	const struct bc_observation *o = in->obs;
	const unsigned n = has_counters(o) ? attempts_of(o) : 0;
	const enum bc_quantity of[] = { BC_Q_WAVEFRONTS, BC_Q_CONFLICTS, BC_Q_SECTORS };

	for (size_t k = 0; k < BC_ARRAY_LEN(of); k++) {
		bool differ = false;
		char text[BC_NUMBER_MAX];

		for (unsigned i = 1; i < n; i++) {
			const struct bc_count *a = &o->count[0], *b = &o->count[i];

			differ |= of[k] == BC_Q_WAVEFRONTS ? a->wavefronts != b->wavefronts
				  : of[k] == BC_Q_SECTORS  ? a->sectors != b->sectors
							   : a->conflicts != b->conflicts;
		}
		if (!differ)
			continue;
		bc_strlcpy(out->outcome, "unstable", sizeof(out->outcome));
		for (unsigned i = 0; i < n; i++)
			append(out->outcome, sizeof(out->outcome), "%c%s", i ? ',' : ' ',
			       bc_number_text(per_request(o, i, of[k]), text));
		set(out, BC_FAIL, "%s: %s per request of %u counts of the same case", out->outcome,
		    bc_quantity_name(of[k]), n);
		return true;
	}
	return false;
}

/* Needed witnesses that no other can stand in for. */
static bool judge_needed_witnesses(const struct bc_judge_in *in, struct bc_judgement *out)
{
	const struct bc_observation *o = in->obs;

	if ((in->c->needs & BC_NEED_CLOCK) != 0 && !has_clock(o)) {
		if (in->clock_not_asked)
			skip(out, BC_SKIPPED_NOT_ASKED, "needs the clock, not asked for");
		else
			skip(out, in->has_no_clock ? BC_SKIPPED_NEED : BC_SKIPPED_NOT_JUDGED, "needs the clock: %s",
			     or_unknown(o->clock_absent));
		return true;
	}
	if ((in->c->needs & BC_NEED_CODE) != 0 && o->code_absent[0] != '\0') {
		skip(out, BC_SKIPPED_NO_LISTING, "needs the image's code listing: %s", o->code_absent);
		return true;
	}
	return false;
}

static void set_value(struct witness *w, enum bc_quantity q, double value)
{
	w->names[q] = true;
	w->value[q] = value;
}

/* What one count says. */
static void collect_counts(const struct bc_observation *o, unsigned attempt, struct witness *w)
{
	if (!o->wavefronts_uncounted)
		set_value(w, BC_Q_WAVEFRONTS, per_request(o, attempt, BC_Q_WAVEFRONTS));
	if (!o->conflicts_uncounted)
		set_value(w, BC_Q_CONFLICTS, per_request(o, attempt, BC_Q_CONFLICTS));
	if (o->sectors_counted)
		set_value(w, BC_Q_SECTORS, per_request(o, attempt, BC_Q_SECTORS));
	if (o->requests_counted) {
		/* The counted launch may run the pattern several times; one run is what the model counts. */
		const bool runs = o->model_has && o->model_requests && o->requests_stated % o->model_requests == 0;
		const uint64_t n = runs ? o->requests_stated / o->model_requests : 1;

		set_value(w, BC_Q_REQUESTS, (double)o->count[attempt].requests / (double)n);
	}
}

/* What the witnesses say that are there. */
static void collect_witnesses(const struct bc_observation *o, struct witness w[NWITNESSES])
{
	memset(w, 0, NWITNESSES * sizeof(w[0]));
	if (has_counters(o))
		collect_counts(o, 0, &w[COUNTERS]);
	if (o->clock_has && o->clock_wavefronts >= 0 && o->clock_wavefronts <= floor(o->clock_wavefronts)) {
		set_value(&w[CLOCK], BC_Q_WAVEFRONTS, o->clock_wavefronts);
	} else if (o->clock_has) {
		w[CLOCK].no_number = "fraction";
		w[CLOCK].between = o->clock_wavefronts;
	} else if (o->clock_flat[0]) {
		w[CLOCK].no_number = "flat";
		w[CLOCK].flat = o->clock_flat;
	}
	if (o->clock_value_has && o->clock_detail[0] != '\0')
		w[CLOCK].detail = o->clock_detail;
	if (o->clock_value_has) { /* which of the two it is, its row says */
		set_value(&w[CLOCK], BC_Q_CLOCK_RATIO, o->clock_value);
		set_value(&w[CLOCK], BC_Q_CLOCK_SLOPE, o->clock_value);
	}
}

/* What the bank laws give for the case's addresses. False: there is no model of it. */
static bool collect_model(const struct bc_observation *o, struct witness *w)
{
	const double requests = o->model_requests ? (double)o->model_requests : (double)NAN;

	memset(w, 0, sizeof(*w));
	if (!o->model_has)
		return false;
	set_value(w, BC_Q_WAVEFRONTS, (double)o->model_wavefronts / requests);
	set_value(w, BC_Q_CONFLICTS, (double)o->model_conflicts / requests);
	return true;
}

/* The row of a quantity that has a figure; NULL: it has none, or nobody knows it. */
static const struct bc_row *figure(const struct bc_bounds *b, enum bc_quantity q)
{
	return b->row[q] && !b->row[q]->unknown ? b->row[q] : NULL;
}

/* Every quantity that the witness has and that has a row is inside. NaN is outside. */
static bool inside(const struct witness *w, const struct bc_bounds *b)
{
	for (size_t k = 0; k < BC_ARRAY_LEN(named); k++) {
		const struct bc_row *row = b->row[named[k].quantity];

		if (w->names[named[k].quantity] && row && !bc_row_holds(row, w->value[named[k].quantity]))
			return false;
	}
	return true;
}

bool bc_counts_expected(const struct bc_observation *o, const struct bc_bounds *b)
{
	struct witness w = { 0 };

	if (o->attempts == 0 || o->attempts > BC_ATTEMPTS_MAX)
		return true;
	collect_counts(o, o->attempts - 1, &w);
	return inside(&w, b);
}

static bool same(double a, double b)
{
	return fabs(a - b) <= 1e-9 * (1 + fabs(a));
}

/* How the witnesses stand to the figures of a row. */
struct weighed {
	bool outside;  /* a figure is not met ... */
	bool disagree; /* ... and those that name it name different numbers, or the clock names none */
	bool heard;    /* a witness names a figure */
};

static struct weighed weigh(const struct witness w[NWITNESSES], const struct bc_bounds *b)
{
	struct weighed r = { 0 };

	for (size_t k = 0; k < BC_ARRAY_LEN(named); k++) {
		const enum bc_quantity q = named[k].quantity;
		const struct bc_row *row = figure(b, q);
		const bool both = w[COUNTERS].names[q] && w[CLOCK].names[q];
		bool outside = false;

		for (unsigned i = 0; row && i < NWITNESSES; i++) {
			r.heard |= w[i].names[q];
			outside |= w[i].names[q] && !bc_row_holds(row, w[i].value[q]);
		}
		r.outside |= outside;
		r.disagree |= outside && both && !same(w[COUNTERS].value[q], w[CLOCK].value[q]);
	}
	if (w[CLOCK].no_number && figure(b, BC_Q_WAVEFRONTS))
		r.outside = r.disagree = r.heard = true;
	return r;
}

/* Do the counts differ from the model's? Asked of the reference device, whose counters are the laws. */
static bool counts_differ(const struct witness *counters, const struct witness *model)
{
	for (unsigned q = 0; q < BC_NQUANTITIES; q++)
		if (counters->names[q] && model->names[q] && !same(counters->value[q], model->value[q]))
			return true;
	return false;
}

/* " wavefronts=31 conflicts=30" of one witness, the quantities that have a row; @b NULL: the counts it names. */
static void append_values(char *buf, size_t size, const struct witness *w, const struct bc_bounds *b)
{
	char text[BC_NUMBER_MAX];

	for (size_t k = 0; k < BC_ARRAY_LEN(named); k++) {
		const enum bc_quantity q = named[k].quantity;

		if (w->names[q] && (b ? b->row[q] != NULL : q != BC_Q_CLOCK_RATIO && q != BC_Q_CLOCK_SLOPE))
			append(buf, size, " %s=%s", bc_quantity_name(q), bc_number_text(w->value[q], text));
	}
}

/* "counters wavefronts=31 conflicts=30; clock wavefronts=31", the witnesses that have something to say. */
static void append_witnesses(char *buf, size_t size, const struct witness w[NWITNESSES], const struct bc_bounds *b)
{
	const char *between = "";

	for (unsigned i = 0; i < NWITNESSES; i++) {
		char values[160] = "";

		append_values(values, sizeof(values), &w[i], b);
		if (w[i].no_number)
			(void)snprintf(values, sizeof(values), "=%s", w[i].no_number);
		if (values[0] == '\0')
			continue;
		append(buf, size, "%s%s%s", between, witness_names[i], values);
		between = "; ";
	}
}

/* "; expected wavefronts=2 conflicts=1..1.5 (expected/common/stride.txt:14)" */
static void append_expected(char *buf, size_t size, const struct bc_bounds *b)
{
	const struct bc_row *first = NULL;

	append(buf, size, "; expected");
	for (size_t k = 0; k < BC_ARRAY_LEN(named); k++) {
		const struct bc_row *row = b->row[named[k].quantity];
		char bounds[BC_BOUNDS_MAX];

		if (!row)
			continue;
		first = first ? first : row;
		append(buf, size, " %s=%s", bc_quantity_name(row->quantity), bc_bounds_text(row, bounds));
	}
	if (first && first->path)
		append(buf, size, " (%s:%u)", bc_path_end(first->path, 3), first->line);
}

/*
 * A row that no hardware witness names although each that could is there (sectors of a class without that counter):
 * it may not be passed over in silence. Where such a witness is absent, that is reported as what it is.
 */
static const struct bc_row *row_unheard(const struct bc_observation *o, const struct witness w[NWITNESSES],
					const struct bc_bounds *b)
{
	for (size_t k = 0; k < BC_ARRAY_LEN(named); k++) {
		const enum bc_quantity q = named[k].quantity;
		const bool absent = (named[k].by_counters && !has_counters(o)) || (named[k].by_clock && !has_clock(o));

		if (figure(b, q) && !w[COUNTERS].names[q] && !w[CLOCK].names[q] && !absent)
			return b->row[q];
	}
	return NULL;
}

/* @row: the one that cannot be judged; NULL: there is none at all. */
static void unjudged(const struct bc_judge_in *in, const struct witness w[NWITNESSES], const struct bc_row *row,
		     struct bc_judgement *out)
{
	if (row)
		set(out, BC_UNJUDGED, "no witness names %s, so its row (%s:%u) cannot be judged",
		    bc_quantity_name(row->quantity), row->path ? bc_path_end(row->path, 3) : "?", row->line);
	else
		set(out, BC_UNJUDGED, "no expectation for %s: write rows for it in expected/", in->arch->name);
	append(out->message, sizeof(out->message), "; measured: ");

	const size_t len = strlen(out->message);

	append_witnesses(out->message, sizeof(out->message), w, NULL);
	if (strlen(out->message) == len)
		append(out->message, sizeof(out->message), "nothing");
}

/* No witness carries the row: the needed ones that are absent, and why; and whether one that was asked for could have
 * been had. */
static void skip_without_witness(const struct bc_judge_in *in, struct bc_judgement *out)
{
	const struct bc_observation *o = in->obs;
	bool counters = false, clock = false, could;

	for (size_t k = 0; k < BC_ARRAY_LEN(named); k++) {
		counters |= figure(in->bounds, named[k].quantity) && named[k].by_counters && !has_counters(o);
		clock |= figure(in->bounds, named[k].quantity) && named[k].by_clock && !has_clock(o) &&
			 bc_case_has_clock(in->c);
	}
	could = (counters && !in->counters_not_asked) || (clock && !in->clock_not_asked && !in->has_no_clock);
	if (!could) {
		skip(out, BC_SKIPPED_NOT_ASKED, "needs %s, not asked for",
		     in->counters_not_asked ? "counters" : "the clock");
		return;
	}
	skip(out, BC_SKIPPED_NOT_JUDGED, "no witness");
	counters &= !in->counters_not_asked;
	clock &= !in->clock_not_asked;
	if (counters)
		append(out->message, sizeof(out->message), ": counters absent: %s", counters_absent(o));
	if (clock)
		append(out->message, sizeof(out->message), "%s clock absent: %s", counters ? ";" : ":",
		       or_unknown(o->clock_absent));
}

/* Is there a number for anything of the case? */
static bool any_figure(const struct bc_bounds *b)
{
	for (size_t k = 0; k < BC_ARRAY_LEN(named); k++)
		if (figure(b, named[k].quantity))
			return true;
	return false;
}

/* The data is right, and nobody knows what the figures must be: they are told. */
static void skip_without_figure(const struct bc_judge_in *in, const struct witness w[NWITNESSES],
				struct bc_judgement *out)
{
	const char *lead = "; measured: ";

	skip(out, BC_SKIPPED_NO_FIGURE, "no figure for %s", in->arch->name);

	const size_t len = strlen(out->message);

	append(out->message, sizeof(out->message), "%s", lead);
	append_witnesses(out->message, sizeof(out->message), w, in->bounds);
	if (strlen(out->message) == len + strlen(lead))
		out->message[len] = '\0';
}

/* "; model wavefronts=2 conflicts=1 (other than the law)": whether the counts are those of the bank laws. */
static void append_model(char *buf, size_t size, const struct witness w[NWITNESSES], const struct witness *model,
			 const struct bc_bounds *b)
{
	bool differ = w[CLOCK].no_number || counts_differ(&w[COUNTERS], model);
	char values[160] = "";

	append_values(values, sizeof(values), model, b);
	if (values[0] == '\0')
		return;
	differ |= w[CLOCK].names[BC_Q_WAVEFRONTS] && counts_differ(&w[CLOCK], model);
	append(buf, size, "; model%s (%s the law)", values, differ ? "other than" : "as");
}

/* The witnesses name different numbers, or the clock names none. */
static void set_disagree(const struct bc_bounds *b, const struct witness w[NWITNESSES], struct bc_judgement *out)
{
	char text[BC_NUMBER_MAX];

	bc_strlcpy(out->outcome, "disagree ", sizeof(out->outcome));
	append_witnesses(out->outcome, sizeof(out->outcome), w, b);
	set(out, BC_DISAGREE, "%s", out->outcome);
	if (w[CLOCK].flat)
		append(out->message, sizeof(out->message), " (%s)", w[CLOCK].flat);
	else if (w[CLOCK].no_number)
		append(out->message, sizeof(out->message), " (%s wavefronts)", bc_number_text(w[CLOCK].between, text));
	append_expected(out->message, sizeof(out->message), b);
}

/* All that name a figure name the same number, and that is outside. */
static void set_ratio(const struct bc_bounds *b, const struct witness w[NWITNESSES], struct bc_judgement *out)
{
	struct witness all = w[COUNTERS];

	for (size_t k = 0; k < BC_ARRAY_LEN(named); k++) {
		const enum bc_quantity q = named[k].quantity;

		if (!all.names[q] && w[CLOCK].names[q])
			set_value(&all, q, w[CLOCK].value[q]);
	}
	bc_strlcpy(out->outcome, "ratio", sizeof(out->outcome));
	append_values(out->outcome, sizeof(out->outcome), &all, b);
	set(out, BC_FAIL, "%s", out->outcome);
	append_expected(out->message, sizeof(out->message), b);
	append(out->message, sizeof(out->message), "; ");
	append_witnesses(out->message, sizeof(out->message), w, b);
	if (w[CLOCK].detail)
		append(out->message, sizeof(out->message), " (%s)", w[CLOCK].detail);
}

/* Steps 4 and 5. */
static void judge_numbers(const struct bc_judge_in *in, struct bc_judgement *out)
{
	const struct bc_bounds *b = in->bounds;
	const struct bc_row *unheard;
	struct witness w[NWITNESSES], model;
	struct weighed r;
	bool rows = b->row[BC_Q_DATA] != NULL, modelled;

	collect_witnesses(in->obs, w);
	modelled = collect_model(in->obs, &model);
	for (size_t k = 0; k < BC_ARRAY_LEN(named); k++)
		rows |= b->row[named[k].quantity] != NULL;
	r = weigh(w, b);
	unheard = row_unheard(in->obs, w, b);
	if (!rows) {
		unjudged(in, w, NULL, out);
	} else if (r.outside) {
		if (r.disagree)
			set_disagree(b, w, out);
		else
			set_ratio(b, w, out);
		if (modelled)
			append_model(out->message, sizeof(out->message), w, &model, b);
	} else if (in->counters_are_model && modelled && has_counters(in->obs) && counts_differ(&w[COUNTERS], &model)) {
		set_ratio(b, w,
			  out); /* inside the row, which leaves room for what a GPU's grids add; here nothing does */
		append_model(out->message, sizeof(out->message), w, &model, b);
	} else if (unheard) {
		unjudged(in, w, unheard, out);
	} else if (r.heard || b->row[BC_Q_DATA]) {
		set(out, BC_PASS, "%s", "");
	} else if (!any_figure(b)) {
		skip_without_figure(in, w, out);
	} else {
		skip_without_witness(in, out);
	}
}

/* Step 6. */
static void apply_known(const struct bc_known *k, struct bc_judgement *out)
{
	const bool judged = out->verdict == BC_PASS || out->verdict == BC_FAIL || out->verdict == BC_DISAGREE;

	if (!k || !judged || (!k->applies && !k->expired))
		return;

	const char *between = out->message[0] != '\0' ? "; " : "";

	if (k->expired) {
		append(out->message, sizeof(out->message), "%sthe known failure '%s' has expired (%s, %s)", between,
		       k->outcome, k->reason, k->link);
	} else if (out->verdict == BC_PASS) {
		set(out, BC_XPASS,
		    "passes, but is known to fail with '%s' (%s, %s): delete its line in known.txt%s%s%s", k->outcome,
		    k->reason, k->link, k->where[0] ? " (" : "", k->where, k->where[0] ? ")" : "");
	} else if (strcmp(out->outcome, k->outcome) == 0) { /* FAIL or DISAGREE */
		out->verdict = BC_XFAIL;
		append(out->message, sizeof(out->message), "%sknown: %s, %s", between, k->reason, k->link);
	} else {
		append(out->message, sizeof(out->message), "%snot the known failure '%s'", between, k->outcome);
	}
}

void bc_judge(const struct bc_judge_in *in, struct bc_judgement *out)
{
	*out = (struct bc_judgement){ .verdict = BC_UNJUDGED };
	if (!judge_run(in, out) && !judge_needs(in, out) && !judge_counters_needed(in, out) && !judge_data(in, out) &&
	    !judge_stable(in, out) && !judge_needed_witnesses(in, out))
		judge_numbers(in, out);
	apply_known(in->known, out);
	for (char *p = out->message; *p != '\0'; p++) /* one line, whatever a driver's text holds */
		if (*p == '\n' || *p == '\r' || *p == '\t')
			*p = ' ';
}

unsigned bc_verdict_rank(enum bc_verdict v)
{
	static const enum bc_verdict order[] = { BC_PASS,     BC_XFAIL, BC_SKIP,   BC_UNJUDGED, BC_XPASS,
						 BC_DISAGREE, BC_FAIL,	BC_BROKEN, BC_LOST };
	unsigned rank = 0;

	while (rank < BC_ARRAY_LEN(order) && order[rank] != v)
		rank++;
	return rank;
}

int bc_exit_status(const size_t n[BC_NVERDICTS], size_t not_judged, bool strict_finding)
{
	size_t total = 0;

	for (unsigned v = 0; v < BC_NVERDICTS; v++)
		total += n[v];
	if (total == 0)
		return 0;
	if (n[BC_BROKEN] || n[BC_LOST])
		return 2;
	if (n[BC_FAIL] || n[BC_DISAGREE] || n[BC_XPASS] || n[BC_UNJUDGED] || strict_finding)
		return 1;
	return not_judged || total == n[BC_SKIP] ? 4 : 0;
}
