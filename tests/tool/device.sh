#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The command on the simulated device: info, matmul, plan and the demo.
. "$top_srcdir/tests/tool/tool.sh"

[ "$enable_sim" != no ] || skip_all "configured with --disable-sim"
export ROCKET_DEVICE="${TEST_DEVICE:-sim}"
case $ROCKET_DEVICE in
*:rknpu) provider=rknpu ;;
*) provider=rocket ;;
esac

# ---- info ----
exits info_shows_the_chip 0 "rk3588" "$rocket" info
exits info_says_it_is_simulated 0 "simulated" "$rocket" info
exits info_shows_what_cannot_be_done 0 "what cannot be done here" "$rocket" info
json info_as_json 0 "j['device']['chip'] == 'rk3588' and j['device']['cores'] == 3 and j['device']['simulated'] and j['device']['provider'] == '$provider' and 'fp16' in j['matmul']['dtypes'] and j['profile']['cbuf_banks'] == 12" \
	"$rocket" info --json

# ---- matmul ----
check() {
	name=$1 expression=$2
	shift 2
	json "$name" 0 "j['check']['right'] and j['check']['wrong'] == 0 and j['check']['elements'] == j['M'] * j['N'] and j['repeatable'] and ($expression)" \
		"$rocket" matmul --check --json "$@"
}
for data in uniform ints; do
	check "fp16_${data}" "j['counters']['tasks'] == j['tasks']" --data $data 64 256 128
	check "fp16_f32_${data}" "True" --data $data --dtype fp16-f32 64 256 128
	for dtype in bf16 tf32; do
		check "${dtype}_${data}" "j['dtype'] == '$dtype'" --data $data --dtype $dtype 64 256 128
	done
	for dtype in int16 int8 int4; do
		check "${dtype}_${data}" "j['check']['largest_error'] == 0" --data $data --dtype $dtype 64 256 128
	done
done
check several_k_tiles "j['tiles']['nK'] > 1 and j['tiles']['device_accumulates']" 64 2560 64
check streamed_weights "j['tiles']['streamed'] and j['tasks'] == 2" 64 2560 640
ROCKET_MM_STREAM=0 check whole_weights "not j['tiles']['streamed'] and j['tasks'] > 2" 64 2560 640
check several_k_tiles_fp32 "j['tiles']['nK'] > 1" --dtype fp16-f32 64 4096 64
check several_k_tiles_int8 "j['tiles']['nK'] > 1" --dtype int8 64 4096 256
check several_k_tiles_bf16 "j['tiles']['nK'] > 1" --dtype bf16 64 2048 64
check several_k_tiles_tf32 "j['tiles']['nK'] > 1" --dtype tf32 64 2048 64
check several_k_tiles_int16 "j['tiles']['nK'] > 1 and j['tiles']['passes'] == 4" --dtype int16 64 4096 256
check several_k_tiles_int4 "j['tiles']['nK'] > 1" --dtype int4 --data ints 64 9216 256
check k_of_48 "j['K'] == 48" --dtype tf32 4 48 64
check two_threads_bf16 "j['tiles']['workers'] == 2" --dtype bf16 --threads 2 64 256 256
check single_row "j['M'] == 1" 1 512 64
check single_row_int8 "j['M'] == 1" --dtype int8 1 512 64
check ragged_tiles "j['tiles']['nM'] == 2" 260 96 272
check two_threads "j['tiles']['workers'] == 2" --threads 2 64 256 256
check other_seed "j['seed'] == 7" --seed 7 16 64 32
check repeated_runs "j['repeat'] == 3" --repeat 3 16 64 32
ROCKET_KACC=0 check host_accumulation "not j['tiles']['device_accumulates']" 64 2048 64

