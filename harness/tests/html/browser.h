/* SPDX-License-Identifier: MIT */
/* harness/tests/html/browser.h - a page in a real browser without a window, driven over the DevTools protocol's pipe.
 *
 * The browser is BC_BROWSER of the environment, else chromium, chromium-browser or google-chrome of PATH.
 */
#ifndef BC_TESTS_HTML_BROWSER_H
#define BC_TESTS_HTML_BROWSER_H

#include <jansson.h>
#include <sys/types.h>

#include "harness/base/base.h"

struct bc_browser {
	pid_t pid;
	int to, from;	       /* the two ends of the pipe */
	json_int_t id;	       /* of the last message */
	char session[64];      /* of the page; "": none yet */
	struct bc_text in;     /* what came and is not yet read */
	bool scripts_off;      /* nothing that waits in the page comes back */
	size_t errors;	       /* exceptions, messages of the console and of the log, all of them unwanted */
	size_t requests;       /* for anything but the page's own file */
	size_t refused;	       /* of them, by the page's policy before they left */
	char first_error[512]; /* what the first of either said */
};

/* The browser's path into @path; false when there is none. */
bool bc_browser_find(char *path, size_t size);

/* Start it with a profile in @dir and an empty page. A test that cannot go on fails. */
void bc_browser_open(struct bc_browser *b, const char *path, const char *dir);
void bc_browser_close(struct bc_browser *b);

/* Open the page at @path (absolute) with @fragment ("" or "#..."). Returns when it is loaded and shown. */
void bc_browser_go(struct bc_browser *b, const char *path, const char *fragment);

/* Value of a JavaScript expression: a number, or a string of at most 255 bytes. */
double bc_browser_number(struct bc_browser *b, const char *expression);
const char *bc_browser_string(struct bc_browser *b, const char *expression);

/* Type @text where the focus is; press a key ("Escape", "/", "j", "Enter", "Tab") as a person does. */
void bc_browser_type(struct bc_browser *b, const char *text);
void bc_browser_key(struct bc_browser *b, const char *key);

/* Click the middle of the element that @selector names. */
void bc_browser_click(struct bc_browser *b, const char *selector);

/* Let the page's scripts run, or not. */
void bc_browser_scripts(struct bc_browser *b, bool run);

/* The screen is @pixels wide from now on. */
void bc_browser_width(struct bc_browser *b, unsigned pixels);

/* Dark or light, screen or print ("" or "print"). */
void bc_browser_media(struct bc_browser *b, const char *media, bool dark);

#endif
