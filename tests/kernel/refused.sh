#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Kernels that cannot have the module: DKMS skips them, with a reason that the user sees, before
# anything is compiled; and the installation of those kernels does not fail.
. "$(dirname "$0")/lib.sh"

pretend_arm64
tree "$version"
dkms add -m rocket-npu -v "$version" >/dev/null

# another_kernel RELEASE HEADERS [SED-SCRIPT]: a kernel with such headers and such a config.
another_kernel() {
	mkdir -p "/lib/modules/$1" "/usr/src/headers-$1"
	cp -a "$2/." "/usr/src/headers-$1/"
	sed -i "${3:-}" "/usr/src/headers-$1/.config"
	[ ! -e "/usr/src/headers-$1/include/config/auto.conf" ] ||
		sed -i "${3:-}" "/usr/src/headers-$1/include/config/auto.conf"
	ln -sfn "/usr/src/headers-$1" "/lib/modules/$1/build"
	touch "/lib/modules/$1/modules.order" "/lib/modules/$1/modules.builtin"
}

untouched() {
	[ ! -e "/var/lib/dkms/rocket-npu/$version/$1" ]
	[ ! -e "/lib/modules/$1/updates" ]
}

# refused RELEASE REASON [ARCH]
refused() {
	gives 77 dkms install -m rocket-npu -v "$version" -k "$1" -a "${3:-aarch64}"
	[ "$(grep -cE "^rocket-npu: no module for Linux $(literal "$1"): " "$said")" = 1 ]
	says "^rocket-npu: no module for Linux $(literal "$1"): .*$2"
	silent_about 'Building module'
	untouched "$1"
	gives 77 "/usr/src/rocket-npu-$version/kmod/supports" "$1" "/lib/modules/$1/build" "${3:-aarch64}"
	says "$2"
}

# The hook that the kernel's package runs.
installs() {
	gives 0 /etc/kernel/postinst.d/dkms "$1"
	says "^rocket-npu: no module for Linux $(literal "$1"): .*$2"
	says "Autoinstall on $(literal "$1") was skipped for module\(s\) rocket-npu"
	untouched "$1"
}

old=$(readlink -f /usr/src/arm64-7.2)
old=${old#/usr/src/linux-headers-}
behaves "7.2 as Debian builds it is refused for want of DRM_ACCEL" \
	refused "$old" 'without CONFIG_DRM_ACCEL,'
behaves "and installs nevertheless" installs "$old" 'without CONFIG_DRM_ACCEL,'

another_kernel 7.2.99-accel "/usr/src/arm64-7.2" 's/^# CONFIG_DRM_ACCEL is not set/CONFIG_DRM_ACCEL=y/;$aCONFIG_DRM_ACCEL=y'
behaves "7.2 with DRM_ACCEL is refused as one that is only compiled" \
	refused 7.2.99-accel "7.2 is only compiled as a check; .* made for Linux $series"

another_kernel 9.9.0-later "$headers"
behaves "a kernel of another series is refused" refused 9.9.0-later "made for Linux $series"
behaves "and installs nevertheless" installs 9.9.0-later "made for Linux $series"

another_kernel "$series.98-builtin" "$headers" '$aCONFIG_DRM_ACCEL_ROCKET=y'
behaves "a kernel with the driver built in is refused" \
	refused "$series.98-builtin" 'has a rocket driver built in'
behaves "and installs nevertheless" installs "$series.98-builtin" 'has a rocket driver built in'

another_kernel "$series.97-other" "$headers" '/^CONFIG_ROCKCHIP_IOMMU=/d'
behaves "a kernel without the IOMMU driver of Rockchip is refused" \
	refused "$series.97-other" 'without CONFIG_ROCKCHIP_IOMMU,'

amd64=${kernel%-arm64}-amd64
behaves "a kernel for amd64 is refused for its machine" refused "$amd64" 'this kernel is for x86_64' x86_64

no_headers() {
	mkdir -p "/lib/modules/$series.96-bare"
	gives 21 dkms install -m rocket-npu -v "$version" -k "$series.96-bare" -a aarch64
	says "kernel headers for kernel $series.96-bare cannot be found"
	gives 0 /etc/kernel/postinst.d/dkms "$series.96-bare"
	says "headers for this kernel do not seem to be installed"
	gives 1 "$top/kmod/supports" "$series.96-bare" "/lib/modules/$series.96-bare/build"
	says "install the headers of Linux $series.96-bare"
	untouched "$series.96-bare"
}
behaves "without headers DKMS says which are missing, and the kernel installs" no_headers

# What apt shows when the package meets such kernels only.
package_installs() {
	local good
	mkdir "$scratch/kept"
	for good in "$kernel" "${kernel%arm64}rt-arm64"; do
		[ ! -e "/lib/modules/$good" ] || mv "/lib/modules/$good" "$scratch/kept/"
	done
	RUNNING_KERNEL=6.0.0-host gives 0 /usr/lib/dkms/common.postinst rocket-npu "$version" "" "" ""
	says "^rocket-npu: no module for Linux $(literal "$old"): .*without CONFIG_DRM_ACCEL,"
	says "^rocket-npu: no module for Linux 9.9.0-later: "
	silent_about 'Building module'
	[ -z "$(find /lib/modules/*/updates -name 'rocket*' 2>/dev/null)" ]
	mv "$scratch"/kept/* /lib/modules/
}
behaves "the package installs where no kernel can have the module, and says why" package_installs

incomplete() {
	local copy=$scratch/incomplete
	cp -r "/usr/src/rocket-npu-$version" "$copy"
	rm -r "$copy/base/$series"
	gives 1 "$copy/kmod/prepare" "$kernel" "$headers"
	says "base/$series is missing: install this package anew"
}
behaves "a source tree that lost a driver says so" incomplete
finish
