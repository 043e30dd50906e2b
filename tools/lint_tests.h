/* SPDX-License-Identifier: MIT */
/* tools/lint_tests.h - what the Makefile tells tests about the tree, for the linters; included by tools/lint.sh only.
 */
#ifndef BC_TOOLS_LINT_TESTS_H
#define BC_TOOLS_LINT_TESTS_H

#define BC_TEST_DATA ""
#define BC_TEST_EXPECTED ""
#define BC_TEST_TMP ""
#define BC_TEST_BINARY ""
#define BC_TEST_KERNELS ""
#define BC_TEST_STUBS ""
#define BC_TEST_INJECT ""

#endif
