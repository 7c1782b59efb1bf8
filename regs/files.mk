# SPDX-License-Identifier: LGPL-2.1-or-later
# The register tables and what is generated from them.
