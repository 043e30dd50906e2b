/* SPDX-License-Identifier: MIT */
/* harness/bench/run.c - how long `bankcheck run` takes: start-up, time a case beyond it, peak memory; medians of five.
 *
 * On a machine with a GPU all GPUs, else the reference device. Absolute times mean something on an idle machine only.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/clock.h"
#include "harness/core/banks.h"

#define REPEATS 5
#define REPORTS BC_TEST_TMP "/bench-reports"

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* One run of the binary, quiet. Return: seconds, negative when it failed. */
static double one_run(const char *const *argv, int out)
{
	const double start = bc_now();
	const pid_t pid = fork();
	int status = 0;

	if (pid == 0) {
		const int null = open("/dev/null", O_WRONLY);

		(void)dup2(out >= 0 ? out : null, 1);
		execv(argv[0], (char *const *)argv);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status) > 1)
		return -1;
	return bc_now() - start;
}

static double median_run(const char *const *argv)
{
	double t[REPEATS];

	for (size_t i = 0; i < REPEATS; i++) {
		t[i] = one_run(argv, -1);
		if (t[i] < 0)
			return -1;
	}
	qsort(t, REPEATS, sizeof(t[0]), by_value);
	return t[REPEATS / 2];
}

/* Lines that `bankcheck list` prints. */
static size_t count_cases(void)
{
	const char *const argv[] = { BC_TEST_BINARY, "list", NULL };
	FILE *f = tmpfile();
	size_t n = 0;

	if (!f || one_run(argv, fileno(f)) < 0)
		return 0;
	rewind(f);
	for (int c; (c = getc(f)) != EOF;)
		n += c == '\n';
	(void)fclose(f);
	return n;
}

/* Bank-law evaluations a second, over strides. */
static double law_speed(void)
{
	const struct bc_geometry g = { .banks = 32, .bank_bytes = 4, .pair_rule = true };
	const double start = bc_now();
	unsigned long sum = 0, n = 0;

	while (bc_now() - start < 0.5) {
		for (uint32_t stride = 0; stride < 64; stride++, n++) {
			uint32_t addr[BC_LANES];
			struct bc_wavefronts w;

			for (uint32_t l = 0; l < BC_LANES; l++)
				addr[l] = l * stride * 4;
			if (!bc_banks_count(&g, BC_OP_LD32, addr, 0xffffffffu, &w, NULL))
				sum += w.wavefronts;
		}
	}
	return sum ? (double)n / (bc_now() - start) : 0;
}

int main(void)
{
	const bool gpu = access("/dev/nvidiactl", F_OK) == 0;
	const char *const device = gpu ? "all" : "reference";
	const char *const one[] = { BC_TEST_BINARY, "run",   "-q",	 "--device",	    device,
				    "--reports",    REPORTS, "--filter", "stride/ld_b32/1", NULL };
	const char *const all[] = { BC_TEST_BINARY, "run", "-q", "--device", device, "--reports", REPORTS, NULL };
	const size_t n = count_cases();
	const double first = median_run(one), whole = median_run(all);
	struct rusage use;

	if (!n || first < 0 || whole < 0) {
		(void)fprintf(stderr, "bench: bankcheck could not be run\n");
		return 1;
	}
	(void)printf("device                 %s\n", gpu ? "all GPUs" : "reference:sm_90");
	(void)printf("one case, whole run    %.3f s (start-up)\n", first);
	(void)printf("%zu cases, whole run  %.3f s\n", n, whole);
	(void)printf("a case beyond start-up %.3f ms\n", (whole - first) * 1e3 / (double)(n - 1));
	if (!getrusage(RUSAGE_CHILDREN, &use))
		(void)printf("peak memory            %ld MB (the largest process)\n", use.ru_maxrss / 1024);
	(void)printf("bank law               %.1f million requests a second\n", law_speed() / 1e6);
	return 0;
}
