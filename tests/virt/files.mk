# SPDX-License-Identifier: LGPL-2.1-or-later
# The virtual board without the virtual machine.
if SIM
VIRT_TESTS = tests/virt/core tests/virt/mmu tests/virt/soc

check_PROGRAMS += $(VIRT_TESTS)
TESTS += $(VIRT_TESTS)

VIRT_BOARD_SOURCES = \
	virt/board/core.h virt/board/core.c \
	virt/board/counts.h virt/board/counts.c \
	virt/board/mmu.h virt/board/mmu.c \
	virt/board/registers.h \
	virt/board/soc.h virt/board/soc.c

tests_virt_core_SOURCES = tests/virt/core.c $(VIRT_BOARD_SOURCES) $(MODEL_TEST_SOURCES)
tests_virt_core_LDADD = libnpu-model.la -lm
tests_virt_mmu_SOURCES = tests/virt/mmu.c $(VIRT_BOARD_SOURCES)
tests_virt_mmu_LDADD = libnpu-model.la -lm
tests_virt_soc_SOURCES = tests/virt/soc.c $(VIRT_BOARD_SOURCES)
tests_virt_soc_LDADD = libnpu-model.la -lm
endif
