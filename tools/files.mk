# SPDX-License-Identifier: LGPL-2.1-or-later
include tools/provider-seam/files.mk
include tools/rocket/files.mk
