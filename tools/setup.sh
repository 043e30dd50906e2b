#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/setup.sh GROUP... - see that the tools and libraries of each group are here; install what is missing.
#
# Groups: build (compiler, pkg-config, Check, libxml2, zlib, jansson, SQLite), check (what the tests need beside),
# browser, clang, lint, dist (tarballs), elsewhere (what tries them in other systems), deb.
# Installs with apt-get when it may (root, or sudo without a password). When it may not, or when SETUP=check is
# set, it stops with status 1 and prints the one command to type. Prints nothing when everything is here.
set -eu

cc=${CC:-cc}
missing=""  # Debian and Ubuntu package names
lacking=""  # the same in words, for other systems
clang_wanted=no

# lack PACKAGE WORDS...: note what is not here, once
lack()
{
	case " $missing " in
	*" $1 "*) return 0 ;;
	esac
	missing="${missing:+$missing }$1"
	shift
	lacking="${lacking:+$lacking, }$*"
}

have()
{
	command -v "$1" >/dev/null 2>&1
}

# has_header HEADER: the preprocessor finds it
has_header()
{
	echo "#include <$1>" | "$cc" -E -o /dev/null - >/dev/null 2>&1
}

look_build()
{
	if ! have "$cc"; then
		case $cc in
		*clang*) lack clang "the compiler '$cc'" ;;
		*) lack gcc "the compiler '$cc'" ;;
		esac
		lack libc6-dev "the C library's headers"
	elif ! has_header stdlib.h; then
		lack libc6-dev "the C library's headers"
	fi
	have pkg-config || lack pkg-config pkg-config
	if ! have pkg-config || ! pkg-config --exists check; then
		lack check "Check (the unit test framework, with its header)"
	fi
	if ! have pkg-config || ! pkg-config --exists libxml-2.0; then
		lack libxml2-dev "libxml2 (with its headers)"
	fi
	if ! have pkg-config || ! pkg-config --exists jansson; then
		lack libjansson-dev "jansson (with its headers)"
	fi
	if ! have pkg-config || ! pkg-config --exists sqlite3; then
		lack libsqlite3-dev "SQLite (with its headers)"
	fi
	if ! have pkg-config || ! pkg-config --exists zlib; then
		lack zlib1g-dev "zlib (with its headers)"
	fi
}

# The JUnit tests build a de_DE locale with localedef from its source text.
look_check()
{
	have localedef || lack libc-bin localedef
	[ -e /usr/share/i18n/locales/de_DE ] || [ -e /usr/share/i18n/locales/de_DE.gz ] ||
		lack locales "the source of the de_DE locale"
}

look_clang()
{
	clang_wanted=yes
	have clang || lack clang clang
}

# Any that harness/tests/html/browser.c finds will do; Debian's is installed.
look_browser()
{
	have chromium || have chromium-browser || have google-chrome ||
		lack chromium "Chromium (which opens the HTML page without a window)"
}

look_lint()
{
	have clang-tidy || lack clang-tidy clang-tidy
	have cppcheck || lack cppcheck cppcheck
	have shellcheck || lack shellcheck shellcheck
}

# The compiler and the CUDA packages come with pip, the libraries as Debian's source packages.
look_dist()
{
	have pip3 || lack python3-pip pip3
	have dpkg-source || lack dpkg-dev dpkg-source
	have cmake || lack cmake cmake
	have xz || lack xz-utils xz
}

look_elsewhere()
{
	have debootstrap || lack debootstrap debootstrap
	have readelf || lack binutils readelf
	[ "$(uname -m)" = aarch64 ] || {
		[ -x /usr/bin/qemu-aarch64-static ] || lack qemu-user-static "qemu for 64-bit Arm programs"
		have aarch64-linux-gnu-gcc || lack gcc-aarch64-linux-gnu "a compiler for 64-bit Arm"
		[ -e /usr/aarch64-linux-gnu/include/stdio.h ] ||
			lack libc6-dev-arm64-cross "the C library for 64-bit Arm, with its headers"
	}
}

look_deb()
{
	have dpkg-deb || lack dpkg dpkg-deb
	have lintian || lack lintian lintian
}

# Newer Debian and Ubuntu keep the sanitizers' and libFuzzer's libraries in a package of the compiler's version.
look_clang_runtime()
{
	if echo 'int main(void){return 0;}' |
		clang -x c -fsanitize=address,undefined -o /dev/null - >/dev/null 2>&1; then
		return 0
	fi
	major=$(clang -dumpversion | cut -d. -f1)
	lack "libclang-rt-$major-dev" "clang's sanitizer and fuzzer libraries"
}

apt_install()
{
	# shellcheck disable=SC2086 # a list of package names
	$as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -y --no-install-recommends \
		install $missing </dev/null
}

# Package lists may be absent (a fresh container) or stale: then update and try once more.
install_missing()
{
	as_root=""
	can=no
	if [ "${SETUP:-install}" = install ] && have apt-get; then
		if [ "$(id -u)" -eq 0 ]; then
			can=yes
		elif have sudo && sudo -n true >/dev/null 2>&1; then
			can=yes
			as_root="sudo -n"
		fi
	fi
	if [ "$can" = no ]; then
		echo "setup: not on this machine: $lacking." >&2
		if have apt-get || [ -e /etc/debian_version ]; then
			echo "setup: to install it, type:" >&2
			if [ "$(id -u)" -eq 0 ]; then
				echo "    apt-get update && apt-get install -y $missing" >&2
			else
				echo "    sudo sh -c 'apt-get update && apt-get install -y $missing'" >&2
			fi
		else
			echo "setup: install it with this system's package manager" \
				"(on Debian: apt-get install $missing)" >&2
		fi
		exit 1
	fi
	echo "setup: not on this machine: $lacking; installing with apt-get: $missing" >&2
	log=$(mktemp)
	if ! apt_install >"$log" 2>&1; then
		if ! {
			$as_root apt-get -o DPkg::Lock::Timeout=300 update </dev/null && apt_install
		} >"$log" 2>&1; then
			cat "$log" >&2
			rm -f "$log"
			echo "setup: apt-get could not install: $missing (its output is above)" >&2
			exit 1
		fi
	fi
	rm -f "$log"
	missing=""
	lacking=""
}

[ $# -gt 0 ] || {
	echo "usage: $0 build|check|browser|clang|lint|dist|elsewhere|deb..." >&2
	exit 3
}
for group; do
	case $group in
	build | check | browser | clang | lint | dist | elsewhere | deb) "look_$group" ;;
	*)
		echo "$0: unknown group '$group' (build, check, browser, clang, lint, dist, elsewhere, deb)" >&2
		exit 3
		;;
	esac
done
[ -z "$missing" ] || install_missing
if [ "$clang_wanted" = yes ]; then
	look_clang_runtime
	[ -z "$missing" ] || install_missing
fi
# What was installed must now be found, or a later step would fail with a worse message.
for group; do
	"look_$group"
done
if [ -n "$missing" ]; then
	echo "setup: still not found: $lacking (packages: $missing)" >&2
	exit 1
fi
