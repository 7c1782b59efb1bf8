# SPDX-License-Identifier: LGPL-2.1-or-later
if HAVE_CMOCKA
matmul_test_support = tests/matmul/support.h tests/matmul/support.c \
	tests/golden_folder.h tests/golden_folder.c
matmul_tests = tests/matmul/test_layout tests/matmul/test_source tests/matmul/test_plan \
	tests/matmul/test_choices tests/matmul/test_parts

tests_matmul_test_layout_SOURCES = tests/matmul/test_layout.c $(matmul_test_support)
tests_matmul_test_layout_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_matmul_test_layout_LDADD = librocket-all.la $(CMOCKA_LIBS)

tests_matmul_test_source_SOURCES = tests/matmul/test_source.c $(matmul_test_support)
tests_matmul_test_source_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_matmul_test_source_LDADD = librocket-all.la $(CMOCKA_LIBS)

tests_matmul_test_plan_SOURCES = tests/matmul/test_plan.c $(matmul_test_support)
tests_matmul_test_plan_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_matmul_test_plan_LDADD = librocket-all.la $(CMOCKA_LIBS)

tests_matmul_test_choices_SOURCES = tests/matmul/test_choices.c $(matmul_test_support)
tests_matmul_test_choices_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_matmul_test_choices_LDADD = librocket-all.la $(CMOCKA_LIBS)

tests_matmul_test_parts_SOURCES = tests/matmul/test_parts.c $(matmul_test_support)
tests_matmul_test_parts_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_matmul_test_parts_LDADD = librocket-all.la $(CMOCKA_LIBS)

if SIM
matmul_device_support = $(matmul_test_support) \
	tests/driver.h tests/driver.c \
	tests/matmul/device.h tests/matmul/device.c \
	tests/matmul/reference.h tests/matmul/reference.c
matmul_device_tests = tests/matmul/test_numerics tests/matmul/test_types tests/matmul/test_range \
	tests/matmul/test_task tests/matmul/test_api tests/matmul/test_groups \
	tests/matmul/test_batch tests/matmul/test_stream tests/matmul/test_chain \
	tests/matmul/test_rows tests/matmul/test_shapes tests/matmul/test_random \
	tests/matmul/test_steps tests/matmul/test_resident tests/matmul/test_workers \
	tests/matmul/test_refusals tests/matmul/test_threads tests/matmul/test_steady
matmul_tests += $(matmul_device_tests)
DEVICE_TESTS += $(matmul_device_tests)
# The numerics are one thread and slow under a thread sanitizer.
THREAD_TESTS += tests/matmul/test_refusals tests/matmul/test_resident tests/matmul/test_threads \
	tests/matmul/test_workers

tests_matmul_test_numerics_SOURCES = tests/matmul/test_numerics.c $(matmul_device_support)
tests_matmul_test_numerics_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_matmul_test_numerics_LDADD = librocket-all.la $(CMOCKA_LIBS)

tests_matmul_test_types_SOURCES = tests/matmul/test_types.c $(matmul_device_support)
tests_matmul_test_types_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_matmul_test_types_LDADD = librocket-all.la $(CMOCKA_LIBS)

tests_matmul_test_stream_SOURCES = tests/matmul/test_stream.c $(matmul_device_support)
tests_matmul_test_stream_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_matmul_test_stream_LDADD = librocket-all.la $(CMOCKA_LIBS)

tests_matmul_test_range_SOURCES = tests/matmul/test_range.c $(matmul_device_support)
tests_matmul_test_range_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_matmul_test_range_LDADD = librocket-all.la $(CMOCKA_LIBS)

tests_matmul_test_task_SOURCES = tests/matmul/test_task.c $(matmul_device_support)
tests_matmul_test_task_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_matmul_test_task_LDADD = librocket-all.la $(CMOCKA_LIBS)

tests_matmul_test_api_SOURCES = tests/matmul/test_api.c $(matmul_device_support)
tests_matmul_test_api_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
# The library as it is installed: a name that is not exported does not link.
tests_matmul_test_api_LDADD = librocketnpu.la $(CMOCKA_LIBS)
# Itself and not libtool's script, which no emulator runs.
tests_matmul_test_api_LDFLAGS = $(AM_LDFLAGS) -no-install

matmul_inject = tests/matmul/inject.h tests/matmul/inject.c
matmul_inject_flags = -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc \
	-Wl,--wrap=sim_dev_ioctl,--wrap=sim_dev_mmap,--wrap=sim_dev_munmap \
	-Wl,--wrap=pthread_create

