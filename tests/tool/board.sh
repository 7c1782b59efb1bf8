# SPDX-License-Identifier: LGPL-2.1-or-later
# board.sh - trees of files as the kernel of a board shows them, for the command that reads
# below a root (tree.c).
. "$top_srcdir/tests/tool/tool.sh"

tree=$builddir/tests/tool/rocket-tree
TREE_WRITES=$work/writes
export TREE_ROOT TREE_WRITES

put() {
	[ -d "$TREE_ROOT/${1%/*}" ] || mkdir -p "$TREE_ROOT/${1%/*}"
	printf "$2" >"$TREE_ROOT/$1"
}

base=sys/firmware/devicetree/base
bus=sys/bus/platform/devices
parameters=sys/module/rocket/parameters

# core NAME SUFFIX: device tree node, its IOMMU, the device, bound and asleep.
core() {
	put $base/npu@$1/compatible 'rockchip,rk3588-rknn-core\0'
	put $base/npu@$1/status 'okay\0'
	put $base/npu@$1/npu-supply '\0\0\0\007'
	put $base/npu@$1/iommus "\\0\\0\\0\\02$2"
	put $base/iommu@$1/phandle "\\0\\0\\0\\02$2"
	put $base/iommu@$1/status 'okay\0'
	put $bus/$1.npu/waiting_for_supplier '0\n'
	put $bus/$1.npu/power/runtime_status 'suspended\n'
	put $bus/$1.npu/power/control 'auto\n'
	put $bus/$1.npu/power/autosuspend_delay_ms '1000\n'
	put $bus/$1.npu/power/runtime_active_time '2500\n'
	put $bus/$1.npu/power/runtime_suspended_time '60000\n'
	ln -s ../../../../firmware/devicetree/base/npu@$1 "$TREE_ROOT/$bus/$1.npu/of_node"
	ln -s ../../../../bus/platform/drivers/rocket "$TREE_ROOT/$bus/$1.npu/driver"
}

make_stock() {
	put $base/model 'Turing Machines RK1\0'
	put proc/sys/kernel/osrelease '7.3.4+deb13-arm64\n'
	core fdab0000 0
	core fdac0000 1
	core fdad0000 2
	put sys/class/regulator/regulator.3/name 'vdd_npu_s0\n'
	put sys/class/regulator/regulator.3/state 'disabled\n'
	put sys/class/regulator/regulator.3/microvolts '800000\n'
	put sys/class/regulator/regulator.3/max_microvolts '950000\n'
	put sys/class/regulator/regulator.3/of_node/phandle '\0\0\0\007'
	put sys/class/regulator/regulator.1/of_node/phandle '\0\0\0\006'
	put sys/class/thermal/thermal_zone6/type 'npu-thermal\n'
	put sys/class/thermal/thermal_zone6/temp '41666\n'
	put sys/module/rocket/initstate 'live\n'
	put sys/module/rocket/refcnt '1\n'
	put sys/module/rocket/srcversion '0123456789ABCDEF\n'
	put sys/bus/platform/drivers/rocket/uevent ''
	put sys/kernel/debug/devices_deferred ''
	put sys/kernel/debug/clk/scmi_clk_npu/clk_rate '200000000\n'
	put sys/kernel/debug/clk/scmi_clk_npu/clk_enable_count '3\n'
	mkdir -p "$TREE_ROOT/sys/class/accel/accel0"
	ln -s ../../../devices/platform/rknn "$TREE_ROOT/sys/class/accel/accel0/device"
	put dev/accel/accel0 ''
	put etc/modprobe.d/other.conf 'options snd index=1\n'
}

make_ours() {
	put sys/module/rocket/version '0.1.0\n'
	put $parameters/rocket_npu_clk_hz '600000000\n'
	put $parameters/rocket_npu_clk_force 'N\n'
	put $parameters/rocket_npu_uv '0\n'
	put $parameters/rocket_autosuspend_ms '1000\n'
	put $parameters/job_timeout_ms '500\n'
	put $parameters/rocket_batch_submit 'Y\n'
	put $parameters/rocket_max_jobs '1024\n'
	put $parameters/rocket_multicore 'N\n'
	put sys/kernel/debug/accel/0/npu "clock_request_hz: 600000000
clock_raised_hz: 600000000
rail_uv: 800000
core0: active kicks=12 jobs=10 failed=2 busy_ns=1500000000
core1: suspended kicks=0 jobs=0 failed=0 busy_ns=0
core2: suspended kicks=3 jobs=3 failed=0 busy_ns=250000000
"
	put sys/kernel/debug/clk/scmi_clk_npu/clk_rate '600000000\n'
	put $bus/fdab0000.npu/power/runtime_status 'active\n'
}

# stock NAME, ours NAME: a board with the kernel's own driver, or with the package's.
copy() {
	TREE_ROOT=$work/tree/$2
	cp -a "$work/$1" "$TREE_ROOT"
	: >"$TREE_WRITES"
}

stock() {
	copy stock "$1"
}

ours() {
	copy ours "$1"
}

mkdir "$work/tree"
TREE_ROOT=$work/stock
make_stock
cp -a "$work/stock" "$work/ours"
TREE_ROOT=$work/ours
make_ours

unbound() {
	for core in fdab0000 fdac0000 fdad0000; do rm -f "$TREE_ROOT/$bus/$core.npu/driver"; done
	rm -rf "$TREE_ROOT/sys/class/accel/accel0"
}

unloaded() {
	unbound
	rm -rf "$TREE_ROOT/sys/module/rocket" "$TREE_ROOT/sys/bus/platform/drivers/rocket"
}

# user PID COMMAND FD [fdinfo]
process() {
	put proc/$1/comm "$2\n"
	mkdir -p "$TREE_ROOT/proc/$1/fd"
	ln -s /dev/accel/accel0 "$TREE_ROOT/proc/$1/fd/$3"
	[ $# -lt 4 ] || put proc/$1/fdinfo/$3 "$4"
}

# writes NAME TEXT: all that was written since the tree was made.
writes() {
	got=$(tr '\n' ' ' <"$TREE_WRITES")
	[ "$got" = "${2:+$2 }" ] || echo "# written: $got"
	succeeds "$1" [ "$got" = "${2:+$2 }" ]
}

# As a user who may not do all. Skips where this script cannot become one.
unprivileged() {
	if [ "$(id -u)" = 0 ]; then
		setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
	else
		"$@"
	fi
}
