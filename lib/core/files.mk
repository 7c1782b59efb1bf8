# SPDX-License-Identifier: LGPL-2.1-or-later
librocket_all_la_SOURCES += \
	lib/core/affinity.c lib/core/affinity.h \
	lib/core/bo_table.c lib/core/bo_table.h \
	lib/core/buffer.c \
	lib/core/clock.h \
	lib/core/counters.c lib/core/counters.h \
	lib/core/device.c lib/core/device.h \
	lib/core/kernel_linux.c \
	lib/core/log.c \
	lib/core/open.c \
	lib/core/pool.c lib/core/pool.h \
	lib/core/profile.c lib/core/profile.h \
	lib/core/provider_check.c lib/core/provider.h \
	lib/core/registry.c \
	lib/core/settings.c lib/core/settings.h \
	lib/core/status.c lib/core/status.h \
	lib/core/submit.c \
	lib/core/sysfs.c \
	lib/core/validate.c lib/core/validate.h \
	lib/core/wait.c
