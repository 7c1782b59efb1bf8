# SPDX-License-Identifier: LGPL-2.1-or-later
# The guest of the virtual board is built by its own scripts, for another machine.
EXTRA_DIST += \
	virt/guest/agent.c \
	virt/guest/applets \
	virt/guest/common.sh \
	virt/guest/debug-kernel \
	virt/guest/init \
	virt/guest/initramfs \
	virt/guest/inject/Kbuild \
	virt/guest/inject/rocket_inject.c \
	virt/guest/kernel-debug.config \
	virt/guest/kernel-kasan.config \
	virt/guest/kernel-kcsan.config \
	virt/guest/module \
	virt/guest/packages \
	virt/guest/programs \
	virt/guest/refresh \
	virt/guest/soc/.clang-format \
	virt/guest/soc/Kbuild \
	virt/guest/soc/soc.h \
	virt/guest/soc/soc_clk.c \
	virt/guest/soc/soc_log.c \
	virt/guest/soc/soc_main.c \
	virt/guest/soc/soc_power.c \
	virt/guest/soc/soc_rail.c \
	virt/guest/soc/soc_reset.c \
	virt/counts \
	virt/evidence \
	virt/run \
	virt/tests

# The runner's verdicts, on a stand-in for the machine.
TESTS += tests/runner/runner.sh tests/runner/evidence.sh
EXTRA_DIST += tests/runner/runner.sh tests/runner/machine.py tests/runner/evidence.sh tests/runner/evidence.py
