/* SPDX-License-Identifier: MIT */
/* harness/device/maps.c - what all devices share of tensor maps. */
#include "harness/device/device.h"

enum bc_status bc_launch_map_check(const struct bc_launch *l, const struct bc_tensor_map *m, struct bc_error *err)
{
	if (m->buffer >= l->nbuffers)
		return bc_fail(err, BC_EUSAGE, "%s: a tensor map names buffer %zu of %zu", l->label, m->buffer,
			       l->nbuffers);
	if (m->param_offset % BC_TENSOR_MAP_ALIGN || m->param_offset > l->params_size ||
	    l->params_size - m->param_offset < BC_TENSOR_MAP_BYTES)
		return bc_fail(
			err, BC_EUSAGE,
			"%s: a tensor map at byte %zu of %zu bytes of parameters: it takes %d, at a multiple of %d",
			l->label, m->param_offset, l->params_size, BC_TENSOR_MAP_BYTES, BC_TENSOR_MAP_ALIGN);
	return BC_OK;
}
