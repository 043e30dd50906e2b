/* SPDX-License-Identifier: MIT */
#include "harness/html/sheet.h"

#include "harness/html/page.h"

void bc_sheet_text(struct bc_out *o, const char *s)
{
	struct bc_html p = { .out = *o };

	bc_html_text(&p, s);
	bc_out_join(o, &p.out);
	bc_text_release(&p.scratch);
}

void bc_sheet_begin(struct bc_out *o, const char *title)
{
	bc_put(o, "<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n<meta "
		  "http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri 'none'; form-action "
		  "'none'; style-src 'sha256-");
	bc_put(o, bc_html_style_hash);
	bc_put(o, "'\">\n<meta name=viewport content=\"width=device-width, initial-scale=1\">\n<meta "
		  "name=color-scheme content=\"light dark\">\n<meta name=generator content=\"bankcheck " BC_VERSION
		  "\">\n<title>");
	bc_sheet_text(o, title);
	bc_put(o, "</title>\n<style>");
	for (const char *const *line = bc_html_style; *line; line++)
		bc_put(o, *line);
	bc_put(o, "</style>\n</head>\n<body>\n<header><h1>");
	bc_sheet_text(o, title);
	bc_put(o, "</h1></header>\n<main>\n");
}

void bc_sheet_end(struct bc_out *o)
{
	bc_put(o, "</main>\n<footer>Written by bankcheck " BC_VERSION
		  ". The page makes no network requests.</footer>\n</body>\n</html>\n");
}
