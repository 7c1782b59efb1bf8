#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# What the rocket command says of itself, and what it says to arguments it cannot use.
. "$top_srcdir/tests/tool/tool.sh"

exits version_is_printed 0 "rocket $version" "$rocket" --version
exits help_lists_commands 0 "multiply matrices, measure" "$rocket" --help
exits short_help_is_help 0 "Commands:" "$rocket" -h
exits help_command_is_help 0 "Commands:" "$rocket" help
exits no_command_is_refused 2 "which command?" "$rocket"
exits unknown_command_is_refused 2 "unknown command 'fly'" "$rocket" fly
exits near_command_is_suggested 2 "did you mean 'matmul'?" "$rocket" matmull
exits near_subcommand_is_suggested 2 "did you mean 'decode'?" "$rocket" regcmd decod
exits group_needs_command 2 "rocket regcmd: which command?" "$rocket" regcmd
exits option_before_command_is_refused 2 "unknown option '--json' before the command" "$rocket" --json
exits help_of_unknown_command 2 "unknown command 'fly'" "$rocket" help fly
exits help_of_too_deep_command 2 "has no command 'x'" "$rocket" help info x
exits help_of_a_plan_of_an_operation 0 "usage: rocket plan matmul" "$rocket" help plan matmul
exits help_of_an_encoded_operation 0 "usage: rocket regcmd encode matmul" "$rocket" help regcmd encode matmul
exits help_of_unknown_operation 2 "has no command 'conv'" "$rocket" help plan conv
json help_as_json 0 "len(j['commands']) == 7 and j['version']" "$rocket" help --json
json help_of_command_as_json 0 "j['command'] == 'regcmd lint'" "$rocket" help regcmd lint --json

# Every command teaches: usage, an example, and all it takes is in the manual and completed.
page=$srcdir/docs/rocket.1
completion=$srcdir/tools/rocket/rocket.bash-completion
for command in demo info clock matmul plan "regcmd decode" "regcmd lint" "regcmd encode" help; do
	of=$(echo "$command" | tr ' ' _)
	exits "${of}_help_shows_usage" 0 "usage: rocket $command" "$rocket" $command --help
	exits "${of}_help_shows_example" 0 "rocket $command" \
		sh -c "'$rocket' $command --help | sed -n '/^Examples/,\$p'"
	exits "${of}_unknown_option" 2 "unknown or ambiguous option '--fly'" "$rocket" $command --fly
	exits "${of}_hints_at_help" 2 "try 'rocket $command --help'" "$rocket" $command --fly
	"$rocket" $command --help | grep -o -e '--[a-z][a-z-]*' | sort -u >"$work/options"
	for option in $(cat "$work/options"); do
		plain=$(sed 's/\\-/-/g' "$page" | grep -c -e "$option")
		[ "$plain" -gt 0 ] || echo "$option is not in the manual"
		grep -q -e "$option" "$completion" || echo "$option is not completed"
	done >"$work/missing"
	"$rocket" $command --help | sed -n 's/^  \(--[a-z-]*\) [A-Z].*/\1/p' >"$work/options"
	for option in $(cat "$work/options"); do
		grep -q -E "^	(--[a-z|-]*\|)?$option[|)]" "$completion" ||
			echo "the argument of $option is not completed"
	done >>"$work/missing"
	succeeds "${of}_options_are_documented" sh -c "cat '$work/missing'; ! test -s '$work/missing'"
done

# Numbers.
for n in "0 32 16" "-4 32 16" "4 -32 16" "x 32 16" "4 32 16x" "4 32 99999999999" \
	"4 32 99999999999999999999999" "4.5 32 16" "'' 32 16" "0x 32 16" "4 32 ' 16'"; do
	for command in matmul "plan matmul" "regcmd encode matmul"; do
		name=$(echo "${command}_refuses_$n" | tr -c 'a-zA-Z0-9.\n' _)
		exits "$name" 2 "try 'rocket" sh -c "'$rocket' $command $n"
	done
