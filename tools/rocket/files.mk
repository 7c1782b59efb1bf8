# SPDX-License-Identifier: LGPL-2.1-or-later
# The `rocket` command, its manual page and its shell completion.
bin_PROGRAMS += rocket
rocket_SOURCES = \
	tools/rocket/cause.c tools/rocket/cause.h \
	tools/rocket/check.c tools/rocket/check.h tools/rocket/check_bound.c \
	tools/rocket/clock.c \
	tools/rocket/clock_plan.c tools/rocket/clock_plan.h \
	tools/rocket/command.c tools/rocket/command.h \
	tools/rocket/decode.c \
	tools/rocket/demo.c \
	tools/rocket/device.c tools/rocket/device.h \
	tools/rocket/dtype.c tools/rocket/dtype.h \
	tools/rocket/encode.c \
	tools/rocket/estimate.c tools/rocket/estimate.h \
	tools/rocket/facts.c tools/rocket/facts.h \
	tools/rocket/facts_board.c tools/rocket/facts_users.c \
	tools/rocket/form.c tools/rocket/form.h \
	tools/rocket/generate.c tools/rocket/generate.h \
	tools/rocket/help.c \
	tools/rocket/info.c \
	tools/rocket/json.c tools/rocket/json.h \
	tools/rocket/kernel_report.c tools/rocket/kernel_report.h \
	tools/rocket/lint.c \
	tools/rocket/logline.c tools/rocket/logline.h \
	tools/rocket/main.c \
	tools/rocket/matmul.c \
	tools/rocket/modprobe_file.c tools/rocket/modprobe_file.h \
	tools/rocket/operand.c tools/rocket/operand.h \
	tools/rocket/options.c tools/rocket/options.h \
	tools/rocket/plan.c \
	tools/rocket/plan_picture.c tools/rocket/plan_picture.h \
	tools/rocket/points.c tools/rocket/points.h \
	tools/rocket/program_file.c tools/rocket/program_file.h \
	tools/rocket/program_options.c tools/rocket/program_options.h \
	tools/rocket/published.c tools/rocket/published.h \
	tools/rocket/regcmd.c \
	tools/rocket/report.c tools/rocket/report.h \
	tools/rocket/sysfile.c tools/rocket/sysfile.h \
	tools/rocket/table.c tools/rocket/table.h \
	tools/rocket/tiling.c tools/rocket/tiling.h \
	tools/rocket/units.c tools/rocket/units.h \
	tools/rocket/workload.c tools/rocket/workload.h
rocket_LDADD = librocket-all.la

dist_man1_MANS += docs/rocket.1

# Shells look for a file that is called like the command.
bashcompdir = $(datadir)/bash-completion/completions
nodist_bashcomp_DATA = tools/rocket/completions/rocket
tools/rocket/completions/rocket: tools/rocket/rocket.bash-completion
	$(AM_V_GEN)$(MKDIR_P) $(@D) && cp $< $@
CLEANFILES += tools/rocket/completions/rocket
EXTRA_DIST += tools/rocket/rocket.bash-completion
