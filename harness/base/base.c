/* SPDX-License-Identifier: MIT */
#include "harness/base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum bc_status bc_fail(struct bc_error *err, enum bc_status st, const char *fmt, ...)
{
	char msg[sizeof(err->msg)]; /* apart from err: an argument may be the older text */
	va_list ap;

	if (!err)
		return st;
	va_start(ap, fmt);
	if (vsnprintf(msg, sizeof(msg), fmt, ap) < 0)
		bc_strlcpy(msg, "an error whose text could not be formatted", sizeof(msg));
	va_end(ap);
	err->status = st;
	memcpy(err->msg, msg, strlen(msg) + 1);
	return st;
}

int bc_status_exit(enum bc_status st)
{
	switch (st) {
	case BC_OK: return 0;
	case BC_EUSAGE: return 3;
	case BC_EDATA: return 3;
	case BC_EREAD: return 3;
	case BC_EWRITE: return 2;
	case BC_ENOMEM: return 2;
	case BC_EDEVICE: return 2;
	case BC_EIMAGES: return 4;
	}
	return 2;
}

bool bc_strlcpy(char *dst, const char *src, size_t size)
{
	if (size == 0)
		return false;
	const size_t len = strnlen(src, size);
	const size_t take = len < size ? len : size - 1;

	memcpy(dst, src, take);
	dst[take] = '\0';
	return len < size;
}

const char *bc_signal_name(int signal)
{
	static const struct {
		int number;
		const char *name;
	} names[] = {
		{ SIGHUP, "HUP" },	 { SIGINT, "INT" },   { SIGQUIT, "QUIT" },   { SIGILL, "ILL" },
		{ SIGTRAP, "TRAP" },	 { SIGABRT, "ABRT" }, { SIGBUS, "BUS" },     { SIGFPE, "FPE" },
		{ SIGKILL, "KILL" },	 { SIGUSR1, "USR1" }, { SIGSEGV, "SEGV" },   { SIGUSR2, "USR2" },
		{ SIGPIPE, "PIPE" },	 { SIGALRM, "ALRM" }, { SIGTERM, "TERM" },   { SIGCHLD, "CHLD" },
		{ SIGCONT, "CONT" },	 { SIGSTOP, "STOP" }, { SIGTSTP, "TSTP" },   { SIGTTIN, "TTIN" },
		{ SIGTTOU, "TTOU" },	 { SIGURG, "URG" },   { SIGXCPU, "XCPU" },   { SIGXFSZ, "XFSZ" },
		{ SIGVTALRM, "VTALRM" }, { SIGPROF, "PROF" }, { SIGWINCH, "WINCH" }, { SIGPOLL, "POLL" },
		{ SIGPWR, "PWR" },	 { SIGSYS, "SYS" },
	};

	for (size_t i = 0; i < BC_ARRAY_LEN(names); i++)
		if (names[i].number == signal)
			return names[i].name;
	return "?";
}

bool bc_is_day(const char *s)
{
	static const char form[] = "0000-00-00";
	static const unsigned days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	unsigned y, m, d;

	if (strlen(s) != sizeof(form) - 1)
		return false;
	for (size_t i = 0; form[i]; i++)
		if (form[i] == '0' ? s[i] < '0' || s[i] > '9' : s[i] != form[i])
			return false;
	y = (unsigned)strtoul(s, NULL, 10);
	m = (unsigned)strtoul(s + 5, NULL, 10);
	d = (unsigned)strtoul(s + 8, NULL, 10);
	return m >= 1 && m <= 12 && d >= 1 &&
	       d <= days[m - 1] + (m == 2 && ((y % 4 == 0 && y % 100 != 0) || y % 400 == 0));
}

/* Room for @more bytes and the NUL. */
static enum bc_status text_reserve(struct bc_text *t, size_t more, struct bc_error *err)
{
	if (more > SIZE_MAX / 2 - t->len - 1)
		return bc_fail(err, BC_ENOMEM, "out of memory: text of %zu + %zu bytes", t->len, more);

	const size_t need = t->len + more + 1;

	if (need <= t->cap)
		return BC_OK;

