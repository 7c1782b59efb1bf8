# SPDX-License-Identifier: LGPL-2.1-or-later
include sim/npu/files.mk
include sim/dev/files.mk
