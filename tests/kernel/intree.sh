#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What patches/README.md says of a kernel tree: the series goes in with git am and builds with
# the tree's own Kconfig and Makefile; the overlay applies to a device tree. And the module from
# a checkout, with make -C kmod.
. "$(dirname "$0")/lib.sh"

export GIT_AUTHOR_NAME=test GIT_AUTHOR_EMAIL=test@example.org GIT_COMMITTER_NAME=test GIT_COMMITTER_EMAIL=test@example.org
rocket=drivers/accel/rocket

# The lines of the manual, with its PATH.
apply() {
	local s=$1 repo=$scratch/linux-$1 patches
	mkdir "$repo"
	cp -r "/srv/source/$s/." "$repo/"
	cd "$repo"
	git init -q .
	git add .
	git commit -qm stock
	[ "$s" != 7.2 ] || git am -q "$top"/patches/7.2-0000*.patch
	git am -q "$top"/patches/0*.patch
	cp "$top"/kmod/rocket_*.[ch] $rocket/
	git add $rocket
	git commit -qm 'accel/rocket: files of rocket-npu'
	[ -z "$(git status --porcelain)" ]
	patches=$("$top/kmod/assemble" --list "$s" | wc -l)
	[ "$(git rev-list --count HEAD)" = $((patches + 2)) ]
	# It is the source that the package builds.
	"$top/kmod/assemble" "$s" "$bases/$s" "$scratch/assembled-$s"
	diff -r -x Kbuild "$repo/$rocket" "$scratch/assembled-$s/$rocket"
}

# The kernel's Makefile and Kconfig, with the tree's interface header in the place of the one
# that the headers' package has.
compile() {
	local s=$1 repo=$scratch/linux-$1 dir=/usr/src/arm64-$1 common extra=()
	[ "$s" = "$series" ] || extra=(KCFLAGS=-DCONFIG_DRM_ACCEL=1 KBUILD_MODPOST_WARN=1)
	common=$(sed -n 's,^include \(/usr/src/.*\)/Makefile$,\1,p' "$dir/Makefile")
	cp "$repo/include/uapi/drm/rocket_accel.h" "$common/include/uapi/drm/"
	make -s -j"$JOBS" -C "$dir" M="$repo/$rocket" CONFIG_DRM_ACCEL_ROCKET=m "${extra[@]}" modules
	# Every file of ours is in the module.
	for c in "$top"/kmod/rocket_*.c; do
		[ -f "$repo/$rocket/$(basename "$c" .c).o" ]
	done
	modinfo -F vermagic "$repo/$rocket/rocket.ko" | grep -q "^$s\..* aarch64\$"
	[ -z "$(modinfo -F version "$repo/$rocket/rocket.ko")" ]
}

# With the symbols that the driver's Kconfig names, it is a module; without, it is not offered.
configure() {
	local s=$1 kconfig=$scratch/kconfig-$1 conf
	conf=$(readlink -f "/usr/src/arm64-$s/scripts")/kconfig/conf
	[ -x "$conf" ]
	mkdir "$kconfig"
	cd "$kconfig"
	{
		echo 'mainmenu "test"'
		printf 'config MODULES\n\tmodules\n\tdef_bool y\n'
		printf 'config %s\n\tdef_bool y\n' DRM ARCH_ROCKCHIP ARM64 ROCKCHIP_IOMMU MMU PM_OPP REGULATOR COMMON_CLK PM
		printf 'config DRM_ACCEL\n\tbool "accel"\n'
		printf 'config %s\n\ttristate\n' DRM_SCHED DRM_GEM_SHMEM_HELPER
		echo "source \"$scratch/linux-$s/$rocket/Kconfig\""
	} >Kconfig
	printf 'CONFIG_DRM_ACCEL=y\nCONFIG_DRM_ACCEL_ROCKET=m\n' >.config
	"$conf" -s --olddefconfig Kconfig
	grep -qx CONFIG_DRM_ACCEL_ROCKET=m .config
	grep -qx CONFIG_DRM_SCHED=m .config
	printf '# CONFIG_DRM_ACCEL is not set\nCONFIG_DRM_ACCEL_ROCKET=m\n' >.config
	"$conf" -s --olddefconfig Kconfig
	! grep -q CONFIG_DRM_ACCEL_ROCKET=m .config
}

for s in $(awk '$1 ~ /^[0-9]/ { print $1 }' "$top/kmod/kernels"); do
	behaves "$s: the series goes into a kernel tree as the manual says" apply "$s"
	behaves "$s: its Kconfig offers the driver where DRM_ACCEL is" configure "$s"
	behaves "$s: it builds there, with every file of ours" compile "$s"
done

# ---- the overlay ----

