#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# An application's way: install, find the library, build the quick-start program, run it.
. "$top_srcdir/tests/install/tap.sh"

[ "$cross_compiling" != yes ] || skip_all "an application is not run in a cross build"

stage=$work/stage
export PKG_CONFIG_SYSROOT_DIR="$stage" PKG_CONFIG_PATH="$stage$libdir/pkgconfig"
export PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1
export ROCKET_DEVICE=sim

# The program gets right results on the simulated NPU.
runs() {
	if [ "$enable_sim" = no ]; then
		skip "$1" "configured with --disable-sim"
	else
		succeeds "$@"
	fi
}

# pkg_config_build NAME FLAGS-OF-PKG-CONFIG
pkg_config_build() {
	flags=$($PKG_CONFIG $2 --cflags --libs rocketnpu) || return 1
	echo "$flags"
	$CC $build_CFLAGS "$srcdir/examples/quickstart.c" $flags $build_LDFLAGS -o "$work/$1"
}

cmake_build() {
	cmake -S "$srcdir/examples" -B "$work/$1" -DCMAKE_C_COMPILER="${CC%% *}" \
		-DCMAKE_C_FLAGS="$build_CFLAGS" -DCMAKE_EXE_LINKER_FLAGS="$build_LDFLAGS" \
		-DCMAKE_PREFIX_PATH="$stage$prefix" -Drocketnpu_DIR="$stage$libdir/cmake/rocketnpu" $2 &&
		cmake --build "$work/$1"
}

needs_shared() {
	LD_LIBRARY_PATH="$stage$libdir" ldd "$1" | grep "librocketnpu.so.0 => $stage"
}

needs_no_shared() {
	test -x "$1" && ! ldd "$1" | grep librocketnpu
}

succeeds install $MAKE -C "$builddir" DESTDIR="$stage" install
succeeds installs_every_header sh -c "cd '$srcdir/include' && for h in *.h; do cmp \$h '$stage$includedir'/\$h || exit 1; done"
runs installed_command_finds_device env LD_LIBRARY_PATH="$stage$libdir" "$stage$bindir/rocket" info

for kind in shared static; do
	eval "enabled=\$enable_$kind"
	if [ "$enabled" != yes ]; then
		skip "${kind}_by_pkg_config" "configured with --disable-$kind"
		skip "${kind}_by_cmake" "configured with --disable-$kind"
		continue
	fi
	case $kind in
	shared) pc_flag='' cmake_flag='' links=needs_shared ;;
	static) pc_flag=--static cmake_flag=-Drocketnpu_USE_STATIC_LIBS=ON links=needs_no_shared ;;
	esac

	if command -v cmake >/dev/null; then
		succeeds "${kind}_by_cmake_builds" cmake_build "$kind-cmake" "$cmake_flag"
		succeeds "${kind}_by_cmake_links_that" $links "$work/$kind-cmake/quickstart"
		runs "${kind}_by_cmake_is_right" "$work/$kind-cmake/quickstart"
	else
		skip "${kind}_by_cmake" "cmake is not installed"
	fi

	# -lrocketnpu takes the shared library where there is one.
	[ $kind = shared ] || rm -f "$stage$libdir"/librocketnpu.so*
	succeeds "${kind}_by_pkg_config_builds" pkg_config_build "$kind-pc" "$pc_flag"
	succeeds "${kind}_by_pkg_config_links_that" $links "$work/$kind-pc"
	runs "${kind}_by_pkg_config_is_right" env LD_LIBRARY_PATH="$stage$libdir" "$work/$kind-pc"
done

succeeds uninstall $MAKE -C "$builddir" DESTDIR="$stage" uninstall
succeeds uninstall_leaves_no_file sh -c "! find '$stage' ! -type d | grep ."
plan
