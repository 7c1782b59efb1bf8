#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# For dracut what rocket-npu-dkms.initramfs-hook is for initramfs-tools, which says why.

check() {
	modinfo -k "$kernel" rocket >/dev/null 2>&1
}

installkernel() {
	hostonly='' instmods rocket
}
