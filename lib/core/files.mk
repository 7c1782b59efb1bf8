# SPDX-License-Identifier: LGPL-2.1-or-later
librocket_all_la_SOURCES +=
