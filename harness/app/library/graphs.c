/* SPDX-License-Identifier: MIT */
#include "harness/app/library/graphs.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/demangle.h"

#define NODES_MAX 65536u
#define SHORT_MAX 60u
#define NAMED_MAX 64u /* kernels that can give the graph its name */

struct bc_app_graphs {
	const struct bc_cuda_api *cu;
	/* From driver 12.3 on; NULL: kernels in graphs have no names. */
	CUresult (*function_name)(const char **name, CUfunction f);
	CUresult (*kernel_name)(const char **name, CUkernel k);
	struct bc_app_graph *graph;
	size_t n;
};

struct bc_app_graphs *bc_app_graphs_open(const struct bc_cuda_api *cu)
{
	struct bc_app_graphs *g = calloc(1, sizeof(*g));
	void *lib = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
	void *f = lib ? dlsym(lib, "cuFuncGetName") : NULL, *k = lib ? dlsym(lib, "cuKernelGetName") : NULL;

	if (!g)
		return NULL;
	g->cu = cu;
	memcpy(&g->function_name, &f, sizeof(f));
	memcpy(&g->kernel_name, &k, sizeof(k));
	return g;
}

static void release(struct bc_app_graph *g)
{
	for (size_t i = 0; i < g->n; i++)
		free(g->kernel[i].name);
	free(g->kernel);
}

static void take_kernel(const struct bc_app_graphs *g, CUgraphNode node, struct bc_app_graph *out)
{
	CUgraphNodeType type;
	CUDA_KERNEL_NODE_PARAMS p;
	const char *name = NULL;
	struct bc_app_kernel *k = &out->kernel[out->n];

	if (g->cu->cuGraphNodeGetType(node, &type) != CUDA_SUCCESS || type != CU_GRAPH_NODE_TYPE_KERNEL)
		return;
	if (g->cu->cuGraphKernelNodeGetParams(node, &p) != CUDA_SUCCESS)
		return;
	if (p.func && g->function_name && g->function_name(&name, p.func) != CUDA_SUCCESS)
		name = NULL;
	if (!p.func && p.kern && g->kernel_name && g->kernel_name(&name, p.kern) != CUDA_SUCCESS)
		name = NULL;
	*k = (struct bc_app_kernel){ .name = strdup(name ? name : "(a kernel without a name)"),
				     .grid = { p.gridDimX, p.gridDimY, p.gridDimZ },
				     .block = { p.blockDimX, p.blockDimY, p.blockDimZ },
				     .shared_bytes = p.sharedMemBytes };
	out->n += k->name != NULL;
}

/* Its kernels' names, each once, as far as they fit. */
static void name_it(struct bc_app_graph *g)
{
	size_t len = (size_t)snprintf(g->name, sizeof(g->name), "graph of %zu kernel%s", g->n, g->n == 1 ? "" : "s");

	for (size_t i = 0; i < g->n && i < NAMED_MAX; i++) {
		size_t times = 1, before = 0;
		char *name, *brief;

		for (size_t k = 0; k < g->n; k++) {
			const bool same = k != i && strcmp(g->kernel[k].name, g->kernel[i].name) == 0;

			times += same && k > i;
			before += same && k < i;
		}
		if (before || len > sizeof(g->name) - 1)
			continue;
		name = bc_demangle(g->kernel[i].name);
		brief = name ? bc_name_short(name, SHORT_MAX) : NULL;
		if (brief)
			len += (size_t)snprintf(g->name + len, sizeof(g->name) - len, times > 1 ? "%s%s (%zu)" : "%s%s",
						i ? ", " : ": ", brief, times);
		free(brief);
		free(name);
	}
}

void bc_app_graphs_add(struct bc_app_graphs *g, CUgraphExec exec, CUgraph graph)
{
	struct bc_app_graph made = { .exec = exec }, *grown;
	CUgraphNode *nodes = NULL;
	size_t n = 0, at = 0;

	if (g->cu->cuGraphGetNodes(graph, NULL, &n) != CUDA_SUCCESS || n > NODES_MAX)
		n = 0;
	nodes = malloc((n + 1) * sizeof(*nodes));
	made.kernel = malloc((n + 1) * sizeof(*made.kernel));
	if (!nodes || !made.kernel || (n && g->cu->cuGraphGetNodes(graph, nodes, &n) != CUDA_SUCCESS))
		n = 0;
	for (size_t i = 0; i < n; i++)
		take_kernel(g, nodes[i], &made);
	free(nodes);
	name_it(&made);
	while (at < g->n && g->graph[at].exec != exec)
		at++;
	if (at < g->n) { /* the address of one that is gone */
		release(&g->graph[at]);
		g->graph[at] = made;
		return;
	}
	grown = realloc(g->graph, (g->n + 1) * sizeof(*grown));
	if (!grown) {
		release(&made);
		return;
	}
	g->graph = grown;
	g->graph[g->n++] = made;
}

const struct bc_app_graph *bc_app_graphs_find(const struct bc_app_graphs *g, CUgraphExec exec)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->graph[i].exec == exec)
			return &g->graph[i];
	return NULL;
}

void bc_app_graphs_close(struct bc_app_graphs *g)
{
	if (!g)
		return;
	for (size_t i = 0; i < g->n; i++)
		release(&g->graph[i]);
	free(g->graph);
	free(g);
}
