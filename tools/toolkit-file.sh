#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/toolkit-file.sh DIR NAME VALUE... - write DIR/toolkit: what made the kernel images in DIR.
#
#   release 13.0          one NAME VALUE a line, as given, and then
#   images HASH           SHA-256 of the list of the images' SHA-256: other images, another hash
#
# bankcheck reports the release, the route and the hash with every run.
set -eu

[ $# -ge 3 ] || {
	echo "usage: $0 DIR NAME VALUE..." >&2
	exit 3
}
dir=$1
shift
{
	while [ $# -ge 2 ]; do
		echo "$1 $2"
		shift 2
	done
	hash=$(cd "$dir" && LC_ALL=C && export LC_ALL && sha256sum -- *.fatbin | sha256sum)
	echo "images ${hash%% *}"
} >"$dir/toolkit.new"
mv -f "$dir/toolkit.new" "$dir/toolkit"
