#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The environment: every variable that the library reads is in the manual and has a test, and
# the manual has no other; what the switches print.
. "$top_srcdir/tests/tool/tool.sh"

page=$srcdir/docs/rocket.1
names() {
	grep -ohE 'ROCKET_[A-Z0-9_]*[A-Z0-9]' "$@" | LC_ALL=C sort -u
}
grep -ohE '"ROCKET_[A-Z0-9_]+"' "$srcdir/lib/core/settings.c" "$srcdir"/sim/dev/device.c "$srcdir"/sim/dev/rknpu/device.c |
	tr -d '"' | LC_ALL=C sort -u >"$work/read"
sed -n '/^\.SH ENVIRONMENT/,/^\.SH FILES/p' "$page" >"$work/page"
names "$work/page" >"$work/documented"

succeeds the_source_reads_some test -s "$work/read"
succeeds the_manual_has_what_is_read diff -u "$work/read" "$work/documented"
succeeds only_settings_reads_it sh -c "! grep -l 'getenv(' '$srcdir'/lib/*/*.c '$srcdir'/providers/*/*.c | grep -v /settings.c"
while read -r name; do
	succeeds "${name}_has_a_test" grep -rqw "$name" "$srcdir/tests/device" "$srcdir/tests/matmul" \
		"$srcdir/tests/model" "$srcdir/tests/tool/device.sh" "$srcdir/tests/tool/environment.sh"
done <"$work/read"

if [ "$enable_sim" != no ]; then
	export ROCKET_DEVICE="${TEST_DEVICE:-sim}"
	# Weights are kept where M has more tiles than N, features where it has not.
	reuse() {
		name=$1 text=$2
		shift 2
		ROCKET_REUSE_DEBUG=1 ROCKET_LOG_LEVEL=info exits "reuse_debug_says_$name" 0 "$text" \
			"$rocket" matmul "$@"
	}
	export ROCKET_MM_STREAM=0
	reuse weights "512x64x64 in tiles of 256x64x64: weights stay on chip" 512 64 64
	reuse features "64x64x512 in tiles of 64x64x256: features stay on chip" 64 64 512
	ROCKET_KACC=0 reuse nothing "64x64x512 in tiles of 64x64x256: no operand stays on chip" 64 64 512
	reuse features_of_rows "512x64x64 in tiles of 256x64x64: features stay on chip" \
		--form rows 512 64 64
	exits reuse_is_silent_otherwise 0 "wall time" "$rocket" matmul 64 64 512
	cp "$work/out" "$work/quiet"
	succeeds reuse_is_not_said sh -c "! grep -q 'on chip' '$work/quiet'"

	ROCKET_MM_PROFILE=1 exits profile_is_printed_at_exit 0 "matmul profile: 3 calls" \
		"$rocket" matmul --repeat 3 64 256 128
	cp "$work/out" "$work/profile"
	for phase in prepare pack encode submit wait unpack; do
		succeeds "profile_has_$phase" grep -qE "matmul profile: $phase +[0-9.]+ ms" "$work/profile"
	done
	exits profile_is_silent_otherwise 0 "wall time" "$rocket" matmul 64 256 128
	cp "$work/out" "$work/quiet"
	succeeds profile_is_not_printed sh -c "! grep -q profile '$work/quiet'"
fi
plan
