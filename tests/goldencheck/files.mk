# SPDX-License-Identifier: LGPL-2.1-or-later
# The checker of recorded data. Built always, so that it can be pointed at any directory.
noinst_PROGRAMS += tests/golden
tests_golden_SOURCES = \
	tests/goldencheck/main.c \
	tests/goldencheck/check.h tests/goldencheck/check.c \
	tests/goldencheck/source.h tests/goldencheck/source.c \
	tests/goldencheck/image.h tests/goldencheck/image.c \
	tests/goldencheck/programs.h tests/goldencheck/programs.c tests/goldencheck/chains.c \
	tests/goldencheck/index.c tests/goldencheck/plans.c tests/goldencheck/layouts.c \
	tests/goldencheck/numerics.c tests/goldencheck/lint.c
tests_golden_LDADD = librocket-all.la
if SIM
tests_golden_SOURCES += tests/model/board.h tests/model/board.c
endif

GOLDEN_TESTS = tests/goldencheck/golden.sh tests/goldencheck/lint.sh tests/goldencheck/malformed.sh
TESTS += $(GOLDEN_TESTS)
EXTRA_DIST += $(GOLDEN_TESTS) tests/goldencheck/data
