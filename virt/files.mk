# SPDX-License-Identifier: LGPL-2.1-or-later
EXTRA_DIST += \
	virt/README.md \
	virt/board/registers.h
