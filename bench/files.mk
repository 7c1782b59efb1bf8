# SPDX-License-Identifier: LGPL-2.1-or-later
include bench/model.mk

bench_null_device = bench/null_kernel.h bench/null_kernel.c bench/count.h bench/count.c
bench_count_flags = -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc,--wrap=memset

noinst_PROGRAMS += bench/matmul_host
bench_matmul_host_SOURCES = bench/matmul_host.c bench/number.h bench/printed.h $(bench_null_device)
bench_matmul_host_LDFLAGS = $(AM_LDFLAGS) $(bench_count_flags)
bench_matmul_host_LDADD = librocket-all.la

noinst_PROGRAMS += bench/layout_speed
bench_layout_speed_SOURCES = bench/layout_speed.c bench/number.h bench/printed.h
bench_layout_speed_LDADD = librocket-all.la

noinst_PROGRAMS += bench/core_scaling
bench_core_scaling_SOURCES = bench/core_scaling.c bench/number.h bench/printed.h \
	bench/scaling/batch.c bench/scaling/batch.h \
	bench/scaling/device.c bench/scaling/device.h \
	bench/scaling/device_rknpu.c bench/scaling/device_rocket.c \
	bench/scaling/estimate.c bench/scaling/estimate.h \
	bench/scaling/measure.c bench/scaling/measure.h \
	bench/scaling/output.c bench/scaling/output.h \
	bench/scaling/report.c bench/scaling/report.h \
	bench/scaling/report_json.c bench/scaling/report_plot.c \
	bench/scaling/scenario.c bench/scaling/scenario.h \
	tools/rocket/json.c tools/rocket/json.h
bench_core_scaling_LDADD = librocket-all.la
if SIM
bench_core_scaling_SOURCES += bench/scaling/makespan.c bench/scaling/makespan.h
else
EXTRA_DIST += bench/scaling/makespan.c bench/scaling/makespan.h
endif

bench_crowd = bench/client.c bench/client.h bench/crowd.c bench/crowd.h \
	bench/latency.c bench/latency.h
noinst_PROGRAMS += bench/clients
bench_clients_SOURCES = bench/clients.c bench/number.h bench/printed.h $(bench_crowd) \
	tools/rocket/json.c tools/rocket/json.h
bench_clients_LDADD = librocket-all.la
