# SPDX-License-Identifier: GPL-2.0-only
# What the scripts of this folder share; they run in a copy of the root "kernel".
set -euo pipefail
shopt -s inherit_errexit

top=$(cd "$(dirname "$0")/../.." && pwd)
bases=/srv/base
scratch=$(mktemp -d /var/tmp/test-XXXXXX)
said=$scratch/said
export SOURCE_DATE_EPOCH=1700000000
cases=0 failures=0

series=$(awk '$1 ~ /^[0-9]/ && $2 == "run" { print $1 }' "$top/kmod/kernels" | sort -V | tail -n 1)
version=$("$top/kmod/version")
headers=$(readlink -f "/usr/src/arm64-$series")
kernel=${headers#/usr/src/linux-headers-}

# behaves NAME COMMAND...: a case of the test. The command, mostly a function, runs in a shell
# of its own that ends at the first failure.
behaves() {
	local name=$1 status
	shift
	cases=$((cases + 1))
	set +e
	: >"$scratch/log"
	(BASH_XTRACEFD=7; set -ex; "$@") >>"$scratch/log" 2>&1 7>>"$scratch/log"
	status=$?
	set -e
	if [ $status = 0 ]; then
		echo "ok $cases - $name"
	else
		echo "not ok $cases - $name"
		failures=$((failures + 1))
		tail -n 60 "$scratch/log" | sed 's/^/# /'
	fi
}

finish() {
	echo "1..$cases"
	[ "$failures" = 0 ]
}

# gives STATUS COMMAND...: the command ends with that status. Its output is kept for `says`.
gives() {
	local want=$1 got=0
	shift
	"$@" >"$said" 2>&1 || got=$?
	cat "$said"
	[ "$got" = "$want" ] || { echo "status $got instead of $want"; return 1; }
}

# A name as a pattern that matches it alone: releases have a plus in them.
literal() { sed 's/[][\\.*^$+?(){}|]/\\&/g' <<<"$1"; }
says() { grep -qE -- "$1" "$said"; }
silent_about() { ! grep -qE -- "$1" "$said"; }
same() { cmp "$1" "$2"; }

# tree VERSION: the source of the package as /usr/src has it once it is installed.
tree() {
	rm -rf "/usr/src/rocket-npu-$1"
	BASES=$bases "$top/kmod/source-tree" "/usr/src/rocket-npu-$1"
	sed -i "s/^PACKAGE_VERSION=.*/PACKAGE_VERSION=\"$1\"/" "/usr/src/rocket-npu-$1/dkms.conf"
}

# This is an amd64 machine that builds as an arm64 one would.
pretend_arm64() {
	cat >/usr/local/bin/uname <<-END
	#!/bin/sh
	case "\$*" in
	-m) echo aarch64 ;;
	-r) echo "\${RUNNING_KERNEL:-$kernel}" ;;
	*) exec /usr/bin/uname "\$@" ;;
	esac
	END
	chmod +x /usr/local/bin/uname
	ln -sf /usr/bin/aarch64-linux-gnu-strip /usr/local/bin/strip
	touch "/lib/modules/$kernel/modules.order" "/lib/modules/$kernel/modules.builtin"
}
