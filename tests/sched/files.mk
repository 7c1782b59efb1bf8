# SPDX-License-Identifier: LGPL-2.1-or-later
if SIM
sched_tests = tests/sched/explore tests/sched/rules tests/sched/stress
check_PROGRAMS += $(sched_tests)
TESTS += $(sched_tests)
LONG_TESTS += tests/sched/explore tests/sched/stress

sched_test_support = tests/sched/world.h tests/sched/world.c tests/model/tap.h

tests_sched_explore_SOURCES = tests/sched/explore.c $(sched_test_support)
tests_sched_explore_LDADD = librocket-all.la
tests_sched_rules_SOURCES = tests/sched/rules.c $(sched_test_support)
tests_sched_rules_LDADD = librocket-all.la
tests_sched_stress_SOURCES = tests/sched/stress.c $(sched_test_support)
tests_sched_stress_LDADD = librocket-all.la
endif
