# SPDX-License-Identifier: LGPL-2.1-or-later
if SIM
MODEL_TEST_SOURCES = \
	tests/model/board.h tests/model/board.c \
	tests/model/golden.h tests/model/golden.c \
	tests/model/layout.h tests/model/layout.c \
	tests/model/reference.h tests/model/reference.c \
	tests/model/tap.h
MODEL_TESTS = tests/model/golden_exec

check_PROGRAMS += $(MODEL_TESTS)
TESTS += $(MODEL_TESTS)
EXTRA_DIST += tests/model/data

tests_model_golden_exec_SOURCES = tests/model/golden_exec.c $(MODEL_TEST_SOURCES)
tests_model_golden_exec_LDADD = libnpu-model.la -lm
endif