# ---- forms ----
form() {
	name=$1 form=$2 group=$3
	shift 3
	check "form_$name" "j['form'] == '$form' and j['group'] == $group and j['tiles']['workers'] >= 1" \
		--form $form --repeat 2 "$@"
}
form resident_fp16 resident 0 --threads 3 64 512 160
form resident_int8 resident 0 --dtype int8 --threads 2 36 512 160
form resident_int4 resident 0 --dtype int4 --data ints 12 256 192
form segments segments 0 --threads 2 64 512 160
form fused fused 0 --threads 3 64 512 160
form stream_fp16 stream 0 --threads 2 300 256 80
form stream_bf16 stream 0 --dtype bf16 16 256 80
form batch batch 0 64 1024 272
form rows_fp16 rows 0 64 1024 272
form rows_fp16_f32 rows 0 --dtype fp16-f32 36 512 80
form rows_int8 rows 0 --dtype int8 36 512 96
form groups_int8 once 64 --dtype int8 --group 64 36 512 96
form groups_int8_in_parts once 960 --dtype int8 --group 960 256 2880 576
form groups_int4 once 128 --dtype int4 --group 128 36 512 128
form groups_int8_resident resident 128 --dtype int8 --group 128 --threads 2 36 512 160
form groups_int4_resident resident 96 --dtype int4 --group 96 8 288 128
exits unknown_form_is_refused 2 "unknown form 'fly': once, resident" "$rocket" matmul --form fly 4 32 16
exits form_of_another_type_is_refused 2 "there is no form 'stream' of --dtype int8" "$rocket" matmul --form stream --dtype int8 4 32 32
exits group_of_floats_is_refused 2 "there is no form 'once' of --dtype fp16 with --group" "$rocket" matmul --group 32 4 32 16
exits group_that_does_not_divide_is_refused 2 "--group 96 does not divide K = 128" "$rocket" matmul --dtype int8 --group 96 4 128 32
exits odd_group_is_refused 2 "is not a multiple of 32 that divides K" "$rocket" matmul --dtype int8 --group 16 4 128 32
exits large_int4_group_is_refused 2 "can sum to more than int16 holds" "$rocket" matmul --dtype int4 --group 672 4 1344 64
exits threads_of_one_call_are_refused 2 "--threads is there for" "$rocket" matmul --dtype int8 --threads 2 4 32 32
exits row_of_resident_weights_is_refused 2 "M is not a multiple of 4" "$rocket" matmul --form resident 1 32 16
exits row_in_rows_is_refused 2 "M is not a multiple of 4" "$rocket" matmul --form rows 1 32 16

# What fails while a form is made ready is no misuse: a context wants eight files, a stream too.
for form in resident stream; do
	exits "files_short_for_${form}_are_a_device_error" 3 "ROCKET_E_DEVICE" \
		sh -c "ulimit -n 8; exec '$rocket' matmul --form $form --threads 8 64 64 256"
	json "files_short_for_${form}_as_json" 3 "j['exit'] == 3 and 'open files' in j['error']" \
		sh -c "ulimit -n 8; exec '$rocket' matmul --json --form $form --threads 8 64 64 256"
done
exits long_k_in_rows_is_refused 2 "no tile that fits holds all of K" "$rocket" matmul --dtype int8 --form rows 4 16384 32

exits matmul_shows_the_estimate 0 "ESTIMATE (set M)" "$rocket" matmul 64 256 128
exits matmul_shows_the_other_bound 0 "(set V)" "$rocket" matmul 64 256 128
exits matmul_labels_its_speed 0 "of this simulation, not of an NPU" "$rocket" matmul 64 256 128
exits matmul_shows_the_bound 0 "its bound" "$rocket" matmul --check 64 256 128
# What the model is held to stands beside it, with the same figures as the device's counters give.
for dtype in fp16 int8 int4; do
	json "error_of_${dtype}_is_known" 0 "j['published']['wall_us'] > j['published']['set_m_us'] > j['published']['set_v_us'] > 0 and abs(2 * 512 * 3840 * 4096 / j['published']['wall_us'] / 1e3 - j['published']['gops']) < 1e-6 * j['published']['gops']" \
		"$rocket" plan matmul --json --dtype $dtype 64 256 128
