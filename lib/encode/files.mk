# SPDX-License-Identifier: LGPL-2.1-or-later
librocket_all_la_SOURCES += \
	regs/names.h regs/names.c \
	lib/encode/program.h lib/encode/program.c \
	lib/encode/field.h \
	lib/encode/chain.c lib/encode/disasm.c \
	lib/encode/check.h lib/encode/validate.c \
	lib/encode/rk3588/check.h lib/encode/rk3588/check.c \
	lib/encode/rk3588/check_conv.c lib/encode/rk3588/check_cbuf.c \
	lib/encode/rk3588/check_output.c lib/encode/rk3588/check_operand.c \
	lib/encode/rk3588/check_lut.c lib/encode/rk3588/check_flying.c \
	lib/encode/rk3588/check_pool.c lib/encode/rk3588/check_memory.c \
	lib/encode/matmul.h lib/encode/rk3588/matmul.c
nodist_librocket_all_la_SOURCES = regs/rk3588_names.c
