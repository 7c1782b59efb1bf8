# SPDX-License-Identifier: LGPL-2.1-or-later
# Run by kmod/check and kmod/cycle in a Debian 13 root, not by make check.
EXTRA_DIST += \
	tests/kernel/build.sh \
	tests/kernel/dkms.sh \
	tests/kernel/import.sh \
	tests/kernel/intree.sh \
	tests/kernel/lib.sh \
	tests/kernel/refused.sh \
	tests/kernel/run \
	tests/kernel/static.sh