done
exits error_of_int8_is_shown 0 "by 5 workers is published: 41.7 ms of wall time" "$rocket" matmul --dtype int8 64 256 128
exits error_of_tf32_is_unknown 0 "unknown: no figure of a board for tf32" "$rocket" plan matmul --dtype tf32 64 256 128
exits misaligned_m_is_refused 2 "M is not a multiple of 4" "$rocket" matmul 6 256 128
exits misaligned_k_is_refused 2 "K is not a multiple of 32" "$rocket" matmul 8 40 128
exits misaligned_n_is_refused 2 "N is not a multiple of 16" "$rocket" matmul 8 32 17
exits misaligned_n_is_refused_int8 2 "N is not a multiple of 32" "$rocket" matmul --dtype int8 8 32 16
exits misaligned_n_is_refused_int4 2 "N is not a multiple of 64" "$rocket" matmul --dtype int4 8 32 32
exits misaligned_k_is_refused_tf32 2 "K is not a multiple of 16" "$rocket" matmul --dtype tf32 8 40 32
exits huge_extent_is_refused 2 "2^24" "$rocket" matmul 2147483644 32 16
exits huge_product_is_refused 3 "ROCKET_E_NOMEM" "$rocket" matmul 16777216 16777216 16
ROCKET_DEVICE=$work exits folder_is_no_device 2 "Is a directory" "$rocket" matmul 4 32 16
ROCKET_DEVICE=$rocket/accel0 exits no_folder_no_device 2 "Not a directory" "$rocket" matmul 4 32 16
json refusal_as_json 2 "j['exit'] == 2 and 'multiple of 32' in j['error']" "$rocket" matmul --json 8 40 128

# The reason comes with the library's own line, not beside it.
for bad in QUIRKS=slack,nonsense TIMEOUT_MS=soon TRACE=/nonexistent/folder/trace; do
	export "ROCKET_SIM_$bad"
	json "sim_${bad%%=*}_not_understood_is_said" 2 "'ROCKET_SIM_${bad%%=*}' in j['error']" \
		"$rocket" matmul --json 4 32 16
	succeeds "sim_${bad%%=*}_not_understood_is_one_line" [ "$(wc -l <"$work/err")" = 1 ]
	unset "ROCKET_SIM_${bad%%=*}"
done

# Also where nothing else is logged.
ROCKET_LOG_LEVEL=loud "$rocket" info >"$work/out" 2>"$work/err"
succeeds log_level_not_understood_is_said grep -q 'ROCKET_LOG_LEVEL=loud is none of' "$work/err"

if [ $provider = rknpu ]; then
	skip wait_that_runs_out_is_a_device_error "SUBMIT of the vendor's driver has waited already"
else
	ROCKET_WAIT_MS=1 exits wait_that_runs_out_is_a_device_error 3 "ROCKET_E_DEVICE" \
		"$rocket" matmul 256 4096 1024
fi

# ---- plan: needs no device, and foretells what the device counts ----
export ROCKET_MM_STREAM=0
foretells() {
	name=$1
	shift
	"$rocket" matmul --json "$@" >"$work/run.json" 2>"$work/err"
	ROCKET_DEVICE=/nonexistent "$rocket" plan matmul --json --driver $provider "$@" >"$work/plan.json" 2>>"$work/err"
	cat "$work/err"
	succeeds "plan_foretells_$name" "$python" -c '
import json, sys
run, plan = (json.load(open(sys.argv[1] + f)) for f in ("/run.json", "/plan.json"))
assert run["counters"] == plan["counters"], (run["counters"], plan["counters"])
assert run["tiles"] == plan["tiles"] and run["submits"] == plan["submits"]
a, b = run["device_time_estimate"], plan["device_time_estimate"]
assert a == b and 0 < a["set_v_us"] <= a["set_m_us"], (a, b)' "$work"
}
foretells one_tile 64 256 128
foretells many_tiles 300 1024 272
foretells fp32_result --dtype fp16-f32 300 1024 272
foretells int8 --dtype int8 300 4096 288
for dtype in bf16 tf32 int16; do
	foretells $dtype --dtype $dtype 300 1024 288
done
foretells int4 --dtype int4 300 4096 320
# Results of all products of a tile are kept: a job has a quarter of the tiles.
ROCKET_MM_KT=64 ROCKET_MM_NT=64 foretells many_jobs_of_int16 --dtype int16 64 512 256
json plan_has_both_parts_of_int16 0 "j['buffers'] == {'input_bytes': 2 * 64 * 64, 'weight_bytes': 2 * 64 * 64, 'output_bytes': 4 * 4 * 64 * 64}" \
	"$rocket" plan matmul --json --dtype int16 64 64 64
