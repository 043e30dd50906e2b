#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/deb.sh TARBALL OUT - a Debian package of a tarball of `make dist`: OUT/bankcheck_VERSION_ARCH.deb
#
# The same files, below /usr, so it installs on any release with glibc 2.28. The same tarball and SOURCE_DATE_EPOCH
# (default: the commit's time) give the same bytes. Where lintian is, the package must be without errors by it.
set -eu

[ $# -eq 2 ] || {
	echo "usage: $0 TARBALL OUT" >&2
	exit 3
}
tarball=$1
mkdir -p "$2"
out=$(cd "$2" && pwd)
top=$(cd "$(dirname "$0")/.." && pwd)
name=$(basename "$tarball" .tar.xz)
version=$(echo "$name" | sed 's/^bankcheck-\(.*\)-linux-.*/\1/')
case $name in
*-linux-x86_64) arch=amd64 ;;
*-linux-aarch64) arch=arm64 ;;
*)
	echo "deb: $tarball: not the name of a tarball of make dist" >&2
	exit 3
	;;
esac
command -v dpkg-deb >/dev/null || {
	echo "deb: dpkg-deb is not here (package dpkg)" >&2
	exit 4
}
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$top" log -1 --format=%ct 2>/dev/null || echo 0)}
export SOURCE_DATE_EPOCH
# Whom to write to: as the commit says, unless DEB_MAINTAINER="Name <address>" does.
maintainer=${DEB_MAINTAINER:-$(git -C "$top" log -1 --format='%an <%ae>' 2>/dev/null || true)}
[ -n "$maintainer" ] || {
	echo "deb: who maintains it? DEB_MAINTAINER='Name <address>'" >&2
	exit 3
}
LC_ALL=C
export LC_ALL
umask 022

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
tar -C "$work" -xJf "$tarball"
root=$work/root
mkdir -p "$root/usr" "$root/DEBIAN"
for part in bin lib share; do
	cp -r "$work/$name/$part" "$root/usr/"
done
doc=$root/usr/share/doc/bankcheck
{
	echo "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/"
	echo
	echo "Files: *"
	echo "Copyright: 2026 The bankcheck authors"
	echo "License: Expat"
	sed -n '/^Permission/,$p' "$top/LICENSE" | sed 's/^$/./; s/^/ /'
	echo
	echo "Comment: the program is linked with libraries whose terms are in the folder licenses/ beside this file."
} >"$doc/copyright"
rm -f "$doc/LICENSE"
{
	echo "bankcheck ($version) unstable; urgency=medium"
	echo
	echo "  * From commit $(git -C "$top" rev-parse HEAD 2>/dev/null || echo unknown)."
	echo
	echo " -- $maintainer  $(date -u -R -d "@$SOURCE_DATE_EPOCH")"
} | gzip -9n >"$doc/changelog.gz"
gzip -9n "$root/usr/share/man/man1/bankcheck.1"
# Linked in, so that one package installs on every release since glibc 2.28.
mkdir -p "$root/usr/share/lintian/overrides"
echo "bankcheck: embedded-library libxml2 [usr/bin/bankcheck]" >"$root/usr/share/lintian/overrides/bankcheck"
cat >"$root/DEBIAN/control" <<END
Package: bankcheck
Version: $version
Architecture: $arch
Maintainer: $maintainer
Section: utils
Priority: optional
Installed-Size: $(find "$root/usr" -type f -exec cat {} + | wc -c | awk '{ print int(($1 + 1023) / 1024) }')
Depends: libc6 (>= 2.28)
Description: check that a GPU follows CUDA's shared-memory rules
 bankcheck runs a catalogue of small kernels, each about one rule of shared
 memory: banks, broadcast, conflicts, padding, swizzling. It compares the
 data, the hardware counters and the clock with what the rules say, and
 writes JUnit XML. A reference device interprets the kernels where no GPU is.
 .
 The driver is opened when a GPU is used; counters need CUPTI of a CUDA
 toolkit. Images of several CUDA releases are in the package.
END
(cd "$root" && find usr -type f | sort | xargs -d '\n' md5sum) >"$root/DEBIAN/md5sums"
find "$root" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
deb=bankcheck_${version}_$arch.deb
dpkg-deb --root-owner-group -Zxz --build "$root" "$work/$deb" >/dev/null
if command -v lintian >/dev/null; then
	lintian --fail-on error --tag-display-limit 0 "$work/$deb" || {
		echo "deb: lintian finds errors in $deb (above)" >&2
		exit 2
	}
	checked="lintian finds no error"
else
	checked="lintian is not here: not checked"
fi
mv -f "$work/$deb" "$out/$deb"
echo "deb: $out/$deb, $(wc -c <"$out/$deb") bytes; $checked"
