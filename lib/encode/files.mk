# SPDX-License-Identifier: LGPL-2.1-or-later
librocket_all_la_SOURCES += \
	regs/names.h regs/names.c \
	lib/encode/program.h lib/encode/program.c \
	lib/encode/field.h \
	lib/encode/chain.c lib/encode/disasm.c \
	lib/encode/matmul.h lib/encode/rk3588/matmul.c
nodist_librocket_all_la_SOURCES = regs/rk3588_names.c
