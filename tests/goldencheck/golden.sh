#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Recorded data against this tree: one case for each file. The committed files always; the
# whole collection when it lies beside the source tree or ROCKET_GOLDEN says where.
src=${top_srcdir:-.}
golden=${ROCKET_GOLDEN:-$src/../shared/golden}
set -- "$src/tests/goldencheck/data" "$src/tests/matmul/data" "$src/tests/model/data"
[ -d "$golden" ] && set -- "$@" "$golden"
# The status is that of the cases, which speak for themselves.
"${top_builddir:-.}/tests/golden" --tap "$@"
