#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# rocket info on trees of files as boards have them: what the kernel tells, and why there
# is no NPU.
. "$top_srcdir/tests/tool/board.sh"

# ---- no device: why ----
# because NAME CODE NEXT: the first cause has that code, and its advice that text.
because() {
	json "$1" 2 "j['device'] is None and j['causes'][0]['code'] == '$2' and '$3' in j['causes'][0]['next'] and j['causes'][0]['cause']" \
		"$tree" info --json
	exits "${1}_as_text" 2 "next: " "$tree" info
}
if ls /dev/accel/accel* >/dev/null 2>&1; then
	skip causes "this machine has an accelerator node"
else
	TREE_ROOT=$work/tree/empty
	mkdir -p "$TREE_ROOT"
	because no_device_tree no_npu ROCKET_DEVICE=sim
	stock another_board
	rm -rf "$TREE_ROOT/$base"/npu* "$TREE_ROOT/$bus" "$TREE_ROOT/sys/class/accel/accel0"
	because device_tree_without_npu no_npu "device tree of this board"
	exits board_without_npu_is_named 2 "Turing Machines RK1" "$tree" info

	stock module
	unloaded
	because list_of_modules_missing module_unknown modinfo
	put lib/modules/7.3.4+deb13-arm64/modules.dep 'kernel/a/xrocket.ko:\nkernel/rocket.kob:\n'
	because other_modules module_not_installed rocket-npu-dkms
	put lib/modules/7.3.4+deb13-arm64/modules.dep 'kernel/a.ko.xz:\nupdates/dkms/rocket.ko.xz: kernel/drm.ko\n'
	because module_not_loaded module_not_loaded "modprobe rocket"
	exits installed_module_is_named 2 "updates/dkms/rocket.ko.xz" "$tree" info
	put etc/modprobe.d/no.conf '# blacklist rocket\n blacklist rocket\n'
	because module_blacklisted module_blacklisted "modprobe rocket"
	exits blacklisting_file_is_named 2 "/etc/modprobe.d/no.conf" "$tree" info
	put lib/modules/7.3.4+deb13-arm64/modules.builtin 'kernel/drivers/accel/rocket/rocket.ko\n'
	because built_in_module built_in_not_started dmesg
	mkdir -p "$TREE_ROOT/sys/bus/platform/drivers/RKNPU"
	because vendor_driver vendor_driver "mainline kernel"
	# A list as long as that of a real kernel, with a line longer than any buffer.
	stock huge
	unloaded
	mkdir -p "$TREE_ROOT/lib/modules/7.3.4+deb13-arm64"
	"$python" -c '
print("kernel/" + "x" * 100000 + "/rocket.ko")
for i in range(40000): print("kernel/drivers/m%d.ko:" % i)
print("extra/rocket.ko:")' >"$TREE_ROOT/lib/modules/7.3.4+deb13-arm64/modules.dep"
	exits long_list_is_read 2 "(extra/rocket.ko)" "$tree" info

	stock disabled
	unbound
	rm -rf "$TREE_ROOT/$bus"
	for core in fdab0000 fdac0000 fdad0000; do put $base/npu@$core/status 'disabled\0'; done
	because nodes_disabled nodes_disabled example-board.dtso
	exits disabled_nodes_are_counted 2 "has 3 NPU cores, all of them disabled" "$tree" info
	stock mmu
	unbound
	put $base/iommu@fdac0000/status 'disabled\0'
	because iommu_disabled iommu_disabled iommu@
	stock deferred
	unbound
	put sys/kernel/debug/devices_deferred 'other\twaits\nfdab0000.npu\trocket: no npu supply\nfdab0000.npux\tno\n'
	because deferred_probe deferred_supplier "driver of that supplier"
	exits reason_of_the_deferral_is_shown 2 "put off: rocket: no npu supply" "$tree" info
	put sys/kernel/debug/devices_deferred 'fdac0000.npu\t\n'
	because deferred_without_reason deferred dmesg
	stock waiting
	unbound
	put $bus/fdab0000.npu/waiting_for_supplier '1\n'
	because waiting_for_a_supplier deferred_supplier devices_deferred
	stock failed
	unbound
	because probe_failed probe_failed dmesg

	stock node
	rm "$TREE_ROOT/dev/accel/accel0"
	because node_missing node_missing container
	stock node_unopened
	because node_that_does_not_open open_failed dmesg
	chmod -R a+rX "$work"
	chmod 0600 "$TREE_ROOT/dev/accel/accel0"
	[ "$(id -u)" = 0 ] || chmod 0000 "$TREE_ROOT/dev/accel/accel0"
	if unprivileged test -x "$tree" && unprivileged test -r "$TREE_ROOT/$base/model"; then
		exits no_permission 2 "sudo usermod -aG $(stat -c %G "$TREE_ROOT/dev/accel/accel0")" \
			unprivileged "$tree" info
	else
		skip no_permission "the build is not open to another user"
	fi
	ROCKET_DEVICE=sim:rk1 json simulator_has_no_causes 2 "'causes' not in j" "$tree" info --json
fi

# ---- a device ----
TREE_DEVICE=linux ROCKET_DEVICE=sim
export TREE_DEVICE ROCKET_DEVICE
if [ "$enable_sim" = no ]; then
	skip info_of_a_device "configured with --disable-sim"
	plan
	exit
