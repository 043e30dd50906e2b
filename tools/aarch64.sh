#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/aarch64.sh ready | run COMMAND... - 64-bit Arm programs on another machine, by qemu-user.
#
#   ready   status 0 when such programs can be run here and can start one another; else 1, and why on stderr
#   run     run a command in that way
#
# bankcheck starts itself as a worker, so the kernel must know what to do with an Arm program (binfmt_misc). Where it
# does not and we are root, it is told for as long as the command runs, under a name of our own: several may run. Needs
# qemu-user-static and, for programs linked against libc, libc6-arm64-cross (both Debian's).
set -eu

qemu=/usr/bin/qemu-aarch64-static
misc=/proc/sys/fs/binfmt_misc
own=bankcheck-aarch64-$$
QEMU_LD_PREFIX=${QEMU_LD_PREFIX:-/usr/aarch64-linux-gnu}
export QEMU_LD_PREFIX

no()
{
	echo "aarch64: $1" >&2
	exit 1
}

# Is an Arm program started by the kernel already, and not only while another of us runs?
known()
{
	for entry in "$misc"/*; do
		case $entry in
		*/bankcheck-aarch64-*) ;;
		*) ! grep -qs '^interpreter.*qemu-aarch64' "$entry" || return 0 ;;
		esac
	done
	return 1
}

ready()
{
	[ "$(uname -m)" != aarch64 ] || return 0
	[ -x "$qemu" ] || no "$qemu is not here (package qemu-user-static)"
	[ -e "$QEMU_LD_PREFIX/lib/ld-linux-aarch64.so.1" ] ||
		no "no C library for it in $QEMU_LD_PREFIX (package libc6-arm64-cross)"
	known || [ "$(id -u)" = 0 ] ||
		no "the kernel does not start Arm programs (binfmt_misc), and only root can tell it how"
	[ -e "$misc/register" ] || mount -t binfmt_misc binfmt_misc "$misc" 2>/dev/null ||
		no "the kernel has no binfmt_misc"
}

register()
{
	# A 64-bit little-endian ELF program for Arm; F: the kernel opens qemu now, so that it is found in any root.
	elf='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
	mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
	printf '%s' ":$own:M::$elf:$mask:$qemu:F" >"$misc/register"
}

case ${1:-} in
ready)
	ready
	;;
run)
	shift
	ready
	if [ "$(uname -m)" != aarch64 ] && ! known; then
		register
		trap 'echo -1 >"$misc/$own"' EXIT
		trap 'exit 130' INT
		trap 'exit 143' TERM
	fi
	"$@"
	;;
*)
	echo "usage: $0 ready | run COMMAND..." >&2
	exit 3
	;;
esac
