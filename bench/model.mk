# SPDX-License-Identifier: LGPL-2.1-or-later
if SIM
noinst_PROGRAMS += bench/model_speed
bench_model_speed_SOURCES = bench/model_speed.c tests/model/emit.h tests/model/emit.c
bench_model_speed_LDADD = libnpu-model.la
endif
