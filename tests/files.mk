# SPDX-License-Identifier: LGPL-2.1-or-later
include tests/encode/files.mk
include tests/model/files.mk
include tests/device/files.mk
include tests/sched/files.mk
include tests/bench/files.mk
include tests/clients/files.mk
include tests/matmul/files.mk
include tests/goldencheck/files.mk
include tests/tool/files.mk
include tests/install/files.mk
include tests/kernel/files.mk
include tests/virt/files.mk

# Once more, on the simulated device of the vendor's driver: DIR/NAME as DIR/NAME-rknpu; programs
# also with jobs that SUBMIT does not wait for, as DIR/NAME-fenced.
if SIM
if PROVIDER_RKNPU
rknpu_reruns = $(DEVICE_TESTS:=-rknpu.rerun) $(DEVICE_TESTS:=-fenced.fenced) \
	$(DEVICE_SH_TESTS:.sh=-rknpu.sh)
TESTS += $(rknpu_reruns)
CLEANFILES += $(rknpu_reruns)

%-rknpu.rerun: %$(EXEEXT)
	$(AM_V_GEN)rm -f $@ && $(LN_S) $(<F) $@
%-fenced.fenced: %$(EXEEXT)
	$(AM_V_GEN)rm -f $@ && $(LN_S) $(<F) $@
%-rknpu.sh: %.sh
	$(AM_V_GEN)$(MKDIR_P) $(@D) && \
		echo 'export TEST_DEVICE=sim:rk3588:rknpu; . "$$top_srcdir/$*.sh"' >$@
endif
endif
