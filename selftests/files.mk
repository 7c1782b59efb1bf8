# SPDX-License-Identifier: LGPL-2.1-or-later
# Tests of a kernel driver, through its ioctls and sysfs. Installed for boards; make check runs
# them on the in-process device. selftests/Makefile builds them without this tree.
selftestsdir = $(libexecdir)/rocket-npu/selftests
selftests_PROGRAMS = \
	selftests/submit selftests/lifetime selftests/fault selftests/batch \
	selftests/concurrency selftests/pm-cycle selftests/numerics
dist_selftests_SCRIPTS = selftests/run
dist_selftests_DATA = selftests/README selftests/config selftests/settings

SELFTEST_FUZZ = selftests/fuzz.c selftests/fuzz.h selftests/fuzz_calls.c selftests/fuzz_corpus.c \
	selftests/fuzz_values.c
selftests_PROGRAMS += selftests/fuzz
selftests_fuzz_SOURCES = $(SELFTEST_FUZZ) $(SELFTEST_RUNNER)
selftests_fuzz_LDADD = $(SELFTEST_LIBS)

SELFTEST_RKNPU = selftests/rknpu.c selftests/rknpu.h selftests/rknpu_action.c \
	selftests/rknpu_core.c selftests/rknpu_memory.c selftests/rknpu_submit.c \
	selftests/vendor.c selftests/vendor.h
selftests_PROGRAMS += selftests/rknpu
selftests_rknpu_SOURCES = $(SELFTEST_RKNPU) $(SELFTEST_RUNNER)
selftests_rknpu_LDADD = $(SELFTEST_LIBS)

# What tasks cost, counted by the virtual board alone.
noinst_PROGRAMS += selftests/counts
selftests_counts_SOURCES = selftests/counts.c $(SELFTEST_RUNNER)
selftests_counts_LDADD = $(SELFTEST_LIBS)

SELFTEST_RUNNER = \
	selftests/cores.c selftests/cores.h \
	selftests/crew.c selftests/crew.h \
	selftests/file.c selftests/file.h \
	selftests/klog.c selftests/klog.h \
	selftests/knobs.c selftests/knobs.h \
	selftests/load.c selftests/load.h \
	selftests/module.c selftests/module.h \
	selftests/node.c selftests/node.h \
	selftests/options.c selftests/options.h \
	selftests/pool.c selftests/pool.h \
	selftests/program.c selftests/program.h \
	selftests/reference.c selftests/reference.h \
	selftests/runner.c selftests/runner.h \
	selftests/sysfs.c selftests/sysfs.h \
	selftests/tap.c selftests/tap.h \
	selftests/version.c selftests/version.h
SELFTEST_LIBS = -lpthread
if SIM
SELFTEST_RUNNER += selftests/node_sim.c
SELFTEST_LIBS += librocket-all.la
endif

selftests_submit_SOURCES = $(SELFTEST_RUNNER) \
	selftests/submit.c selftests/submit.h \
	selftests/submit_args.c \
	selftests/submit_bo.c \
	selftests/submit_count.c \
	selftests/submit_node.c \
	selftests/submit_order.c \
	selftests/submit_pointer.c \
	selftests/submit_ranges.c \
	selftests/submit_wait.c
selftests_submit_LDADD = $(SELFTEST_LIBS)

selftests_lifetime_SOURCES = $(SELFTEST_RUNNER) \
	selftests/lifetime.c selftests/lifetime.h \
	selftests/lifetime_dmabuf.c \
	selftests/lifetime_file.c \
	selftests/lifetime_leak.c \
	selftests/lifetime_process.c
selftests_lifetime_LDADD = $(SELFTEST_LIBS)

selftests_fault_SOURCES = $(SELFTEST_RUNNER) \
	selftests/fault.c selftests/fault.h \
	selftests/fault_core.c \
	selftests/fault_device.c \
	selftests/fault_job.c
