# SPDX-License-Identifier: LGPL-2.1-or-later
include tests/encode/files.mk
include tests/model/files.mk
include tests/device/files.mk
include tests/sched/files.mk
include tests/matmul/files.mk
include tests/goldencheck/files.mk
include tests/tool/files.mk
include tests/install/files.mk
include tests/kernel/files.mk
include tests/virt/files.mk
