#!/bin/sh
# SPDX-License-Identifier: MIT
# examples/transpose/gate.sh [NVCC FLAG...] - the step of a CI job: status 0 while no line of the transpose conflicts,
# 1 when one does. Needs nvcc and no GPU. Try it with the pad taken out: gate.sh -DPAD=0
cd "$(dirname "$0")" || exit 3
exec "${BANKCHECK:-bankcheck}" kernel transpose.cu ${1:+--nvcc-flags "$*"} --grid 2,4 --block 32,8 \
	--arg buf=32K:iota-f32 --arg out=32K --arg s32=64 --arg s32=128 --max-conflicts 0
