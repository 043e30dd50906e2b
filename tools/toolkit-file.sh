#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/toolkit-file.sh DIR NAME VALUE... - write DIR/toolkit: what made the kernel images in DIR.
#
#   release 13.0          one NAME VALUE a line, as given, and then
#   image HASH  NAME      SHA-256 of each image, so that images of another build are noticed
#
# bankcheck reports the release, the route and the versions with every run (harness/device/images.h).
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
	(cd "$dir" && sha256sum -- *.fatbin) | sed 's/^/image /'
} >"$dir/toolkit.new"
mv -f "$dir/toolkit.new" "$dir/toolkit"
