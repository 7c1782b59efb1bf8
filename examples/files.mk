# SPDX-License-Identifier: LGPL-2.1-or-later
# Not built here: an application's view, built by tests/install from what is installed.
EXTRA_DIST += examples/quickstart.c examples/CMakeLists.txt
