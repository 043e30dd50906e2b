#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/dist-libs.sh ARCH DIR - what a relocatable bankcheck for ARCH (x86_64, aarch64) is built with, into DIR.
#
#   DIR/ARCH/bin/cc             a compiler for ARCH whose programs need glibc 2.28, no newer one (zig cc)
#   DIR/ARCH/{include,lib}      libxml2 (without ICU, lzma and network), zlib, jansson, SQLite and Check, static
#   DIR/ARCH/lib/pkgconfig      so that pkg-config finds them and nothing else
#   DIR/ARCH/licenses           the terms of each
#
# The compiler comes from PyPI (ziglang), the libraries are Debian's source packages with Debian's patches. Each is
# fetched once and kept in DIR. Status 4 and one line when pip, apt or the package index cannot be had: nothing was
# built then.
set -eu

# The release whose output was looked at; another gives other bytes.
zig_version=0.13.0.post1
glibc=2.28

[ $# -eq 2 ] || {
	echo "usage: $0 x86_64|aarch64 DIR" >&2
	exit 3
}
arch=$1
mkdir -p "$2"
dir=$(cd "$2" && pwd)
case $arch in
x86_64 | aarch64) ;;
*)
	echo "$0: $arch: x86_64 and aarch64 are what it knows" >&2
	exit 3
	;;
esac
out=$dir/$arch
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)

cannot()
{
	echo "dist-libs: $1" >&2
	exit 4
}

# quiet NAME COMMAND...: what it prints goes to a log, which is shown when it fails
quiet()
{
	log=$dir/$arch-$1.log
	shift
	"$@" >"$log" 2>&1 || {
		tail -n 20 "$log" >&2
		echo "dist-libs: $* failed, all of it is in $log" >&2
		exit 2
	}
}

fetch_zig()
{
	zig=$dir/zig/ziglang/zig
	[ ! -x "$zig" ] || return 0
	command -v pip3 >/dev/null || cannot "pip3 is not here, it fetches the compiler (PyPI's ziglang)"
	rm -rf "$dir/zig" "$dir/zig.new"
	pip3 download -q --no-deps -d "$dir/zig.new" "ziglang==$zig_version" >"$dir/zig.log" 2>&1 ||
		cannot "pip3 cannot fetch ziglang $zig_version: $(tail -n 1 "$dir/zig.log")"
	(cd "$dir/zig.new" && python3 -m zipfile -e ziglang-*.whl . && rm -f ziglang-*.whl)
	chmod +x "$dir/zig.new/ziglang/zig"
	mv "$dir/zig.new" "$dir/zig"
}

# Source packages, by an apt configuration of its own: the machine's sources with deb-src in place of deb.
fetch_sources()
{
	[ ! -e "$dir/src/done" ] || return 0
	command -v dpkg-source >/dev/null || cannot "dpkg-source is not here (package dpkg-dev)"
	[ -e /etc/apt/sources.list.d/debian.sources ] || [ -s /etc/apt/sources.list ] ||
		cannot "this system has no Debian package sources"
	rm -rf "$dir/apt" "$dir/src"
	mkdir -p "$dir/apt/parts" "$dir/apt/lists/partial" "$dir/src"
	[ ! -e /etc/apt/sources.list.d/debian.sources ] ||
		sed 's/^Types: .*/Types: deb-src/' /etc/apt/sources.list.d/debian.sources >"$dir/apt/parts/src.sources"
	[ ! -s /etc/apt/sources.list ] ||
		sed -n 's/^deb /deb-src /p' /etc/apt/sources.list >"$dir/apt/parts/src.list"
	apt="apt-get -q -oDir::Etc::SourceList=/dev/null -oDir::Etc::SourceParts=$dir/apt/parts"
	apt="$apt -oDir::State::Lists=$dir/apt/lists"
	cd "$dir/src"
	$apt update >"$dir/apt.log" 2>&1 || cannot "apt-get update failed: $(tail -n 1 "$dir/apt.log")"
	for package in libxml2 zlib jansson sqlite3 check; do
		fetch_source "$package"
	done
	cd "$dir"
	touch "$dir/src/done"
}

# fetch_source PACKAGE: the newest version that the mirror has; an index may be ahead of its mirror by one
fetch_source()
{
	versions=$(apt-cache -oDir::Etc::SourceList=/dev/null -oDir::Etc::SourceParts="$dir/apt/parts" \
		-oDir::State::Lists="$dir/apt/lists" showsrc --only-source "$1" 2>>"$dir/apt.log" |
		sed -n 's/^Version: //p' | sort -rVu)
	newest=""
	for version in $versions; do
		rm -f "$1"_*
		if $apt source --download-only "$1=$version" >>"$dir/apt.log" 2>&1; then
			[ -z "$newest" ] || echo "dist-libs: $1 $newest cannot be fetched; built with $version" >&2
			return 0
		fi
		newest=${newest:-$version}
	done
	cannot "apt-get source $1 failed: $(tail -n 1 "$dir/apt.log")"
}

