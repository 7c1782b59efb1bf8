#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Does each test that the table of patches names exist? TAP on stdout; the programs list theirs.
set -eu
table=${srcdir:-.}/patches/README.md # make check sets srcdir
programs=${SELFTEST_PROGRAMS:-selftests}
number=0
failed=0

verdict() {
	number=$((number + 1))
	[ "$1" -eq 0 ] && echo "ok $number $2" && return
	failed=1
	echo "not ok $number $2"
}

# Lines of "patch program name" from cells of "program: name, name [k]; program: name".
named() {
	awk -F'|' '/^\| 0[0-9][0-9][0-9] / {
		patch = $2; gsub(/ /, "", patch)
		n = split($(NF - 1), groups, ";")
		for (i = 1; i <= n; i++) {
			group = groups[i]
			gsub(/\([^)]*\)|\[[a-z]\]/, "", group)
			if (split(group, halves, ":") < 2) {
				if (groups[i] !~ /^ *\(.*\) *$/) print patch, "-", "-"
				continue
			}
			gsub(/ /, "", halves[1])
			m = split(halves[2], names, ",")
			for (k = 1; k <= m; k++) { gsub(/ /, "", names[k]); print patch, halves[1], names[k] }
		}
	}' "$table"
}

list=$(named)
echo "1..$(echo "$list" | wc -l)"
while read -r patch program name; do
	status=0
	[ "$program" != - ] && "$programs/$program" --list | grep -qx "$name" || status=1
	verdict $status "patch_${patch}_${program}_$name"
done <<END
$list
END
exit $failed