labels=(pd_npu rknn_core_0 rknn_core_1 rknn_core_2 rknn_mmu_0 rknn_mmu_1 rknn_mmu_2)
dts() { dtc -q -@ -I dts -O dtb "$@"; }

# A tree with the labels, and as the kernel has it before a board adds to it.
stub() {
	echo '/dts-v1/; / {'
	echo 'vdd_npu_s0: regulator { regulator-name = "vdd_npu_s0"; };'
	for label in "${labels[@]}"; do
		[ "$label" = "${1:-}" ] || echo "$label: node-$label { status = \"disabled\"; };"
	done
	echo '};'
}

overlay() {
	local supply node
	dts -o "$scratch/overlay.dtbo" "$top/patches/example-board.dtso"
	stub | dts -o "$scratch/stub.dtb"
	fdtoverlay -i "$scratch/stub.dtb" -o "$scratch/whole.dtb" "$scratch/overlay.dtbo"
	supply=$(fdtget "$scratch/whole.dtb" /regulator phandle)
	[ "$(fdtget "$scratch/whole.dtb" /node-pd_npu domain-supply)" = "$supply" ]
	for n in 0 1 2; do
		[ "$(fdtget "$scratch/whole.dtb" "/node-rknn_mmu_$n" status)" = okay ]
		node=/node-rknn_core_$n
		[ "$(fdtget "$scratch/whole.dtb" $node status)" = okay ]
		[ "$(fdtget "$scratch/whole.dtb" $node npu-supply)" = "$supply" ]
		[ "$(fdtget "$scratch/whole.dtb" $node sram-supply)" = "$supply" ]
	done
	# What is not there is not passed over.
	stub rknn_core_1 | dts -o "$scratch/less.dtb"
	! fdtoverlay -i "$scratch/less.dtb" -o "$scratch/less-whole.dtb" "$scratch/overlay.dtbo"
}
behaves "the example overlay applies, and sets the nodes" overlay

kernel_labels() {
	local dtsi=/srv/source/$series/arch/arm64/boot/dts/rockchip/rk3588-base.dtsi
	for label in "${labels[@]}"; do
		grep -qE "(^|[^a-z_0-9])$label: " "$dtsi" || { echo "no $label"; return 1; }
	done
	grep -lE "(^|[^a-z_0-9])vdd_npu_s0: " "$(dirname "$dtsi")"/*
}
behaves "the labels it names are those of the kernel's device tree" kernel_labels

# ---- from a checkout ----

checkout() {
	[ ! -e "$top/kmod/build" ]
	KSRC=/srv/source/$series gives 0 make -s -C "$top/kmod" KDIR="$headers" OUT="$scratch/out" JOBS="$JOBS" -j"$JOBS"
	[ "$(modinfo -F version "$scratch/out/$rocket/rocket.ko")" = "$version" ]
	modinfo -F vermagic "$scratch/out/$rocket/rocket.ko" | grep -q "^$kernel .* aarch64\$"
}
behaves "make -C kmod builds the module from a checkout" checkout

checkout_refused() {
	KSRC=/srv/source/7.2 gives 2 make -s -C "$top/kmod" KDIR=/usr/src/arm64-7.2 OUT="$scratch/none"
	says '^rocket-npu: no module for Linux 7\.2\..*without CONFIG_DRM_ACCEL,'
	KSRC=/srv/source/7.2 gives 2 make -s -C "$top/kmod" KDIR="$headers" OUT="$scratch/none"
	says "source/7.2 is Linux 7.2, not $series"
	gives 2 make -s -C "$top/kmod" KDIR=/nowhere OUT="$scratch/none"
	says '/nowhere is no build folder of a kernel'
	gives 2 make -s -C "$top/kmod" KDIR="$headers" OUT="$scratch/with blank"
	says 'blank'
	[ ! -e "$scratch/none/$rocket" ]
	[ ! -e "$scratch/with blank" ]
}
behaves "make -C kmod refuses other kernels, other sources, and a path that kbuild cannot take" checkout_refused

# The NPU is no part of an amd64 machine; the driver compiles for one all the same.
amd64() {
	local kdir=/usr/src/linux-headers-${kernel%-arm64}-amd64
	KSRC=/srv/source/$series gives 2 make -s -C "$top/kmod" KDIR="$kdir" OUT="$scratch/amd64"
	says 'without CONFIG_'
	CHECK=1 KSRC=/srv/source/$series gives 0 make -s -C "$top/kmod" KDIR="$kdir" OUT="$scratch/amd64" -j"$JOBS"
	modinfo -F vermagic "$scratch/amd64/$rocket/rocket.ko" | grep -q "^${kernel%-arm64}-amd64 "
}
behaves "an amd64 kernel is refused, and can be compiled for with CHECK=1" amd64
finish
