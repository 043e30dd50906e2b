/* SPDX-License-Identifier: MIT */
/* tools/fleet-make.c - a night of many hosts, made of one report, for benchmarks and trials.
 *
 *     fleet-make REPORT NIGHT NODES GPUS      write NIGHT/expected.tsv and NIGHT/nodes/NODE/1/{sm_90.xml.gz,done}
 *     fleet-make --measure COMMAND...         run it; print its CPU seconds, most memory (MiB) and exit status
 *
 * Each unit has a host, a UUID and a run id of its own, and samples that differ a little. Planted, and nothing else:
 * node 1 never ran; of node 2 the last GPU is missing; node 3 has another driver; on node 4 the first GPU is 3 % slow;
 * on node 5 the first GPU counts one wavefront more in three cases, all of them PASS.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/file.h"
#include "harness/base/gzip.h"
#include "harness/base/textfile.h"

#define REPORT_MAX ((size_t)256 << 20)
#define SUITES_MAX 64
#define GPUS_MAX 16
#define NOISES 6
#define ODD_CASES 3

enum { MISSING = 1, SHORT, DRIVER, SLOW, ODD };

/* A testsuite of the report: up to the end of its properties, and its testcases. */
struct part {
	const char *head, *body, *end;
};

struct maker {
	struct bc_text report;
	struct part part[SUITES_MAX];
	size_t nparts;
	unsigned tests; /* of the report */
	unsigned nodes, gpus;
	const char *night;
	struct bc_text body[NOISES][GPUS_MAX][SUITES_MAX]; /* compressed */
	struct bc_error err;
};

/* How the testcases of a unit differ from the report's. */
struct change {
	unsigned gpu, noise, percent, odd; /* odd: how many cases to change */
};

static int fail(const struct bc_error *err)
{
	(void)fprintf(stderr, "fleet-make: %s\n", err->msg);
	return 1;
}

static enum bc_status parse(struct maker *m)
{
	const char *at = m->report.data, *tests = strstr(at, " tests=\"");

	if (!tests)
		return bc_fail(&m->err, BC_EDATA, "not a report of bankcheck");
	m->tests = (unsigned)strtoul(tests + 8, NULL, 10);
	for (at = strstr(at, " <testsuite "); at; at = strstr(at, " <testsuite ")) {
		struct part *p = &m->part[m->nparts];

		if (m->nparts == SUITES_MAX)
			return bc_fail(&m->err, BC_EDATA, "more than %d testsuites", SUITES_MAX);
		p->head = at;
		p->body = strstr(at, "  </properties>\n");
		p->end = strstr(at, " </testsuite>\n");
		if (!p->body || !p->end || p->body > p->end)
			return bc_fail(&m->err, BC_EDATA, "a testsuite without properties or end");
		m->nparts++;
		at = p->end;
	}
	return BC_OK;
}

/* "sm_90" of several GPUs of one host. */
static enum bc_status put_class(struct bc_text *t, const char *line, const char *mark, size_t len, unsigned gpu,
				struct bc_error *err)
{
	const char *dot = memchr(mark, '.', len - (size_t)(mark - line));

	return bc_text_addf(t, err, "%.*s_cuda%u%.*s", (int)(dot - line), line, gpu, (int)(len - (size_t)(dot - line)),
			    dot);
}

/* A number that a line and a unit's noise give, the same each time. */
static uint64_t draw(const char *line, size_t len, unsigned noise)
{
	return bc_hash(bc_hash(BC_HASH_INIT, line, len), &noise, sizeof(noise)) >> 20;
}

/* Three cases in ten are a cycle off: the median of a unit's ratios stays where it is. */
static enum bc_status put_samples(struct bc_text *t, const char *line, size_t len, const struct change *c,
				  struct bc_error *err)
{
	const char *at = strchr(line, '=') + 1;
	const unsigned long off = draw(line, len, c->noise) % 10;
	enum bc_status st = bc_text_addf(t, err, "clock_samples=");

	for (unsigned i = 0; !st; i++) {
		char *end = NULL;
		unsigned long v = strtoul(at, &end, 10);

		v = v * (100 + c->percent) / 100 + (off == 9 || off == 8) - (off == 7 && v > 1);
		st = bc_text_addf(t, err, "%s%lu", i ? "," : "", v);
		if (*end != ',')
			break;
		at = end + 1;
	}
	return st ? st : bc_text_addf(t, err, "\n");
}

/* "clock=2.003": another last digit. */
static enum bc_status put_clock(struct bc_text *t, const char *line, size_t len, const struct change *c,
				struct bc_error *err)
{
	enum bc_status st = bc_text_add(t, line, len, err);

	if (!st && memchr(line, '.', len) && len > 8)
		t->data[t->len - 2] = (char)('0' + draw(line, len, c->noise) % 10);
	return st;
}

/* One wavefront more each request, in every attempt. */
static enum bc_status put_odd(struct bc_text *t, const char *line, size_t len, struct bc_error *err)
{
	unsigned long requests = 0;
	enum bc_status st = BC_OK;

