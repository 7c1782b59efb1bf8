# SPDX-License-Identifier: LGPL-2.1-or-later
# The package as others see it: its options, headers, exports and installed files.
INSTALL_TESTS = \
	tests/install/application.sh \
	tests/install/exports.sh \
	tests/install/headers.sh \
	tests/install/options.sh

TESTS += $(INSTALL_TESTS)
EXTRA_DIST += $(INSTALL_TESTS) tests/install/tap.sh tests/install/documented.py

check_DATA = tests/install/config.sh
