#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# rocket clock on trees of files as boards have them: what is shown, set, refused, kept.
. "$top_srcdir/tests/tool/board.sh"

conf=etc/modprobe.d/rocket-npu.conf
mark="# The next line is of 'rocket clock --persist', which also removes it."

# ---- the operating points are the driver's ----
"$tree" clock --list --json >"$work/points"
sed -n 's/^\t{ *\([0-9]*\), \([0-9]*\), \(true\|false\) },$/\1 \2 \3/p' \
	"$top_srcdir/kmod/rocket_opp.c" >"$work/driver"
sed -n 's/^#define ROCKET_\(UV_[A-Z]*\|EASY_HZ\) *\([0-9]*\).*/\1=\2/p' "$top_srcdir/kmod/rocket_opp.c" |
	sort >"$work/driver_limits"
sed -n 's/^#define POINT_\(UV_[A-Z]*\|EASY_HZ\)[ \t]*\([0-9]*\).*/\1=\2/p' \
	"$top_srcdir/tools/rocket/points.h" | sort >"$work/tool_limits"
succeeds limits_are_the_drivers cmp "$work/driver_limits" "$work/tool_limits"
succeeds limits_are_four [ "$(wc -l <"$work/driver_limits")" -eq 4 ]
succeeds points_are_the_drivers "$python" -c '
import json, sys
driver = [l.split() for l in open(sys.argv[2])]
points = [[str(p["hz"]), str(p["vendor_uv"]), str(p["proven"]).lower()]
          for p in json.load(open(sys.argv[1]))["points"]]
assert len(driver) == 9 and points == driver, (points, driver)' "$work/points" "$work/driver"
exits list_shows_the_evidence 0 "15 min of load" "$tree" clock --list
exits list_shows_the_real_rate 0 "922-928 MHz" "$tree" clock --list

# ---- showing ----
ours shown
exits shows_the_request 0 "request in force           600 MHz" "$tree" clock
exits shows_the_real_rate 0 "about 816 MHz (as measured on a Turing RK1), not measured here" "$tree" clock
exits shows_the_voltage 0 "voltage                    800 mV" "$tree" clock
exits shows_the_floor 0 "never below                800 mV" "$tree" clock
exits shows_the_power_state 0 "fdab0000.npu: active" "$tree" clock
exits shows_the_delay 0 "sleeps 1000 ms after its last job" "$tree" clock
exits shows_the_counts 0 "600 MHz, enabled 3 times" "$tree" clock
json shown_as_json 0 "j['clock']['parameter_hz'] == j['clock']['request_hz'] == 600000000 and j['clock']['expected_real_mhz'] == {'known': True, 'measured_here': False, 'low': 816, 'high': 816, 'evidence': 'silicon: Turing RK1, results exact'} and j['clock']['rail_uv'] == 800000 and j['clock']['rail'] == 'vdd_npu_s0' and [c['power'] for c in j['cores']] == ['active', 'suspended', 'suspended'] and j['cores'][0]['jobs'] == 10 and j['clocks'][0]['enable_count'] == 3 and j['clock']['temperature_millidegrees'] == 41666" \
	"$tree" clock --json
writes showing_writes_nothing ""
put sys/class/regulator/regulator.3/microvolts '850000\n'
exits other_rail_makes_the_rate_unknown 0 "unknown at 850 mV; about 816 MHz at 800 mV" "$tree" clock
json other_rail_as_json 0 "not j['clock']['expected_real_mhz']['known']" "$tree" clock --json
put sys/kernel/debug/accel/0/npu 'clock_request_hz: 200000000\nclock_raised_hz: 0\n'
exits parked_rate_does_not_follow_the_rail 0 "about 198-200 MHz" "$tree" clock
put $bus/fdab0000.npu/power/control 'on\n'
exits shows_a_pinned_core 0 "pinned on" "$tree" clock

