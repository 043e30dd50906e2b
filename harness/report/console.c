/* SPDX-License-Identifier: MIT */
#include "harness/report/console.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "harness/base/clock.h"
#include "harness/base/out.h"
#include "harness/report/finding_groups.h"
#include "harness/report/render.h"

#define WIDTH_MAX 512u
#define BAR_MAX 40u
#define SAME_MAX 10u   /* LOST results of one message that are shown one by one: an interrupted run has thousands */
#define ALIKE_MAX 3u   /* other findings of one rule and cause that are shown one by one */
#define RERUNS_MAX 50u /* findings whose line to run again is shown */

/* How far a device is. */
struct told {
	size_t done;
	double last; /* bc_now() of its last line */
};

struct bc_console {
	struct bc_console_options o;
	size_t drawn;	      /* columns that the bar takes now; 0: there is none */
	double last_drawn;    /* bc_now() then */
	struct bc_text line;  /* text on its way out */
	struct bc_out out;    /* into line */
	struct told *devices; /* of run, which bc_console_begin was given; NULL: no lines are wanted */
	const struct bc_run *run;
	double began;
	int failed;	      /* errno of the first failure, 0: none */
	uint64_t told;	      /* devices (bit 63: and those after) whose lack of counters was said at the beginning */
	uint64_t why;	      /* hash of the last LOST result's message */
	size_t same, omitted; /* LOST results in a row with that message; those that were left out for it */
	struct bc_finding_groups groups; /* of the other findings */
};

struct bc_console_options bc_console_detect(FILE *out)
{
	const char *term = getenv("TERM"), *no_color = getenv("NO_COLOR");
	const bool tty = isatty(fileno(out)) == 1 && term && term[0] && strcmp(term, "dumb") != 0;

	return (struct bc_console_options){
		.out = out,
		.tty = tty,
		.lines_ms = tty ? 0 : 60000,
		.color = tty && !(no_color && no_color[0]),
		.redraw_ms = 50,
	};
}

enum bc_status bc_console_open(const struct bc_console_options *o, struct bc_console **out, struct bc_error *err)
{
	struct bc_console *c = calloc(1, sizeof(*c));

	if (!c)
		return bc_fail(err, BC_ENOMEM, "console: out of memory");
	c->o = *o;
	c->out.to = &c->line;
	*out = c;
	return BC_OK;
}

void bc_console_close(struct bc_console *c)
{
	if (!c)
		return;
	bc_text_release(&c->line);
	bc_finding_groups_release(&c->groups);
	free(c->devices);
	free(c);
}

static void write_bytes(struct bc_console *c, const char *bytes, size_t len)
{
	errno = 0;
	if (len > 0 && fwrite(bytes, 1, len, c->o.out) != len && !c->failed)
		c->failed = errno ? errno : EIO;
}

static void flush(struct bc_console *c)
{
	errno = 0;
	if (fflush(c->o.out) != 0 && !c->failed)
		c->failed = errno ? errno : EIO;
}

/* Write c->line and empty it. One that could not be made whole is left out, and the next is tried all the same. */
static void write_line(struct bc_console *c)
{
	if (!c->out.st)
		write_bytes(c, c->line.data, c->line.len);
	else if (!c->failed)
		c->failed = ENOMEM;
	c->out.st = BC_OK;
	bc_text_clear(&c->line);
}

static unsigned width(const struct bc_console *c)
{
	struct winsize ws = { 0 };
	unsigned w = c->o.width;

	if (w == 0 && ioctl(fileno(c->o.out), TIOCGWINSZ, &ws) == 0)
		w = ws.ws_col;
	if (w == 0)
		w = 80;
	return w < WIDTH_MAX ? w : WIDTH_MAX;
}

void bc_console_erase(struct bc_console *c)
{
	char blank[WIDTH_MAX + 2];
	const size_t room = width(c) - 1; /* the terminal may have got narrower */
	const size_t n = c->drawn < room ? c->drawn : room;

	if (c->drawn == 0)
		return;
	blank[0] = '\r';
	memset(blank + 1, ' ', n);
	blank[n + 1] = '\r';
	write_bytes(c, blank, n + 2);
	flush(c);
	c->drawn = 0;
}

