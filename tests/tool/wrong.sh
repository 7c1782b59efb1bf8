#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# One wrong element is found, placed, and decides the exit code. The binary here is the
# command with flip.c between it and the library.
. "$top_srcdir/tests/tool/tool.sh"

[ "$enable_sim" != no ] || skip_all "configured with --disable-sim"
export ROCKET_DEVICE="${TEST_DEVICE:-sim}"
flip=$builddir/tests/tool/rocket-flip

for dtype in fp16 fp16-f32 bf16 tf32 int16 int8 int4; do
	exits "${dtype}_wrong_element_is_reported" 1 "WRONG: 1 of 8,192 elements" \
		"$flip" matmul --check --dtype $dtype 64 256 128
	exits "${dtype}_wrong_element_is_placed" 1 "C[63][127] = " \
		"$flip" matmul --check --dtype $dtype 64 256 128
	json "${dtype}_wrong_element_as_json" 1 \
		"not j['check']['right'] and j['check']['wrong'] == 1 and j['check']['first_wrong']['m'] == 63 and j['check']['first_wrong']['n'] == 127 and j['check']['largest_error'] > j['check']['bound']" \
		"$flip" matmul --check --json --dtype $dtype 64 256 128
	exits "${dtype}_unchecked_is_not_called_right" 0 "wall time" \
		"$flip" matmul --dtype $dtype 64 256 128
done
exits demo_with_wrong_elements_fails 1 "WRONG" "$flip" demo
json demo_with_wrong_elements_as_json 1 "not j['right'] and all(p['wrong'] == 1 for p in j['products'])" \
	"$flip" demo --json
plan