stock shown_stock
exits stock_driver_is_shown 0 "request in force           200 MHz" "$tree" clock
exits stock_driver_has_no_lever 0 "the rate cannot be set" "$tree" clock
stock shown_unloaded
unloaded
exits nothing_to_show 2 "not loaded" "$tree" clock
json nothing_to_show_as_json 2 "j['exit'] == 2 and 'not loaded' in j['error']" "$tree" clock --json

# ---- setting ----
ours set
exits sets_the_rate 0 "set rocket_npu_clk_hz = 900000000 (was 600000000)" "$tree" clock 900M
exits says_when_it_counts 0 "1 core is awake: at the next wake-up of any core" "$tree" clock 900M
writes set_writes_one_parameter "rocket_npu_clk_hz=900000000 rocket_npu_clk_hz=900000000"
succeeds set_reaches_the_file grep -qx 900000000 "$TREE_ROOT/$parameters/rocket_npu_clk_hz"
put $bus/fdab0000.npu/power/runtime_status 'suspended\n'
exits says_when_it_counts_asleep 0 "all cores sleep: with the next job" "$tree" clock 0.9GHz
exits default_is_zero 0 "rocket_npu_clk_hz = 0" "$tree" clock default
exits zero_is_default 0 "rocket_npu_clk_hz = 0" "$tree" clock 0
exits help_says_that_zero_is_default 0 "'default', which is 0," "$rocket" clock --help
put $bus/fdab0000.npu/power/control 'on\n'
exits pinned_core_is_noted 0 "do not unload the module" "$tree" clock 900M
ours spelt
for text in 900m 900MHz 0.9G 900000000 900000kHz 900000000Hz; do
	exits "spelt_$text" 0 "= 900000000" "$tree" clock $text
done
ours misspelt
for text in M fast 900X -5M 1e30 nan inf 0x10 "" "900 000 000" 9e99G; do
	exits "misspelt '$text'" 2 "try 'rocket clock --help'" "$tree" clock -- "$text"
done
writes misspelt_writes_nothing ""
exits bare_number_is_a_slip 2 "did you mean 900M?" "$tree" clock 900
exits no_rate_to_force 2 "which rate?" "$tree" clock --force
exits list_takes_no_rate 2 "no rate with --list" "$tree" clock --list 900M

ours forced
exits forces_an_unproven_rate 0 "nobody is known to have run 700 MHz" "$tree" clock --force 700M
writes force_is_given_for_one_step "rocket_npu_clk_force=Y rocket_npu_clk_hz=700000000 rocket_npu_clk_force=N"
ours forced_before
put $parameters/rocket_npu_clk_force 'Y\n'
exits force_that_stood_stays 0 "700000000" "$tree" clock --force 700M
writes force_that_stood_is_not_written "rocket_npu_clk_hz=700000000"
ours force_unneeded
exits force_of_a_proven_rate 0 "900000000" "$tree" clock --force 900M
writes force_of_a_proven_rate_is_not_written "rocket_npu_clk_hz=900000000"

# More voltage goes before the rate, less after it.
ours more
exits more_voltage 0 "run faster than" "$tree" clock --uv 850000 900M
writes more_voltage_comes_first "rocket_npu_uv=850000 rocket_npu_clk_hz=900000000"
ours less
put $parameters/rocket_npu_uv '900000\n'
exits less_voltage 0 "rocket_npu_uv = 850000" "$tree" clock --uv 850000 900M
writes less_voltage_comes_last "rocket_npu_clk_hz=900000000 rocket_npu_uv=850000"
ours back
put $parameters/rocket_npu_uv '900000\n'
exits voltage_by_the_rate 0 "rocket_npu_uv = 0" "$tree" clock --uv 0 600M
writes voltage_by_the_rate_comes_last "rocket_npu_clk_hz=600000000 rocket_npu_uv=0"
ours forced_more
exits forced_with_voltage 0 "1000000000" "$tree" clock --force --uv 900000 1000M
writes forced_with_voltage_in_order \
	"rocket_npu_uv=900000 rocket_npu_clk_force=Y rocket_npu_clk_hz=1000000000 rocket_npu_clk_force=N"
