/* SPDX-License-Identifier: MIT */
/* harness/core/judge.h - the one function that forms verdicts. Pure, total. */
#ifndef BC_CORE_JUDGE_H
#define BC_CORE_JUDGE_H

#include "harness/core/expect.h"
#include "harness/core/observe.h"

enum bc_verdict {
	BC_PASS = 0,
	BC_FAIL,
	BC_DISAGREE,
	BC_BROKEN,
	BC_LOST,
	BC_SKIP,
	BC_UNJUDGED,
	BC_XFAIL,
	BC_XPASS,
	BC_NVERDICTS
};

/* Why a case is SKIP. */
enum bc_skip {
	BC_SKIPPED_NOT = 0,    /* it is none */
	BC_SKIPPED_NEED,       /* the architecture, or the reference device, lacks what the case needs */
	BC_SKIPPED_NO_LISTING, /* the image has no code listing */
	BC_SKIPPED_NO_FIGURE,  /* nobody knows what the architecture must show: reported, not judged */
	BC_SKIPPED_NOT_ASKED,  /* the witness that could judge it was not asked for */
	BC_SKIPPED_NOT_JUDGED, /* a witness that was asked for could have judged it, and was not to be had */
	BC_SKIPPED_NOT_RUN,    /* the run ended first (--fail-fast) */
	BC_NSKIPS
};

const char *bc_skip_name(enum bc_skip s);	/* "not_judged"; "" for BC_SKIPPED_NOT */
const char *bc_verdict_name(enum bc_verdict v); /* "PASS" ... */
bool bc_verdict_parse(const char *name, enum bc_verdict *out);

/* Is it one that somebody has to look at? All but PASS, XFAIL and SKIP; a value that is no verdict is one. */
bool bc_verdict_is_finding(enum bc_verdict v);

/* One letter: P PASS, F, D, B, L, S SKIP, U, x XFAIL, X XPASS; ? for what is no verdict. */
char bc_verdict_letter(enum bc_verdict v);

/* A line of expected/known.txt that applies to this case, device and day (run/known.c finds it). */
struct bc_known {
	bool applies;
	bool expired;	   /* the verdict stands and the message says so */
	char outcome[160]; /* the exact wrong outcome, as bc_judgement.outcome has it: "ratio wavefronts=3 conflicts=2"
			    */
	char reason[160], link[160];
	char where[170]; /* "expected/known.txt:24"; "": unknown */
};

/* What the judge is told beside the observation. */
struct bc_judge_in {
	const struct bc_case *c;
	const struct bc_arch *arch;
	const struct bc_bounds *bounds;
	const struct bc_observation *obs;
	const struct bc_known *known; /* NULL: none */
	bool require_counters;	      /* counters absent is BROKEN */
	bool counters_not_asked;      /* --witness clock */
	bool clock_not_asked;	      /* --witness counters */
	bool has_no_clock;	      /* the device has none by its nature, and nobody asked for one by name */
	bool counters_are_model;      /* the reference device: its counts must be the model's, exactly */
};

#define BC_MESSAGE_MAX 600

struct bc_judgement {
	enum bc_verdict verdict;
	enum bc_skip skip; /* of a SKIP */
	/* One line that starts with the outcome, then what was expected and what was measured; for SKIP the need; ""
	 * for PASS, unless a known failure of the case has expired. Numbers as bc_number_text writes them. */
	char message[BC_MESSAGE_MAX];
	/* The outcome in the form known.txt writes; "" where there is nothing to write. FAIL: "unsupported", "data",
	 * "sms", "ratio wavefronts=31 conflicts=30" (the quantities that have a row), "unstable 31,32,31". DISAGREE:
	 * "disagree counters wavefronts=31 conflicts=30; clock wavefronts=2", "...; clock=fraction" where the
	 * clock lies between two whole numbers, "clock=flat" where more wavefronts took no more time. */
	char outcome[160];
};

/**
 * bc_counts_expected - is the last count of a case inside its row? What the judge will ask of the first one
 *
 * Every quantity that was counted and has a row: wavefronts, conflicts, sectors, requests. What has no row, or an
 * unknown one, is as expected; so is a case that was not counted. A count of no requests is not (it is no number).
 */
bool bc_counts_expected(const struct bc_observation *o, const struct bc_bounds *b);

void bc_judge(const struct bc_judge_in *in, struct bc_judgement *out);

/* How bad a verdict is, for the worst of several: PASS 0, then XFAIL, SKIP, UNJUDGED, XPASS, DISAGREE, FAIL, BROKEN,
 * LOST. */
unsigned bc_verdict_rank(enum bc_verdict v);

/**
 * bc_exit_status - exit status of `run` over the verdicts' counts
 * @n:          [BC_NVERDICTS] cases by verdict
 * @not_judged: SKIPs that are BC_SKIPPED_NOT_JUDGED: not green
 * @strict_finding: --strict, and an architecture was provisional or a case had no figure
 *
 * Return: 2, 1, 4 or 0 as docs/exit-status.md says (130/143 and 3 are the caller's). No case at all: 0.
 */
int bc_exit_status(const size_t n[BC_NVERDICTS], size_t not_judged, bool strict_finding);

#endif
