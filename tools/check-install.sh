#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/check-install.sh FOLDER - `make install` below FOLDER, which is made anew: is all there that the program and its
# messages name, does it run from there, and does `make uninstall` leave nothing? Kernel images are left out.
set -eu

[ $# -eq 1 ] || {
	echo "usage: $0 FOLDER" >&2
	exit 3
}
flags=${MAKEFLAGS:-}
flags=${flags%% *}
# make -n runs what holds the word $(MAKE), so this too.
case $flags in --* | *=*) ;; *n*) exit 0 ;; esac
root=$1
top=$(cd "$(dirname "$0")/.." && pwd)
share=$root/usr/share
installer()
{
	${MAKE:-make} -s -C "$top" "$1" NVCC= SETUP=none DESTDIR="$root" PREFIX=/usr >"$root.log" 2>&1 || {
		cat "$root.log" >&2
		bad "make $1 failed"
	}
}

bad()
{
	echo "check-install: $1" >&2
	exit 1
}

rm -rf "$root"
installer install
for file in man/man1/bankcheck.1 bash-completion/completions/bankcheck zsh/site-functions/_bankcheck \
	bankcheck/expected/common/stride.txt; do
	[ -s "$share/$file" ] || bad "no share/$file"
done
# The pages that messages and README.md name.
for page in $(cd "$top" && grep -hro 'docs/[a-z-]*\.md' harness/*/*.c harness/device/*/*.c suites README.md |
	sort -u); do
	[ -s "$share/doc/bankcheck/$page" ] || bad "no share/doc/bankcheck/$page"
done
(cd "$root" && usr/bin/bankcheck run --device reference --filter stride/ld_b32/2 -q --reports reports) ||
	bad "the installed program ended with status $?"
rm -rf "$root/reports"
if command -v bash >/dev/null; then
	bash -n "$share/bash-completion/completions/bankcheck" || bad "bash does not take its completion"
fi
if command -v zsh >/dev/null; then
	zsh -n "$share/zsh/site-functions/_bankcheck" || bad "zsh does not take its completion"
fi
installer uninstall
left=$(find "$root" -type f)
[ -z "$left" ] || bad "make uninstall leaves $left"
rm -rf "$root" "$root.log"
echo "install: what messages name is installed and runs; uninstall leaves nothing"
