# SPDX-License-Identifier: LGPL-2.1-or-later
# The Debian packages, and what makes and tries them; docs/packaging.md is about both.
EXTRA_DIST += \
	debian/changelog \
	debian/control \
	debian/copyright \
	debian/dracut/module-setup.sh \
	debian/librocketnpu-dev.examples \
	debian/librocketnpu-dev.install \
	debian/librocketnpu0.install \
	debian/librocketnpu0.symbols \
	debian/not-installed \
	debian/rocket-npu-dkms.README.Debian \
	debian/rocket-npu-dkms.dkms \
	debian/rocket-npu-dkms.examples \
	debian/rocket-npu-dkms.initramfs-hook \
	debian/rocket-npu-dkms.install \
	debian/rocket-npu-dkms.postinst \
	debian/rocket-npu-dkms.prerm \
	debian/rocket-npu-selftests.install \
	debian/rocket-npu-tools.install \
	debian/rules \
	debian/source/format \
	debian/tests/application \
	debian/tests/command \
	debian/tests/control \
	debian/tests/dkms \
	debian/tests/selftests-node \
	debian/tests/selftests-sim \
	debian/upstream/metadata \
	docs/packaging.md \
	packaging/autopkgtest \
	packaging/board \
	packaging/build \
	packaging/check-content \
	packaging/check-copyright \
	packaging/check-enter \
	packaging/compare \
	packaging/emulate \
	packaging/enter \
	packaging/lifecycle \
	packaging/lint \
	packaging/mirror \
	packaging/package \
	packaging/root \
	packaging/tap.sh \
	packaging/tree \
	packaging/try
