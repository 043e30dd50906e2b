/* SPDX-License-Identifier: MIT */
/* harness/base/demangle.h - names of C++ as their authors wrote them. */
#ifndef BC_BASE_DEMANGLE_H
#define BC_BASE_DEMANGLE_H

#include "harness/base/base.h"

/**
 * bc_demangle - the C++ name of a symbol: "void scale<float>(float*, int)"
 * @symbol: any name; one that is not mangled stays as it is
 *
 * The C++ runtime (libstdc++.so.6) does it, opened when it is first needed; where it is missing names stay mangled.
 * Return: malloc'ed; NULL: out of memory.
 */
char *bc_demangle(const char *symbol);

/* Is there a C++ runtime that demangles? */
bool bc_can_demangle(void);

/**
 * bc_name_core - a demangled name without its return type and parameters: "ns::scale<float>"
 *
 * Return: malloc'ed; NULL: out of memory.
 */
char *bc_name_core(const char *name);

/**
 * bc_name_short - bc_name_core with long template arguments left out: "ns::scale<...>"
 * @max: bytes above which template arguments are left out, innermost last
 *
 * Return: malloc'ed; NULL: out of memory.
 */
char *bc_name_short(const char *name, size_t max);

#endif
