# SPDX-License-Identifier: LGPL-2.1-or-later
# Sourced by the scenarios: TAP of commands that succeed, and apt without questions; $debs are
# the packages of this architecture in the folder $packages.
log=$(mktemp)
mapfile -t debs < <(printf '%s\n' "$packages"/*_{"$(dpkg --print-architecture)",all}.deb | grep -v -- -dbgsym_)
n=0 failed=0
echo "TAP version 13"

# succeeds NAME COMMAND...: status 77 is a skip, for which the last line is the reason.
succeeds() {
	local name=$1 status=0 start=$SECONDS
	shift
	n=$((n + 1))
	"$@" >"$log" 2>&1 </dev/null || status=$?
	case $status in
	0) echo "ok $n - $name" ;;
	77) echo "ok $n - $name # SKIP $(tail -n 1 "$log")" ;;
	*)
		echo "not ok $n - $name"
		failed=$((failed + 1))
		tail -n 60 "$log" | sed 's/^/# /'
		;;
	esac
	[ $((SECONDS - start)) -lt 5 ] || echo "# $((SECONDS - start)) s"
}

finish() {
	echo "1..$n"
	[ $failed = 0 ]
}

apt() { apt-get -qy -o Dpkg::Use-Pty=0 --no-install-recommends "$@"; }

# tests TREE NAME...: tests of debian/tests, on what is installed.
tests() {
	local tree=$1 t
	shift
	for t in "$@"; do
		succeeds "test $t" env AUTOPKGTEST_TMP="$(mktemp -d)" "$tree/debian/tests/$t"
	done
}
