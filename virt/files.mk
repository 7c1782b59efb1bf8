# SPDX-License-Identifier: LGPL-2.1-or-later
# The virtual board is built by virt/qemu/build; virt/board is also compiled for tests/virt.
EXTRA_DIST += \
	virt/README.md \
	virt/apt \
	virt/packages \
	virt/qemu/build \
	virt/qemu/device.c \
	virt/qemu/device.h \
	virt/qemu/devices.mak \
	virt/qemu/dma.c \
	virt/qemu/machine.c \
	virt/qemu/meson.build \
	virt/qemu/tree.c \
	virt/qemu/tree.h \
	virt/qemu/worker.c
