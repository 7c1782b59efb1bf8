#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# For dracut what rocket-npu-dkms.initramfs-hook is for initramfs-tools, which says why.

check() {
	modinfo -k "$kernel" rocket >/dev/null 2>&1
}

installkernel() {
	hostonly='' instmods rocket
}

# Its parameters: an image that is not for this machine alone gets no /etc/modprobe.d by itself.
install() {
	inst_multiple -o /etc/modprobe.d/rocket-npu.conf
}