fi
ours info
fdinfo='pos:\t0\ndrm-driver:\trocket\ndrm-client-id:\t%d\ndrm-engine-npu0:\t1500000000 ns\ndrm-engine-npu2:\t7 ns\ndrm-total-memory:\t2048 KiB\n'
process 4242 llama 5 "$(printf "$fdinfo" 3)"
process 4242 llama 6 "$(printf "$fdinfo" 3)"
process 4242 llama 7 "$(printf "$fdinfo" 4)"
process 77 'ba\033d"n\\\\ame' 3
mkdir -p "$TREE_ROOT/proc/88" "$TREE_ROOT/proc/99/fd" "$TREE_ROOT/proc/self/fd"
ln -s /dev/null "$TREE_ROOT/proc/99/fd/1"
json device_as_json 0 "j['module']['version'] == '0.1.0' and j['module']['srcversion'] == '0123456789ABCDEF' and all(j['module']['features'].values()) and j['module']['parameters']['rocket_batch_submit'] == 'Y' and len(j['cores']) == 3 and j['cores'][0]['failed'] == 2 and j['cores'][0]['busy_ns'] == 1500000000 and j['clock']['raised_hz'] == 600000000 and j['board'] == 'Turing Machines RK1' and j['complete']" \
	"$tree" info --json
json users_as_json 0 "[(u['pid'], u.get('client')) for u in j['users']] == [(4242, 3), (4242, 4), (77, None)] and j['users'][0]['busy_ns'] == [1500000000, 0, 7] and j['users'][0]['memory_bytes'] == 2 << 20 and j['users'][2]['command'] == 'ba?d\"n\\\\\\\\ame'" \
	"$tree" info --json
exits driver_of_the_package 0 "of the package rocket-npu" "$tree" info
exits features_are_shown 0 "chained jobs (0030)" "$tree" info
exits counters_are_shown 0 "10 jobs, 2 failed, 12 kicks, busy 1.500 s" "$tree" info
exits user_is_shown 0 "llama: busy 1.500 / 0.000 / 0.000 s on cores 0 / 1 / 2, 2.00 MiB" "$tree" info
stock info_stock
process 12 old 3
exits driver_of_the_kernel 0 "the kernel's own" "$tree" info
exits user_of_the_kernels_driver 0 "this driver does not tell what it used" "$tree" info
json driver_of_the_kernel_as_json 0 "j['module']['version'] is None and not any(j['module']['features'].values()) and j['clock']['parameter_hz'] is None" \
	"$tree" info --json
ours many
i=1
while [ $i -le 40 ]; do
	process $i client 3
	i=$((i + 1))
done
json many_users 0 "len(j['users']) == 32 and j['users_not_listed'] == 8" "$tree" info --json
unset TREE_DEVICE
json simulated_device_has_no_kernel 0 "'module' not in j and 'users' not in j" "$tree" info --json
TREE_DEVICE=linux
export TREE_DEVICE

# ---- files that make no sense, or do not end, or go away ----
ours garbage
find "$TREE_ROOT/sys" "$TREE_ROOT/proc" -type f | while read -r file; do
	printf '\377\000\033[2J\n%%s%%n-9x' >"$file"
done
for core in fdab0000 fdac0000 fdad0000; do put $base/npu@$core/compatible 'rockchip,rk3588-rknn-core\0'; done
json garbage_everywhere 0 "j['clock']['request_hz'] is None and j['cores'][0]['active_ms'] is None" "$tree" info --json
exits garbage_as_text 0 "unknown (cannot be read)" "$tree" info
cp "$work/out" "$work/garbage"
succeeds garbage_sends_no_escapes sh -c "test -s '$work/garbage' && ! LC_ALL=C grep -q '[^ -~]' '$work/garbage'"
exits garbage_in_clock 0 "unknown (cannot be read)" "$tree" clock
ours huge_files
find "$TREE_ROOT/sys" "$TREE_ROOT/proc" -type f | while read -r file; do
	head -c 300000 /dev/zero | tr '\0' 9 >"$file"
done
for core in fdab0000 fdac0000 fdad0000; do put $base/npu@$core/compatible 'rockchip,rk3588-rknn-core\0'; done
json huge_files_everywhere 0 "j['clock']['request_hz'] is None" "$tree" info --json
ours special
rm "$TREE_ROOT/sys/kernel/debug/accel/0/npu" "$TREE_ROOT/$parameters/rocket_npu_uv"
mkfifo "$TREE_ROOT/sys/kernel/debug/accel/0/npu"
mkdir "$TREE_ROOT/$parameters/rocket_npu_uv"
json pipe_and_folder 0 "j['clock']['raised_hz'] is None and j['module']['parameters']['rocket_npu_uv'] is None" \
	timeout 20 "$tree" info --json
ours vanishing
(until [ -e "$work/enough" ]; do
	mv "$TREE_ROOT/$bus/fdac0000.npu" "$work/away" 2>/dev/null
	mv "$TREE_ROOT/proc/sys" "$work/away2" 2>/dev/null
	mv "$work/away" "$TREE_ROOT/$bus/fdac0000.npu" 2>/dev/null
	mv "$work/away2" "$TREE_ROOT/proc/sys" 2>/dev/null
done) &
mover=$!
i=0
failed=0
while [ $i -lt 20 ]; do
	timeout 20 "$tree" clock --json >"$work/json" 2>&1 || failed=1
	"$python" -c 'import json, sys; json.load(open(sys.argv[1]))' "$work/json" || failed=1
	i=$((i + 1))
done
: >"$work/enough"
wait $mover
succeeds vanishing_files_do_no_harm [ $failed = 0 ]
plan
