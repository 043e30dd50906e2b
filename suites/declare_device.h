/* SPDX-License-Identifier: MIT */
/* suites/declare_device.h - rules of the suite declare about the device; each function is one of struct bc_rule. */
#ifndef BC_SUITES_DECLARE_DEVICE_H
#define BC_SUITES_DECLARE_DEVICE_H

#include "harness/core/case.h"

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