	size_t cap = t->cap ? t->cap : 256;

	while (cap < need)
		cap *= 2;

	char *data = realloc(t->data, cap);

	if (!data)
		return bc_fail(err, BC_ENOMEM, "out of memory: %zu bytes of text", cap);
	t->data = data;
	t->cap = cap;
	return BC_OK;
}

enum bc_status bc_text_add(struct bc_text *t, const char *bytes, size_t len, struct bc_error *err)
{
	const enum bc_status st = text_reserve(t, len, err);

	if (st)
		return st;
	if (!t->data) /* there is room, so there is memory; an analyser does not know */
		return bc_fail(err, BC_ENOMEM, "out of memory");
	if (len)
		memcpy(t->data + t->len, bytes, len);
	t->len += len;
	t->data[t->len] = '\0';
	return BC_OK;
}

enum bc_status bc_text_vaddf(struct bc_text *t, struct bc_error *err, const char *fmt, va_list ap)
{
	va_list again;
	enum bc_status st;

	va_copy(again, ap);

	const int len = vsnprintf(NULL, 0, fmt, ap);

	if (len < 0) {
		st = bc_fail(err, BC_ENOMEM, "text could not be formatted: %s", strerror(errno));
		goto out;
	}
	st = text_reserve(t, (size_t)len, err);
	if (st)
		goto out;
	if (vsnprintf(t->data + t->len, (size_t)len + 1, fmt, again) != len) {
		t->data[t->len] = '\0';
		st = bc_fail(err, BC_ENOMEM, "text could not be formatted twice alike");
		goto out;
	}
	t->len += (size_t)len;
out:
	va_end(again);
	return st;
}

enum bc_status bc_text_addf(struct bc_text *t, struct bc_error *err, const char *fmt, ...)
{
	va_list ap;
	enum bc_status st;

	va_start(ap, fmt);
	st = bc_text_vaddf(t, err, fmt, ap);
	va_end(ap);
	return st;
}

void bc_text_release(struct bc_text *t)
{
	if (!t)
		return;
	free(t->data);
	*t = (struct bc_text){ 0 };
}

/* Read @fd to its end into @t. */
static enum bc_status read_all(int fd, const char *path, size_t max, struct bc_text *t, struct bc_error *err)
{
	char chunk[65536]; /* programs and images of some MB are read to be hashed */

	for (;;) {
		const ssize_t got = read(fd, chunk, sizeof(chunk));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return bc_fail(err, BC_EREAD, "%s: cannot be read: %s", path, strerror(errno));
		if ((size_t)got > max - t->len)
			return bc_fail(err, BC_EREAD, "%s: larger than %zu bytes", path, max);

		const enum bc_status st = bc_text_add(t, chunk, (size_t)got, err);

		if (st || got == 0)
			return st;
	}
}

enum bc_status bc_file_read(const char *path, size_t max, struct bc_text *out, struct bc_error *err)
{
	struct bc_text text = { 0 };
	struct stat info;
	enum bc_status st;
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	if (fd < 0)
		return bc_fail(err, BC_EREAD, "%s: cannot be opened: %s", path, strerror(errno));
	if (fstat(fd, &info) < 0) {
		st = bc_fail(err, BC_EREAD, "%s: cannot be examined: %s", path, strerror(errno));
		goto out;
	}
	if (!S_ISREG(info.st_mode) && !S_ISFIFO(info.st_mode)) {
		st = bc_fail(err, BC_EREAD, "%s: %s", path,
			     S_ISDIR(info.st_mode) ? "is a folder, not a file" : "is not a regular file or pipe");
		goto out;
	}
	st = read_all(fd, path, max, &text, err);
	if (st)
		goto out;
	*out = text;
	text = (struct bc_text){ 0 }; /* the caller owns it now */
out:
	bc_text_release(&text);
	close(fd);
	return st;
}

uint64_t bc_hash(uint64_t h, const void *data, size_t len)
{
	const unsigned char *p = data;

	for (size_t i = 0; i < len; i++) {
		h ^= p[i];
		h *= UINT64_C(1099511628211);
	}
	return h;
}
