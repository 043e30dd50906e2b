/* SPDX-License-Identifier: MIT */
#include "harness/report/render.h"

#include <stdio.h>
#include <string.h>

#include "harness/base/escape.h"

static const struct bc_verdict_style styles[BC_NVERDICTS] = {
	[BC_PASS] = { NULL, "32" },	   [BC_FAIL] = { "failure", "31" },  [BC_DISAGREE] = { "failure", "31" },
	[BC_BROKEN] = { "error", "35" },   [BC_LOST] = { "error", "35" },    [BC_SKIP] = { "skipped", "33" },
	[BC_UNJUDGED] = { "error", "35" }, [BC_XFAIL] = { "skipped", "33" }, [BC_XPASS] = { "failure", "31" },
};

/* The index of @v in tables of BC_NVERDICTS entries. */
static size_t row(enum bc_verdict v)
{
	return (unsigned)v < BC_NVERDICTS ? (size_t)v : (size_t)BC_BROKEN;
}

const struct bc_verdict_style *bc_verdict_style(enum bc_verdict v)
{
	return &styles[row(v)];
}

void bc_count_verdicts(const struct bc_device_run *d, size_t n[BC_NVERDICTS])
{
	for (size_t i = 0; i < d->nresults; i++)
		n[row(d->results[i].judged.verdict)]++;
}

const char *bc_device_arch(const struct bc_device_run *d)
{
	if (d->facts.arch[0])
		return d->facts.arch;
	return d->arch.name[0] ? d->arch.name : "unknown";
}

void bc_device_label(const struct bc_device_run *d, char buf[BC_DEVICE_LABEL_MAX])
{
	if (d->facts.kind == BC_DEVICE_REFERENCE)
		(void)snprintf(buf, BC_DEVICE_LABEL_MAX, "reference:%s", bc_device_arch(d));
	else
		(void)snprintf(buf, BC_DEVICE_LABEL_MAX, "cuda:%u", d->facts.index);
}

void bc_confirmation_text(const struct bc_arch *a, char buf[BC_CONFIRMATION_MAX])
{
	if (a->provisional)
		(void)snprintf(buf, BC_CONFIRMATION_MAX, "provisional");
	else if (!a->confirmed[0] || strcmp(a->confirmed, "none") == 0)
		(void)snprintf(buf, BC_CONFIRMATION_MAX, "unconfirmed");
	else
		(void)snprintf(buf, BC_CONFIRMATION_MAX, "confirmed %s", a->confirmed);
}

enum bc_status bc_rerun_line(const struct bc_run *run, const struct bc_device_run *d, const char *case_id,
			     struct bc_text *out, struct bc_error *err)
{
	const char *head = d->rerun[0] ? d->rerun : run->rerun;
	enum bc_status st = bc_text_addf(out, err, "%s%s", head, run->rerun_whole ? "" : " --filter ");

	return st || run->rerun_whole ? st : bc_shell_quote(out, case_id, err);
}

void bc_death_text(const struct bc_device_run *d, const struct bc_death *death, char buf[BC_DEATH_TEXT_MAX])
{
	const bool told = death->events[0] && !strstr(death->reason, death->events);
	const bool silent = !death->events[0] && d->facts.kind == BC_DEVICE_CUDA;

	(void)snprintf(buf, BC_DEATH_TEXT_MAX, "%s; it had in hand: %s%s%s%s", death->reason, death->during,
		       told ? "; the GPU had told of " : "", told ? death->events : "",
		       silent ? "; what the GPU told since the batch before went with it (dmesg | grep Xid)" : "");
}
