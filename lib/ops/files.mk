# SPDX-License-Identifier: LGPL-2.1-or-later
librocket_all_la_SOURCES += \
	lib/ops/matmul_stats.h lib/ops/matmul_stats.c \
	lib/ops/matmul_kind.h lib/ops/matmul_kind.c \
	lib/ops/matmul_run.h lib/ops/matmul_run.c lib/ops/matmul_call.c \
	lib/ops/matmul_pack.c lib/ops/matmul_job.c lib/ops/matmul_take.c \
	lib/ops/matmul_scratch.h lib/ops/matmul_scratch.c \
	lib/ops/matmul_crew.h lib/ops/matmul_crew.c lib/ops/matmul_weights.c \
	lib/ops/matmul.c lib/ops/matmul_mt.c lib/ops/matmul_batch.c \
	lib/ops/matmul_hold.h lib/ops/matmul_hold.c lib/ops/matmul_rows.c lib/ops/matmul_align.c \
	lib/ops/matmul_rk3576.c lib/ops/matmul_resident.c
