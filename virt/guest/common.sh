# SPDX-License-Identifier: LGPL-2.1-or-later
# What the scripts of the virtual board's guest share. Sourced, with $me set to the script's name.
#
# VIRT_CACHE= is where everything is kept (default: .cache/virt of this tree), CACHE= where the
# Debian 13 roots are (default: .cache/roots; packaging/root). Every folder in the cache is named
# by a hash of what it was made from, and appears under that name only when it is whole.
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cache=${VIRT_CACHE:-$top/.cache/virt}
export VIRT_CACHE=$cache CACHE=${CACHE:-$top/.cache/roots} LC_ALL=C
root=$CACHE/kernel

die() { echo "$me: $*" >&2; exit 1; }
log() { echo "$me: $*" >&2; }

# The newest kernel series that the package is for.
series=$(awk '$1 ~ /^[0-9]/ && $2 == "run" { print $1 }' "$top/kmod/kernels" | sort -V | tail -n 1)
suite=trixie

as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	else
		sudo -n "$@" || die "needs root once, to make what is then cached: $*"
	fi
}

# The cross compiler's prefix; none where this is the machine.
cross=aarch64-linux-gnu-
[ "$(uname -m)" != aarch64 ] || cross=
command -v "${cross}gcc" >/dev/null || die "there is no ${cross}gcc: install gcc-aarch64-linux-gnu"

hash_of() { sha256sum | cut -c 1-16; }

# The names and contents of files and folders.
contents() { find "$@" -type f -print0 | sort -z | xargs -0r sha256sum; }

# Keep the newest few of a kind, so that a cache does not grow for ever.
prune() {
	local old
	find "$cache" -mindepth 1 -maxdepth 1 -type d -name "$1-????????????????" -printf '%T@ %p\n' |
		sort -rn | tail -n "+$(($2 + 1))" | cut -d ' ' -f 2- |
		while IFS= read -r old; do rm -rf "$old"; done
}

# One maker at a time; what waits finds it made.
locked() {
	mkdir -p "$cache"
	exec 9>"$cache/$1.lock"
	flock 9
}
