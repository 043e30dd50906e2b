/* SPDX-License-Identifier: MIT */
/* harness/html/html.h - reports as one page: summary, matrix, each case with its values and its picture.
 *
 * The page is one file that asks for nothing else (its content security policy forbids it). It is whole without
 * JavaScript; the script adds filters and keys. All that comes out of a report is escaped twice: what moves or hides
 * text by escape.h, then what HTML reads.
 */
#ifndef BC_HTML_HTML_H
#define BC_HTML_HTML_H

#include "harness/report/reader.h"

/**
 * bc_html_write - append the page
 * @files: [n] reports, in the order in which their devices are shown; a device of a file is a run
 * @n:     1 or more
 *
 * Counts are those of the reports: each case of each run counts once. A case is shown once, its values by run where the
 * runs differ, its picture once (of the first run that has a pattern).
 * Return: BC_ENOMEM.
 */
enum bc_status bc_html_write(const struct bc_read_file *files, size_t n, struct bc_text *out, struct bc_error *err);

#endif