foretells one_row 1 4096 64
foretells two_workers --threads 2 64 1024 512
ROCKET_MM_STREAM=1 foretells streamed_weights 268 1280 528
ROCKET_MM_STREAM=1 foretells streamed_weights_of_two_workers --threads 2 268 1280 528
# The gain of longer K tiles where jobs are kicks, as the timing model's table of tile shapes
# has it for set M.
gain() {
	shape=$1 percent=$2
	for asym in 0 1; do
		ROCKET_BATCH_SUBMIT=1 ROCKET_MM_ASYM=$asym "$rocket" plan matmul --batched --json $shape \
			>"$work/asym$asym.json"
	done
	succeeds "plan_gain_$(echo "$shape" | tr ' ' x)_as_in_the_timing_model" "$python" -c '
import json, sys
square, narrow = (json.load(open("%s/asym%d.json" % (sys.argv[1], i)))
                  ["device_time_estimate"]["set_m_us"] for i in (0, 1))
gain = (square / narrow - 1) * 100
assert abs(gain - float(sys.argv[2])) <= 0.05, gain' "$work" "$percent"
}
gain "512 2048 2048" 10.9
gain "512 2048 4096" 10.8
gain "512 8192 2048" 6.8
gain "512 15360 3840" 5.4
gain "512 4096 4096" 6.8
gain "512 3840 4096" 3.0
"$rocket" plan matmul --json --dtype int8 512 1024 1024 >"$work/named"
succeeds plan_of_numbers_is_that_of_a_matmul sh -c "'$rocket' plan --json 512 1024 1024 --dtype int8 | cmp - '$work/named'"
exits plan_of_two_numbers 2 "needs an operation and its size: matmul M K N" "$rocket" plan 512 1024
exits plan_shows_rows 0 "job,task,chained,item,m0,mt" "$rocket" plan matmul --rows 64 256 128
json plan_rows_as_json 0 "sum(len(w['steps']) for w in j['workers']) == j['counters']['tasks']" \
	"$rocket" plan matmul --rows --json 512 1024 1024
json plan_rows_have_the_parts_of_int16 0 "[(s['a_part'], s['b_part'], s['in_off'], s['wt_off']) for s in j['workers'][0]['steps']] == [(0, 0, 0, 0), (0, 1, 0, 64 * 64), (1, 0, 8 * 64, 0), (1, 1, 8 * 64, 64 * 64)]" \
	"$rocket" plan matmul --rows --json --dtype int16 8 64 64
json plan_rows_of_whole_operands 0 "{(s['a_part'], s['b_part']) for s in j['workers'][0]['steps']} == {(0, 0)}" \
	"$rocket" plan matmul --rows --json --dtype int8 512 1024 1024
exits plan_rows_say_which_parts 0 "# of every 4 jobs: part 0 of A with part 0 of B, part 0 of A with part 1 of B, part 1 of A with part 0 of B, part 1 of A with part 1 of B; part 0 is the high bytes" \
	"$rocket" plan matmul --rows --dtype int16 8 64 64
