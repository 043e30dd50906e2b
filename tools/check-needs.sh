#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/check-needs.sh BINARY - prove that BINARY needs no shared library beyond libc, libm, libxml2 and what
# libxml2 itself brings (its compression and character set libraries), so that it starts without a GPU driver.
set -eu

[ $# -eq 1 ] || {
	echo "usage: $0 BINARY" >&2
	exit 3
}
binary=$1

# names FILE: base names of the shared libraries that FILE loads; "path:" lines are not wanted here
names()
{
	LC_ALL=C ldd "$1" | awk '{ n = split($1, part, "/"); print part[n] }'
}

list=$(LC_ALL=C ldd "$binary") || {
	echo "check-needs: ldd cannot read $binary" >&2
	exit 2
}
case $list in
*"not found"*)
	echo "check-needs: $binary: a library is not found:" >&2
	echo "$list" | grep 'not found' >&2
	exit 1
	;;
esac
xml=$(echo "$list" | awk '$1 ~ /^libxml2\.so/ { print $3 }')
[ -n "$xml" ] || {
	echo "check-needs: $binary does not load libxml2, which it should" >&2
	exit 1
}
# libpthread, librt and libdl are parts of libc (in the same package, since glibc 2.34 in the same file).
allowed=" linux-vdso.so.1 linux-gate.so.1 libc.so.6 libm.so.6 libpthread.so.0 librt.so.1 libdl.so.2 "
allowed="$allowed$(basename "$xml") $(names "$xml" | tr '\n' ' ')"
bad=""
for lib in $(names "$binary"); do
	case $lib in
	ld-linux*.so.*) continue ;;
	esac
	case $allowed in
	*" $lib "*) ;;
	*) bad="$bad $lib" ;;
	esac
done
if [ -n "$bad" ]; then
	echo "check-needs: $binary needs more than libc, libm, libxml2 and what libxml2 brings:$bad" >&2
	exit 1
fi
echo "needs: $binary loads only libc, libm, libxml2 and what libxml2 brings"
