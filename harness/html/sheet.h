/* SPDX-License-Identifier: MIT */
/* harness/html/sheet.h - a page of tables in the style of the report's page: no script, and nothing is asked for. */
#ifndef BC_HTML_SHEET_H
#define BC_HTML_SHEET_H

#include "harness/base/out.h"

/* Everything up to the main part; @title is text, of the window and the first heading. */
void bc_sheet_begin(struct bc_out *o, const char *title);

/* Everything after it. */
void bc_sheet_end(struct bc_out *o);

/* Append text: one line, escaped, safe between tags and in a quoted attribute. */
void bc_sheet_text(struct bc_out *o, const char *s);

#endif
