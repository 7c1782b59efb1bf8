# SPDX-License-Identifier: LGPL-2.1-or-later
if HAVE_CMOCKA
matmul_test_support = tests/matmul/support.h tests/matmul/support.c
matmul_tests = tests/matmul/test_layout tests/matmul/test_plan

check_PROGRAMS += $(matmul_tests)
TESTS += $(matmul_tests)

tests_matmul_test_layout_SOURCES = tests/matmul/test_layout.c $(matmul_test_support)
tests_matmul_test_layout_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_matmul_test_layout_LDADD = librocket-all.la $(CMOCKA_LIBS)

tests_matmul_test_plan_SOURCES = tests/matmul/test_plan.c $(matmul_test_support)
tests_matmul_test_plan_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_matmul_test_plan_LDADD = librocket-all.la $(CMOCKA_LIBS)
endif

EXTRA_DIST += \
	tests/matmul/data/planner_vectors.csv \
	tests/matmul/data/nsplit_vectors.csv \
	tests/matmul/data/f32out_64x4096x512.csv \
	tests/matmul/data/fp16_256x2048x512_kaccchain.csv \
	tests/matmul/data/fp16_264x1024x512_tailM8.csv \
	tests/matmul/data/fp16_1536x1536x256_default_autoweight.csv \
	tests/matmul/data/fp16_512x1024x1024_hostacc_wreuse.csv \
	tests/matmul/data/fp16_512x1024x1024_batchsubmit.csv \
	tests/matmul/data/fp16_1500x384x1536_ragged.csv