/* "[####....] 12/34 suite/rule/variant" in at most @room columns; what does not fit is left out from the right. */
static size_t bar(char *buf, size_t size, size_t room, size_t done, size_t total, const char *now)
{
	char count[64];
	const int n = snprintf(count, sizeof(count), "%zu/%zu", done, total);
	const size_t count_len = (size_t)n;
	size_t cells = 0, at = 0;

	if (room >= size)
		room = size - 1;
	if (room >= count_len + 3 + 4)
		cells = room / 2 < BAR_MAX ? room / 2 : BAR_MAX;
	if (cells + 3 + count_len > room)
		cells = room >= count_len + 3 ? room - count_len - 3 : 0;
	if (cells > 0) {
		const size_t full = total ? (done < total ? done * cells / total : cells) : 0;

		buf[at++] = '[';
		for (size_t i = 0; i < cells; i++)
			buf[at++] = i < full ? '#' : '.';
		buf[at++] = ']';
		buf[at++] = ' ';
	}
	for (size_t i = 0; i < count_len && at < room; i++)
		buf[at++] = count[i];
	if (now[0] && at + 1 < room)
		buf[at++] = ' ';
	for (size_t i = 0; now[i] && at < room; i++)
		buf[at++] = now[i] >= ' ' && now[i] <= '~' ? now[i] : '?'; /* one byte, one column */
	buf[at] = '\0';
	return at;
}

void bc_console_progress(struct bc_console *c, size_t done, size_t total, const char *now)
{
	char text[WIDTH_MAX];
	const double t = bc_now();
	size_t len, room;

	if (!c->o.tty || c->o.quiet)
		return;
	if (c->drawn > 0 && done < total && t - c->last_drawn < c->o.redraw_ms * 1e-3)
		return;
	/* the last column stays free: some terminals wrap when it is written */
	room = width(c) - 1;
	len = bar(text, sizeof(text), room, done, total, now);
	bc_put(&c->out, "\r");
	bc_put(&c->out, text);
	for (size_t i = len; i < c->drawn && i < room; i++)
		bc_put(&c->out, " "); /* over what the bar before left */
	write_line(c);
	flush(c);
	c->drawn = len;
	c->last_drawn = t;
}

/* "FAIL", padded, in the verdict's colour. */
static void add_verdict(struct bc_console *c, enum bc_verdict v)
{
	if (c->o.color)
		bc_putf(&c->out, "\033[%sm", bc_verdict_style(v)->color);
	bc_putf(&c->out, "%-8s", bc_verdict_name(v));
	if (c->o.color)
		bc_put(&c->out, "\033[0m");
}

/* Has the message of this LOST result been shown often enough? */
static bool is_more_of_the_same(struct bc_console *c, const struct bc_result *r)
{
	const uint64_t why = bc_hash(BC_HASH_INIT, r->judged.message, strlen(r->judged.message));

	if (r->judged.verdict != BC_LOST || c->o.verbose)
		return false;
	c->same = why == c->why ? c->same + 1 : 1;
	c->why = why;
	return c->same > SAME_MAX;
}

/* Have enough findings of this rule and cause been shown? bc_console_end counts the others. */
static bool is_one_of_many(struct bc_console *c, const struct bc_device_run *d, const struct bc_result *r)
{
	if (c->o.verbose || r->judged.verdict == BC_LOST || !bc_verdict_is_finding(r->judged.verdict))
		return false;
	return bc_finding_groups_add(&c->groups, d, r) > ALIKE_MAX;
}

/* One more result of @d: says how far it is, once in a while. */
static void add_progress(struct bc_console *c, const struct bc_device_run *d)
{
	struct told *told = c->devices ? &c->devices[d - c->run->devices] : NULL;
	const double t = bc_now();
	char label[BC_DEVICE_LABEL_MAX];

	if (!told)
		return;
	told->done++;
	if (told->done == d->nresults || t - told->last < c->o.lines_ms * 1e-3)
		return;
	told->last = t;
	bc_device_label(d, label);
	bc_put_line(&c->out, label);
	bc_putf(&c->out, ": %zu of %zu cases after %.0f s\n", told->done, d->nresults, t - c->began);
	write_line(c);
	flush(c);
}

