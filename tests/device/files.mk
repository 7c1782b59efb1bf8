# SPDX-License-Identifier: LGPL-2.1-or-later
if HAVE_CMOCKA
if SIM
if PROVIDER_ROCKET
# Those of the library on an open device, of one driver's interface, and of no device.
device_tests = \
	tests/device/test_buffer \
	tests/device/test_fault \
	tests/device/test_open \
	tests/device/test_submit
interface_tests = \
	tests/device/test_rknpu_abi \
	tests/device/test_sim_bo \
	tests/device/test_sim_fd \
	tests/device/test_sim_jobs \
	tests/device/test_sim_submit
core_tests = \
	tests/device/test_pool \
	tests/device/test_provider \
	tests/device/test_seam \
	tests/device/test_select \
	tests/device/test_settings
if PROVIDER_RKNPU
core_tests += \
	tests/device/test_rknpu_fence \
	tests/device/test_rknpu_hang \
	tests/device/test_rknpu_jobs \
	tests/device/test_rknpu_provider
endif

check_PROGRAMS += $(device_tests) $(interface_tests) $(core_tests)
TESTS += $(device_tests) $(interface_tests) $(core_tests)
THREAD_TESTS += $(device_tests) $(interface_tests) $(core_tests)
DEVICE_TESTS += $(device_tests)
LONG_TESTS += tests/device/test_rknpu_abi

device_test_support = tests/device/support.c tests/device/support.h \
	tests/children.c tests/children.h tests/driver.c tests/driver.h
fake_kernel = tests/device/fake_kernel.c tests/device/fake_kernel.h
fenced_kit = tests/device/fenced_kit.c tests/device/fenced_kit.h
rknpu_fake = tests/device/rknpu_fake.c tests/device/rknpu_fake.h $(fake_kernel)
device_test_cppflags = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
device_test_libs = librocket-all.la $(CMOCKA_LIBS)

tests_device_test_buffer_SOURCES = tests/device/test_buffer.c $(device_test_support)
tests_device_test_buffer_CPPFLAGS = $(device_test_cppflags)
tests_device_test_buffer_LDADD = $(device_test_libs)

tests_device_test_open_SOURCES = tests/device/test_open.c $(device_test_support)
tests_device_test_open_CPPFLAGS = $(device_test_cppflags)
tests_device_test_open_LDADD = $(device_test_libs)

tests_device_test_seam_SOURCES = tests/device/test_seam.c $(device_test_support)
tests_device_test_seam_CPPFLAGS = $(device_test_cppflags)
tests_device_test_seam_LDADD = $(device_test_libs)

tests_device_test_sim_bo_SOURCES = tests/device/test_sim_bo.c $(device_test_support)
tests_device_test_sim_bo_CPPFLAGS = $(device_test_cppflags)
tests_device_test_sim_bo_LDADD = $(device_test_libs)

tests_device_test_sim_fd_SOURCES = tests/device/test_sim_fd.c $(device_test_support)
tests_device_test_sim_fd_CPPFLAGS = $(device_test_cppflags)
tests_device_test_sim_fd_LDADD = $(device_test_libs)

tests_device_test_sim_jobs_SOURCES = tests/device/test_sim_jobs.c $(device_test_support)
tests_device_test_sim_jobs_CPPFLAGS = $(device_test_cppflags)
tests_device_test_sim_jobs_LDADD = $(device_test_libs)

tests_device_test_sim_submit_SOURCES = tests/device/test_sim_submit.c $(device_test_support)
tests_device_test_sim_submit_CPPFLAGS = $(device_test_cppflags)
tests_device_test_sim_submit_LDADD = $(device_test_libs)

tests_device_test_submit_SOURCES = tests/device/test_submit.c $(device_test_support)
tests_device_test_submit_CPPFLAGS = $(device_test_cppflags)
tests_device_test_submit_LDADD = $(device_test_libs)
tests_device_test_pool_SOURCES = tests/device/test_pool.c $(device_test_support)
tests_device_test_pool_CPPFLAGS = $(device_test_cppflags)
tests_device_test_pool_LDADD = $(device_test_libs)

tests_device_test_provider_SOURCES = tests/device/test_provider.c $(fake_kernel) $(device_test_support)
tests_device_test_provider_CPPFLAGS = $(device_test_cppflags)
tests_device_test_provider_LDADD = $(device_test_libs)

tests_device_test_rknpu_abi_SOURCES = tests/device/test_rknpu_abi.c \
	tests/device/rknpu_kit.h tests/device/rknpu_kit.c $(device_test_support)
tests_device_test_rknpu_abi_CPPFLAGS = $(device_test_cppflags)
tests_device_test_rknpu_abi_LDADD = $(device_test_libs)

tests_device_test_rknpu_fence_SOURCES = tests/device/test_rknpu_fence.c \
	$(fenced_kit) $(device_test_support)
tests_device_test_rknpu_fence_CPPFLAGS = $(device_test_cppflags)
tests_device_test_rknpu_fence_LDADD = $(device_test_libs)
tests_device_test_rknpu_fence_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=clock_gettime

tests_device_test_rknpu_hang_SOURCES = tests/device/test_rknpu_hang.c \
	$(fenced_kit) $(device_test_support)
tests_device_test_rknpu_hang_CPPFLAGS = $(device_test_cppflags)
tests_device_test_rknpu_hang_LDADD = $(device_test_libs)
tests_device_test_rknpu_hang_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=clock_gettime

tests_device_test_rknpu_jobs_SOURCES = tests/device/test_rknpu_jobs.c \
	$(rknpu_fake) $(device_test_support)
tests_device_test_rknpu_jobs_CPPFLAGS = $(device_test_cppflags)
tests_device_test_rknpu_jobs_LDADD = $(device_test_libs)

tests_device_test_rknpu_provider_SOURCES = tests/device/test_rknpu_provider.c \
	$(rknpu_fake) $(device_test_support)
tests_device_test_rknpu_provider_CPPFLAGS = $(device_test_cppflags)
tests_device_test_rknpu_provider_LDADD = $(device_test_libs)

tests_device_test_settings_SOURCES = tests/device/test_settings.c $(device_test_support)
tests_device_test_settings_CPPFLAGS = $(device_test_cppflags)
tests_device_test_settings_LDADD = $(device_test_libs)

# Its own providers instead of those of the build.
tests_device_test_select_SOURCES = tests/device/test_select.c $(device_test_support)
tests_device_test_select_CPPFLAGS = $(device_test_cppflags)
tests_device_test_select_LDADD = $(device_test_libs)
tests_device_test_select_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=rocket_providers

# Every call that can fail goes through the wrappers of the test.
tests_device_test_fault_SOURCES = tests/device/test_fault.c $(device_test_support)
tests_device_test_fault_CPPFLAGS = $(device_test_cppflags)
tests_device_test_fault_LDADD = $(device_test_libs)
tests_device_test_fault_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc,--wrap=free \
	-Wl,--wrap=sim_dev_open,--wrap=sim_dev_ioctl,--wrap=sim_dev_mmap \
	-Wl,--wrap=pthread_create,--wrap=memfd_create,--wrap=ftruncate,--wrap=mmap
endif
endif
endif

TESTS += tests/device/seam.sh
EXTRA_DIST += tests/device/seam.sh
