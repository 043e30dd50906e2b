/* SPDX-License-Identifier: MIT */
/* harness/tests/stubs/app_stub.h - what the stub driver tells the stub CUPTI. */
#ifndef BC_TESTS_STUBS_APP_STUB_H
#define BC_TESTS_STUBS_APP_STUB_H

#include <stdbool.h>
#include <stdint.h>

#include <cuda.h>

/* Numbers beside those of the driver's calls. */
#define BC_STUB_CONTEXT_DESTROYED 100000u /* @params: the context */
#define BC_STUB_GRAPH_NODE 100001u	  /* a kernel of a graph begins: under kernel replay a range of its own */

/* A call of the driver, before or after. */
typedef void bc_stub_call_fn(unsigned cbid, bool after, const char *symbol, const void *params, CUresult *result,
			     CUcontext ctx);
/* A kernel counted @n. */
typedef void bc_stub_count_fn(const char *metric, uint64_t n);

#endif