void bc_console_result(struct bc_console *c, const struct bc_device_run *d, const struct bc_result *r)
{
	const bool finding = bc_verdict_is_finding(r->judged.verdict) || r->flaky;

	add_progress(c, d);
	if (!finding && (c->o.quiet || !c->o.verbose))
		return;
	if (is_more_of_the_same(c, r)) {
		c->omitted++;
		return;
	}
	if (is_one_of_many(c, d, r))
		return;
	bc_console_erase(c);
	add_verdict(c, r->judged.verdict);
	bc_put(&c->out, " ");
	bc_put_line(&c->out, d->dev);
	bc_put(&c->out, " ");
	bc_put_line(&c->out, r->c->id);
	if (r->judged.message[0]) {
		bc_put(&c->out, ": ");
		bc_put_line(&c->out, r->judged.message);
	}
	if (c->o.verbose && r->obs.read_again[0]) {
		bc_put(&c->out, ": read again: ");
		bc_put_line(&c->out, r->obs.read_again);
	}
	if (r->flaky) {
		bc_putf(&c->out, ": flaky: attempt %zu; the first was %s: ", r->ntries,
			bc_verdict_name(r->tries[0].verdict));
		bc_put_line(&c->out, r->tries[0].message);
	}
	bc_put(&c->out, "\n");
	write_line(c);
	flush(c);
}

static size_t count_reference(const struct bc_run *run)
{
	size_t n = 0;

	for (size_t i = 0; i < run->ndevices; i++)
		n += run->devices[i].facts.kind == BC_DEVICE_REFERENCE;
	return n;
}

/* The first line. */
static void add_head(struct bc_console *c, const struct bc_run *run)
{
	const size_t reference = count_reference(run);
	const size_t gpus = run->ndevices - reference;

	bc_put(&c->out, "bankcheck " BC_VERSION);
	if (gpus > 0)
		bc_putf(&c->out, " on %zu GPU%s", gpus, gpus == 1 ? "" : "s");
	if (reference > 0)
		bc_put(&c->out,
		       gpus > 0 ? " and on the reference device, which is not hardware: its counters are the bank laws"
				: ": this is the reference device, not hardware: its counters are the bank laws");
	if (run->ndevices == 0)
		bc_put(&c->out, ": no device");
	bc_put(&c->out, "\n");
}

static void add_fact(struct bc_console *c, const char *name, const char *value)
{
	if (!value[0])
		return;
	bc_put(&c->out, name);
	bc_put_line(&c->out, value);
}

static void add_device(struct bc_console *c, const struct bc_device_run *d)
{
	char label[BC_DEVICE_LABEL_MAX], confirmation[BC_CONFIRMATION_MAX];

	bc_device_label(d, label);
	bc_confirmation_text(&d->arch, confirmation);
	bc_put_line(&c->out, label);
	add_fact(c, "  ", d->facts.name);
	add_fact(c, ", ", bc_device_arch(d));
	add_fact(c, ", driver ", d->facts.driver);
	add_fact(c, ", CUDA ", d->facts.cuda);
	add_fact(c, ", CUPTI ", d->facts.cupti);
	add_fact(c, "; expectations ", confirmation);
	bc_put(&c->out, "\n");
	add_fact(c, "  no counters: ", d->facts.counters_absent);
	if (d->facts.counters_absent[0])
		bc_put(&c->out, "\n");
	if (d->facts.kind != BC_DEVICE_REFERENCE && d->facts.clock_absent[0]) {
		add_fact(c, "  no clock: ", d->facts.clock_absent);
		bc_put(&c->out, "\n");
	}
	add_fact(c, "  ", d->note);
	if (d->note[0])
		bc_put(&c->out, "\n");
}

/* Device @i of the run, as a bit of told. */
static uint64_t bit_of(size_t i)
{
	return UINT64_C(1) << (i < 63 ? i : 63);
}

