/* SPDX-License-Identifier: MIT */
#include "harness/tests/html/browser.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define READ_FD 3 /* of the browser's --remote-debugging-pipe */
#define WRITE_FD 4

bool bc_browser_find(char *path, size_t size)
{
	static const char *const names[] = { "chromium", "chromium-browser", "google-chrome" };
	const char *said = getenv("BC_BROWSER"), *dirs = getenv("PATH");

	if (said && *said)
		return bc_strlcpy(path, said, size) && access(path, X_OK) == 0;
	for (size_t i = 0; dirs && i < BC_ARRAY_LEN(names); i++) {
		for (const char *at = dirs; *at; at += strcspn(at, ":"), at += *at == ':') {
			const int n = snprintf(path, size, "%.*s/%s", (int)strcspn(at, ":"), at, names[i]);

			if (n > 0 && (size_t)n < size && access(path, X_OK) == 0)
				return true;
		}
	}
	return false;
}

/* In the child: the pipe's ends become descriptors 3 and 4, by way of numbers that are out of their way. */
static void become(const char *path, const char *dir, int in, int out)
{
	char profile[1200];
	const int high_in = fcntl(in, F_DUPFD, 50), high_out = fcntl(out, F_DUPFD, 50),
		  null = open("/dev/null", O_RDWR);

	(void)snprintf(profile, sizeof(profile), "--user-data-dir=%s", dir);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || high_in < 0 || high_out < 0 || null < 0 || dup2(high_in, READ_FD) < 0 ||
	    dup2(high_out, WRITE_FD) < 0 || dup2(null, STDOUT_FILENO) < 0 || dup2(null, STDERR_FILENO) < 0)
		_exit(126);
	(void)execl(path, path, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
		    "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
		    "--disable-extensions", "--remote-debugging-pipe", "--hide-scrollbars", "--window-size=1300,900",
		    profile, (char *)NULL);
	_exit(127);
}

/* A message from the browser: what we never want is counted, and what left the page's own file. */
static void note(struct bc_browser *b, json_t *message)
{
	static const char *const unwanted[] = { "Runtime.exceptionThrown", "Runtime.consoleAPICalled",
						"Log.entryAdded" };
	const char *method = json_string_value(json_object_get(message, "method"));
	const char *url = NULL, *reason = NULL;
	bool bad = false;

	for (size_t i = 0; method && i < BC_ARRAY_LEN(unwanted); i++)
		bad = bad || strcmp(method, unwanted[i]) == 0;
	b->errors += bad;
	if (method && strcmp(method, "Network.requestWillBeSent") == 0)
		url = json_string_value(
			json_object_get(json_object_get(json_object_get(message, "params"), "request"), "url"));
	if (method && strcmp(method, "Network.loadingFailed") == 0)
		reason = json_string_value(json_object_get(json_object_get(message, "params"), "blockedReason"));
	b->refused += reason && strcmp(reason, "csp") == 0;
	if (url && strncmp(url, "file:///", 8) != 0) {
		b->requests++;
		bad = true;
	}
	if (bad && !b->first_error[0]) {
		char *text = json_dumps(message, JSON_COMPACT);

		(void)bc_strlcpy(b->first_error, text ? text : "?", sizeof(b->first_error));
		free(text);
	}
}

/* The next message; it ends with a NUL byte. */
static json_t *next(struct bc_browser *b)
{
	struct bc_error err;
	size_t end;
	json_t *message;

	for (;;) {
		char chunk[65536];
		const char *nul = b->in.len ? memchr(b->in.data, '\0', b->in.len) : NULL;
		ssize_t n;

		if (nul) {
			end = (size_t)(nul - b->in.data);
			break;
		}
		n = read(b->from, chunk, sizeof(chunk));
		if (n < 0 && errno == EINTR)
			continue;
		ck_assert_msg(n > 0, "the browser is gone");
		ck_assert_int_eq(bc_text_add(&b->in, chunk, (size_t)n, &err), BC_OK);
	}
	message = json_loads(b->in.data, 0, NULL);
	ck_assert_ptr_nonnull(message);
	memmove(b->in.data, b->in.data + end + 1, b->in.len - end - 1);
	b->in.len -= end + 1;
	return message;
}

