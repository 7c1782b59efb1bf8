# SPDX-License-Identifier: LGPL-2.1-or-later
if SIM
noinst_PROGRAMS += bench/model_speed
bench_model_speed_SOURCES = bench/model_speed.c bench/printed.h tests/model/emit.h tests/model/emit.c
bench_model_speed_LDADD = libnpu-model.la

noinst_PROGRAMS += bench/matmul_plans
bench_matmul_plans_SOURCES = bench/matmul_plans.c bench/number.h bench/printed.h \
	tools/rocket/estimate.c tools/rocket/estimate.h \
	tools/rocket/published.c tools/rocket/published.h \
	tools/rocket/report.c tools/rocket/report.h \
	tools/rocket/json.c tools/rocket/json.h \
	tools/rocket/units.c tools/rocket/units.h
bench_matmul_plans_LDADD = librocket-all.la
endif
