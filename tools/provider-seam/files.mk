# SPDX-License-Identifier: LGPL-2.1-or-later
noinst_PROGRAMS += tools/provider-seam/provider-seam
tools_provider_seam_provider_seam_SOURCES = \
	tools/provider-seam/provider-seam.c \
	tools/provider-seam/elf_symbol.c tools/provider-seam/elf_symbol.h
tools_provider_seam_provider_seam_LDADD = librocket-all.la -ldl
