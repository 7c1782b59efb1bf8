#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Does virt/run judge right? Its machine is a stand-in that does what the command says.
set -u
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
chmod +x "$top_srcdir/tests/runner/machine.py" 2>/dev/null
cat >"$dir/qemu" <<END
#!/bin/sh
exec python3 "$top_srcdir/tests/runner/machine.py" "\$@"
END
chmod +x "$dir/qemu"
export VIRT_QEMU="$dir/qemu" VIRT_GUEST="$dir" VIRT_TESTS="$dir/tests"
n=0

result() {
	n=$((n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $n - $2"
	else
		echo "not ok $n - $2"
		sed 's/^/# /' "$dir/out"
	fi
}

run() { python3 "$top_srcdir/virt/run" "$@" >"$dir/out" 2>&1; }

# verdict NAME LINE STATUS PATTERN: one line of a table, the exit status, a line of the output.
verdict() {
	echo "$2" >"$dir/tests"
	run --test
	[ $? = "$3" ] && grep -qE "$4" "$dir/out"
	result $? "$1"
}

echo 1..30
verdict command_that_succeeds_passes 'a | quick | shared 5 | say hello |' 0 '^ok 1 - a$'
verdict output_is_a_diagnostic 'a | quick | shared 5 | say hello |' 0 '^# hello$'
verdict exit_code_fails 'a | quick | shared 5 | end 3 |' 1 '^# exit 3$'
verdict exit_code_4_is_a_skip 'a | quick | shared 5 | say 1..0 # SKIP because; end 4 |' 0 '^ok 1 - a # SKIP because$'
verdict signal_fails 'a | quick | shared 5 | end signal 11 |' 1 '^# exit signal 11$'
verdict timeout_fails 'a | quick | shared 5 | end timeout |' 1 '^# not done after 5 seconds$'
verdict stuck_command_costs_the_machine 'a | quick | shared 5 | end stuck |' 1 'cannot be killed'
verdict warning_fails 'a | quick | shared 5 | kernel WARNING: at x.c:1 |' 1 'kernel complains: .*WARNING'
verdict sanitizer_fails 'a | quick | shared 5 | kernel BUG: KASAN: slab-use-after-free |' 1 'kernel complains'
verdict lockdep_fails 'a | quick | shared 5 | kernel WARNING: possible circular locking dependency detected |' 1 'kernel complains'
verdict timed_out_fails 'a | quick | shared 5 | kernel rocket: NPU job timed out |' 1 'kernel complains'
verdict harmless_line_passes 'a | quick | shared 5 | kernel rocket: core 0 up |' 0 '^ok 1'
verdict listed_complaint_passes 'a | quick | shared 5 | kernel NPU job timed out | job timed' 0 '^ok 1'
verdict announced_complaint_passes 'a | quick | shared 5 | say # kernel-log: job timed; kernel NPU job timed out |' 0 '^ok 1'
verdict complaint_that_a_mark_announces_passes 'a | quick | shared 5 | mark x,Page fault at,NPU job timed out; kernel NPU job timed out |' 0 '^ok 1'
verdict complaint_after_one_more_mark_passes 'a | quick | shared 5 | mark x,NPU job timed out; mark y; kernel NPU job timed out |' 0 '^ok 1'
verdict complaint_after_two_more_marks_fails 'a | quick | shared 5 | mark x,NPU job timed out; mark y; mark z; kernel NPU job timed out |' 1 'kernel complains: .*timed out'
race='kernel BUG: KCSAN: data-race in list_add / list_del; kernel  some_call+0x10/0x20'
ruler="kernel $(printf '%066d' 0 | tr 0 =)"
verdict data_race_of_others_passes "a | quick | shared 5 | $race; $ruler; kernel called_later [rocket] |" 0 '^ok 1'
verdict data_race_that_is_meant_passes "a | quick | shared 5 | kernel BUG: KCSAN: data-race in __synchronize_hardirq / x; kernel y [rocket]; $ruler |" 0 '^ok 1'
verdict data_race_of_the_driver_fails "a | quick | shared 5 | $race [rocket]; $ruler |" 1 'kernel complains: .*KCSAN'
verdict another_complaint_fails 'a | quick | shared 5 | kernel Oops: x | job timed' 1 'Oops'
verdict violation_fails_and_is_named 'a | quick | shared 5 | die read of 0xfdab002c |' 1 'status 3: rocket-board: violation: read of 0xfdab002c'
verdict malformed_table_is_refused 'a | quick | say hello' 2 'not five fields'

printf 'a | quick | shared 5 | die x |\nb | quick | shared 5 | count |\nc | quick | shared 5 | count |\n' >"$dir/tests"
run --test
[ $? = 1 ] && grep -q '^ok 2 - b$' "$dir/out" && grep -q '^# 2 passed, 1 failed, 0 skipped; 2 machines$' "$dir/out"
result $? test_after_a_lost_machine_gets_another

printf 'a | quick | shared 5 | count |\nb | quick | fresh 5 | count |\n' >"$dir/tests"
run --test && [ "$(grep -c '^# 1$' "$dir/out")" = 2 ]
result $? fresh_test_has_a_machine_of_its_own

printf 'a | quick | shared 5 | memory |\nb | quick | fresh 5 2000 MiB | memory |\n' >"$dir/tests"
run --test && [ "$(grep -cE '^# (1024|2000)$' "$dir/out")" = 2 ]
result $? fresh_test_has_the_memory_it_asks_for

echo 'a | quick | shared 5 | count |' >"$dir/tests"
FAKE_BOOT=complains run --test
[ $? = 1 ] && grep -q 'complains while it boots' "$dir/out"
result $? complaint_at_boot_fails

FAKE_BOOT=dies run count
[ $? = 2 ] && grep -q 'status 1: no such machine' "$dir/out"
result $? machine_that_does_not_start_is_an_error

echo 'a | quick | shared 5 | say ok 1 x # XFAIL lost; say not ok 2 y |' >"$dir/tests"
run --test
[ $? = 0 ] && ! grep -q 'failing' "$dir/out"
result $? known_defect_passes
run --stock --test
[ $? = 1 ] && grep -q '^# failing: a: x: lost$' "$dir/out" &&
	grep -q '^# failing: a: y: not known of this driver$' "$dir/out"
result $? known_defect_of_the_stock_driver_fails_and_is_listed