done
exits number_that_is_none_is_named 2 "K '3x' is not a whole number" "$rocket" matmul 4 3x 16
exits number_too_large_is_named 2 "N 99999999999 is outside 1..2147483647" "$rocket" matmul 4 32 99999999999
exits negative_number_is_named 2 "-4 is negative" "$rocket" matmul -4 32 16
exits too_few_operands 2 "needs three numbers: M K N" "$rocket" matmul 4 32
exits too_many_operands 2 "'5' is one argument too many" "$rocket" matmul 4 32 16 5
exits unknown_dtype 2 "unknown dtype 'fp64': fp16, fp16-f32, bf16, tf32, int16, int8 or int4 is expected" "$rocket" matmul --dtype fp64 4 32 16
exits unknown_dtype_of_plan 2 "unknown dtype 'fp64'" "$rocket" plan matmul --dtype fp64 4 32 16
exits unknown_dtype_of_encode 2 "unknown dtype 'fp64'" "$rocket" regcmd encode matmul --dtype fp64 4 32 16
exits option_without_value 2 "option '--dtype' needs a value" "$rocket" matmul --dtype
exits option_with_needless_value 2 "option '--check' takes no value" "$rocket" matmul --check=yes 4 32 16
exits unknown_data 2 "unknown data 'noise'" "$rocket" matmul --data noise 4 32 16
exits repeat_of_nothing 2 "--repeat 0 is outside 1..1000000" "$rocket" matmul --repeat 0 4 32 16
exits negative_seed 2 "--seed -1 is outside" "$rocket" matmul --seed -1 4 32 16
exits too_many_threads 2 "--threads 9 is outside 1..8" "$rocket" matmul --threads 9 4 32 16
exits threads_with_int8 2 "for --dtype fp16 and bf16, and for" "$rocket" matmul --threads 2 --dtype int8 4 32 32
exits clock_of_nothing 2 "--mhz 0 is outside" "$rocket" matmul --mhz 0 4 32 16
exits clock_that_is_none 2 "--mhz 'nan' is not a number" "$rocket" matmul --mhz nan 4 32 16
exits operands_to_info 2 "'x' is one argument too many" "$rocket" info x
exits operands_to_demo 2 "'x' is one argument too many" "$rocket" demo x
exits plan_of_other_operation 2 "cannot plan 'conv'" "$rocket" plan conv 4 32 16
exits encode_of_other_operation 2 "cannot encode 'conv'" "$rocket" regcmd encode conv 4 32 16
exits plan_for_unknown_chip 2 "no hardware profile for chip 'rk1'" "$rocket" plan matmul --chip rk1 4 32 16

# Asked for JSON, misuse is JSON too: wherever --json is, and whatever comes before it.
misused() {
	name=misuse_as_json_$1 command=$2 text=$3
	shift 3
	json "$name" 2 "set(j) == {'command', 'error', 'exit'} and j['command'] == '$command' and j['exit'] == 2 and \"$text\" in j['error']" \
		"$rocket" "$@"
	succeeds "${name}_hints_at_help" grep -qF "try 'rocket" "$work/err"
}
misused option_before_it matmul "option '--fly'" matmul --fly 4 32 16 --json
misused option_after_it matmul "option '--fly'" matmul --json --fly
misused operand plan "K '3x' is not a whole number" plan matmul 4 3x 16 --json
misused operation "regcmd encode" "cannot encode 'conv'" regcmd encode conv 4 32 16 --json
misused no_operand "regcmd lint" "one FILE" regcmd lint --json
misused rate clock "is no rate" clock fast --json
misused unknown_command rocket "did you mean 'matmul'?" matmull --json
misused unknown_help rocket "unknown command 'fly'" help fly --json
misused no_command regcmd "unknown option '--json' before the command" regcmd --json
misused abbreviated demo "one argument too many" demo x --js
for command in demo info clock matmul plan "regcmd decode" "regcmd lint" "regcmd encode" help; do
	misused "of_$(echo "$command" | tr ' ' _)" "$command" "'--fly'" $command --fly --json
done
"$rocket" matmul -- 4 32 --json >"$work/out" 2>"$work/err"
succeeds misuse_is_text_where_json_is_an_operand sh -c "! test -s '$work/out' && test -s '$work/err'"

# Output that cannot be written is not success.
if [ -w /dev/full ]; then
	exits full_disk_is_noticed 3 "cannot write the output" sh -c "'$rocket' help >/dev/full"
else
	skip full_disk_is_noticed "no /dev/full"
fi

# No device: where the command looked, and what to ask for.
for command in info demo "matmul 4 32 16"; do
	of=$(echo "$command" | cut -d' ' -f1)
	export ROCKET_DEVICE=/nonexistent/accel0
	exits "${of}_missing_node" 2 "/nonexistent/accel0" "$rocket" $command
	json "${of}_missing_node_as_json" 2 "j['exit'] == 2 and '/nonexistent/accel0' in j['error']" \
		"$rocket" $command --json
	export ROCKET_DEVICE=/dev/null
	exits "${of}_node_of_another_driver" 2 "/dev/null" "$rocket" $command
	export ROCKET_DEVICE=sim:rk9999
	exits "${of}_unknown_simulated_chip" 2 "rk9999" "$rocket" $command
	unset ROCKET_DEVICE
done
if ls /dev/accel/accel* >/dev/null 2>&1; then
	skip info_without_device "this machine has an accelerator node"
else
	exits info_without_device 2 "nodes looked at" "$rocket" info
	exits info_says_why 2 "next: " "$rocket" info
	exits info_names_the_nodes 2 "/dev/accel/accel" "$rocket" info
	exits demo_never_falls_back_to_the_simulator 2 "ROCKET_DEVICE" "$rocket" demo
	if [ "$enable_sim" = no ]; then
		exits info_has_no_simulator 2 "no simulated device" "$rocket" info
	else
		exits info_names_the_simulator 2 "ROCKET_DEVICE=sim" "$rocket" info
		json info_without_device_as_json 2 \
			"j['device'] is None and j['nodes'] and 'sim' in j['simulated_devices']" \
			"$rocket" info --json
	fi
fi
plan
