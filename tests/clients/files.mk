# SPDX-License-Identifier: LGPL-2.1-or-later
if HAVE_CMOCKA
if SIM
check_PROGRAMS += tests/clients/test_clients
TESTS += tests/clients/test_clients
THREAD_TESTS += tests/clients/test_clients
DEVICE_TESTS += tests/clients/test_clients
tests_clients_test_clients_SOURCES = tests/clients/test_clients.c $(bench_crowd) \
	tests/children.c tests/children.h tests/driver.c tests/driver.h tests/model/effort.h
tests_clients_test_clients_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_clients_test_clients_LDADD = librocket-all.la $(CMOCKA_LIBS)
endif
endif
