#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/toolkits.sh [--parts PART,...] [--machine ARCH] [--into DIR] RELEASE... - fetch parts of CUDA releases with pip.
#
#   RELEASE   12.4 (its newest update), or one update, 12.6.2; from 11.8 on
#   --parts   nvcc,cudart,nvrtc,cupti when not given; cuobjdump and nvdisasm exist from 13.2 on
#   --machine x86_64 or aarch64, into DIR/RELEASE-ARCH/; not given: this machine's, into DIR/RELEASE/
#   --into    build/toolkits when not given
#
# DIR/RELEASE/ becomes what CUDA_HOME may name: bin/, include/, lib/, nvvm/ of all packages merged. The packages of
# a release are those that the package cuda-toolkit pins for it; DIR/RELEASE/packages lists them with their versions.
# Parts that are there already are not fetched again. Status 77 and the reason when pip is not here.
#
# Downloads 10 MB (cudart, cupti) to 200 MB a release. make never runs this on its own; `make check-toolkits` does.
set -eu

usage()
{
	echo "usage: $0 [--parts nvcc,cudart,nvrtc,cupti] [--machine x86_64|aarch64] [--into DIR] RELEASE..." >&2
	exit 3
}

parts=nvcc,cudart,nvrtc,cupti
into=build/toolkits
machine=""
while [ $# -gt 0 ]; do
	case $1 in
	--parts)
		[ $# -ge 2 ] || usage
		parts=$2
		shift 2
		;;
	--machine)
		[ $# -ge 2 ] || usage
		machine=$2
		case $machine in
		x86_64 | aarch64) ;;
		*) usage ;;
		esac
		shift 2
		;;
	--into)
		[ $# -ge 2 ] || usage
		into=$2
		shift 2
		;;
	-*) usage ;;
	*) break ;;
	esac
done
[ $# -gt 0 ] || usage
for release; do
	case $release in
	*[!0-9.]* | .* | *. | *..*) usage ;;
	[0-9]*.[0-9]*) ;;
	*) usage ;;
	esac
done
python=$(command -v python3 || true)
if [ -z "$python" ] || ! "$python" -m pip --version >/dev/null 2>&1; then
	echo "toolkits: pip is not here (python3 -m pip), so no CUDA release can be fetched" >&2
	exit 77
fi

work=""
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# missing_parts DIR: of $parts, those that DIR does not have yet, comma-separated
missing_parts()
{
	echo "$parts" | tr ',' '\n' | while read -r part; do
		[ -z "$part" ] || grep -qx "part $part" "$1/packages" 2>/dev/null || printf '%s%s' "$part" ,
	done | sed 's/,$//'
}

# merge WHEEL INTO: the folders below nvidia/ in it, of 12.x one a package and of 13.x cu13, into INTO
merge()
{
	rm -rf "$work/wheel"
	"$python" -m zipfile -e "$1" "$work/wheel"
	for folder in "$work"/wheel/nvidia/*/; do
		[ ! -d "$folder" ] || cp -R "$folder." "$2/"
	done
}

fetch()
{
	release=$1
	wanted=$2
	dir=$into/$release${machine:+-$machine}
	platforms=""
	for libc in ${machine:+manylinux2014 manylinux_2_17 manylinux_2_25 manylinux_2_27 manylinux_2_28}; do
		platforms="$platforms --platform ${libc}_$machine"
	done
	case $release in
	*.*.*) pin=$release ;;
	*) pin="$release.*" ;;
	esac
	work=$(mktemp -d "$into/.fetch-XXXXXX")
	# shellcheck disable=SC2086 # a list of options
	if ! "$python" -m pip --disable-pip-version-check --quiet --retries 2 --timeout 20 download \
		--only-binary=:all: $platforms --dest "$work/wheels" \
		"cuda-toolkit[$wanted]==$pin" >"$work/log" 2>&1; then
		cat "$work/log" >&2
		echo "toolkits: pip cannot fetch $wanted of CUDA $release (its words are above)" >&2
		exit 1
	fi
	mkdir -p "$work/home"
	[ ! -d "$dir" ] || cp -R "$dir/." "$work/home/"
	for wheel in "$work"/wheels/nvidia_*.whl; do
		[ -f "$wheel" ] || {
			echo "toolkits: CUDA $release has no $wanted; cuobjdump and nvdisasm exist from 13.2 on" >&2
			exit 1
		}
		merge "$wheel" "$work/home"
		file=${wheel##*/}
		file=${file#nvidia_}
		version=${file#*-}
		echo "package ${file%%-*} ${version%%-*}" >>"$work/home/packages"
	done
	echo "$wanted" | tr ',' '\n' | sed 's/^/part /' >>"$work/home/packages"
	sort -u -o "$work/home/packages" "$work/home/packages"
	# Wheels keep no permissions in what python's zipfile writes; and what nvcc runs lies in nvvm/bin.
	for program in "$work"/home/bin/* "$work"/home/nvvm/bin/*; do
		[ ! -f "$program" ] || chmod +x "$program"
	done
	rm -rf "$dir"
	mv "$work/home" "$dir"
	rm -rf "$work"
	work=""
}

mkdir -p "$into"
for release; do
	lacks=$(missing_parts "$into/$release${machine:+-$machine}")
	[ -z "$lacks" ] || fetch "$release" "$lacks"
	echo "$into/$release${machine:+-$machine}"
done
