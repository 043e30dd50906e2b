#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/check-aarch64.sh [SUITE...] - the unit tests as 64-bit Arm programs under qemu-user; without a name all of
# them. Then the catalogue on the reference device with pages of 64 KB, as many Arm hosts have.
#
# Program and tests are compiled by Debian's cross compiler (gcc-aarch64-linux-gnu) against the libraries of
# tools/dist-libs.sh, as build/*-aarch64. Status 0 and a line with the reason where Arm programs cannot be built or
# run here.
set -eu

top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top"
skip()
{
	echo "check-aarch64: skipped: $1"
	exit 0
}
command -v aarch64-linux-gnu-gcc >/dev/null || skip "aarch64-linux-gnu-gcc is not here (package gcc-aarch64-linux-gnu)"
why=$(tools/aarch64.sh ready 2>&1) || skip "$why"
status=0
tools/dist-libs.sh aarch64 build/dist || status=$?
[ "$status" != 4 ] || skip "the libraries could not be fetched"
[ "$status" = 0 ] || exit "$status"

${MAKE:-make} aarch64
rm -rf build/test-tmp-aarch64
mkdir -p build/test-tmp-aarch64
# An emulated program takes some eight times as long. Tests that would measure the emulator say so and are left out.
LOCPATH=$top/build/locale
CK_DEFAULT_TIMEOUT=${CK_DEFAULT_TIMEOUT:-120}
CK_TIMEOUT_MULTIPLIER=${CK_TIMEOUT_MULTIPLIER:-10}
export LOCPATH CK_DEFAULT_TIMEOUT CK_TIMEOUT_MULTIPLIER
[ "$(uname -m)" = aarch64 ] || export BC_TEST_EMULATED=qemu-user
if [ $# -eq 0 ]; then
	tools/aarch64.sh run tools/run-tests.sh build/bankcheck-tests-aarch64 build/test-log-aarch64
fi
for suite; do
	CK_RUN_SUITE=$suite tools/aarch64.sh run build/bankcheck-tests-aarch64
done
[ "$(uname -m)" != aarch64 ] || exit 0 # it has the pages that it has
QEMU_PAGESIZE=65536 tools/aarch64.sh run build/bankcheck-aarch64 run --device reference --expected expected \
	--kernels build/kernels --reports build/test-tmp-aarch64/pages -q
echo "check-aarch64: the catalogue passes with pages of 64 KB"