selftests_fault_LDADD = $(SELFTEST_LIBS)

selftests_batch_SOURCES = $(SELFTEST_RUNNER) \
	selftests/batch.c selftests/batch.h \
	selftests/batch_chain.c \
	selftests/batch_end.c
selftests_batch_LDADD = $(SELFTEST_LIBS)

selftests_concurrency_SOURCES = $(SELFTEST_RUNNER) \
	selftests/concurrency.c selftests/concurrency.h \
	selftests/concurrency_cores.c \
	selftests/concurrency_file.c
selftests_concurrency_LDADD = $(SELFTEST_LIBS)

selftests_pm_cycle_SOURCES = $(SELFTEST_RUNNER) \
	selftests/pm_cycle.c selftests/pm_cycle.h \
	selftests/pm_clock.c \
	selftests/pm_module.c \
	selftests/pm_power.c \
	selftests/pm_sleep.c \
	selftests/pm_stats.c
selftests_pm_cycle_LDADD = $(SELFTEST_LIBS)

selftests_numerics_SOURCES = $(SELFTEST_RUNNER) \
	selftests/numerics.c selftests/numerics.h \
	selftests/numerics_files.c \
	selftests/numerics_form.c \
	selftests/numerics_shape.c
selftests_numerics_LDADD = $(SELFTEST_LIBS)

TESTS += selftests/check_names.sh
EXTRA_DIST += selftests/check_names.sh selftests/lava.yaml

check_PROGRAMS += selftests/check-harness
TESTS += selftests/check-harness
selftests_check_harness_SOURCES = selftests/check_harness.c $(SELFTEST_RUNNER)
selftests_check_harness_LDADD = $(SELFTEST_LIBS)

if SIM
check_PROGRAMS += selftests/check-fuzz
TESTS += selftests/check-fuzz
selftests_check_fuzz_SOURCES = $(selftests_fuzz_SOURCES) selftests/in_process.c
selftests_check_fuzz_LDADD = $(SELFTEST_LIBS)

# The whole of pm-cycle needs a kernel.
SELFTEST_CHECKS = \
	selftests/check-submit selftests/check-lifetime selftests/check-fault \
	selftests/check-batch selftests/check-concurrency selftests/check-numerics \
	selftests/check-rknpu
check_PROGRAMS += $(SELFTEST_CHECKS)
TESTS += $(SELFTEST_CHECKS)
THREAD_TESTS += $(SELFTEST_CHECKS)
selftests_check_submit_SOURCES = $(selftests_submit_SOURCES) selftests/in_process.c
selftests_check_submit_LDADD = $(SELFTEST_LIBS)
selftests_check_lifetime_SOURCES = $(selftests_lifetime_SOURCES) selftests/in_process.c
selftests_check_lifetime_LDADD = $(SELFTEST_LIBS)
selftests_check_fault_SOURCES = $(selftests_fault_SOURCES) selftests/in_process.c
selftests_check_fault_LDADD = $(SELFTEST_LIBS)
selftests_check_batch_SOURCES = $(selftests_batch_SOURCES) selftests/in_process.c
selftests_check_batch_LDADD = $(SELFTEST_LIBS)
selftests_check_concurrency_SOURCES = $(selftests_concurrency_SOURCES) selftests/in_process.c
selftests_check_concurrency_LDADD = $(SELFTEST_LIBS)
selftests_check_numerics_SOURCES = $(selftests_numerics_SOURCES) selftests/in_process.c
selftests_check_numerics_LDADD = $(SELFTEST_LIBS)
selftests_check_rknpu_SOURCES = $(selftests_rknpu_SOURCES) selftests/in_process_rknpu.c
selftests_check_rknpu_LDADD = $(SELFTEST_LIBS)
else
EXTRA_DIST += selftests/node_sim.c selftests/in_process.c selftests/in_process_rknpu.c
endif

EXTRA_DIST += selftests/Makefile selftests/compat/drm.h