	for (const char *at = line, *stop = line + len; !st && at < stop;) {
		const size_t n = strcspn(at, ":");

		if (at + n >= stop)
			return bc_text_add(t, at, (size_t)(stop - at), err);
		st = bc_text_add(t, at, n + 1, err);
		if (n >= 8 && strncmp(at + n - 8, "requests", 8) == 0)
			requests = strtoul(at + n + 1, NULL, 10);
		if (!st && n >= 10 && strncmp(at + n - 10, "wavefronts", 10) == 0) {
			st = bc_text_addf(t, err, "%lu", strtoul(at + n + 1, NULL, 10) + requests);
			at += n + 1 + strspn(at + n + 1, "0123456789");
		} else {
			at += n + 1;
		}
	}
	return st;
}

/* The testcases of a part as another unit has them, compressed. */
static enum bc_status make_body(struct maker *m, const struct part *p, struct change *c, struct bc_text *out)
{
	struct bc_text t = { 0 };
	enum bc_status st = BC_OK;

	for (const char *line = p->body, *next; !st && line < p->end; line = next) {
		const char *class = NULL;
		size_t len;

		next = strchr(line, '\n') + 1;
		len = (size_t)(next - line);
		if (strncmp(line, "  <testcase ", 12) == 0)
			class = strstr(line, "\"bankcheck.");
		if (class) {
			st = put_class(&t, line, class + 11, len, c->gpu, &m->err);
		} else if (strncmp(line, "clock_samples=", 14) == 0) {
			st = put_samples(&t, line, len, c, &m->err);
		} else if (strncmp(line, "clock=", 6) == 0) {
			st = put_clock(&t, line, len, c, &m->err);
		} else if (c->odd && strncmp(line, "counters=requests:", 18) == 0 &&
			   memmem(line, len, "wavefronts:", 11)) {
			st = put_odd(&t, line, len, &m->err);
			c->odd--;
		} else {
			st = bc_text_add(&t, line, len, &m->err);
		}
	}
	if (!st)
		st = bc_text_addf(&t, &m->err, " </testsuite>\n");
	if (!st)
		st = bc_gzip(t.data, t.len, out, &m->err);
	bc_text_release(&t);
	return st;
}

/* A property with another value, if it is one of these. */
static const char *changed(const char *line, const char *const names[], const char *const values[], size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strncmp(line, "   <property name=\"", 19) == 0 &&
		    strncmp(line + 19, names[i], strlen(names[i])) == 0 && line[19 + strlen(names[i])] == '"')
			return values[i];
	return NULL;
}

/* The start of a testsuite with the unit's names. */
static enum bc_status put_head(struct maker *m, const struct part *p, unsigned node, unsigned gpu, struct bc_text *t)
{
	static const char *const names[] = { "device", "uuid", "host", "run_id", "driver" };
	char device[32], uuid[64], host[32], run_id[80];
	const char *const values[] = { device, uuid, host, run_id, "581.1.2" };
	const size_t nvalues = node == DRIVER ? 5 : 4;
	enum bc_status st = BC_OK;

	(void)snprintf(device, sizeof(device), "cuda:%u", gpu);
	(void)snprintf(uuid, sizeof(uuid), "GPU-%08x-86d5-4a7e-8821-%012x", node, gpu);
	(void)snprintf(host, sizeof(host), "node%04u", node);
	(void)snprintf(run_id, sizeof(run_id), "20261201T020000Z-%s-%016x", host, node * 7919);
	for (const char *line = p->head, *next; !st && line < p->body; line = next) {
		const char *value = changed(line, names, values, nvalues);
		const char *class = strncmp(line, " <testsuite ", 12) == 0 ? strstr(line, "\"bankcheck.") : NULL;

		next = strchr(line, '\n') + 1;
		if (value)
			st = bc_text_addf(t, &m->err, "%.*s value=\"%s\"/>\n", (int)(strstr(line, " value=") - line),
					  line, value);
		else if (class)
			st = put_class(t, line, class + 11, (size_t)(next - line), gpu, &m->err);
		else
			st = bc_text_add(t, line, (size_t)(next - line), &m->err);
	}
	return st;
}

static enum bc_status put_unit(struct maker *m, unsigned node, unsigned gpu, struct bc_text *file)
{
	const unsigned noise = (node * 31 + gpu) % NOISES;
	struct change special = { .gpu = gpu,
				  .noise = noise,
				  .percent = node == SLOW && !gpu ? 3 : 0,
				  .odd = node == ODD && !gpu ? ODD_CASES : 0 };
	const bool own = special.percent || special.odd;
	enum bc_status st = BC_OK;

	for (size_t i = 0; !st && i < m->nparts; i++) {
		struct bc_text head = { 0 }, packed = { 0 }, body = { 0 };

		st = put_head(m, &m->part[i], node, gpu, &head);
		if (!st)
			st = bc_gzip(head.data, head.len, &packed, &m->err);
		if (!st && own)
			st = make_body(m, &m->part[i], &special, &body);
		if (!st)
			st = bc_text_add(file, packed.data, packed.len, &m->err);
		if (!st)
			st = bc_text_add(file, own ? body.data : m->body[noise][gpu][i].data,
					 own ? body.len : m->body[noise][gpu][i].len, &m->err);
		bc_text_release(&head);
		bc_text_release(&packed);
		bc_text_release(&body);
	}
	return st;
}