/* From now on, say now and then how far each device is. */
static void start_lines(struct bc_console *c, const struct bc_run *run)
{
	if (c->o.tty || c->o.verbose || !c->o.lines_ms || !run->ndevices)
		return;
	free(c->devices);
	c->devices = calloc(run->ndevices, sizeof(*c->devices));
	if (!c->devices && !c->failed)
		c->failed = ENOMEM;
	c->run = run;
	c->began = bc_now();
	for (size_t i = 0; c->devices && i < run->ndevices; i++)
		c->devices[i].last = c->began;
}

void bc_console_begin(struct bc_console *c, const struct bc_run *run)
{
	if (c->o.quiet)
		return;
	bc_console_erase(c);
	add_head(c, run);
	for (size_t i = 0; i < run->ndevices; i++) {
		add_device(c, &run->devices[i]);
		c->told |= run->devices[i].facts.counters_absent[0] ? bit_of(i) : 0;
	}
	write_line(c);
	flush(c);
	start_lines(c, run);
}

/* "cuda:0: 12 of 500 judged without counters: ...". */
static void add_absent(struct bc_console *c, const struct bc_device_run *d, const char *witness, size_t reason_at,
		       size_t n, size_t of)
{
	char label[BC_DEVICE_LABEL_MAX];

	if (!n)
		return;
	bc_device_label(d, label);
	bc_put_line(&c->out, label);
	bc_putf(&c->out, ": %zu of %zu judged without %s", n, of, witness);
	for (size_t k = 0; k < d->nresults; k++) {
		const char *why = (const char *)&d->results[k].obs + reason_at;

		if (!why[0] || d->results[k].judged.verdict == BC_SKIP)
			continue;
		bc_put(&c->out, ": ");
		bc_put_line(&c->out, why);
		break;
	}
	bc_put(&c->out, "\n");
}

/* "cuda:0: 12 of 500 read again: ...": what was disturbed for a moment, and did not count. */
static void add_read_again(struct bc_console *c, const struct bc_device_run *d)
{
	const char *first = NULL;
	char label[BC_DEVICE_LABEL_MAX];
	size_t n = 0;

	for (size_t k = 0; k < d->nresults; k++) {
		const char *why = d->results[k].obs.read_again;

		first = first || !why[0] ? first : why;
		n += why[0] != '\0';
	}
	if (!n)
		return;
	bc_device_label(d, label);
	bc_put_line(&c->out, label);
	bc_putf(&c->out, ": %zu of %zu read again", n, d->nresults);
	add_fact(c, ": ", first);
	bc_put(&c->out, "\n");
}

/* Witnesses that some judged cases lacked though their patterns can have them. That the whole device @i lacks counters
 * was said at the beginning when it was known then; a GPU tells it when it is opened. */
static void add_witnesses(struct bc_console *c, const struct bc_device_run *d, size_t i)
{
	size_t judged = 0, no_counters = 0, no_clock = 0;

	for (size_t k = 0; k < d->nresults; k++) {
		const struct bc_result *r = &d->results[k];

		if (r->judged.verdict == BC_SKIP || r->obs.outcome != BC_RAN)
			continue;
		judged++;
		no_counters += !r->obs.attempts && (r->bounds.row[BC_Q_WAVEFRONTS] || r->bounds.row[BC_Q_CONFLICTS] ||
						    r->bounds.row[BC_Q_SECTORS] || r->bounds.row[BC_Q_REQUESTS]);
		no_clock += !r->obs.clock_has && !r->obs.clock_value_has && bc_op_info(r->c->pattern.op)->timed;
	}
	if (!(c->told & bit_of(i)))
		add_absent(c, d, "counters", offsetof(struct bc_observation, counters_absent), no_counters, judged);
	if (!d->facts.clock_absent[0])
		add_absent(c, d, "a clock", offsetof(struct bc_observation, clock_absent), no_clock, judged);
}

/* "cuda:0: images of CUDA 12.9 by nvcc 12.9.86, in kernels-12.9 (kernels (CUDA 13.0) needs a driver of ...)" */
static void add_images(struct bc_console *c, const struct bc_device_run *d)
{
	char label[BC_DEVICE_LABEL_MAX];

	if (!d->facts.images[0])
		return;
	bc_device_label(d, label);
	bc_put_line(&c->out, label);
	add_fact(c, ": images of ", d->facts.toolkit);
	add_fact(c, d->facts.toolkit[0] ? ", in " : ": images in ", d->facts.images);
	bc_put(&c->out, "\n");
}

