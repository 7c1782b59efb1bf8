# SPDX-License-Identifier: LGPL-2.1-or-later
# The model of the silicon. It depends on nothing of lib/, so that an emulator can link it alone.
if SIM
noinst_LTLIBRARIES += libnpu-model.la
libnpu_model_la_SOURCES = \
	sim/npu/npu.h \
	sim/npu/chip.h sim/npu/chip.c \
	sim/npu/conv.h sim/npu/conv.c \
	sim/npu/core.h sim/npu/core.c \
	sim/npu/cost.c \
	sim/npu/cpu.h \
	sim/npu/decode.h sim/npu/decode_regs.h sim/npu/decode_conv.c sim/npu/decode_dpu.c \
	sim/npu/dpu.h sim/npu/dpu.c \
	sim/npu/feature.c sim/npu/feature_quirk.c \
	sim/npu/flying.c \
	sim/npu/half.h \
	sim/npu/image.h \
	sim/npu/job.h \
	sim/npu/lint.h sim/npu/lint.c \
	sim/npu/mac_float.h sim/npu/mac_float.c sim/npu/mac_float_avx2.c \
	sim/npu/mac_int.h sim/npu/mac_int.c sim/npu/mac_int_avx2.c \
	sim/npu/memory.h sim/npu/memory.c \
	sim/npu/narrow.h sim/npu/narrow.c \
	sim/npu/operand.h sim/npu/operand.c \
	sim/npu/pc.c \
	sim/npu/quirk.c \
	sim/npu/rdma.c \
	sim/npu/regfile.h sim/npu/regfile.c \
	sim/npu/residue.h sim/npu/residue.c \
	sim/npu/scratch.h sim/npu/scratch.c \
	sim/npu/task.h sim/npu/task.c \
	sim/npu/transpose_avx2.h \
	sim/npu/weight.c \
	sim/npu/writer.c
endif
