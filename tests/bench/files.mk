# SPDX-License-Identifier: LGPL-2.1-or-later
if SIM
check_PROGRAMS += tests/bench/makespan
TESTS += tests/bench/makespan
tests_bench_makespan_SOURCES = tests/bench/makespan.c tests/model/tap.h \
	bench/scaling/makespan.c bench/scaling/makespan.h
tests_bench_makespan_LDADD = librocket-all.la -lm
endif

# The benchmarks with something between them and the device that spoils what it is asked for.
check_PROGRAMS += tests/bench/core_scaling-spoil
tests_bench_core_scaling_spoil_SOURCES = $(bench_core_scaling_SOURCES) tests/bench/spoil.c
tests_bench_core_scaling_spoil_LDADD = librocket-all.la
tests_bench_core_scaling_spoil_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=scaling_image_take \
	-Wl,--wrap=scaling_device_open

check_PROGRAMS += tests/bench/clients-spoil
tests_bench_clients_spoil_SOURCES = $(bench_clients_SOURCES) tests/bench/spoil_client.c
tests_bench_clients_spoil_LDADD = librocket-all.la
tests_bench_clients_spoil_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=client_run

bench_scripts = tests/bench/clients.sh tests/bench/core_scaling.sh tests/bench/figures.sh
TESTS += $(bench_scripts)
EXTRA_DIST += $(bench_scripts)
