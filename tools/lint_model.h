/* SPDX-License-Identifier: MIT */
/* tools/lint_model.h - what clang's analyzer cannot find out by itself; included by tools/lint.sh only.
 *
 * The analyzer does not look into variadic functions, so it takes `return bc_fail(err, BC_ENOMEM, ...)` for
 * something that may return BC_OK, and follows paths that do not exist.
 */
#ifndef BC_TOOLS_LINT_MODEL_H
#define BC_TOOLS_LINT_MODEL_H

#include "harness/base/base.h"

#define bc_fail(err, st, ...) ((bc_fail)((err), (st), __VA_ARGS__), (st))

#endif
