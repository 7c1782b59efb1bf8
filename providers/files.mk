# SPDX-License-Identifier: LGPL-2.1-or-later
# One folder for each kernel driver; a folder uses lib/core/provider.h and its driver's ABI.
if PROVIDER_ROCKET
librocket_all_la_SOURCES += \
	providers/rocket/provider.c providers/rocket/rocket_provider.h \
	uapi/drm/rocket_accel.h
else
EXTRA_DIST += providers/rocket/provider.c providers/rocket/rocket_provider.h
endif

RKNPU_PROVIDER_SOURCES = \
	providers/rknpu/fence.c \
	providers/rknpu/job.c \
	providers/rknpu/kick.c \
	providers/rknpu/memory.c \
	providers/rknpu/node.h \
	providers/rknpu/provider.c \
	providers/rknpu/record.c \
	providers/rknpu/rknpu_provider.h
if PROVIDER_RKNPU
librocket_all_la_SOURCES += $(RKNPU_PROVIDER_SOURCES) uapi/drm/rknpu_ioctl.h
else
EXTRA_DIST += $(RKNPU_PROVIDER_SOURCES)
endif
