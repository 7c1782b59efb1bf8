# SPDX-License-Identifier: LGPL-2.1-or-later
librocket_all_la_SOURCES += \
	lib/layout/matmul_layout.h lib/layout/matmul_layout.c \
	lib/layout/source.h lib/layout/source.c \
	lib/layout/half.h lib/layout/block.h lib/layout/loops.h lib/layout/totals.h \
	lib/layout/kernels.h lib/layout/kernels.c \
	lib/layout/portable.c lib/layout/avx2.c lib/layout/neon.c
