# SPDX-License-Identifier: LGPL-2.1-or-later
include bench/model.mk

noinst_PROGRAMS += bench/matmul_host
bench_matmul_host_SOURCES = bench/matmul_host.c
bench_matmul_host_LDADD = librocket-all.la
