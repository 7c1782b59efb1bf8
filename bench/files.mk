# SPDX-License-Identifier: LGPL-2.1-or-later
include bench/model.mk

noinst_PROGRAMS += bench/matmul_host
bench_matmul_host_SOURCES = bench/matmul_host.c
bench_matmul_host_LDADD = librocket-all.la

noinst_PROGRAMS += bench/layout_speed
bench_layout_speed_SOURCES = bench/layout_speed.c
bench_layout_speed_LDADD = librocket-all.la
