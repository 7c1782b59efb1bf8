# SPDX-License-Identifier: LGPL-2.1-or-later
# tap.sh - a TAP writer for the shell tests here, and what this build was configured with.
. "$top_builddir/tests/install/config.sh"

srcdir=$(cd "$top_srcdir" && pwd)
builddir=$(cd "$top_builddir" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/rocketnpu-test.XXXXXX")
trap 'rm -rf "$work"' EXIT
tap_case=0

# pass NAME, fail NAME, skip NAME REASON
pass() {
	tap_case=$((tap_case + 1))
	echo "ok $tap_case - $1"
}

fail() {
	tap_case=$((tap_case + 1))
	echo "not ok $tap_case - $1"
}

skip() {
	tap_case=$((tap_case + 1))
	echo "ok $tap_case - $1 # SKIP $2"
}

# succeeds NAME COMMAND...: a case that passes when the command does; its output is shown
# when it does not.
succeeds() {
	tap_name=$1
	shift
	if "$@" >"$work/out" 2>&1; then
		pass "$tap_name"
	else
		sed 's/^/# /' "$work/out"
		fail "$tap_name"
	fi
}

# refuses NAME TEXT COMMAND...: the command fails and says TEXT.
refuses() {
	tap_name=$1 tap_text=$2
	shift 2
	if "$@" >"$work/out" 2>&1; then
		echo "# succeeded: $*"
		fail "$tap_name"
	elif grep -qF -e "$tap_text" "$work/out"; then
		pass "$tap_name"
	else
		tail -n 20 "$work/out" | sed 's/^/# /'
		echo "# does not say: $tap_text"
		fail "$tap_name"
	fi
}

skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}

plan() {
	echo "1..$tap_case"
}
