# SPDX-License-Identifier: LGPL-2.1-or-later
# The kernel ABI in this process.
SIM_DEV_SOURCES = \
	sim/dev/core.c sim/dev/device.h \
	sim/dev/gem.c \
	sim/dev/ioctl.c \
	sim/dev/kernel_sim.c \
	sim/dev/log.c \
	sim/dev/queue.c \
	sim/dev/sched/core_sched.c sim/dev/sched/core_sched.h \
	sim/dev/sim_dev.c sim/dev/sim_dev.h \
	sim/dev/space.c \
	sim/dev/submit.c \
	sim/dev/uaccess.c
if SIM
librocket_all_la_SOURCES += $(SIM_DEV_SOURCES)
librocket_all_la_LIBADD += libnpu-model.la
else
EXTRA_DIST += $(SIM_DEV_SOURCES)
endif