make_compiler()
{
	mkdir -p "$out/bin"
	for tool in cc ar ranlib; do
		words=$tool
		[ "$tool" != cc ] || words="cc -target $arch-linux-gnu.$glibc"
		printf '#!/bin/sh\nexec %s %s "$@"\n' "'$dir/zig/ziglang/zig'" "$words" >"$out/bin/$tool"
		chmod +x "$out/bin/$tool"
	done
}

# unpack PACKAGE: its sources with Debian's patches, in $work/PACKAGE
unpack()
{
	rm -rf "${work:?}/$1"
	quiet "$1" dpkg-source --no-check -x "$dir/src/$1"_*.dsc "$work/$1"
}

# with_cmake PACKAGE cmake-words...: build an unpacked package and install it into $out
with_cmake()
{
	package=$1
	shift
	[ ! -e "$out/$package.done" ] || return 0
	unpack "$package"
	quiet "$package" cmake -S "$work/$package" -B "$work/$package/out" -DCMAKE_SYSTEM_NAME=Linux \
		-DCMAKE_SYSTEM_PROCESSOR="$arch" -DCMAKE_C_COMPILER="$CC" -DCMAKE_AR="$AR" -DCMAKE_RANLIB="$RANLIB" \
		-DCMAKE_BUILD_TYPE=None -DCMAKE_INSTALL_PREFIX="$out" -DCMAKE_INSTALL_LIBDIR=lib \
		-DCMAKE_PREFIX_PATH="$out" \
		-DCMAKE_FIND_ROOT_PATH="$out" -DBUILD_SHARED_LIBS=OFF "$@"
	quiet "$package" cmake --build "$work/$package/out" -j"$jobs"
	quiet "$package" cmake --install "$work/$package/out"
	touch "$out/$package.done"
}

build_zlib()
{
	[ ! -e "$out/zlib.done" ] || return 0
	unpack zlib
	cd "$work/zlib"
	quiet zlib sh ./configure --static --prefix="$out" --libdir="$out/lib"
	quiet zlib make -j"$jobs" libz.a
	quiet zlib make install
	cd "$dir"
	touch "$out/zlib.done"
}

build_sqlite()
{
	[ ! -e "$out/sqlite3.done" ] || return 0
	unpack sqlite3
	cd "$work/sqlite3"
	# The amalgamation is made by programs that run here, so with this machine's own compiler.
	quiet sqlite3 env CC=cc ./configure --prefix="$out" --disable-shared --disable-tcl --disable-readline
	quiet sqlite3 make CC=cc sqlite3.c sqlite3.h
	# shellcheck disable=SC2086 # a list of flags
	quiet sqlite3 "$CC" $CFLAGS -DSQLITE_THREADSAFE=1 -DSQLITE_OMIT_LOAD_EXTENSION -c -o sqlite3.o sqlite3.c
	quiet sqlite3 "$AR" rcs "$out/lib/libsqlite3.a" sqlite3.o
	cp sqlite3.h "$out/include/"
	sed -e "s|@prefix@|$out|; s|@exec_prefix@|$out|; s|@libdir@|$out/lib|; s|@includedir@|$out/include|" \
		-e "s|@RELEASE@|$(cat VERSION)|; s|@LIBS@||" sqlite3.pc.in >"$out/lib/pkgconfig/sqlite3.pc"
	cd "$dir"
	touch "$out/sqlite3.done"
}

licenses()
{
	mkdir -p "$out/licenses"
	for package in check libxml2 zlib jansson sqlite3; do
		tar -xJOf "$dir/src/$package"_*.debian.tar.xz debian/copyright >"$out/licenses/$package"
	done
}

fetch_zig
fetch_sources
make_compiler
licenses
work=$dir/work-$arch
mkdir -p "$work"
CC=$out/bin/cc
AR=$out/bin/ar
RANLIB=$out/bin/ranlib
# No path of this machine in the objects; sections, so that what is not used is not linked.
CFLAGS="-O2 -g0 -fPIC -ffunction-sections -fdata-sections -ffile-prefix-map=$dir=dist"
CHOST=$arch-linux-gnu
export CC AR RANLIB CFLAGS CHOST
build_zlib
with_cmake jansson -DJANSSON_BUILD_DOCS=OFF -DJANSSON_WITHOUT_TESTS=ON -DJANSSON_EXAMPLES=OFF
with_cmake libxml2 -DLIBXML2_WITH_ICU=OFF -DLIBXML2_WITH_PYTHON=OFF -DLIBXML2_WITH_LZMA=OFF -DLIBXML2_WITH_HTTP=OFF \
	-DLIBXML2_WITH_FTP=OFF -DLIBXML2_WITH_TESTS=OFF -DLIBXML2_WITH_PROGRAMS=OFF
build_sqlite
with_cmake check -DCHECK_ENABLE_TESTS=OFF -DCHECK_ENABLE_SUBUNIT=OFF -DINSTALL_CHECKMK=OFF
rm -f "$out"/lib/libcheck.so*
echo "dist-libs: $arch: $out"
