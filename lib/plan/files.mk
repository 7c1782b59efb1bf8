# SPDX-License-Identifier: LGPL-2.1-or-later
librocket_all_la_SOURCES += \
	lib/plan/tiler.h lib/plan/tiler.c lib/plan/rows.c \
	lib/plan/matmul_plan.h lib/plan/matmul_plan.c
