#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# core_scaling on both simulated devices: what it prints, what it checks, what it exits with.
. "$top_srcdir/tests/tool/tool.sh"

[ "$enable_sim" != no ] || skip_all "configured with --disable-sim"
bench=$builddir/bench/core_scaling
spoil=$builddir/tests/bench/core_scaling-spoil
few="--json --rounds 2 --warm-up 1"

# All of a device's cases: DEVICE DISPATCH KICKS_OF_ONE_CORE KICKS_OF_THREE, of 4 tasks
cases() {
	device=$1 how=$2 one=$3 three=$4
	name=${device##*:}_$how
	ROCKET_DEVICE=$device
	export ROCKET_DEVICE

	json "${name}_has_every_scenario" 0 \
		"[(r['scenario'], r['operands']) for r in j['results']] == [('tiny_dispatch', 'shared'), ('tiny_dispatch', 'unique'), ('mid_balanced', 'shared'), ('mid_balanced', 'unique'), ('throughput_heavy', 'shared'), ('throughput_heavy', 'unique'), ('llama_decode_like', 'shared')] and j['device']['simulated'] and j['device']['dispatch'] == '$how'" \
		"$bench" --json --rounds 1 --warm-up 1 --tasks 4 --dispatch $how
	cp "$work/json" "$work/kept"
	kept "${name}_checks_every_element_of_every_round" \
		"all(r['checks']['right'] and r['checks']['wrong_elements'] == 0 and r['checks']['elements'] == (1 + 2 * 2) * 4 * r['M'] * r['N'] for r in j['results'])"
	kept "${name}_figures_agree" \
		"all(near(p['speedup'], p['one_core_ms'] / p['three_cores_ms']) and near(p['efficiency'], p['speedup'] / 3) and near(p['three_cores_gflops'], 2 * r['M'] * r['K'] * r['N'] * r['tasks'] / p['three_cores_ms'] / 1e6) for r in j['results'] for p in r['estimates'])"
	kept "${name}_wall_time_has_its_extremes" \
		"all(0 < a['min_ms'] <= a['avg_ms'] <= a['max_ms'] and near(a['jitter'], (a['max_ms'] - a['min_ms']) / a['avg_ms']) for r in j['results'] for a in (r['wall']['one_core'], r['wall']['three_cores'])) and all(r['wall']['of'] != 'the device' for r in j['results'])"
	kept "${name}_estimates_say_so" \
		"all([e['set'] for e in r['estimates']] == ['M', 'V'] and all('ESTIMATE' in e['note'] and e['mhz'] == 200 for e in r['estimates']) for r in j['results'])"
	kept "${name}_kicks_are_counted" \
		"all((r['counters']['one_core_kicks'], r['counters']['three_cores_kicks']) == ($one, $three) and r['counters']['as_tasks_alone'] for r in j['results'])"
	kept "${name}_no_more_efficient_than_the_split" \
		"all(e['efficiency'] <= 4 / 6 + 1e-9 for r in j['results'] for e in r['estimates'])"
	kept "${name}_figures_of_other_batches_are_not_shown" \
		"['published' in r for r in j['results']] == [r['scenario'] == 'throughput_heavy' and r['operands'] == 'unique' for r in j['results']]"

	json "${name}_published_figures_are_beside" 0 \
		"[round(r['published']['efficiency'], 4) for r in j['results']] == [0.5933, 0.6667]" \
		"$bench" $few --scenario tiny_dispatch --dispatch $how
	SPOIL=result
	export SPOIL
	exits "${name}_wrong_element_is_reported" 3 \
		"task 95, C[3][15] = " "$spoil" --rounds 1 --scenario tiny_dispatch --operands unique --dispatch $how
	json "${name}_wrong_element_as_json" 3 \
		"not j['results'][0]['checks']['right'] and j['results'][0]['checks']['wrong_elements'] == 1 + 2 * 3 and j['results'][0]['checks']['first_wrong']['task'] == 95" \
		"$spoil" $few --scenario tiny_dispatch --operands shared --dispatch $how
	unset SPOIL
}

# kept NAME EXPRESSION: the JSON that was kept
kept() {
	succeeds "$1" "$python" -c \
		'import json, sys; near = lambda a, b: abs(a - b) <= 1e-4 * abs(b); j = json.load(open(sys.argv[1])); assert eval(sys.argv[2], {"j": j, "near": near}), j' \
		"$work/kept" "$2"
}

# Rules of the statuses: DISPATCH EXPECTED_OF_96_TASKS
statuses() {
	json "rknpu_$1_statuses_are_looked_at" 0 \
		"j['results'][0]['checks']['int_status_expected'] == $2 == j['results'][0]['checks']['int_status_told'] and j['results'][0]['checks']['int_status_wrong'] == 0" \
		"$bench" $few --scenario tiny_dispatch --operands shared --dispatch $1
	SPOIL=status
	export SPOIL
	exits "rknpu_$1_wrong_status_is_reported" 3 "has 0x3, not 0x300" \
		"$spoil" --rounds 1 --scenario tiny_dispatch --operands shared --dispatch $1
	unset SPOIL
}

cases sim:rk3588 chain 1 3
cases sim:rk3588 task 4 4
ROCKET_DEVICE=sim:rk3588:rknpu
export ROCKET_DEVICE
if "$builddir/rocket" info >/dev/null 2>&1; then
	cases sim:rk3588:rknpu chain 1 3
	cases sim:rk3588:rknpu task 4 4
	# Each task by itself, and the last of the first core in two times three rounds; or all.
	statuses chain 96+6
	statuses task 96+96*6
else
	skip rknpu "configured without the rknpu provider"
fi

ROCKET_DEVICE=sim
export ROCKET_DEVICE
ROCKET_SIM_DRIVER=0.0
export ROCKET_SIM_DRIVER
json stock_driver_has_a_kick_for_each_task 0 \
	"j['device']['dispatch'] == 'task' and j['results'][0]['counters']['three_cores_kicks'] == 96" \
	"$bench" $few --scenario tiny_dispatch --operands shared
exits stock_driver_refuses_chains 1 "has no chains" "$bench" --dispatch chain
unset ROCKET_SIM_DRIVER

"$bench" --rounds 1 --warm-up 0 --tasks 3 --scenario tiny_dispatch --scenario llama_decode_like \
	>"$work/table" 2>&1
for text in "wall time of the simulation" "ESTIMATE (set M)" "cost model's at 200 MHz" \
	"unique operands: skipped" "of every round; 0 wrong"; do
	succeeds "table_says_$(echo "$text" | tr -c 'a-zA-Z0-9\n' _)" grep -F "$text" "$work/table"
done
exits what_bounds_an_estimate_is_said 0 "4 tasks on 3 cores are 2 rounds: 66.7 % at most" \
	"$bench" --rounds 1 --warm-up 0 --scenario throughput_heavy --operands unique
json clock_moves_estimates 0 "j['results'][0]['estimates'][0]['mhz'] == 1000 and j['results'][0]['estimates'][0]['one_core_ms'] < 0.346" \
	"$bench" $few --scenario tiny_dispatch --operands shared --mhz 1000

exits plot_is_written 0 "" "$bench" --rounds 1 --warm-up 0 --tasks 3 --scenario tiny_dispatch --plot "$work/plot.svg"
succeeds plot_is_well_formed "$python" -c '
import sys, xml.etree.ElementTree as x
r = x.parse(sys.argv[1]).getroot()
s = "{http://www.w3.org/2000/svg}"
assert r.tag == s + "svg"
bars = [e for e in r.findall(s + "rect") if e.get("y") not in (None, "44")]
assert len(bars) == 2 * 3, len(bars)
assert all(float(e.get("height")) > 0 for e in bars)
assert any("tiny_dispatch" == e.text for e in r.findall(s + "text"))' "$work/plot.svg"
echo kept >"$work/old.svg"
chmod 640 "$work/old.svg"
ROCKET_DEVICE=/dev/null exits plot_without_a_device 1 "/dev/null" "$bench" --plot "$work/old.svg"
succeeds plot_that_was_there_stays grep -qx kept "$work/old.svg"
succeeds nothing_is_left_beside_it sh -c "! ls '$work'/old.svg.*"
exits plot_is_replaced 0 "" "$bench" --rounds 1 --warm-up 0 --tasks 3 --scenario tiny_dispatch --plot "$work/old.svg"
succeeds plot_is_the_new_one grep -q "^</svg>" "$work/old.svg"
succeeds plot_keeps_its_mode sh -c "ls -l '$work/old.svg' | grep -q '^-rw-r-----'"
succeeds nothing_else_is_left sh -c "! ls '$work'/old.svg.*"
mkfifo "$work/pipe"
cat "$work/pipe" >"$work/piped" &
exits plot_to_a_pipe 0 "" "$bench" --rounds 1 --warm-up 0 --tasks 3 --scenario tiny_dispatch --plot "$work/pipe"
wait $!
succeeds pipe_is_written_and_stays sh -c "test -p '$work/pipe' && grep -q '^</svg>' '$work/piped'"
succeeds run_that_is_killed_leaves_nothing sh -c "
	'$bench' --rounds 100000 --plot '$work/killed.svg' >/dev/null & sleep 1; kill -9 \$!; wait; ! ls '$work'/killed.svg*"
if [ -w /dev/full ]; then
	exits plot_to_a_full_disk 1 "/dev/full: No space left" "$bench" --rounds 1 --warm-up 0 --tasks 3 --scenario tiny_dispatch --plot /dev/full
	exits output_that_is_lost_fails 1 "cannot write the output" sh -c "'$bench' $few --tasks 3 --scenario tiny_dispatch >/dev/full"
else
	skip plot_to_a_full_disk "no /dev/full"
	skip output_that_is_lost_fails "no /dev/full"
fi
exits plot_that_cannot_be_written 1 "No such file or directory" "$bench" --plot "$work/no/plot.svg"

for wrong in "--rounds 0" "--rounds x" "--warm-up -1" "--tasks 2" "--mhz 0" "--scenario none" \
	"--operands both" "--dispatch fast" "--frobnicate" "stray" "--rounds" "--plot="; do
	exits "misuse_$(echo "$wrong" | tr -c 'a-z0-9\n' _)" 2 "usage: core_scaling" "$bench" $wrong
done
exits help_is_no_misuse 0 "usage: core_scaling" "$bench" --help
ROCKET_DEVICE=/dev/null
exits no_device_fails 1 "/dev/null" "$bench"
plan
