#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/check-dist.sh TARBALL... - does a tarball of `make dist` run elsewhere?
#
# Of each: the sum; no symbol newer than GLIBC_2.28, no library that is not libc's own; then, unpacked in a folder
# with a blank in its name and called through a symbolic link from elsewhere, a part of the catalogue on the reference
# device, every case judged and right. x86_64: that run once more inside Debian 11, the oldest release that Debian's
# mirrors still have (debootstrap; needs root). aarch64: under qemu-user. What cannot be tried here is said; status 1
# when something that was tried is wrong. ALL=1: all cases on all architectures, and the aarch64 program must say of
# every case what the x86_64 one says.
set -eu

[ $# -gt 0 ] || {
	echo "usage: $0 TARBALL..." >&2
	exit 3
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
top=$(cd "$(dirname "$0")/.." && pwd)
root=$top/build/dist/debian-11
if [ -n "${ALL:-}" ]; then
	part="--device reference:all"
else
	part="--device reference --filter stride --filter matrix --filter atomic"
fi

bad()
{
	echo "check-dist: $1" >&2
	exit 1
}

# newest FILE: the newest GLIBC_x.y that FILE needs
newest()
{
	readelf -V "$1" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1
}

check_binary()
{
	version=$(newest "$1")
	[ "$(printf '%s\nGLIBC_2.28\n' "$version" | sort -V | tail -n 1)" = GLIBC_2.28 ] ||
		bad "$1 needs $version, newer than GLIBC_2.28"
	for lib in $(readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
		case $lib in
		libc.so.6 | libm.so.6 | libpthread.so.0 | libdl.so.2 | librt.so.1 | ld-linux-*) ;;
		*) bad "$1 needs $lib, which is not of libc" ;;
		esac
	done
	echo "dist: $(basename "$2"): $(basename "$1") needs $version and libc's own libraries only"
}

# An old distribution in $root, made once.
old_root()
{
	[ ! -e "$root/made" ] || return 0
	[ "$(id -u)" = 0 ] || { why="not root" && return 1; }
	command -v debootstrap >/dev/null || { why="debootstrap is not here" && return 1; }
	mirror=$(sed -n 's/^URIs: *\([^ ]*\).*/\1/p; s/^deb \([^ ]*\) .*/\1/p' \
		/etc/apt/sources.list.d/debian.sources /etc/apt/sources.list 2>/dev/null | head -n 1)
	rm -rf "$root"
	mkdir -p "$root"
	debootstrap --variant=minbase bullseye "$root" "$mirror" >"$root.log" 2>&1 || {
		why="debootstrap failed: $(tail -n 1 "$root.log")"
		return 1
	}
	touch "$root/made"
}

for tarball; do
	name=$(basename "$tarball" .tar.xz)
	arch=${name##*-linux-}
	(cd "$(dirname "$tarball")" && sha256sum --quiet -c "$name.tar.xz.sha256") || bad "$tarball: its sum is another"
	mkdir -p "$work/a folder" "$work/bin" "$work/$arch"
	tar -C "$work/a folder" -xJf "$tarball"
	program="$work/a folder/$name/bin/bankcheck"
	check_binary "$program" "$tarball"
	check_binary "$work/a folder/$name/lib/bankcheck/libbankcheck-app.so" "$tarball"
	for file in bash-completion/completions/bankcheck zsh/site-functions/_bankcheck man/man1/bankcheck.1 \
		doc/bankcheck/docs/counters.md; do
		[ -s "$work/a folder/$name/share/$file" ] || bad "$tarball: it has no share/$file"
	done
	ln -sf "$program" "$work/bin/bankcheck-$arch"
	if [ "$arch" = "$(uname -m)" ]; then
		# shellcheck disable=SC2086 # a list of options
		(cd "$work" && env -i PATH=/usr/bin:/bin "bin/bankcheck-$arch" run $part --reports "$work/$arch" -q) ||
			bad "$tarball: the run ended with status $?"
		echo "dist: $name: runs from any folder"
		why=""
		if old_root; then
			rm -rf "$root/opt/$name"
			cp -r "$work/a folder/$name" "$root/opt/"
			mkdir -p "$root/proc"
			# shellcheck disable=SC2086,SC2016 # a list of options; the inner shell's own $
			unshare -m sh -c 'mount -t proc proc "$1/proc" && exec chroot "$@"' sh "$root" \
				"/opt/$name/bin/bankcheck" run $part --reports /tmp/r -q ||
				bad "$tarball: in Debian 11 the run ended with status $?"
			system=$(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' "$root/etc/os-release")
			echo "dist: $name: runs in $system, nothing installed"
		else
			echo "dist: $name: not tried in an old distribution: $why"
		fi
	elif [ "$arch" = aarch64 ] && "$top/tools/aarch64.sh" ready; then
		# shellcheck disable=SC2086
		(cd "$work" && "$top/tools/aarch64.sh" run "$program" run $part --reports "$work/$arch" -q) ||
			bad "$tarball: under qemu the run ended with status $?"
		echo "dist: $name: runs under qemu-user"
	else
		echo "dist: $name: not run: this machine runs no $arch programs"
	fi
done
# What the two say of each case, but for times and names of the run.
facts()
{
	sed -n 's/^\(case\|verdict\|data\|counters\|model\|pattern\)=/&/p' "$1"/*.xml
}
if [ -e "$work/x86_64" ] && [ -e "$work/aarch64" ] && [ -n "$(ls "$work/aarch64")" ]; then
	facts "$work/x86_64" >"$work/facts.x86_64"
	facts "$work/aarch64" >"$work/facts.aarch64"
	[ -s "$work/facts.x86_64" ] || bad "no case was compared"
	diff "$work/facts.x86_64" "$work/facts.aarch64" >"$work/diff" || {
		head -n 20 "$work/diff" >&2
		bad "the two architectures say different things"
	}
	echo "dist: both architectures say the same of $(grep -c '^case=' "$work/facts.x86_64") cases"
fi
