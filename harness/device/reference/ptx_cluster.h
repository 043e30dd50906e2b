/* SPDX-License-Identifier: MIT */
/* harness/device/reference/ptx_cluster.h - clusters of blocks, and the shared memory of the others.
 *
 * The blocks of a cluster run together on one worker: x->block[rank]. An address below BC_PTX_WINDOW_BYTES names the
 * block's own shared memory; mapa makes one with rank + 1 above bit 24. What bits the hardware takes is not published.
 */
#ifndef BC_DEVICE_REFERENCE_PTX_CLUSTER_H
#define BC_DEVICE_REFERENCE_PTX_CLUSTER_H

#include "harness/device/reference/ptx_exec.h"

#define BC_PTX_CLUSTER_MAX 16
#define BC_PTX_RANK_SHIFT 24

/* Is the launch's cluster possible for the kernel? Fills g->cluster and g->ranks (1: no cluster). BC_EUSAGE. */
enum bc_status bc_ptx_cluster_check(struct bc_ptx_grid *g, struct bc_error *err);

/* Index and rank of the @n-th block, where blocks of a cluster follow one another; without clusters: the n-th. */
void bc_ptx_cluster_place(const struct bc_ptx_grid *g, uint64_t n, struct bc_ptx_block *b);

/* Special registers of a block; [BC_PTX_NSPECIALS]. */
void bc_ptx_cluster_specials(const struct bc_ptx_grid *g, const struct bc_ptx_block *b, uint64_t *v);

typedef void bc_ptx_access_fn(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in,
			      enum bc_ptx_space space, const uint64_t addr[BC_LANES], uint32_t mask);
/* Call @fn for each block whose shared memory the lanes name, with addresses of that block. x->remote: that memory,
 * NULL: the block's own. */
void bc_ptx_cluster_access(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in,
			   bc_ptx_access_fn *fn, const uint64_t addr[BC_LANES], uint32_t mask);

/* Races with other blocks of the cluster. @s has a record for each byte, unless s->touch is NULL. */
enum bc_status bc_ptx_cluster_watch(struct bc_ptx_shared *s, struct bc_error *err);
void bc_ptx_cluster_forget(struct bc_ptx_shared *s); /* a new block */
void bc_ptx_cluster_touch(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in, uint32_t lane,
			  uint64_t addr, uint32_t bytes, bool write, bool atomic);

/* barrier.cluster: all lanes of the warp are there; it arrives, or waits. */
void bc_ptx_cluster_barrier(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in);
void bc_ptx_cluster_exit(struct bc_ptx_run *x, struct bc_ptx_block *b); /* a warp of @b has ended */

#endif