ours useless
exits voltage_below_the_floor_is_noted 0 "changes nothing" "$tree" clock --uv 700000 900M
ours kept
put $parameters/rocket_npu_uv '900000\n'
exits voltage_that_stays_is_noted 0 "rocket_npu_uv stays at 900000" "$tree" clock 900M
ours dry
exits dry_run 0 "would set rocket_npu_clk_hz = 900000000" "$tree" clock --dry-run --persist 900M
json dry_run_as_json 0 "j['dry_run'] and j['steps'][0] == {'parameter': 'rocket_npu_clk_hz', 'value': '900000000', 'before': '600000000'} and not j['file_changed']" \
	"$tree" clock --dry-run --persist --json 900M
writes dry_run_writes_nothing ""
succeeds dry_run_keeps_no_line [ ! -e "$TREE_ROOT/$conf" ]
json set_as_json 0 "not j['dry_run'] and len(j['steps']) == 1 and 'awake' in j['effective'] and j['notes'] == []" \
	"$tree" clock --json 900M

# ---- refusing ----
refused() {
	name=$1 text=$2
	shift 2
	exits "$name" 2 "$text" "$tree" clock "$@"
	writes "${name}_writes_nothing" ""
}
ours refusing
refused rate_not_in_the_table "no rate of 850000000 Hz" 850M
refused rate_not_in_the_table_forced "no rate of 1100000000 Hz" --force 1100M
refused unproven_rate "700 MHz is not proven on a board" 700M
refused too_little_voltage "outside the rail's window of 550000 to 950000 uV" --uv 549999 900M
refused too_much_voltage "outside the rail's window" --force --uv 950001 900M
put sys/class/regulator/regulator.3/max_microvolts '825000\n'
refused regulator_that_ends_below "goes up to 825000 uV only" --force 1000M
rm "$TREE_ROOT/$base/npu@fdac0000/npu-supply"
refused core_without_supply "fdac0000.npu has no npu-supply" 900M
refused core_without_supply_forced "fdac0000.npu has no npu-supply" --force 900M
exits parked_rate_needs_no_supply 0 "rocket_npu_clk_hz = 200000000" "$tree" clock 200M
stock refusing_stock
refused stock_driver "has no parameter rocket_npu_clk_hz" 900M
stock refusing_unloaded
unloaded
refused unloaded_driver "not loaded" 900M
ours refusing_rk3576
put $base/npu@fdab0000/compatible 'rockchip,rk3576-rknn-core\0'
refused rk3576 "never tried on an RK3576" 900M
ours refusing_coreless
rm -rf "$TREE_ROOT/$bus"
refused no_core "no NPU core here" 900M
ours refusing_garbage
put $parameters/rocket_npu_uv 'lots\n'
refused garbage_in_a_parameter "rocket_npu_uv cannot be read, or holds no number ('lots')" 900M
put $parameters/rocket_npu_uv '0\n'
put $parameters/rocket_npu_clk_force 'perhaps\n'
refused garbage_in_the_permission "neither Y nor N" 900M
ours refusing_builtin
rm "$TREE_ROOT/sys/module/rocket/initstate"
refused persist_for_a_built_in_driver "the kernel's command line" --persist 900M
exits built_in_driver_is_set 0 "900000000" "$tree" clock 900M
json refusal_as_json 2 "j['command'] == 'clock' and j['exit'] == 2 and 'not proven' in j['error']" \
	"$tree" clock --json 700M