# The picture against the steps: places, first tasks and what they find loaded.
drawn() {
	"$rocket" plan matmul "$@" >"$work/plan.txt"
	"$rocket" plan matmul --rows --json "$@" >"$work/plan.json"
	python3 -c 'import json, re, sys
plan = json.load(open(sys.argv[1] + "/plan.json"))
text = open(sys.argv[1] + "/plan.txt").read()
pictures = re.split(r"tiles of C, .*\n", text)[1:]
assert len(pictures) == len(plan["workers"]), len(pictures)
for worker, picture in zip(plan["workers"], pictures):
    first = {}
    for number, s in enumerate(worker["steps"]):
        kept = "w" if s["weight_reuse"] else "f" if s["data_reuse"] else ""
        first.setdefault((s["m0"], worker["n0"] + s["n0"]), "%d%s" % (number, kept))
    columns, *rows = [line.split() for line in picture.splitlines() if line.startswith("  ")]
    across = sorted({n for m, n in first})
    down = sorted({m for m, n in first})
    seen = {(row[0], n): task for row in rows for n, task in zip(columns[3:], row[1:]) if n != "..."}
    def some(all):
        return set(all if len(all) <= 8 else all[:6] + all[-1:])
    assert ("..." in columns) == (len(across) > 8) and (["..."] in rows) == (len(down) > 8)
    want = {(str(m), str(n)): first[m, n] for m in some(down) for n in some(across)}
    assert seen == want, (seen, want)' "$work"
}
succeeds plan_draws_the_tiles drawn 512 3840 4096
succeeds plan_draws_the_tiles_of_every_worker drawn --threads 3 2560 3840 4096
succeeds plan_draws_the_products_of_int16 drawn --dtype int16 600 96 512
succeeds plan_draws_one_tile drawn --dtype int8 4 32 32
exits plan_of_large_product 0 "256 x 512 x 128 (M x K x N), 2 x 8 x 32 of them" "$rocket" plan matmul 512 3840 4096
unset ROCKET_MM_STREAM
exits plan_streams_on_the_simulator 0 "256 x 640 x 4096 (M x K x N), 2 x 6 x 1 of them" "$rocket" plan matmul 512 3840 4096
exits plan_says_what_streams 0 "tiles of B stream through their banks" "$rocket" plan matmul 512 3840 4096
ROCKET_DEVICE=/dev/accel/accel0 exits plan_for_a_board_asks 0 "2 x 8 x 32 of them" "$rocket" plan matmul 512 3840 4096
exits plan_refuses_with_reason 2 "K is not a multiple of 32" "$rocket" plan matmul 8 40 128

succeeds plan_is_for_the_driver_of_the_device sh -c "'$rocket' plan matmul 64 64 64 | grep -q '^driver  *$provider$'"
json plan_for_the_driver_that_is_named 0 "j['driver'] == 'rknpu' and j['submits'] == j['counters']['kicks'] == j['jobs'] < j['counters']['tasks']" \
	"$rocket" plan matmul --json --driver rknpu --dtype int8 512 3840 4096
exits plan_for_no_driver 2 "no driver is called 'panfrost'" "$rocket" plan matmul --driver panfrost 64 64 64

# ---- demo ----
exits demo_is_right 0 "right" "$rocket" demo
cp "$work/out" "$work/demo"
for text in "512 x 1024 x 1024" "hardware kicks" "bytes moved" "largest error" "its bound" "wall time" \
	"device time, ESTIMATE (set M)" "device time, ESTIMATE (set V)" "driver version" "rk3588" "submits" "tasks"; do
	succeeds "demo_shows_$(echo "$text" | tr -c 'a-zA-Z0-9\n' _)" grep -qF "$text" "$work/demo"
done
succeeds demo_fits_a_terminal awk 'length > 80 { exit 1 }' "$work/demo"
json demo_as_json 0 "j['right'] and len(j['products']) == 2 and all(p['wrong'] == 0 and p['elements'] == 512 * 1024 and p['counters']['kicks'] > 0 for p in j['products'])" \
	"$rocket" demo --json
if ROCKET_DEVICE=sim:rk3588:rknpu "$rocket" info >/dev/null 2>&1; then
	json demo_of_two_drivers 0 \
		"j['right'] and j['beside']['right'] and j['beside']['provider'] == 'rknpu' and [p['wrong'] for p in j['beside']['products']] == [0, 0]" \
		"$rocket" demo --json --beside sim:rk3588:rknpu
	exits demo_of_two_drivers_as_table 0 "rknpu" "$rocket" demo --beside sim:rk3588:rknpu
	cp "$work/out" "$work/demo"
	succeeds demo_table_has_a_column_for_each grep -E "driver .*$provider .*$provider .*rknpu .*rknpu" "$work/demo"
else
	skip demo_of_two_drivers "configured without the rknpu provider"
fi
exits demo_beside_no_device 2 "sim:rk9" "$rocket" demo --beside sim:rk9
plan