static enum bc_status add_packed(struct maker *m, struct bc_text *file, const char *text)
{
	struct bc_text packed = { 0 };
	enum bc_status st = bc_gzip(text, strlen(text), &packed, &m->err);

	if (!st)
		st = bc_text_add(file, packed.data, packed.len, &m->err);
	bc_text_release(&packed);
	return st;
}

static enum bc_status make_node(struct maker *m, unsigned node)
{
	const unsigned gpus = node == SHORT ? m->gpus - 1 : m->gpus;
	char dir[BC_PATH_MAX], head[200];
	struct bc_text file = { 0 };
	enum bc_status st;

	(void)snprintf(dir, sizeof(dir), "%s/nodes/node%04u", m->night, node);
	(void)mkdir(dir, 0777);
	(void)snprintf(dir, sizeof(dir), "%s/nodes/node%04u/1", m->night, node);
	if (mkdir(dir, 0777) && errno != EEXIST)
		return bc_fail(&m->err, BC_EWRITE, "%s: %s", dir, strerror(errno));
	(void)snprintf(head, sizeof(head),
		       "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"bankcheck\" tests=\"%u\" "
		       "failures=\"0\" errors=\"0\" time=\"0.000\">\n",
		       m->tests * gpus);
	st = add_packed(m, &file, head);
	for (unsigned g = 0; !st && g < gpus; g++)
		st = put_unit(m, node, g, &file);
	if (!st)
		st = add_packed(m, &file, "</testsuites>\n");
	if (!st)
		st = bc_file_replace(&bc_file_system, dir, "sm_90.xml.gz", file.data, file.len, &m->err);
	if (!st)
		st = bc_file_replace(&bc_file_system, dir, "done", "", 0, &m->err);
	bc_text_release(&file);
	return st;
}

static enum bc_status make_night(struct maker *m)
{
	struct bc_text expected = { 0 };
	char dir[BC_PATH_MAX];
	enum bc_status st = BC_OK;

	(void)mkdir(m->night, 0777);
	(void)snprintf(dir, sizeof(dir), "%s/nodes", m->night);
	if (mkdir(dir, 0777) && errno != EEXIST)
		return bc_fail(&m->err, BC_EWRITE, "%s: %s", dir, strerror(errno));
	for (unsigned v = 0; v < NOISES; v++)
		for (unsigned g = 0; g < m->gpus; g++)
			for (size_t i = 0; !st && i < m->nparts; i++) {
				struct change c = { .gpu = g, .noise = v };

				st = make_body(m, &m->part[i], &c, &m->body[v][g][i]);
			}
	for (unsigned n = 1; !st && n <= m->nodes; n++) {
		st = bc_text_addf(&expected, &m->err, "node%04u\t%u\tsm_90\tNVIDIA H200\t580.159.04\n", n, m->gpus);
		if (!st && n != MISSING)
			st = make_node(m, n);
	}
	if (!st)
		st = bc_file_replace(&bc_file_system, m->night, "expected.tsv", expected.data, expected.len, &m->err);
	bc_text_release(&expected);
	return st;
}

static int measure(char **command)
{
	struct rusage used;
	int status = 0;
	const pid_t pid = fork();

	if (pid == 0) {
		(void)execvp(command[0], command);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &used) != pid)
		return 1;
	(void)fprintf(stderr, "%.2f %ld %d\n",
		      (double)used.ru_utime.tv_sec + (double)used.ru_stime.tv_sec +
			      (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6,
		      used.ru_maxrss / 1024, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	return 0;
}

int main(int argc, char **argv)
{
	static struct maker m;
	enum bc_status st;

	if (argc > 2 && strcmp(argv[1], "--measure") == 0)
		return measure(argv + 2);
	if (argc != 5 || !bc_u32_parse(argv[3], &m.nodes) || !bc_u32_parse(argv[4], &m.gpus) || m.nodes < ODD ||
	    m.gpus < 2 || m.gpus > GPUS_MAX) {
		(void)fprintf(stderr,
			      "usage: fleet-make REPORT NIGHT NODES GPUS (5 nodes or more, 2 to 16 GPUs each)\n");
		return 3;
	}
	m.night = argv[2];
	st = bc_file_read(argv[1], REPORT_MAX, &m.report, &m.err);
	if (!st)
		st = parse(&m);
	if (!st)
		st = make_night(&m);
	for (unsigned v = 0; v < NOISES; v++)
		for (unsigned g = 0; g < m.gpus; g++)
			for (size_t i = 0; i < m.nparts; i++)
				bc_text_release(&m.body[v][g][i]);
	bc_text_release(&m.report);
	return st ? fail(&m.err) : 0;
}