ours user
chmod -R a+rX "$work"
chmod 0444 "$TREE_ROOT/$parameters/rocket_npu_clk_hz"
if unprivileged test -x "$tree" && unprivileged test -r "$TREE_ROOT/$parameters/rocket_npu_uv"; then
	exits user_is_refused 2 "only root may set the clock" unprivileged "$tree" clock 900M
	writes user_writes_nothing ""
	chmod 0700 "$TREE_ROOT/sys/kernel/debug"
	[ "$(id -u)" = 0 ] || chmod 0000 "$TREE_ROOT/sys/kernel/debug"
	exits user_sees_what_he_may 0 "run as root to see the request in force" unprivileged "$tree" clock
	exits user_sees_the_voltage 0 "800 mV" unprivileged "$tree" clock
	json user_sees_nulls 0 "j['clock']['request_hz'] is None and j['clock']['parameter_hz'] == 600000000" \
		unprivileged "$tree" clock --json
	chmod 0755 "$TREE_ROOT/sys/kernel/debug"
else
	skip user_is_refused "the build is not open to another user"
fi

# ---- failing half way ----
TREE_FAIL=rocket_npu_clk_hz=1000000000:refused
export TREE_FAIL
ours failing
exits failing_write 3 "rocket_npu_clk_hz does not take 1000000000: Invalid argument; all is as it was" \
	"$tree" clock --force --uv 900000 1000M
writes failing_write_is_undone \
	"rocket_npu_uv=900000 rocket_npu_clk_force=Y rocket_npu_clk_hz=1000000000 rocket_npu_clk_force=N rocket_npu_uv=0"
ours failing_kept
exits failing_write_keeps_no_line 3 "all is as it was" "$tree" clock --force --persist 1000M
succeeds failing_write_leaves_no_file [ ! -e "$TREE_ROOT/$conf" ]
TREE_FAIL=rocket_npu_clk_hz=900000000:other
ours other
exits other_value_is_seen 3 "reads back as something else; all is as it was" "$tree" clock --uv 850000 900M
writes other_value_is_undone \
	"rocket_npu_uv=850000 rocket_npu_clk_hz=900000000 rocket_npu_clk_hz=600000000 rocket_npu_uv=0"
json other_value_as_json 3 "j['exit'] == 3" "$tree" clock --json 900M
TREE_FAIL=rocket_npu_clk_force=N:refused
ours stuck
exits permission_that_stays_is_said 3 "could not be put back" "$tree" clock --force 700M
unset TREE_FAIL

# ---- keeping ----
text() {
	succeeds "$1" sh -c "printf '$2' | cmp - '$TREE_ROOT/$conf'"
}
line="options rocket rocket_npu_clk_hz"
ours persist
exits keeps_the_rate 0 "now has: $line=900000000" "$tree" clock --persist 900M
text kept_line "$(echo "$mark" | sed "s/'/'\\\\''/g")\n$line=900000000\n"
succeeds kept_file_is_for_all [ "$(stat -c %a "$TREE_ROOT/$conf")" = 644 ]
exits keeps_another_rate 0 "=600000000" "$tree" clock --persist 600M
succeeds kept_line_is_replaced [ "$(grep -c . "$TREE_ROOT/$conf")" = 2 ]
exits keeps_the_same_rate 0 "already has" "$tree" clock --persist 600M
exits keeps_forced_rate 0 "options rocket rocket_npu_clk_force=1 rocket_npu_uv=900000 rocket_npu_clk_hz=700000000" \
	"$tree" clock --persist --force --uv 900000 700M
exits keeps_no_rate 0 "no line of ours" "$tree" clock --persist default
succeeds file_of_ours_alone_is_removed [ ! -e "$TREE_ROOT/$conf" ]
succeeds nothing_else_is_left [ "$(ls -A "$TREE_ROOT/etc/modprobe.d")" = other.conf ]
exits nothing_to_take_out 0 "no line of ours" "$tree" clock --persist default

