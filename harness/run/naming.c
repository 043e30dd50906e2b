/* SPDX-License-Identifier: MIT */
#include "harness/run/naming.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "harness/base/sha256.h"

#define MACHINE_ID "/etc/machine-id"
#define MACHINE_ID_MAX 64
#define MACHINE_ID_DIGITS 32

static void name_time(struct bc_run *r, char *when, size_t size)
{
	const time_t t = time(NULL);
	struct tm tm;

	if (!gmtime_r(&t, &tm))
		return;
	(void)strftime(r->timestamp, sizeof(r->timestamp), "%Y-%m-%dT%H:%M:%S", &tm);
	(void)strftime(when, size, "%Y%m%dT%H%M%SZ", &tm);
}

/* Names of hosts stand in paths, tables and terminals: no blank, no slash, no control character. */
static bool is_host(const char *s)
{
	for (const char *p = s; *p; p++)
		if ((unsigned char)*p <= ' ' || *p == '/' || *p == 0x7f)
			return false;
	return s[0] && strlen(s) < BC_HOST_MAX;
}

static enum bc_status name_host(struct bc_run *r, const char *option, struct bc_error *err)
{
	static const char *const variables[] = { "SLURMD_NODENAME", "NODE_NAME" };
	const char *name = option, *by = "option";

	for (size_t i = 0; !name && i < BC_ARRAY_LEN(variables); i++) {
		name = getenv(by = variables[i]);
		if (name && !name[0])
			name = NULL;
	}
	if (!name) {
		(void)bc_strlcpy(r->host_by, "system", sizeof(r->host_by));
		if (gethostname(r->host, sizeof(r->host) - 1) || !r->host[0])
			(void)bc_strlcpy(r->host, "localhost", sizeof(r->host));
		return BC_OK;
	}
	if (!is_host(name))
		return bc_fail(err, BC_EUSAGE, "%s %.80s: a host's name has 1 to %d bytes, no blank and no slash",
			       name == option ? "--host" : by, name, BC_HOST_MAX - 1);
	(void)bc_strlcpy(r->host, name, sizeof(r->host));
	(void)bc_strlcpy(r->host_by, by, sizeof(r->host_by));
	return BC_OK;
}

/* machine-id(5) asks programs not to show the id itself, but a hash of their own. A machine may have none, or keep it
 * to itself; one that cannot be read for another reason is a failure: the same machine would be two. */
static enum bc_status name_machine(struct bc_run *r, struct bc_error *err)
{
	struct bc_text id = { 0 };
	char text[MACHINE_ID_MAX + 32], hex[65];
	enum bc_status st;

	if (access(MACHINE_ID, R_OK) && (errno == ENOENT || errno == ENOTDIR || errno == EACCES))
		return BC_OK;
	st = bc_file_read(MACHINE_ID, MACHINE_ID_MAX, &id, err);
	if (!st && id.len && id.data[0] != '\n') {
		const int n =
			snprintf(text, sizeof(text), "bankcheck machine-id %.*s", (int)strcspn(id.data, "\n"), id.data);

		bc_sha256_hex(text, (size_t)n, hex);
		hex[MACHINE_ID_DIGITS] = '\0';
		(void)bc_strlcpy(r->machine_id, hex, sizeof(r->machine_id));
	}
	bc_text_release(&id);
	return st;
}

static void name_slurm(struct bc_run *r)
{
	const char *job = getenv("SLURM_JOB_ID"), *restart = getenv("SLURM_RESTART_COUNT");

	if (!job || !job[0])
		return;
	(void)bc_strlcpy(r->slurm_job, job, sizeof(r->slurm_job));
	(void)bc_strlcpy(r->slurm_restart, restart && restart[0] ? restart : "0", sizeof(r->slurm_restart));
}

static bool is_key(const char *s, size_t len)
{
	if (!len || len >= sizeof(((struct bc_label *)0)->key) || s[0] < 'a' || s[0] > 'z')
		return false;
	for (size_t i = 0; i < len; i++)
		if (!(s[i] >= 'a' && s[i] <= 'z') && !(s[i] >= '0' && s[i] <= '9') && s[i] != '_')
			return false;
	return true;
}

/* KEY=VALUE, up to @len. Return: NULL, or what is wrong. */
static const char *add_label(struct bc_run *r, const char *s, size_t len)
{
	const char *equals = memchr(s, '=', len);
	const size_t key = equals ? (size_t)(equals - s) : len;
	struct bc_label *l = &r->label[r->nlabels];

	if (!equals || !is_key(s, key))
		return "KEY=VALUE is needed; the key is of a-z, 0-9 and _, begins with a letter and has at most 31 "
		       "bytes";
	if (len - key - 1 < 1 || len - key - 1 >= sizeof(l->value) || memchr(equals, '\n', len - key))
		return "the value is one line of 1 to 127 bytes";
	for (size_t i = 0; i < r->nlabels; i++)
		if (strlen(r->label[i].key) == key && strncmp(r->label[i].key, s, key) == 0)
			return "this key is there twice";
	if (r->nlabels == BC_LABELS_MAX)
		return "a run has at most 16 labels";
	memset(l, 0, sizeof(*l));
	memcpy(l->key, s, key);
	memcpy(l->value, equals + 1, len - key - 1);
	r->nlabels++;
	return NULL;
}

enum bc_status bc_labels_text(const struct bc_run *r, struct bc_text *out, struct bc_error *err)
{
	enum bc_status st = BC_OK;

	for (size_t i = 0; !st && i < r->nlabels; i++)
		st = bc_text_addf(out, err, "%s%s=%s", i ? "\n" : "", r->label[i].key, r->label[i].value);
	return st;
}

enum bc_status bc_labels_parse(const char *text, struct bc_run *r, struct bc_error *err)
{
	r->nlabels = 0;
	while (*text) {
		const size_t len = strcspn(text, "\n");
		const char *wrong = add_label(r, text, len);

		if (wrong)
			return bc_fail(err, BC_EDATA, "label %.80s: %s", text, wrong);
		text += len + (text[len] == '\n');
	}
	return BC_OK;
}

enum bc_status bc_run_name(struct bc_run *r, const struct bc_run_options *o, struct bc_error *err)
{
	char when[18] = ""; /* 20261129T213000Z */
	uint64_t random = 0;
	enum bc_status st = BC_OK;

	name_time(r, when, sizeof(when));
	if (o->run_name && (!o->run_name[0] || strlen(o->run_name) >= sizeof(r->run_name)))
		return bc_fail(err, BC_EUSAGE, "--run-name %.80s: a name of 1 to %zu bytes", o->run_name,
			       sizeof(r->run_name) - 1);
	(void)bc_strlcpy(r->run_name, o->run_name ? o->run_name : "", sizeof(r->run_name));
	st = name_host(r, o->host, err);
	for (size_t i = 0; !st && i < o->label.n; i++) {
		const char *wrong = add_label(r, o->label.item[i], strlen(o->label.item[i]));

		if (wrong)
			st = bc_fail(err, BC_EUSAGE, "--label %.80s: %s", o->label.item[i], wrong);
	}
	if (!st && getrandom(&random, sizeof(random), 0) != (ssize_t)sizeof(random))
		st = bc_fail(err, BC_EDEVICE, "run: the system gives no random bits for the name of the run");
	if (st)
		return st;
	st = name_machine(r, err);
	if (st)
		return st;
	name_slurm(r);
	(void)snprintf(r->run_id, sizeof(r->run_id), "%s-%.24s-%016" PRIx64, when, r->host, random);
	return BC_OK;
}
