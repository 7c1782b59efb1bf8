#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The public functions are named in four places: the headers, the export map, the symbols of the
# Debian package, the library.
. "$top_srcdir/tests/install/tap.sh"

# After the preprocessor only declarations are left: no comments, no macros.
for header in "$srcdir"/include/*.h; do
	$CC -E -P "$header" || exit 99
done | grep -oE '\brocket_[a-z0-9_]+ *\(' | tr -d ' (' | LC_ALL=C sort -u >"$work/headers"

sed -n '/^global:/,/^local:/s/^[[:space:]]*\(rocket_[a-z0-9_]*\);$/\1/p' \
	"$srcdir/lib/librocketnpu.map" | LC_ALL=C sort >"$work/map"

defined() {
	$NM "$@" | awk '$2 ~ /^[A-Z]$/ && $2 != "U" { sub(/@.*/, "", $3); print $3 }' | LC_ALL=C sort -u
}

succeeds map_not_empty test -s "$work/map"
succeeds map_names_no_function_twice sh -c "! uniq -d '$work/map' | grep ."
succeeds map_equals_headers diff -u "$work/headers" "$work/map"

sed -n 's/^ \(rocket_[a-z0-9_]*\)@ROCKETNPU_0 .*/\1/p' "$srcdir/debian/librocketnpu0.symbols" |
	LC_ALL=C sort >"$work/symbols"
succeeds debian_symbols_equal_map diff -u "$work/map" "$work/symbols"

if [ "$enable_shared" = yes ]; then
	defined -D "$builddir/.libs/librocketnpu.so" | grep -v '^ROCKETNPU_0$' >"$work/shared"
	succeeds shared_library_exports_map diff -u "$work/map" "$work/shared"
else
	skip shared_library_exports_map "configured with --disable-shared"
fi

if [ "$enable_static" = yes ]; then
	defined "$builddir/.libs/librocketnpu.a" | LC_ALL=C comm -23 "$work/map" - >"$work/missing"
	succeeds static_library_defines_map sh -c "! grep . '$work/missing'"
else
	skip static_library_defines_map "configured with --disable-static"
fi
plan
