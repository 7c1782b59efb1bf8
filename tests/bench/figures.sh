#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The benchmarks that no other script runs: their figures are there and agree, misuse is refused.
. "$top_srcdir/tests/tool/tool.sh"

bench=$builddir/bench

# figures NAME EXPRESSION COMMAND...: as json(), with near(a, b): alike to what is printed of them
figures() {
	figures_name=$1 figures_of=$2
	shift 2
	json "$figures_name" 0 "(lambda near: $figures_of)(lambda a, b: abs(a - b) <= 0.01 * abs(b))" "$@"
}

figures host_times_agree \
	"[(h['type'], h['M'], h['K'], h['N'], h['device'], h['tasks']) for h in j] == [('fp16', 4, 32, 16, 'null', 1), ('int8', 64, 64, 32, 'null', 1)] and all(h['calls'] > 0 and h['host_us'] > 0 and h['cpu_us'] > 0 and h['memcpy_us'] > 0 for h in j) and j[0]['operand_bytes'] == 2 * (4 * 32 + 16 * 32)" \
	"$bench/matmul_host" --json --repeat 3 fp16 4 32 16 int8 64 64 32
exits host_times_as_a_table 0 "microseconds, medians" "$bench/matmul_host" --repeat 1 fp16 4 32 16
exits shape_that_is_refused_fails 1 "K is not a multiple of 32" "$bench/matmul_host" --repeat 1 fp16 4 33 16
figures layouts_have_their_memcpy \
	"{k['layout'] for k in j} >= {'pack A, fp16', 'pack B, fp16', 'de-tile C, fp16'} and all(k['bytes'] > 0 and k['gb_per_s'] > 0 and k['memcpy_gb_per_s'] > 0 for k in j) and 'portable' in {k['kernels'] for k in j}" \
	"$bench/layout_speed" --json --repeat 1
if [ "$enable_sim" != no ]; then
	figures plans_agree \
		"all(p['tasks'] >= p['kicks'] >= p['submits'] > 0 and p['read_bytes'] > 0 and p['write_bytes'] > 0 and p['mhz'] == 408 and p['published_gops'] is None and near(p['estimated_set_m_gops'], 2e-3 * p['M'] * p['K'] * p['N'] / p['estimated_set_m_us']) and near(p['estimated_set_v_gops'], 2e-3 * p['M'] * p['K'] * p['N'] / p['estimated_set_v_us']) for p in j)" \
		"$bench/matmul_plans" --json --mhz 408
	figures plans_stand_beside_published_figures \
		"{(p['dtype'], p['workers'], p['published_gops']) for p in j if p['published_gops']} == {('fp16', 5, 461), ('int8', 5, 386), ('int4', 5, 413)} and all((p['M'], p['K'], p['N']) == (512, 3840, 4096) for p in j if p['published_gops'])" \
		"$bench/matmul_plans" --json
	exits plans_as_a_table 0 "ESTIMATES at 816 MHz, not measurements" "$bench/matmul_plans"
	for wrong in "--mhz 0" "--mhz nan" "--mhz 816x" "--mhz 1e9" "stray" "--frobnicate"; do
		exits "plans_misuse_$(echo "$wrong" | tr -c 'a-z0-9\n' _)" 2 "usage: matmul_plans" "$bench/matmul_plans" $wrong
	done
	exits model_speed_misuse 2 "usage: model_speed" "$bench/model_speed" stray
fi
for wrong in "--repeat 0" "--repeat -1" "--repeat 3x" "--repeat 99999999999" "--frobnicate" "fp16 4 32" \
	"none 4 32 16" "fp16 4x 32 16" "fp16 4 32 0" "fp16 4 32 99999999999"; do
	exits "host_misuse_$(echo "$wrong" | tr -c 'a-z0-9\n' _)" 2 "usage: matmul_host" "$bench/matmul_host" $wrong
done
for wrong in "--repeat 0" "--repeat 3x" "--repeat 99999999999" "stray"; do
	exits "layout_misuse_$(echo "$wrong" | tr -c 'a-z0-9\n' _)" 2 "usage: layout_speed" "$bench/layout_speed" $wrong
done
if [ -w /dev/full ]; then
	exits output_that_is_lost_fails 1 "cannot write the output" sh -c "'$bench/matmul_host' --repeat 1 fp16 4 32 16 >/dev/full"
else
	skip output_that_is_lost_fails "no /dev/full"
fi
plan