/* "cuda:0: the GPU told of Xid 31 (GPU memory page fault)" */
static void add_events(struct bc_console *c, const struct bc_device_run *d)
{
	char label[BC_DEVICE_LABEL_MAX];

	if (!d->events[0])
		return;
	bc_device_label(d, label);
	bc_put_line(&c->out, label);
	add_fact(c, ": the GPU told of ", d->events);
	bc_put(&c->out, "\n");
}

/* "reference:sm_90: worker lost: ...", a line for each: whatever became of its cases. */
static void add_deaths(struct bc_console *c, const struct bc_device_run *d)
{
	char label[BC_DEVICE_LABEL_MAX];

	bc_device_label(d, label);
	for (size_t i = 0; i < d->ndeaths && i < SAME_MAX; i++) {
		char text[BC_DEATH_TEXT_MAX];

		bc_death_text(d, &d->deaths[i], text);
		bc_put_line(&c->out, label);
		add_fact(c, ": a worker died or hung: ", text);
		bc_put(&c->out, "\n");
	}
	if (d->ndeaths > SAME_MAX)
		bc_putf(&c->out, "%s: %zu more workers died or hung (journal.tsv has each)\n", label,
			d->ndeaths - SAME_MAX);
}

/* Why a device judged nothing: the reason of its first SKIP, and how many others have another. */
static void add_skips(struct bc_console *c, const struct bc_device_run *d)
{
	const char *first = NULL;
	char label[BC_DEVICE_LABEL_MAX];
	size_t same = 0, other = 0;

	for (size_t k = 0; k < d->nresults; k++) {
		const struct bc_judgement *j = &d->results[k].judged;

		if (j->verdict != BC_SKIP)
			return;
		if (!first)
			first = j->message;
		same += strcmp(first, j->message) == 0;
		other += strcmp(first, j->message) != 0;
	}
	if (!first)
		return;
	bc_device_label(d, label);
	bc_put_line(&c->out, label);
	bc_putf(&c->out, ": %zu SKIP: ", same);
	bc_put_line(&c->out, first);
	if (other)
		bc_putf(&c->out, "; %zu for other reasons (-v lists them)", other);
	bc_put(&c->out, "\n");
}

/* Cases that were skipped though somebody may think that they were judged: how many, and why the first of them was. */
static void add_unjudged(struct bc_console *c, const struct bc_device_run *d)
{
	static const struct {
		enum bc_skip why;
		const char *words;
	} kinds[] = {
		{ BC_SKIPPED_NOT_JUDGED, "not judged" },
		{ BC_SKIPPED_NO_LISTING, "not judged" },
		{ BC_SKIPPED_NOT_ASKED, "not judged" },
		{ BC_SKIPPED_NO_FIGURE, "reported, not judged" },
	};
	char label[BC_DEVICE_LABEL_MAX];

	bc_device_label(d, label);
	for (size_t i = 0; i < BC_ARRAY_LEN(kinds); i++) {
		const char *first = NULL;
		size_t n = 0;

		for (size_t k = 0; k < d->nresults; k++) {
			if (d->results[k].judged.skip != kinds[i].why)
				continue;
			first = first ? first : d->results[k].judged.message;
			n++;
		}
		if (!n || n == d->nresults) /* add_skips says what holds for all */
			continue;
		bc_put_line(&c->out, label);
		bc_putf(&c->out, ": %zu %s: ", n, kinds[i].words);
		bc_put_line(&c->out, first);
		bc_put(&c->out, "\n");
	}
}

