# SPDX-License-Identifier: LGPL-2.1-or-later
if HAVE_CMOCKA
encode_support = tests/encode/support.h tests/encode/support.c tests/encode/tap.h
encode_tests = \
	tests/encode/test_setters tests/encode/test_program tests/encode/test_matmul \
	tests/encode/test_validate tests/encode/test_rules tests/encode/test_addresses \
	tests/encode/test_garbage tests/encode/test_selftest_program

check_PROGRAMS += $(encode_tests)
TESTS += $(encode_tests)

tests_encode_test_setters_SOURCES = tests/encode/test_setters.c tests/encode/tap.h
tests_encode_test_setters_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_encode_test_setters_LDADD = librocket-all.la $(CMOCKA_LIBS)

tests_encode_test_program_SOURCES = tests/encode/test_program.c tests/encode/tap.h
tests_encode_test_program_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_encode_test_program_LDADD = librocket-all.la $(CMOCKA_LIBS)

tests_encode_test_matmul_SOURCES = tests/encode/test_matmul.c tests/encode/tap.h
tests_encode_test_matmul_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_encode_test_matmul_LDADD = librocket-all.la $(CMOCKA_LIBS)

tests_encode_test_validate_SOURCES = tests/encode/test_validate.c $(encode_support)
tests_encode_test_validate_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_encode_test_validate_LDADD = librocket-all.la $(CMOCKA_LIBS)

tests_encode_test_rules_SOURCES = tests/encode/test_rules.c $(encode_support)
tests_encode_test_rules_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_encode_test_rules_LDADD = librocket-all.la $(CMOCKA_LIBS)

tests_encode_test_addresses_SOURCES = tests/encode/test_addresses.c $(encode_support)
tests_encode_test_addresses_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_encode_test_addresses_LDADD = librocket-all.la $(CMOCKA_LIBS)

tests_encode_test_garbage_SOURCES = tests/encode/test_garbage.c tests/encode/tap.h
tests_encode_test_garbage_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_encode_test_garbage_LDADD = librocket-all.la $(CMOCKA_LIBS)

tests_encode_test_selftest_program_SOURCES = tests/encode/test_selftest_program.c \
	tests/encode/tap.h selftests/program.h selftests/program.c
tests_encode_test_selftest_program_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_encode_test_selftest_program_LDADD = librocket-all.la $(CMOCKA_LIBS)

if SIM
check_PROGRAMS += tests/encode/test_agreement
TESTS += tests/encode/test_agreement

tests_encode_test_agreement_SOURCES = tests/encode/test_agreement.c $(encode_support) \
	tests/model/board.h tests/model/board.c
tests_encode_test_agreement_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_encode_test_agreement_LDADD = librocket-all.la $(CMOCKA_LIBS)
endif
endif

TESTS += tests/encode/register_page.sh
EXTRA_DIST += tests/encode/register_page.sh
