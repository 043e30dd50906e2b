/* SPDX-License-Identifier: MIT */
#include "harness/cli/soak.h"

#include <inttypes.h>
#include <stdio.h>

#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/report/json.h"

#define LINE_SECONDS 60.0
#define SOAK_SCHEMA "bankcheck-soak-1"

/* One soak under way: the events of its sessions go through it. */
struct soak {
	const struct bc_session_events *ev;
	struct bc_soak sum;
	const struct bc_run *first, *now; /* of the first round, and of the one under way */
	bool found;			  /* in that one */
	double start, line;
};

static void on_begin(void *ctx, const struct bc_run *run)
{
	struct soak *s = ctx;

	if (!s->first && s->ev->begin)
		s->ev->begin(s->ev->ctx, run);
	s->first = s->first ? s->first : run;
	s->now = run;
}

static void on_progress(void *ctx, size_t done, size_t total, const char *id)
{
	const struct soak *s = ctx;

	if (s->ev->progress)
		s->ev->progress(s->ev->ctx, done, total, id);
}

static void on_result(void *ctx, const struct bc_device_run *d, const struct bc_result *r)
{
	struct soak *s = ctx;
	const bool finding = bc_verdict_is_finding(r->judged.verdict);
	char text[160];

	s->sum.cases++;
	s->sum.bytes += r->obs.data_bytes;
	s->sum.findings += finding;
	s->found = s->found || finding;
	if (s->ev->result)
		s->ev->result(s->ev->ctx, &s->first->devices[d - s->now->devices],
			      r); /* the run that begin was told of */
	if (bc_now() - s->line < LINE_SECONDS)
		return;
	s->line = bc_now();
	s->sum.seconds = s->line - s->start;
	bc_soak_text(&s->sum, text, sizeof(text));
	(void)printf("soak: %s\n", text);
	(void)fflush(stdout);
}

void bc_soak_text(const struct bc_soak *s, char *text, size_t size)
{
	char findings[32] = "no finding";

	if (s->findings)
		(void)snprintf(findings, sizeof(findings), "%" PRIu64 " finding%s", s->findings,
			       s->findings == 1 ? "" : "s");
	(void)snprintf(text, size, "%.0f s: %" PRIu64 " round%s, %" PRIu64 " cases, %.3g GB compared, %s", s->seconds,
		       s->rounds, s->rounds == 1 ? "" : "s", s->cases, (double)s->bytes / 1e9, findings);
}

enum bc_status bc_soak_run(unsigned seconds, const struct bc_run_options *o, const struct bc_catalog *cat,
			   const struct bc_session_events *ev, struct bc_session **kept, struct bc_soak *out,
			   struct bc_error *err)
{
	struct soak s = { .ev = ev };
	const struct bc_session_events mine = {
		.ctx = &s, .begin = on_begin, .progress = on_progress, .result = on_result
	};
	struct bc_run_options round = *o;
	struct bc_session *first = NULL; /* is there as long as results are told as its */
	bool stop = false, any = false;
	enum bc_status st = BC_OK;

	s.start = s.line = bc_now();
	if (!round.shuffle.given)
		round.shuffle = (struct bc_option_seed){ .given = true, .value = 1 };
	for (; !st && !stop; round.shuffle.value++) {
		struct bc_session *now = NULL;

		s.found = false;
		st = bc_session_open(&round, cat, &now, err);
		stop = !st && bc_session_plan(now) != BC_PLAN_CASES;
		if (!st && !stop)
			st = bc_session_run(now, &mine, err);
		s.sum.rounds += !st && !stop;
		s.sum.signal = now ? bc_session_signal(now) : 0;
		first = first ? first : now;
		if (any) { /* the first with a finding stays */
			bc_session_close(now);
		} else {
			if (*kept != first)
				bc_session_close(*kept);
			*kept = now;
			s.sum.kept = s.sum.rounds;
		}
		any = any || s.found;
		stop = stop || bc_now() - s.start >= seconds || (any && o->fail_fast) || s.sum.signal;
	}
	if (*kept != first)
		bc_session_close(first);
	s.sum.seconds = bc_now() - s.start;
	*out = s.sum;
	return st;
}

enum bc_status bc_soak_write(const struct bc_soak *s, const char *dir, struct bc_error *err)
{
	struct bc_text text = { 0 };
	enum bc_status st =
		bc_json_write(json_pack("{ss, so, sI, sI, sI, sI, sI}", "schema", SOAK_SCHEMA, "seconds",
					bc_json_number(s->seconds), "rounds", (json_int_t)s->rounds, "cases",
					(json_int_t)s->cases, "findings", (json_int_t)s->findings, "bytes",
					(json_int_t)s->bytes, "reported_round", (json_int_t)s->kept),
			      false, &text, err);

	if (!st)
		st = bc_file_replace(&bc_file_system, dir, BC_SOAK_FILE, text.data, text.len, err);
	bc_text_release(&text);
	return st;
}
