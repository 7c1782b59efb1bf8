# SPDX-License-Identifier: LGPL-2.1-or-later
# The library. librocket-all.la holds everything with internal names visible, for tests
# and tools of this tree; librocketnpu.la is the installed one.
include_HEADERS += include/rocket_npu.h include/rocket_log.h include/rocket_hw_profile.h include/rocket_matmul.h

noinst_LTLIBRARIES += librocket-all.la
librocket_all_la_SOURCES =
librocket_all_la_LIBADD = $(LIBDRM_LIBS) -lm -lpthread

include lib/core/files.mk
include lib/encode/files.mk
include lib/layout/files.mk
include lib/plan/files.mk
include lib/ops/files.mk
