/* SPDX-License-Identifier: MIT */
/* harness/html/fold.h - many runs on one page: those that say the same become one column, read and let go one by one.
 */
#ifndef BC_HTML_FOLD_H
#define BC_HTML_FOLD_H

#include "harness/report/reader.h"

#define BC_HTML_RUNS_MAX 24 /* with more runs than this, equal ones are one */

/* A run that is kept, and how many are like it. Zero-initialise the whole. */
struct bc_html_fold {
	struct bc_html_kept {
		uint64_t key;
		struct bc_read_device *d;
		size_t alike;	      /* of others */
		struct bc_text hosts; /* the first of theirs */
	} * kept;
	size_t n;
	size_t runs, verdicts; /* of all that were added */
	bool folding;
};

/**
 * bc_html_fold_add - add the runs of a report
 * @file: stays where it is until bc_html_fold_end
 *
 * Equal are runs of one GPU model, architecture, driver, CUDA, kernel images, expectations and bankcheck with the same
 * cases, verdicts, messages, counts and data. From the 25th run on a run that is like an earlier one is let go, so that
 * memory goes with what differs. Shards of a named run are always kept. Return: BC_ENOMEM.
 */
enum bc_status bc_html_fold_add(struct bc_html_fold *f, struct bc_read_file *file, struct bc_error *err);

/* Say in the property `alike` of each kept run which it stands for, and forget the rest of @f. The devices that were
 * let go are taken out of their files by bc_report_join. Return: BC_ENOMEM. */
enum bc_status bc_html_fold_end(struct bc_html_fold *f, struct bc_error *err);

#endif
