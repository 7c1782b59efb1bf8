# SPDX-License-Identifier: LGPL-2.1-or-later
librocket_all_la_SOURCES += \
	regs/names.h regs/names.c \
	lib/encode/program.h lib/encode/program.c \
	lib/encode/field.h \
	lib/encode/matmul.h
nodist_librocket_all_la_SOURCES = regs/rk3588_names.c
