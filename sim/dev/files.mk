# SPDX-License-Identifier: LGPL-2.1-or-later
# The kernel ABI in this process.
SIM_DEV_SOURCES = \
	sim/dev/core.c \
	sim/dev/device.c sim/dev/device.h \
	sim/dev/gem.c \
	sim/dev/ioctl.c \
	sim/dev/kernel_sim.c \
	sim/dev/kick.c sim/dev/kick.h \
	sim/dev/log.c \
	sim/dev/queue.c \
	sim/dev/sched/core_sched.c sim/dev/sched/core_sched.h \
	sim/dev/sim_dev.c sim/dev/sim_dev.h \
	sim/dev/space.c \
	sim/dev/rknpu/action.c \
	sim/dev/rknpu/device.c \
	sim/dev/rknpu/fence.c \
	sim/dev/rknpu/hang.c \
	sim/dev/rknpu/ioctl.c \
	sim/dev/rknpu/mem.c \
	sim/dev/rknpu/rknpu.h \
	sim/dev/rknpu/submit.c \
	sim/dev/rknpu/worker.c \
	sim/dev/submit.c \
	sim/dev/uaccess.c \
	uapi/drm/rknpu_ioctl.h
if SIM
librocket_all_la_SOURCES += $(SIM_DEV_SOURCES)
librocket_all_la_LIBADD += libnpu-model.la
else
EXTRA_DIST += $(SIM_DEV_SOURCES)
endif
