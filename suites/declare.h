/* SPDX-License-Identifier: MIT */
/* suites/declare.h - what the two files of the suite declare share. The functions below are those of struct bc_rule. */
#ifndef BC_SUITES_DECLARE_H
#define BC_SUITES_DECLARE_H

#include "suites/programs.h"

#include "kernels/bc_kernel.h"

#define BC_KB 1024u
#define BC_DECLARE_SEED 0x2b7e1516u /* of what the kernels store */

struct bc_declare_params bc_declare_params(uint32_t bytes, uint32_t count);

/* One block of a kernel with @params->bytes of dynamic shared memory; @out_words: of its first buffer. */
void bc_declare_start(struct bc_program *p, const char *kernel, uint32_t threads,
		      const struct bc_declare_params *params, size_t out_words);

bool bc_declare_geometry_build(unsigned i, struct bc_case *c);
bool bc_declare_geometry_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out);
bool bc_declare_geometry_check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
			       struct bc_mismatch *bad);
bool bc_declare_banks_build(unsigned i, struct bc_case *c);
bool bc_declare_banks_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out);
bool bc_declare_banks_check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
			    struct bc_mismatch *bad);
bool bc_declare_banks_request(const struct bc_case *c, const struct bc_arch *a, uint64_t k,
			      struct bc_program_request *r);
bool bc_declare_occupancy_build(unsigned i, struct bc_case *c);
bool bc_declare_occupancy_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out);
bool bc_declare_occupancy_check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
				struct bc_mismatch *bad);
bool bc_declare_resident_build(unsigned i, struct bc_case *c);
bool bc_declare_resident_program(const struct bc_case *c, const struct bc_arch *a, struct bc_program *out);
bool bc_declare_resident_check(const struct bc_case *c, const struct bc_arch *a, void *const *data, uint32_t seed,
			       struct bc_mismatch *bad);
bool bc_declare_resident_clock(const struct bc_case *c, const struct bc_arch *a, void *const *data,
			       struct bc_clock_reading *out);

#endif