/* Ask, and wait for the answer. @params is taken over. Return: its result; release it. */
static json_t *ask(struct bc_browser *b, const char *method, json_t *params)
{
	json_t *request = json_pack("{s:I, s:s, s:o}", "id", ++b->id, "method", method, "params", params);
	json_t *result = NULL;
	char *text;

	ck_assert_ptr_nonnull(request);
	if (b->session[0])
		ck_assert_int_eq(json_object_set_new(request, "sessionId", json_string(b->session)), 0);
	text = json_dumps(request, JSON_COMPACT);
	ck_assert_ptr_nonnull(text);
	ck_assert_int_eq(write(b->to, text, strlen(text) + 1), (ssize_t)strlen(text) + 1);
	free(text);
	json_decref(request);
	while (!result) {
		json_t *message = next(b);

		if (json_integer_value(json_object_get(message, "id")) == b->id) {
			json_t *error = json_object_get(message, "error");

			ck_assert_msg(!error, "%s: %s", method, json_string_value(json_object_get(error, "message")));
			result = json_incref(json_object_get(message, "result"));
			ck_assert_ptr_nonnull(result);
		} else {
			note(b, message);
		}
		json_decref(message);
	}
	return result;
}

static void tell(struct bc_browser *b, const char *method, json_t *params)
{
	json_decref(ask(b, method, params));
}

void bc_browser_open(struct bc_browser *b, const char *path, const char *dir)
{
	int down[2], up[2];
	json_t *answer;
	char target[64];

	memset(b, 0, sizeof(*b));
	ck_assert_int_eq(pipe2(down, O_CLOEXEC), 0);
	ck_assert_int_eq(pipe2(up, O_CLOEXEC), 0);
	(void)fflush(NULL);
	b->pid = fork();
	ck_assert_int_ge(b->pid, 0);
	if (b->pid == 0)
		become(path, dir, down[0], up[1]);
	(void)close(down[0]);
	(void)close(up[1]);
	b->to = down[1];
	b->from = up[0];
	answer = ask(b, "Target.createTarget", json_pack("{s:s}", "url", "about:blank"));
	ck_assert(bc_strlcpy(target, json_string_value(json_object_get(answer, "targetId")), sizeof(target)));
	json_decref(answer);
	answer = ask(b, "Target.attachToTarget", json_pack("{s:s, s:b}", "targetId", target, "flatten", 1));
	ck_assert(bc_strlcpy(b->session, json_string_value(json_object_get(answer, "sessionId")), sizeof(b->session)));
	json_decref(answer);
	tell(b, "Page.enable", json_object());
	tell(b, "Runtime.enable", json_object());
	tell(b, "Log.enable", json_object());
	tell(b, "Network.enable", json_object());
}

void bc_browser_close(struct bc_browser *b)
{
	int status;

	if (!b->pid)
		return;
	(void)close(b->to); /* it ends when its pipe does */
	(void)close(b->from);
	(void)kill(b->pid, SIGTERM);
	while (waitpid(b->pid, &status, 0) < 0 && errno == EINTR)
		continue;
	bc_text_release(&b->in);
	memset(b, 0, sizeof(*b));
}

static json_t *evaluate(struct bc_browser *b, const char *expression)
{
	json_t *answer =
		ask(b, "Runtime.evaluate",
		    json_pack("{s:s, s:b, s:b}", "expression", expression, "returnByValue", 1, "awaitPromise", 1));

	ck_assert_msg(!json_object_get(answer, "exceptionDetails"), "%s: throws", expression);
	return answer;
}

void bc_browser_go(struct bc_browser *b, const char *path, const char *fragment)
{
	char url[2048];

	/* from an empty page, or a mere change of the fragment would not load it */
	tell(b, "Page.navigate", json_pack("{s:s}", "url", "about:blank"));
	ck_assert_int_lt(snprintf(url, sizeof(url), "file://%s%s", path, fragment), (int)sizeof(url));
	tell(b, "Page.navigate", json_pack("{s:s}", "url", url));
	while (bc_browser_number(b, "document.readyState === 'complete' && location.protocol === 'file:' ? 1 : 0") < 1)
		continue;
	if (!b->scripts_off) /* or the promise would wait for ever */
		json_decref(evaluate(b, "new Promise(r => requestAnimationFrame(() => setTimeout(r, 0)))"));
}

