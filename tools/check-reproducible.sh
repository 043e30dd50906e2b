#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/check-reproducible.sh TARBALL - does the commit give the same bytes in another folder at another time?
#
# The tree is copied to another folder and `make dist` runs there once more, with another umask, time zone and number of
# jobs. A sample, unless ALL=1: one kernel, and the compiler and libraries of build/dist/ again; each file that both
# have must be the same. ALL=1: all kernels and the libraries anew, and the tarball itself must be the same (an hour).
# Status 1 and the names of the files that differ; 0 and the reason where the tree is not a commit.
set -eu

[ $# -eq 1 ] || {
	echo "usage: $0 TARBALL" >&2
	exit 3
}
name=$(basename "$1" .tar.xz)
tarball=$(cd "$(dirname "$1")" && pwd)/$name.tar.xz
arch=${name##*-linux-}
top=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
again=$work/a-folder-of-another-length
mkdir -p "$again/build/dist" "$work/first" "$work/second"
cd "$top"
if ! COMMIT=$(git rev-parse HEAD 2>/dev/null) || ! git diff --quiet HEAD; then
	echo "check-reproducible: skipped: the tree is no commit (what git knows was changed, or it is no repository)"
	exit 0
fi
git archive HEAD | tar -C "$again" -xf -
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH COMMIT

# What was fetched is not fetched again.
[ ! -d build/toolkits ] || ln -s "$top/build/toolkits" "$again/build/toolkits"
for fetched in zig src; do
	ln -s "$top/build/dist/$fetched" "$again/build/dist/$fetched"
done
set -- COMMIT="$COMMIT"
if [ -z "${ALL:-}" ]; then
	ln -s "$top/build/dist/$arch" "$again/build/dist/$arch"
	set -- "$@" KERNELS=pattern_ld CFLAGS=-O0 # of this machine's own program, which only writes the man page
fi
(
	umask 077
	cd "$again"
	TZ=Asia/Tokyo ${MAKE:-make} -j2 "$@" SETUP=none DIST_ARCHS="$arch" dist >"$work/log" 2>&1
) || {
	tail -n 20 "$work/log" >&2
	echo "check-reproducible: the second build failed (above)" >&2
	exit 2
}
second=$again/build/dist/$name.tar.xz
if [ -n "${ALL:-}" ]; then
	cmp "$tarball" "$second" && echo "reproducible: $name.tar.xz: the same $(wc -c <"$tarball") bytes" && exit 0
fi
tar -C "$work/first" -xJf "$tarball"
tar -C "$work/second" -xJf "$second"
cd "$work/second"
n=0
bad=0
find . -type f ! -name toolkit | sort >"$work/files"
while read -r file; do
	n=$((n + 1))
	cmp -s "$file" "$work/first/$file" || {
		echo "check-reproducible: differs: ${file#./}" >&2
		bad=$((bad + 1))
	}
done <"$work/files"
if [ "$bad" != 0 ] || [ "$n" -lt 50 ]; then
	echo "check-reproducible: $bad of $n files differ" >&2
	exit 1
fi
[ -z "${ALL:-}" ] || {
	echo "check-reproducible: the files are the same, the tarballs are not" >&2
	exit 1
}
# Owners, modes, times and order of what is packed.
list()
{
	tar -tvJf "$1" | grep -v '/toolkit$'
}
list "$tarball" >"$work/first.list"
list "$second" >"$work/second.list"
grep -vxFf "$work/first.list" "$work/second.list" >"$work/other" || true
[ ! -s "$work/other" ] || {
	head -n 5 "$work/other" >&2
	echo "check-reproducible: owner, mode, size or time of these is another" >&2
	exit 1
}
echo "reproducible: $name: program, images of one kernel, and all other files: $n files are the same"
