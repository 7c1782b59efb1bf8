# SPDX-License-Identifier: LGPL-2.1-or-later
include bench/model.mk

bench_null_device = bench/null_kernel.h bench/null_kernel.c bench/count.h bench/count.c
bench_count_flags = -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc,--wrap=memset

noinst_PROGRAMS += bench/matmul_host
bench_matmul_host_SOURCES = bench/matmul_host.c $(bench_null_device)
bench_matmul_host_LDFLAGS = $(AM_LDFLAGS) $(bench_count_flags)
bench_matmul_host_LDADD = librocket-all.la

noinst_PROGRAMS += bench/layout_speed
bench_layout_speed_SOURCES = bench/layout_speed.c
bench_layout_speed_LDADD = librocket-all.la