double bc_browser_number(struct bc_browser *b, const char *expression)
{
	json_t *answer = evaluate(b, expression);
	const json_t *value = json_object_get(json_object_get(answer, "result"), "value");
	double v;

	ck_assert_msg(json_is_number(value), "%s: is no number", expression);
	v = json_number_value(value);
	json_decref(answer);
	return v;
}

const char *bc_browser_string(struct bc_browser *b, const char *expression)
{
	static char text[256];
	json_t *answer = evaluate(b, expression);
	const char *value = json_string_value(json_object_get(json_object_get(answer, "result"), "value"));

	ck_assert_msg(value, "%s: is no string", expression);
	(void)bc_strlcpy(text, value, sizeof(text));
	json_decref(answer);
	return text;
}

void bc_browser_type(struct bc_browser *b, const char *text)
{
	tell(b, "Input.insertText", json_pack("{s:s}", "text", text));
}

void bc_browser_key(struct bc_browser *b, const char *key)
{
	const int code = strcmp(key, "Escape") == 0  ? 27
			 : strcmp(key, "Enter") == 0 ? 13
			 : strcmp(key, "Tab") == 0   ? 9
						     : 0;
	const char *const text = code == 13 ? "\r" : code ? NULL : key;

	tell(b, "Input.dispatchKeyEvent",
	     json_pack("{s:s, s:s, s:i, s:s*, s:s}", "type", text ? "keyDown" : "rawKeyDown", "key", key,
		       "windowsVirtualKeyCode", code, "text", text, "code", code ? key : ""));
	tell(b, "Input.dispatchKeyEvent",
	     json_pack("{s:s, s:s, s:i}", "type", "keyUp", "key", key, "windowsVirtualKeyCode", code));
}

void bc_browser_click(struct bc_browser *b, const char *selector)
{
	static const char *const types[] = { "mousePressed", "mouseReleased" };
	char script[512];
	double x, y;

	ck_assert_int_lt(snprintf(script, sizeof(script),
				  "document.querySelector('%s').scrollIntoView({block: 'center'}); 1", selector),
			 (int)sizeof(script));
	(void)bc_browser_number(b, script);
	ck_assert_int_lt(snprintf(script, sizeof(script),
				  "(r => r.x + Math.min(r.width, 60) / 2)(document.querySelector('%s')"
				  ".getBoundingClientRect())",
				  selector),
			 (int)sizeof(script));
	x = bc_browser_number(b, script);
	ck_assert_int_lt(snprintf(script, sizeof(script),
				  "(r => r.y + r.height / 2)(document.querySelector('%s').getBoundingClientRect())",
				  selector),
			 (int)sizeof(script));
	y = bc_browser_number(b, script);
	for (size_t i = 0; i < BC_ARRAY_LEN(types); i++)
		tell(b, "Input.dispatchMouseEvent",
		     json_pack("{s:s, s:f, s:f, s:s, s:i}", "type", types[i], "x", x, "y", y, "button", "left",
			       "clickCount", 1));
}

void bc_browser_scripts(struct bc_browser *b, bool run)
{
	b->scripts_off = !run;
	tell(b, "Emulation.setScriptExecutionDisabled", json_pack("{s:b}", "value", !run));
}

void bc_browser_width(struct bc_browser *b, unsigned pixels)
{
	tell(b, "Emulation.setDeviceMetricsOverride",
	     json_pack("{s:i, s:i, s:i, s:b}", "width", (int)pixels, "height", 900, "deviceScaleFactor", 1, "mobile",
		       0));
}

void bc_browser_media(struct bc_browser *b, const char *media, bool dark)
{
	tell(b, "Emulation.setEmulatedMedia",
	     json_pack("{s:s, s:[{s:s, s:s}]}", "media", media, "features", "name", "prefers-color-scheme", "value",
		       dark ? "dark" : "light"));
}