ours persist_initramfs
# lacks NAME TEXT COMMAND...: it succeeds and does not say TEXT.
lacks() {
	name=$1 text=$2
	shift 2
	succeeds "$name" sh -c 'text=$1 && shift && said=$("$@") && case $said in *"$text"*) exit 1 ;; esac' sh "$text" "$@"
}
said="the initramfs has a copy of its own"
lacks no_initramfs_is_not_mentioned "$said" "$tree" clock --persist 900M
json no_initramfs_as_json 0 "j['initramfs_update'] is None" "$tree" clock --persist --json 900M
put usr/bin/dracut ''
exits initramfs_of_dracut 0 "$said: it follows with 'sudo dracut --force'" "$tree" clock --persist 600M
put usr/sbin/update-initramfs ''
exits initramfs_follows 0 "$said: it follows with 'sudo update-initramfs -u'" "$tree" clock --persist 900M
exits initramfs_follows_later 0 "$said" "$tree" clock --persist 900M
exits initramfs_follows_what_was_taken_out 0 "$said" "$tree" clock --persist default
json initramfs_as_json 0 "j['initramfs_update'] == 'update-initramfs -u'" \
	"$tree" clock --persist --dry-run --json 900M
lacks initramfs_only_with_the_file "$said" "$tree" clock 900M

ours persist_beside
put $conf '# of the owner\noptions rocket rocket_multicore=1\noptions snd index=0'
chmod 0640 "$TREE_ROOT/$conf"
cp -p "$TREE_ROOT/$conf" "$work/before"
exits keeps_beside_others 0 "900000000" "$tree" clock --persist 900M
succeeds lines_of_others_stay grep -qx 'options snd index=0' "$TREE_ROOT/$conf"
succeeds mode_stays [ "$(stat -c %a "$TREE_ROOT/$conf")" = 640 ]
exits taken_out_beside_others 0 "no line of ours" "$tree" clock --persist default
succeeds lines_of_others_are_as_before sh -c "(cat '$work/before'; echo) | cmp - '$TREE_ROOT/$conf'"

# Ours, and one of others that would be loaded first or last.
clobber() {
	name=$1 file=$2 said=$3
	cp "$TREE_ROOT/$file" "$work/before" 2>/dev/null
	refused "$name" "$said" --persist 900M
	succeeds "${name}_is_left_alone" cmp "$work/before" "$TREE_ROOT/$file"
}
ours persist_own_line
put $conf '# mine\n  options  rocket rocket_npu_clk_hz=600000000\n'
clobber line_of_the_owner $conf "line 2 sets the clock and is not ours"
put $conf 'options rocket \\\\\n rocket_multicore=1 \\\\\n rocket_npu_uv=850000\n'
clobber continued_line_of_the_owner $conf "line 1 sets the clock and is not ours"
put $conf '#options rocket rocket_npu_clk_hz=900000000\noptions rocketx rocket_npu_clk_hz=1\n'
exits commented_line_is_no_conflict 0 "now has" "$tree" clock --persist 900M
ours persist_elsewhere
put usr/lib/modprobe.d/vendor.conf 'options rocket rocket_npu_clk_hz=600000000\n'
clobber line_elsewhere usr/lib/modprobe.d/vendor.conf "/usr/lib/modprobe.d/vendor.conf: line 1 sets the clock too"
ours persist_garbage
put $conf 'a\0b\n'
clobber file_that_is_no_text $conf "too long or no text"
head -c 70000 /dev/zero | tr '\0' '#' >"$TREE_ROOT/$conf"
clobber file_too_long $conf "too long or no text"
rm "$TREE_ROOT/$conf"
ln -s other.conf "$TREE_ROOT/$conf"
clobber link $conf "not a plain file"
succeeds link_stays [ -L "$TREE_ROOT/$conf" ]
ours persist_unloaded
unloaded
exits keeps_for_a_module_not_loaded 0 "nothing to set now" "$tree" clock --persist 900M
succeeds kept_for_a_module_not_loaded grep -qx "$line=900000000" "$TREE_ROOT/$conf"
writes keeping_alone_writes_nothing ""
rm -rf "$TREE_ROOT/etc/modprobe.d"
exits no_folder_for_it 3 "No such file" "$tree" clock --persist 900M
ours persist_live
rm -rf "$TREE_ROOT/etc"
exits set_but_not_kept_is_said 3 "the clock is set until the module is unloaded" "$tree" clock --persist 900M
plan
