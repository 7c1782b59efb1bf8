# SPDX-License-Identifier: LGPL-2.1-or-later
# The parts of the `rocket` command, and the command as a user meets it.
if HAVE_CMOCKA
tool_tests = tests/tool/test_check tests/tool/test_program_file tests/tool/test_text
check_PROGRAMS += $(tool_tests)
TESTS += $(tool_tests)
THREAD_TESTS += tests/tool/test_check

tests_tool_test_check_SOURCES = tests/tool/test_check.c \
	tests/golden_folder.c tests/golden_folder.h \
	tools/rocket/check.c tools/rocket/check.h tools/rocket/check_bound.c \
	tools/rocket/generate.c tools/rocket/generate.h \
	tools/rocket/operand.c tools/rocket/operand.h
tests_tool_test_check_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_tool_test_check_LDADD = $(CMOCKA_LIBS) -lm -lpthread

tests_tool_test_program_file_SOURCES = tests/tool/test_program_file.c \
	tools/rocket/program_file.c tools/rocket/program_file.h
tests_tool_test_program_file_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_tool_test_program_file_LDADD = $(CMOCKA_LIBS)

tests_tool_test_text_SOURCES = tests/tool/test_text.c \
	tools/rocket/generate.c tools/rocket/generate.h \
	tools/rocket/operand.c tools/rocket/operand.h \
	tools/rocket/json.c tools/rocket/json.h \
	tools/rocket/table.c tools/rocket/table.h \
	tools/rocket/units.c tools/rocket/units.h
tests_tool_test_text_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_tool_test_text_LDADD = $(CMOCKA_LIBS) -lm
endif

# The command with a library that spoils one element of every result.
check_PROGRAMS += tests/tool/rocket-flip
tests_tool_rocket_flip_SOURCES = $(rocket_SOURCES) tests/tool/flip.c
tests_tool_rocket_flip_LDADD = librocket-all.la
tests_tool_rocket_flip_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=rocket_matmul_fp16 \
	-Wl,--wrap=rocket_matmul_fp16_f32out -Wl,--wrap=rocket_matmul_int8 \
	-Wl,--wrap=rocket_matmul_bf16 -Wl,--wrap=rocket_matmul_tf32 \
	-Wl,--wrap=rocket_matmul_int4 -Wl,--wrap=rocket_matmul_int16_exact

# The command with files of the kernel that a test makes.
check_PROGRAMS += tests/tool/rocket-tree
tests_tool_rocket_tree_SOURCES = $(rocket_SOURCES) tests/tool/tree.c
tests_tool_rocket_tree_LDADD = librocket-all.la
tests_tool_rocket_tree_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=sysfile_root \
	-Wl,--wrap=sysfile_write -Wl,--wrap=rocket_device_info

tool_device_scripts = tests/tool/device.sh tests/tool/environment.sh tests/tool/wrong.sh
tool_scripts = $(tool_device_scripts) tests/tool/board_info.sh tests/tool/clock.sh tests/tool/regcmd.sh tests/tool/usage.sh
DEVICE_SH_TESTS += $(tool_device_scripts)
TESTS += $(tool_scripts)
EXTRA_DIST += $(tool_scripts) tests/tool/board.sh tests/tool/tool.sh
