# SPDX-License-Identifier: LGPL-2.1-or-later
# tool.sh - running the rocket command in tests.
. "$top_srcdir/tests/install/tap.sh"

[ "$cross_compiling" != yes ] || skip_all "the command is run natively only"

rocket=$builddir/rocket
[ -x "$rocket" ] || {
	echo "Bail out! $rocket is not built"
	exit 99
}
python=${PYTHON:-python3}
version=$(sed -n 's/^#define PACKAGE_VERSION "\(.*\)"/\1/p' "$builddir/config.h")
golden=${ROCKET_GOLDEN:-$srcdir/../shared/golden}

# Nothing of the caller's settings.
for name in $(env | sed -n 's/^\(ROCKET_[A-Z0-9_]*\)=.*/\1/p'); do
	[ "$name" = ROCKET_GOLDEN ] || unset "$name"
done

# exits NAME CODE TEXT COMMAND...: the exit code is CODE and the output has TEXT.
exits() {
	name=$1 code=$2 text=$3
	shift 3
	"$@" >"$work/out" 2>&1 </dev/null
	got=$?
	if [ $got != "$code" ]; then
		echo "# exit code $got, not $code: $*"
	elif ! grep -qF -e "$text" "$work/out"; then
		echo "# does not say: $text"
	else
		pass "$name"
		return
	fi
	tail -n 20 "$work/out" | sed 's/^/# /'
	fail "$name"
}

# json NAME CODE EXPRESSION COMMAND...: standard output is one JSON value j for which the
# Python expression holds.
json() {
	name=$1 code=$2 expression=$3
	shift 3
	"$@" >"$work/json" 2>"$work/err" </dev/null
	got=$?
	if [ $got != "$code" ]; then
		echo "# exit code $got, not $code: $*"
		sed 's/^/# /' "$work/err"
		fail "$name"
	else
		succeeds "$name" "$python" -c \
			'import json, sys; j = json.load(open(sys.argv[1])); assert eval(sys.argv[2]), j' \
			"$work/json" "$expression"
	fi
}
