#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# What virt/evidence makes of what it sees, see evidence.py.
exec python3 "$top_srcdir/tests/runner/evidence.py"
