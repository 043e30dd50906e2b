/* SPDX-License-Identifier: MIT */
/* harness/cli/cmd_metrics.c - `bankcheck metrics`: which chips a CUPTI knows, and which counters it has for each. */
#include "harness/cli/options.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/device/device.h"

#define SECONDS 120 /* that the library may take; it answers in 2 */

static enum bc_status ask(const struct bc_open_options *o, struct bc_text *out, struct bc_error *err)
{
#ifdef BC_WITH_CUDA
	return bc_device_cuda.metrics(o, out, err);
#else
	(void)o;
	(void)out;
	return bc_fail(err, BC_EDEVICE, "metrics: this binary was built without a CUDA toolkit");
#endif
}

/* The child: the answer, or "failed" and why, into @fd. */
static _Noreturn void answer(const struct bc_open_options *o, int fd)
{
	struct bc_error err = { .msg = "" };
	struct bc_text out = { 0 };
	enum bc_status st;
	FILE *to = fdopen(fd, "w");

	(void)alarm(SECONDS);
	st = ask(o, &out, &err);
	if (to && st)
		(void)fprintf(to, "failed\t%d\t%s\n", (int)st, err.msg);
	else if (to && out.data)
		(void)fwrite(out.data, 1, out.len, to);
	_exit(!to || fclose(to) ? 2 : 0);
}

static enum bc_status read_all(int fd, struct bc_text *out, struct bc_error *err)
{
	char buf[4096];
	enum bc_status st = BC_OK;

	while (!st) {
		const ssize_t n = read(fd, buf, sizeof(buf));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		st = bc_text_add(out, buf, (size_t)n, err);
	}
	return st;
}

/* Ask in a child, for the library may take its process down: those of CUDA 13.2 and newer do without a driver. */
static enum bc_status ask_in_child(const struct bc_open_options *o, struct bc_text *out, struct bc_error *err)
{
	int ends[2], status = 0;
	enum bc_status st;
	pid_t pid;

	if (pipe(ends) != 0)
		return bc_fail(err, BC_EDEVICE, "metrics: pipe: %s", strerror(errno));
	(void)fflush(stdout);
	pid = fork();
	if (pid == 0) {
		(void)close(ends[0]);
		answer(o, ends[1]);
	}
	(void)close(ends[1]);
	if (pid < 0) {
		st = bc_fail(err, BC_EDEVICE, "metrics: fork: %s", strerror(errno));
	} else {
		st = read_all(ends[0], out, err);
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	}
	(void)close(ends[0]);
	if (st)
		return st;
	if (WIFSIGNALED(status))
		return bc_fail(
			err, BC_EDEVICE,
			"metrics: CUPTI took its process down (%s): from CUDA 13.2 on it needs the driver, and a "
			"GPU",
			WTERMSIG(status) == SIGALRM ? "no answer" : strsignal(WTERMSIG(status)));
	if (out->data && strncmp(out->data, "failed\t", 7) == 0) {
		char *why = strchr(out->data + 7, '\t');

		return bc_fail(err, (enum bc_status)strtol(out->data + 7, NULL, 10), "%.*s",
			       why ? (int)strcspn(why + 1, "\n") : 0, why ? why + 1 : "");
	}
	return out->len ? BC_OK : bc_fail(err, BC_EDEVICE, "metrics: CUPTI gave no answer");
}

/* The chips of the answer, in its order; they point into it. */
struct chips {
	char *name[256];
	size_t n, refused;
};

/* Cut @line at its tabs. */
static void cells_of(char *line, char *cell[4])
{
	for (size_t i = 0; i < 4; i++) {
		cell[i] = line;
		line += strcspn(line, "\t");
		if (*line)
			*line++ = '\0';
	}
}

static bool is_in(const char *list, const char *name)
{
	const size_t len = strlen(name);

	for (const char *at = strstr(list, name); at; at = strstr(at + 1, name))
		if ((at == list || at[-1] == ' ') && (at[len] == ' ' || !at[len]))
			return true;
	return false;
}

/* The chips of @list, or those that are missing in it when these are fewer. */
static void print_counter(const struct chips *chips, const char *name, const char *metric, const char *list)
{
	size_t has = 0;

	for (size_t i = 0; i < chips->n; i++)
		has += is_in(list, chips->name[i]);
	(void)printf("%-20s %-66s %zu of %zu", name, metric, has, chips->n);
	if (has > 0 && has < chips->n)
		(void)printf(has * 2 > chips->n ? ", all but" : ":");
	for (size_t i = 0; has < chips->n && i < chips->n; i++)
		if (is_in(list, chips->name[i]) != (has * 2 > chips->n))
			(void)printf(" %s", chips->name[i]);
	(void)putchar('\n');
}

static void print(char *text)
{
	struct chips chips = { .n = 0 };
	bool listed = false;
	char *save = NULL;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *cell[4];

		cells_of(line, cell);
		if (strcmp(cell[0], "library") == 0)
			(void)printf("library  %s, API %s\n", cell[1], cell[2]);
		if (strcmp(cell[0], "chip") == 0 && cell[2][0]) {
			(void)printf("refused  %s: %s\n", cell[1], cell[2]);
			chips.refused++;
		} else if (strcmp(cell[0], "chip") == 0 && chips.n < BC_ARRAY_LEN(chips.name)) {
			chips.name[chips.n++] = cell[1];
		}
		if (strcmp(cell[0], "counter") != 0)
			continue;
		if (!listed) {
			(void)printf("chips    %zu:", chips.n);
			for (size_t i = 0; i < chips.n; i++)
				(void)printf(" %s", chips.name[i]);
			(void)putchar('\n');
			listed = true;
		}
		print_counter(&chips, cell[1], cell[2], cell[3]);
	}
}

int bc_cmd_metrics(const struct bc_cli *c, const struct bc_catalog *cat)
{
	const struct bc_open_options o = { .cupti = c->run.cupti };
	struct bc_error err = { .msg = "" };
	struct bc_text text = { 0 };
	enum bc_status st = ask_in_child(&o, &text, &err);

	(void)cat;
	if (!st) {
		print(text.data);
		st = bc_cli_flush(&err);
	}
	bc_text_release(&text);
	return st ? bc_cli_fail(&err) : 0;
}
