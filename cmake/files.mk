# SPDX-License-Identifier: LGPL-2.1-or-later
# The package that find_package(rocketnpu) reads. Its paths are relative to where it is
# installed, so a relocated or staged tree works.
cmakedir = $(libdir)/cmake/rocketnpu
nodist_cmake_DATA = cmake/rocketnpu-config.cmake cmake/rocketnpu-config-version.cmake
EXTRA_DIST += cmake/rocketnpu-config.cmake.in cmake/rocketnpu-config-version.cmake.in
CLEANFILES += $(nodist_cmake_DATA)

$(nodist_cmake_DATA): %: %.in Makefile
	$(AM_V_GEN)$(MKDIR_P) $(@D) && sed \
		-e "s|@libdir_from_here@|$$(realpath -m --relative-to='$(cmakedir)' '$(libdir)')|" \
		-e "s|@includedir_from_here@|$$(realpath -m --relative-to='$(cmakedir)' '$(includedir)')|" \
		-e 's|@static_libs@|$(strip $(LIBDRM_LIBS) $(EXTERNAL_PROVIDER_LINK) -lm -pthread)|' \
		-e 's|@package_version@|$(PACKAGE_VERSION)|' $< >$@.tmp && mv $@.tmp $@
