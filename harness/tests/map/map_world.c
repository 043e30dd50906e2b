/* SPDX-License-Identifier: MIT */
#include "harness/tests/map/map_world.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static enum bc_status count(void *ctx, const struct bc_pattern *p, size_t n, struct bc_pattern_count *out, char *absent,
			    size_t size, struct bc_error *err)
{
	return bc_patterns_count(((struct map_world *)ctx)->patterns, p, n, out, absent, size, err);
}

static enum bc_status take_time(void *ctx, const struct bc_pattern *p, size_t n, struct bc_pattern_time *out,
				char *absent, size_t size, struct bc_error *err)
{
	return bc_patterns_time(((struct map_world *)ctx)->patterns, p, n, out, absent, size, err);
}

void map_world_open(struct map_world *w, const char *arch, const char *law, const char *fault, uint32_t noise)
{
	char path[] = BC_TEST_TMP "/law.XXXXXX";
	const struct bc_open_options o = { .kernels_dir = BC_TEST_KERNELS,
					   .expected_dir = BC_TEST_EXPECTED,
					   .law = law ? path : NULL,
					   .fault = fault,
					   .reference_clock = true,
					   .reference_noise = noise };
	struct bc_facts facts = { .kind = BC_DEVICE_REFERENCE };

	memset(w, 0, sizeof(*w));
	(void)bc_strlcpy(facts.arch, arch, sizeof(facts.arch));
	if (law) {
		const int fd = mkstemp(path);

		ck_assert_int_ge(fd, 0);
		ck_assert_int_eq(write(fd, law, strlen(law)), (ssize_t)strlen(law));
		ck_assert_int_eq(close(fd), 0);
	}
	ck_assert_msg(!bc_arch_load(BC_TEST_EXPECTED, arch, &w->arch, &w->err), "%s", w->err.msg);
	ck_assert_msg(!bc_device_reference.open(&o, &facts, &w->dev, &w->err), "%s\n%s", w->err.msg, law ? law : "");
	if (law)
		ck_assert_int_eq(unlink(path), 0);
	ck_assert(!bc_patterns_open(&bc_device_reference, w->dev, &w->arch, &w->patterns, &w->err));
	ck_assert_msg(!bc_patterns_window(w->patterns, &w->window, &w->err), "%s", w->err.msg);
	w->source = (struct bc_map_source){ .ctx = w, .count = count, .time = take_time };
}

void map_world_close(struct map_world *w)
{
	bc_patterns_close(w->patterns);
	bc_device_reference.close(w->dev);
}

void map_world_find(struct map_world *w, enum bc_map_by by, unsigned confirm, uint64_t seed, struct bc_map_law *out)
{
	const struct bc_map_options o = { .confirm = confirm, .seed = seed };

	ck_assert_msg(!bc_map_find(&w->source, by, &w->arch, &w->window, &o, out, &w->err), "%s", w->err.msg);
}

char *map_world_text(const struct map_world *w, const struct bc_map_law *l)
{
	struct bc_text t = { 0 };

	ck_assert(!bc_map_law_text(l, w->window.base, &t, NULL));
	return t.data;
}
