/* SPDX-License-Identifier: MIT */
#include "harness/report/finding_groups.h"

#include <stdlib.h>
#include <string.h>

/* The group of @like, which is as it would be added; NULL: there is none. The last ones are the likeliest. */
static struct bc_finding_group *find(const struct bc_finding_groups *g, const struct bc_finding_group *like)
{
	for (size_t i = g->n; i-- > 0;) {
		struct bc_finding_group *at = &g->group[i];

		if (at->verdict == like->verdict && strcmp(at->rule, like->rule) == 0 &&
		    strcmp(at->cause, like->cause) == 0 && strcmp(at->dev, like->dev) == 0)
			return at;
	}
	return NULL;
}

size_t bc_finding_groups_add(struct bc_finding_groups *g, const struct bc_device_run *d, const struct bc_result *r)
{
	struct bc_finding_group own = { .verdict = r->judged.verdict }, *found;
	const char *slash = strrchr(r->c->id, '/');
	const size_t len = slash ? (size_t)(slash - r->c->id) : strlen(r->c->id);

	(void)bc_strlcpy(own.dev, d->dev, sizeof(own.dev));
	if (own.verdict != BC_BROKEN)
		(void)bc_strlcpy(own.rule, r->c->id, len < sizeof(own.rule) ? len + 1 : sizeof(own.rule));
	bc_cause_text(r->judged.message, own.cause);
	found = find(g, &own);
	if (found)
		return ++found->n;
	if (g->n == g->room) {
		const size_t room = g->room ? 2 * g->room : 16;
		struct bc_finding_group *group = realloc(g->group, room * sizeof(*group));

		if (!group)
			return 0;
		g->group = group;
		g->room = room;
	}
	own.n = 1;
	g->group[g->n++] = own;
	return 1;
}

void bc_finding_groups_release(struct bc_finding_groups *g)
{
	free(g->group);
	*g = (struct bc_finding_groups){ 0 };
}
