#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# clients: what it prints, and that it comes to an end when its clients do not.
. "$top_srcdir/tests/tool/tool.sh"

[ "$enable_sim" != no ] || skip_all "configured with --disable-sim"
bench=$builddir/bench/clients
spoil=$builddir/tests/bench/clients-spoil
few="--clients 3 --seconds 0.2"
stall=3 # in which each client of a busy machine has done its first job
ROCKET_DEVICE=${TEST_DEVICE:-sim}
export ROCKET_DEVICE

json every_scenario_is_there 0 \
	"[s['scenario'] for s in j['scenarios']] == ['alone', 'files', 'file', 'processes', 'heavy'] and all(s['wrong'] == 0 and s['jobs'] > 0 and 'failure' not in s for s in j['scenarios'])" \
	"$bench" --json $few
exits table_has_a_row_for_all 0 "fairness: Jain's index" "$bench" $few --only files

SPOIL=stall
export SPOIL
for who in files file processes; do
	json "stall_of_${who}_is_said_in_whole_json" 1 \
		"[(s['scenario'], s['failure'], s['no_job_ended_for_s'], len(s['clients'])) for s in j['scenarios']] == [('$who', 'stalled', $stall, 3)] and all(c['jobs'] == 1 for c in j['scenarios'][0]['clients'])" \
		timeout 60 "$spoil" --json $few --give-up $stall --only $who
done
json scenarios_before_a_stall_are_there 1 \
	"j['scenarios'][0]['scenario'] == 'alone' and len(j['scenarios']) == 1" \
	timeout 60 "$spoil" --json $few --give-up $stall
exits stall_is_said 1 "no job ended for $stall s" timeout 60 "$spoil" $few --give-up $stall --only files

# Long before anybody would give up.
SPOIL=die
json process_that_dies_is_noticed_at_once 1 \
	"j['scenarios'][0]['failure'] == 'failed' and 'its process ended with 0x9' in [c['why'] for c in j['scenarios'][0]['clients']]" \
	timeout 100 "$spoil" --json --clients 3 --seconds 300 --give-up 300 --only processes
unset SPOIL

# They hold the pipe as long as they live. The heading is written before the first of them begins.
succeeds processes_end_with_the_bench timeout 60 "$python" -c '
import subprocess, sys, time
p = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE)
assert p.stdout.readline().startswith(b"device: ")
time.sleep(1)
p.kill()
p.communicate(timeout=30)' "$bench" --clients 3 --seconds 300 --only processes
if [ -w /dev/full ]; then
	exits output_that_is_lost_fails 1 "cannot write the output" sh -c "'$bench' --json $few --only alone >/dev/full"
else
	skip output_that_is_lost_fails "no /dev/full"
fi
ROCKET_DEVICE=/dev/null exits no_device_fails 1 "/dev/null" "$bench" --json
for wrong in "--clients 0" "--clients 65" "--seconds 0" "--seconds x" "--give-up 0" "--give-up -1" \
	"--shape 4,32" "--shape 4096,31,16" "--shape 5,32,16" "--shape 4,32,8" "--clients 3x" "--seconds nan" "--only none" "stray"; do
	exits "misuse_$(echo "$wrong" | tr -c 'a-z0-9\n' _)" 2 "clients: " "$bench" $wrong
done
exits help_is_no_misuse 0 "usage: " "$bench" --help
plan