tests_matmul_test_groups_SOURCES = tests/matmul/test_groups.c $(matmul_device_support) \
	$(matmul_inject)
tests_matmul_test_groups_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_matmul_test_groups_LDADD = librocket-all.la $(CMOCKA_LIBS)
tests_matmul_test_groups_LDFLAGS = $(AM_LDFLAGS) $(matmul_inject_flags)

tests_matmul_test_batch_SOURCES = tests/matmul/test_batch.c $(matmul_device_support) \
	$(matmul_inject)
tests_matmul_test_batch_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_matmul_test_batch_LDADD = librocket-all.la $(CMOCKA_LIBS)
tests_matmul_test_batch_LDFLAGS = $(AM_LDFLAGS) $(matmul_inject_flags)

tests_matmul_test_chain_SOURCES = tests/matmul/test_chain.c $(matmul_device_support) \
	$(matmul_inject)
tests_matmul_test_chain_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_matmul_test_chain_LDADD = librocket-all.la $(CMOCKA_LIBS)
tests_matmul_test_chain_LDFLAGS = $(AM_LDFLAGS) $(matmul_inject_flags)

tests_matmul_test_rows_SOURCES = tests/matmul/test_rows.c $(matmul_device_support) \
	$(matmul_inject)
tests_matmul_test_rows_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_matmul_test_rows_LDADD = librocket-all.la $(CMOCKA_LIBS)
tests_matmul_test_rows_LDFLAGS = $(AM_LDFLAGS) $(matmul_inject_flags)

matmul_forms = tests/matmul/form.h tests/matmul/form.c tests/matmul/long.h \
	tests/matmul/judge.h tests/matmul/judge.c \
	$(matmul_device_support)
LONG_TESTS += tests/matmul/test_shapes tests/matmul/test_random tests/matmul/test_steps

tests_matmul_test_shapes_SOURCES = tests/matmul/test_shapes.c $(matmul_forms)
tests_matmul_test_shapes_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_matmul_test_shapes_LDADD = librocket-all.la $(CMOCKA_LIBS)

tests_matmul_test_random_SOURCES = tests/matmul/test_random.c $(matmul_forms)
tests_matmul_test_random_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_matmul_test_random_LDADD = librocket-all.la $(CMOCKA_LIBS)

tests_matmul_test_steps_SOURCES = tests/matmul/test_steps.c $(matmul_forms)
tests_matmul_test_steps_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_matmul_test_steps_LDADD = librocket-all.la $(CMOCKA_LIBS)

tests_matmul_test_resident_SOURCES = tests/matmul/test_resident.c $(matmul_device_support) \
	$(matmul_inject)
tests_matmul_test_resident_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_matmul_test_resident_LDADD = librocket-all.la $(CMOCKA_LIBS)
tests_matmul_test_resident_LDFLAGS = $(AM_LDFLAGS) $(matmul_inject_flags)

tests_matmul_test_workers_SOURCES = tests/matmul/test_workers.c $(matmul_device_support) \
	$(matmul_inject) tests/children.h tests/children.c
tests_matmul_test_workers_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_matmul_test_workers_LDADD = librocket-all.la $(CMOCKA_LIBS)
tests_matmul_test_workers_LDFLAGS = $(AM_LDFLAGS) $(matmul_inject_flags)

tests_matmul_test_refusals_SOURCES = tests/matmul/test_refusals.c $(matmul_device_support) \
	$(matmul_inject)
tests_matmul_test_refusals_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_matmul_test_refusals_LDADD = librocket-all.la $(CMOCKA_LIBS)
tests_matmul_test_refusals_LDFLAGS = $(AM_LDFLAGS) $(matmul_inject_flags)

tests_matmul_test_steady_SOURCES = tests/matmul/test_steady.c $(matmul_device_support) \
	$(bench_null_device)
tests_matmul_test_steady_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_matmul_test_steady_LDADD = librocket-all.la $(CMOCKA_LIBS)
tests_matmul_test_steady_LDFLAGS = $(AM_LDFLAGS) $(bench_count_flags) -Wl,--wrap=rocket_open

tests_matmul_test_threads_SOURCES = tests/matmul/test_threads.c $(matmul_device_support)
tests_matmul_test_threads_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_matmul_test_threads_LDADD = librocket-all.la $(CMOCKA_LIBS)
endif

check_PROGRAMS += $(matmul_tests)
TESTS += $(matmul_tests)

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
	tests/matmul/data/fp16_1500x384x1536_ragged.csv \
	tests/matmul/data/fp16_512x3840x4096_streamed_inferred.csv
