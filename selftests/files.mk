# SPDX-License-Identifier: LGPL-2.1-or-later
# Tests of a kernel driver, through its ioctls alone. Installed for boards; make check runs
# them on the in-process device. selftests/Makefile builds them without this tree.
selftestsdir = $(libexecdir)/rocket-npu/selftests
selftests_PROGRAMS = selftests/submit selftests/numerics
dist_selftests_SCRIPTS = selftests/run
dist_selftests_DATA = selftests/README selftests/config selftests/settings

SELFTEST_RUNNER = \
	selftests/crew.c selftests/crew.h \
	selftests/file.c selftests/file.h \
	selftests/klog.c selftests/klog.h \
	selftests/load.c selftests/load.h \
	selftests/node.c selftests/node.h \
	selftests/program.c selftests/program.h \
	selftests/reference.c selftests/reference.h \
	selftests/runner.c selftests/runner.h \
	selftests/tap.c selftests/tap.h \
	selftests/version.c selftests/version.h

SELFTEST_SUBMIT = \
	selftests/submit.c selftests/submit.h \
	selftests/submit_args.c \
	selftests/submit_batch.c \
	selftests/submit_bo.c \
	selftests/submit_count.c \
	selftests/submit_fault.c \
	selftests/submit_node.c \
	selftests/submit_order.c \
	selftests/submit_pointer.c \
	selftests/submit_wait.c

SELFTEST_NUMERICS = \
	selftests/numerics.c selftests/numerics.h \
	selftests/numerics_files.c \
	selftests/numerics_form.c \
	selftests/numerics_shape.c

selftests_submit_SOURCES = $(SELFTEST_SUBMIT) $(SELFTEST_RUNNER)
selftests_submit_LDADD = -lpthread
selftests_numerics_SOURCES = $(SELFTEST_NUMERICS) $(SELFTEST_RUNNER)
selftests_numerics_LDADD = -lpthread

check_PROGRAMS += selftests/check-harness
TESTS += selftests/check-harness
selftests_check_harness_SOURCES = selftests/check_harness.c $(SELFTEST_RUNNER)
selftests_check_harness_LDADD = -lpthread

if SIM
selftests_submit_SOURCES += selftests/node_sim.c
selftests_submit_LDADD += librocket-all.la
selftests_numerics_SOURCES += selftests/node_sim.c
selftests_numerics_LDADD += librocket-all.la
selftests_check_harness_SOURCES += selftests/node_sim.c
selftests_check_harness_LDADD += librocket-all.la

check_PROGRAMS += selftests/check-submit selftests/check-numerics
TESTS += selftests/check-submit selftests/check-numerics
THREAD_TESTS += selftests/check-submit selftests/check-numerics
selftests_check_submit_SOURCES = $(selftests_submit_SOURCES) selftests/in_process.c
selftests_check_submit_LDADD = $(selftests_submit_LDADD)
selftests_check_numerics_SOURCES = $(selftests_numerics_SOURCES) selftests/in_process.c
selftests_check_numerics_LDADD = $(selftests_numerics_LDADD)
else
EXTRA_DIST += selftests/node_sim.c selftests/in_process.c
endif

EXTRA_DIST += selftests/Makefile selftests/compat/drm.h
