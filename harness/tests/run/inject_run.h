/* SPDX-License-Identifier: MIT */
/* harness/tests/run/inject_run.h - runs the program again and again, each time with another of its calls failing
 * (inject.c). */
#ifndef BC_TESTS_RUN_INJECT_RUN_H
#define BC_TESTS_RUN_INJECT_RUN_H

#include "harness/tests/program.h"

/* What was made to fail. */
struct bc_injection {
	const char *role, *class; /* as inject.c names them */
	unsigned n;
	bool for_good;	 /* the n-th call and all later ones */
	bool harmless;	 /* interrupted or short: no failure */
	char fired[128]; /* "<call> <class>: <error>"; "" when there is no n-th call */
};

/* A run of the program that is the same but for the call that fails. bc_call is the call: its folder, what it said. */
struct bc_injected {
	const char *words;
	unsigned first, more; /* the first so many calls of a class one by one, those above in so many steps */
	void (*before)(void); /* makes bc_call's folder what it was */
	void (*after)(const struct bc_injection *i); /* asserts what must hold, whatever failed */
};

/**
 * bc_inject_all - every call of @role, class by class, until one more than there are was to fail
 * @for_good: NULL-terminated classes that are tried in that way too
 *
 * With BC_INJECT_ALL in the environment every one, with a sanitizer a tenth. As many at a time as there are CPUs. A
 * failed assertion says which call it was.
 */
void bc_inject_all(const struct bc_injected *run, const char *role, const char *const *for_good);

/* One run with nothing failing, through the same program. */
void bc_inject_none(const char *words);

/* With BC_INJECT_ALL in the environment. */
bool bc_inject_whole(void);

/* Assert with the failed call, status and errors in the message. */
void bc_inject_assert(bool holds, const struct bc_injection *i, const char *what);

/* Remove the files of bc_call's folder <dir>/@below whose names are not in the NULL-terminated @keep. Return: how many.
 */
size_t bc_inject_sweep_out(const char *below, const char *const *keep);

#endif
