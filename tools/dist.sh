#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/dist.sh ARCH OUT - a relocatable tarball of bankcheck for ARCH (x86_64, aarch64):
# OUT/bankcheck-VERSION-linux-ARCH.tar.xz
#
# Called by `make dist`, after the program of this machine, its images, listings and man page are built in build/. The
# program for ARCH is compiled with a compiler and libraries of its own (tools/dist-libs.sh): it needs glibc 2.28 and
# nothing else. Images of the CUDA releases in DIST_RELEASES ("12.9") are in build/kernels-RELEASE/ then and go beside
# build/kernels/. The same commit and the same SOURCE_DATE_EPOCH (default: the commit's time) give the same bytes
# (tools/check-reproducible.sh). Status 4: the compiler or the libraries could not be fetched.
set -eu

[ $# -eq 2 ] || {
	echo "usage: $0 x86_64|aarch64 OUT" >&2
	exit 3
}
arch=$1
mkdir -p "$2"
out=$(cd "$2" && pwd)
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top"
version=$(sed -n 's/^#define BC_VERSION "\(.*\)"/\1/p' harness/base/base.h)
name=bankcheck-$version-linux-$arch
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
export SOURCE_DATE_EPOCH
LC_ALL=C
export LC_ALL
umask 022

tools/dist-libs.sh "$arch" build/dist || exit
libs=$top/build/dist/$arch
# Headers of the release that this machine has, as they are for ARCH.
headers=""
if [ "$arch" != "$(uname -m)" ] && [ -n "${CUDA_VERSION:-}" ]; then
	crt=crt # a package of its own from 13 on
	[ "${CUDA_VERSION%%.*}" -gt 12 ] || crt=nvcc
	headers=$top/$(tools/toolkits.sh --machine "$arch" --parts "cudart,cupti,$crt" "$CUDA_VERSION") || exit 4
fi
archives=""
for lib in check xml2 z jansson sqlite3; do
	archives="$archives $libs/lib/lib$lib.a"
done
PKG_CONFIG_LIBDIR=$libs/lib/pkgconfig ${MAKE:-make} B="build/dist/obj-$arch" CC="$libs/bin/cc" SETUP=none \
	${headers:+CUDA_HOME="$headers"} \
	CPPFLAGS="-isystem $libs/include" \
	CFLAGS="-O2 -g0 -fPIE -ffunction-sections -fdata-sections -ffile-prefix-map=$top=." \
	LDFLAGS="-pie -Wl,--gc-sections -s" LIBS="$archives -lm -lrt -lpthread -ldl" "build/dist/obj-$arch/bankcheck" \
	"build/dist/obj-$arch/libbankcheck-app.so"

stage=$top/build/dist/stage-$arch
rm -rf "$stage"
mkdir -p "$stage"
${MAKE:-make} -s install DESTDIR="$stage" PREFIX="/$name" >/dev/null
install -m 755 "build/dist/obj-$arch/bankcheck" "$stage/$name/bin/bankcheck"
install -m 755 "build/dist/obj-$arch/libbankcheck-app.so" "$stage/$name/lib/bankcheck/libbankcheck-app.so"
for release in ${DIST_RELEASES:-}; do
	set=kernels-$release
	(cd build && find "$set" -type f ! -name made-by) | while read -r file; do
		install -D -m 644 "build/$file" "$stage/$name/lib/bankcheck/$file"
	done
done
doc=$stage/$name/share/doc/bankcheck
install -m 644 README.md "$stage/$name/README.md"
for file in "$libs"/licenses/*; do
	install -D -m 644 "$file" "$doc/licenses/$(basename "$file")"
done
for part in examples farm reports/examples; do
	[ ! -d "$part" ] || find "$part" -type f | while read -r file; do
		install -D -m 644 "$file" "$doc/$file"
	done
done
tar -C "$stage" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --format=gnu \
	-cf - "$name" |
	xz -6 -T1 >"$out/$name.tar.xz.new"
mv -f "$out/$name.tar.xz.new" "$out/$name.tar.xz"
(cd "$out" && sha256sum "$name.tar.xz" >"$name.tar.xz.sha256")
echo "dist: $out/$name.tar.xz, $(wc -c <"$out/$name.tar.xz") bytes"
