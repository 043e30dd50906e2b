/* SPDX-License-Identifier: MIT */
/* harness/base/build.h - what this program was built from and with. The Makefile writes the definitions (build/gen/).
 */
#ifndef BC_BASE_BUILD_H
#define BC_BASE_BUILD_H

/* The commit, 40 hexadecimal digits; "-changed" follows when files that git knows differed from it; "unknown" where it
 * was not built in a git repository and COMMIT=... did not say. */
extern const char bc_build_commit[];

/* "CUDA 13.0, GCC 12.2.0, x86_64": the toolkit whose headers were used ("no CUDA"), the compiler, the machine. */
extern const char bc_build_with[];

#endif
