/* SPDX-License-Identifier: MIT */
/* harness/tests/map/map_world.h - a reference device with a law, in this process, as a source of measured patterns. */
#ifndef BC_TESTS_MAP_WORLD_H
#define BC_TESTS_MAP_WORLD_H

#include "harness/map/map.h"

struct map_world {
	struct bc_arch arch; /* of the folder: not with the law */
	struct bc_device *dev;
	struct bc_patterns *patterns;
	struct bc_window window;
	struct bc_map_source source;
	struct bc_error err;
};

/* @law: text of a law, NULL: the architecture's own; @noise: of the clock. Anything that fails ends the test. */
void map_world_open(struct map_world *w, const char *arch, const char *law, const char *fault, uint32_t noise);
void map_world_close(struct map_world *w);

/* Find the law; @confirm random patterns. */
void map_world_find(struct map_world *w, enum bc_map_by by, unsigned confirm, uint64_t seed, struct bc_map_law *out);

/* Its text; free it. */
char *map_world_text(const struct map_world *w, const struct bc_map_law *l);

#endif
