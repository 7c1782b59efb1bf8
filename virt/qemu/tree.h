/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tree.h - the NPU in the device tree that the guest is given. */
#ifndef VIRT_QEMU_TREE_H
#define VIRT_QEMU_TREE_H

#include <stdbool.h>

/* full: power, clocks and resets are a module's in the guest. bare: a core without an IOMMU. */
void tree_add(void *fdt, bool full, unsigned cores, unsigned bare);

#endif
