# SPDX-License-Identifier: LGPL-2.1-or-later
if SIM
MODEL_TESTS = \
	tests/model/cost \
	tests/model/element \
	tests/model/garbage \
	tests/model/golden_chain \
	tests/model/golden_exec \
	tests/model/hang \
	tests/model/memory \
	tests/model/numerics \
	tests/model/property \
	tests/model/quirk \
	tests/model/rules \
	tests/model/stages \
	tests/model/strict \
	tests/model/window

check_PROGRAMS += $(MODEL_TESTS)
TESTS += $(MODEL_TESTS)

MODEL_TEST_SOURCES = \
	tests/golden_folder.h tests/golden_folder.c \
	tests/model/board.h tests/model/board.c \
	tests/model/conv_case.h tests/model/conv_case.c \
	tests/model/effort.h \
	tests/model/emit.h tests/model/emit.c \
	tests/model/golden.h tests/model/golden.c \
	tests/model/layout.h tests/model/layout.c \
	tests/model/reference.h tests/model/reference.c \
	tests/model/tap.h

tests_model_cost_SOURCES = tests/model/cost.c $(MODEL_TEST_SOURCES)
tests_model_cost_LDADD = libnpu-model.la -lm
tests_model_element_SOURCES = tests/model/element.c $(MODEL_TEST_SOURCES)
tests_model_element_LDADD = libnpu-model.la -lm
tests_model_garbage_SOURCES = tests/model/garbage.c $(MODEL_TEST_SOURCES)
tests_model_garbage_LDADD = libnpu-model.la -lm
tests_model_golden_chain_SOURCES = tests/model/golden_chain.c $(MODEL_TEST_SOURCES)
tests_model_golden_chain_LDADD = libnpu-model.la -lm
tests_model_golden_exec_SOURCES = tests/model/golden_exec.c $(MODEL_TEST_SOURCES)
tests_model_golden_exec_LDADD = libnpu-model.la -lm
tests_model_hang_SOURCES = tests/model/hang.c $(MODEL_TEST_SOURCES)
tests_model_hang_LDADD = libnpu-model.la -lm
tests_model_memory_SOURCES = tests/model/memory.c $(MODEL_TEST_SOURCES)
tests_model_memory_LDADD = libnpu-model.la -lm
tests_model_numerics_SOURCES = tests/model/numerics.c $(MODEL_TEST_SOURCES)
tests_model_numerics_LDADD = libnpu-model.la -lm
tests_model_property_SOURCES = tests/model/property.c $(MODEL_TEST_SOURCES)
tests_model_property_LDADD = libnpu-model.la -lm
tests_model_quirk_SOURCES = tests/model/quirk.c $(MODEL_TEST_SOURCES)
tests_model_quirk_LDADD = libnpu-model.la -lm
tests_model_rules_SOURCES = tests/model/rules.c $(MODEL_TEST_SOURCES)
tests_model_rules_LDADD = libnpu-model.la -lm
tests_model_stages_SOURCES = tests/model/stages.c $(MODEL_TEST_SOURCES)
tests_model_stages_LDADD = libnpu-model.la -lm
tests_model_strict_SOURCES = tests/model/strict.c $(MODEL_TEST_SOURCES)
tests_model_strict_LDADD = libnpu-model.la -lm
tests_model_window_SOURCES = tests/model/window.c $(MODEL_TEST_SOURCES)
tests_model_window_LDADD = libnpu-model.la -lm
endif
EXTRA_DIST += tests/model/data
