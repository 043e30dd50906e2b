/* SPDX-License-Identifier: MIT */
#include "harness/base/demangle.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* __cxa_demangle of the Itanium C++ ABI. */
typedef char *demangle_fn(const char *symbol, char *buffer, size_t *length, int *status);

static demangle_fn *demangle;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void open_runtime(void)
{
	void *lib = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
	void *f = lib ? dlsym(lib, "__cxa_demangle") : NULL;

	memcpy(&demangle, &f, sizeof(demangle));
}

bool bc_can_demangle(void)
{
	(void)pthread_once(&once, open_runtime);
	return demangle != NULL;
}

char *bc_demangle(const char *symbol)
{
	int status = 0;
	char *name = NULL;

	if (strncmp(symbol, "_Z", 2) == 0 && bc_can_demangle())
		name = demangle(symbol, NULL, NULL, &status);
	return name ? name : strdup(symbol);
}

/* One past the bracket that closes the one at @open; the end of the text when none does. '<' of an operator is none. */
static const char *past_closing(const char *open)
{
	const char left = *open, right = left == '<' ? '>' : ')';
	int depth = 0;

	for (const char *at = open; *at; at++) {
		if (*at == left)
			depth++;
		else if (*at == right && !(right == '>' && at > open && at[-1] == '-') && --depth == 0)
			return at + 1;
	}
	return open + strlen(open);
}

/* "(anonymous namespace)" and "{lambda(int)#1}" open no list of parameters. */
static bool opens_parameters(const char *name, const char *at)
{
	return at > name && strncmp(at, "(anonymous namespace)", 21) != 0 &&
	       !(at - name >= 6 && strncmp(at - 6, "lambda", 6) == 0);
}

char *bc_name_core(const char *name)
{
	const char *from = name, *at = name;

	while (*at) {
		if (*at == '<') {
			at = past_closing(at);
			continue;
		}
		if (*at == '(') {
			if (opens_parameters(name, at))
				break;
			at = past_closing(at);
			continue;
		}
		if (*at == ' ')
			from = at + 1; /* what stood before was the return type */
		at++;
	}
	if (at == from)
		return strdup(name);
	return strndup(from, (size_t)(at - from));
}

char *bc_name_short(const char *name, size_t max)
{
	char *core = bc_name_core(name);

	/* The longest argument list first, until it is short enough: "<...>" holds no other list. */
	while (core && strlen(core) > max) {
		char *best = NULL;
		size_t longest = sizeof("<...>") - 1;

		for (char *at = core; *at; at++) {
			const size_t len = *at == '<' ? (size_t)(past_closing(at) - at) : 0;

			if (len > longest) {
				longest = len;
				best = at;
			}
			if (len)
				at += len - 1;
		}
		if (!best)
			break;
		best[1] = best[2] = best[3] = '.';
		best[4] = '>';
		memmove(best + 5, best + longest, strlen(best + longest) + 1);
	}
	return core;
}
