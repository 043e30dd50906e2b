/* SPDX-License-Identifier: MIT */
/* harness/app/page.h - page.css and page.js, as lines with NULL at the end, and the SHA-256 in base 64 that the page's
 * policy names. The build makes them (tools/embed.sh).
 */
#ifndef BC_APP_PAGE_H
#define BC_APP_PAGE_H

#include <stddef.h>

extern const char *const bc_app_style[], *const bc_app_script[];
extern const char bc_app_style_hash[], bc_app_script_hash[];

#endif
