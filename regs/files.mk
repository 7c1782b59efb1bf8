# SPDX-License-Identifier: LGPL-2.1-or-later
# The register tables and what is generated from them. One rule per file, so that a parallel
# make never runs two writers of one file.
REGS_GENERATE = $(PYTHON) $(top_srcdir)/regs/generate.py
REGS_GENERATED = regs/rk3588.h regs/rk3588_emit.h regs/rk3588_fields.h
REGS_INPUT = $(top_srcdir)/regs/rk3588.csv $(top_srcdir)/regs/generate.py
REGS_RULE = $(AM_V_GEN)$(MKDIR_P) regs && $(REGS_GENERATE)

BUILT_SOURCES += $(REGS_GENERATED)
CLEANFILES += $(REGS_GENERATED) regs/rk3588_names.c
EXTRA_DIST += regs/rk3588.csv regs/generate.py docs/registers-rk3588.md

regs/rk3588.h: $(REGS_INPUT)
	$(REGS_RULE) header $(top_srcdir)/regs/rk3588.csv > $@.tmp && mv $@.tmp $@
regs/rk3588_emit.h: $(REGS_INPUT)
	$(REGS_RULE) emit $(top_srcdir)/regs/rk3588.csv > $@.tmp && mv $@.tmp $@
regs/rk3588_fields.h: $(REGS_INPUT)
	$(REGS_RULE) fields $(top_srcdir)/regs/rk3588.csv > $@.tmp && mv $@.tmp $@
regs/rk3588_names.c: $(REGS_INPUT)
	$(REGS_RULE) names $(top_srcdir)/regs/rk3588.csv > $@.tmp && mv $@.tmp $@

# Write the committed reference page anew; a test proves that it equals the table.
.PHONY: update-register-page
update-register-page:
	$(REGS_GENERATE) page $(top_srcdir)/regs/rk3588.csv > $(top_srcdir)/docs/registers-rk3588.md
