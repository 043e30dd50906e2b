/* SPDX-License-Identifier: MIT */
/* harness/base/base.h - status codes, the error record and small things every module needs. */
#ifndef BC_BASE_BASE_H
#define BC_BASE_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BC_ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define BC_VERSION "0.1.0"

/* What a function that can fail returns. 0 is success, so `if (st)` reads "if it failed". */
enum bc_status {
	BC_OK = 0,
	BC_EUSAGE,  /* the caller's words were wrong: option, glob, device name (exit 3) */
	BC_EDATA,   /* a file was read and is malformed, or names what does not exist (exit 3) */
	BC_EREAD,   /* an input could not be opened or read (exit 3) */
	BC_EWRITE,  /* an output could not be written whole (exit 2) */
	BC_ENOMEM,  /* out of memory (exit 2) */
	BC_EDEVICE, /* a device, driver or worker failed (exit 2) */
	BC_EIMAGES, /* the driver, or the GPU, takes none of the kernel images (exit 4) */
};

/* Filled once, where the failure happened; the text says what, where and what to do. */
struct bc_error {
	enum bc_status status;
	char msg[1024];
};

/**
 * bc_fail - fill an error record
 * @err: record to fill; NULL is allowed; an older text is replaced
 * @st:  status to store
 * @fmt: printf format; a text over 1023 bytes is cut
 *
 * Return: @st, so that `return bc_fail(...)` reads as one step.
 */
enum bc_status bc_fail(struct bc_error *err, enum bc_status st, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/**
 * bc_status_exit - the exit status of a subcommand that ends with @st
 *
 * Return: 0, 2 or 3 as docs/exit-status.md says.
 */
int bc_status_exit(enum bc_status st);

/**
 * bc_strlcpy - copy a string, always ended by NUL, cut to @size - 1 bytes
 *
 * Return: true when it fitted whole.
 */
bool bc_strlcpy(char *dst, const char *src, size_t size);

/* Name of a signal without its SIG: "SEGV"; "?" for what is none. (glibc has a function for it from 2.32 on; the
 * program is to start with 2.28.) */
const char *bc_signal_name(int signal);

/* Is @s YYYY-MM-DD, nothing else, and a day of the calendar? */
bool bc_is_day(const char *s);

/* A growing text buffer. Zero-initialise; data is NUL-terminated or NULL while empty. */
struct bc_text {
	char *data;
	size_t len, cap;
};

/* Append; BC_ENOMEM on failure, in which case the old content is kept. */
enum bc_status bc_text_add(struct bc_text *t, const char *bytes, size_t len, struct bc_error *err);
enum bc_status bc_text_addf(struct bc_text *t, struct bc_error *err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
enum bc_status bc_text_vaddf(struct bc_text *t, struct bc_error *err, const char *fmt, va_list ap)
	__attribute__((format(printf, 3, 0)));
void bc_text_release(struct bc_text *t);

/**
 * bc_file_read - a whole file into memory
 * @max: refuse larger files (bytes)
 *
 * Return: BC_EREAD naming the path when it cannot be opened, read, is not a regular file or pipe, or is larger than
 * @max.
 */
enum bc_status bc_file_read(const char *path, size_t max, struct bc_text *out, struct bc_error *err);

/* FNV-1a, 64 bit: tells contents apart; not cryptographic.
 * Start with BC_HASH_INIT and feed the result back to continue. */
#define BC_HASH_INIT UINT64_C(14695981039346656037)
uint64_t bc_hash(uint64_t h, const void *data, size_t len);

#endif