/* "12 cases: 10 PASS, 2 FAIL" */
static void add_counts(struct bc_console *c, const struct bc_run *run)
{
	size_t n[BC_NVERDICTS] = { 0 }, all = 0, flaky = 0, not_judged = 0, judged;

	for (size_t i = 0; i < run->ndevices; i++) {
		bc_count_verdicts(&run->devices[i], n);
		for (size_t k = 0; k < run->devices[i].nresults; k++) {
			flaky += run->devices[i].results[k].flaky;
			not_judged += run->devices[i].results[k].judged.skip == BC_SKIPPED_NOT_JUDGED;
		}
	}
	for (size_t v = 0; v < BC_NVERDICTS; v++)
		all += n[v];
	judged = all - n[BC_SKIP];
	bc_putf(&c->out, "\n%zu case%s", all, all == 1 ? "" : "s");
	for (size_t v = 0, listed = 0; v < BC_NVERDICTS; v++)
		if (n[v] > 0)
			bc_putf(&c->out, "%s%zu %s", listed++ ? ", " : ": ", n[v], bc_verdict_name((enum bc_verdict)v));
	bc_put(&c->out, all > 0 && judged == 0 ? "; nothing was judged" : "");
	if (judged && not_judged)
		bc_putf(&c->out, "; %zu not judged", not_judged);
	if (flaky)
		bc_putf(&c->out, "; %zu flaky", flaky);
	bc_put(&c->out, "\n");
	for (size_t i = 0; i < run->ndevices; i++) {
		add_witnesses(c, &run->devices[i], i);
		add_read_again(c, &run->devices[i]);
		add_skips(c, &run->devices[i]);
		add_unjudged(c, &run->devices[i]);
		add_images(c, &run->devices[i]);
		add_events(c, &run->devices[i]);
	}
}

static void add_reruns(struct bc_console *c, const struct bc_run *run)
{
	size_t n = 0;

	for (size_t i = 0; i < run->ndevices; i++) {
		const struct bc_device_run *d = &run->devices[i];

		for (size_t k = 0; k < d->nresults; k++) {
			if (!bc_verdict_is_finding(d->results[k].judged.verdict) || n++ >= RERUNS_MAX)
				continue;
			bc_put(&c->out, n > 1 ? "  " : "run again:\n  ");
			if (!c->out.st)
				c->out.st = bc_rerun_line(run, d, d->results[k].c->id, &c->line, NULL);
			bc_put(&c->out, "\n");
		}
	}
	if (n > RERUNS_MAX)
		bc_putf(&c->out, "  and %zu more, each in its report; all of a report: --rerun-failed REPORT\n",
			n - RERUNS_MAX);
}

/* "FAIL     sm_90 stride/ld_b32: 61 more: 2 instead of 1 wavefronts", a line for each rule and cause. */
static void add_groups(struct bc_console *c)
{
	for (size_t i = 0; i < c->groups.n; i++) {
		const struct bc_finding_group *g = &c->groups.group[i];

		if (g->n <= ALIKE_MAX)
			continue;
		add_verdict(c, g->verdict);
		bc_put(&c->out, " ");
		bc_put_line(&c->out, g->dev);
		bc_put(&c->out, g->rule[0] ? " " : "");
		bc_put_line(&c->out, g->rule);
		bc_putf(&c->out, ": %zu more", g->n - ALIKE_MAX);
		add_fact(c, ": ", g->cause);
		bc_put(&c->out, "\n");
		write_line(c);
	}
	bc_finding_groups_release(&c->groups);
}

enum bc_status bc_console_end(struct bc_console *c, const struct bc_run *run, const struct bc_paths *paths,
			      struct bc_error *err)
{
	char seconds[BC_SECONDS_MAX];

	bc_console_erase(c);
	if (c->omitted) {
		add_verdict(c, BC_LOST);
		bc_putf(&c->out, " %zu more, for what is said above (-v and the reports have each)\n", c->omitted);
		write_line(c);
	}
	add_groups(c);
	if (!c->o.quiet)
		add_counts(c, run);
	for (size_t i = 0; i < run->ndevices; i++)
		add_deaths(c, &run->devices[i]);
	write_line(c);
	if (!c->o.quiet) {
		bc_seconds(bc_milliseconds(run->seconds), seconds);
		bc_putf(&c->out, "time:   %s s\n", seconds);
		for (size_t i = 0; i < paths->n; i++) {
			bc_put(&c->out, "report: ");
			bc_put_line(&c->out, paths->path[i]);
			bc_put(&c->out, "\n");
		}
		add_reruns(c, run);
		write_line(c);
	}
	flush(c);
	if (c->failed)
		return bc_fail(err, BC_EWRITE, "console output: cannot write: %s", strerror(c->failed));
	return BC_OK;
}
