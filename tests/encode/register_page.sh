#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The committed reference page is what the generator makes of the register table, and
# the generator refuses tables that contradict themselves.
src=${top_srcdir:-.}
table=$src/regs/rk3588.csv
: "${PYTHON:=python3}"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
n=0

verdict() { # status name
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi
}

refused() { # sed-script, words of the message, name
	sed "$1" "$table" > "$tmp/rk3588.csv"
	if "$PYTHON" "$src/regs/generate.py" header "$tmp/rk3588.csv" > "$tmp/out" 2> "$tmp/err"; then
		verdict 1 "$3"
	else
		grep -q "$2" "$tmp/err"
		verdict $? "$3"
	fi
}

echo 1..5
"$PYTHON" "$src/regs/generate.py" page "$table" > "$tmp/page"
diff "$tmp/page" "$src/docs/registers-rk3588.md" | sed 's/^/# /' | head -20
cmp -s "$tmp/page" "$src/docs/registers-rk3588.md"
verdict $? "reference page is made from the table (make update-register-page)"
refused 's/,FEATURE_GRAINS,13,4,/,FEATURE_GRAINS,14,4,/' 'overlaps a neighbour' \
	"overlapping fields are refused"
refused 's/,FEATURE_GRAINS,13,4,/,FEATURE_GRAINS,12,4,/' 'bits 0x2000 missing' \
	"missing bits are refused"
refused 's/^CNA,0x1000,CONV_CON2,0x1010,/CNA,0x1000,CONV_CON2,0x2010,/' 'does not belong here' \
	"a register outside its block is refused"
refused 's/,FEATURE_GRAINS,13,4,RW,uint,/,FEATURE_GRAINS,13,4,RW,float,/' 'is unknown' \
	"an unknown encoding is refused"
