/* SPDX-License-Identifier: MIT */
/* harness/app/library/graphs.h - the graphs that a process has instantiated, and the kernels in each. */
#ifndef BC_APP_LIBRARY_GRAPHS_H
#define BC_APP_LIBRARY_GRAPHS_H

#include "harness/app/record.h"
#include "harness/device/cuda/api.h"

#define BC_APP_GRAPH_NAME_MAX 300

struct bc_app_graph {
	CUgraphExec exec;
	char name[BC_APP_GRAPH_NAME_MAX]; /* "graph of 3 kernels: scale, sum (2)" */
	struct bc_app_kernel *kernel;	  /* [n] in the order in which they were added; device is not set; malloc'ed */
	size_t n;
};

struct bc_app_graphs;

/* NULL: out of memory. */
struct bc_app_graphs *bc_app_graphs_open(const struct bc_cuda_api *cu);

/* @exec was made of @graph. What cannot be found out about it is left out. */
void bc_app_graphs_add(struct bc_app_graphs *g, CUgraphExec exec, CUgraph graph);

/* NULL: it is not known. */
const struct bc_app_graph *bc_app_graphs_find(const struct bc_app_graphs *g, CUgraphExec exec);

void bc_app_graphs_close(struct bc_app_graphs *g); /* NULL is allowed */

#endif
