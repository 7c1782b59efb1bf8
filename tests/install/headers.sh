#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Every public header stands alone, in C and in C++, without a warning, and explains what it
# declares.
. "$top_srcdir/tests/install/tap.sh"

strict="-Wall -Wextra -Wshadow -Wundef -Werror -fsyntax-only -I$srcdir/include"

# A C++ compiler that lacks _Float16 gets the documented stand-in.
float16=
if [ "$CXX" != : ]; then
	echo '_Float16 half;' >"$work/half.cc"
	$CXX -fsyntax-only "$work/half.cc" 2>/dev/null || float16="-DROCKET_FLOAT16_T=unsigned_short"
fi

for header in "$srcdir"/include/*.h; do
	name=$(basename "$header" .h)
	printf '#include "%s.h"\n#include "%s.h"\n' "$name" "$name" >"$work/one.c"
	printf 'typedef unsigned short unsigned_short;\n' | cat - "$work/one.c" >"$work/one.cc"
	echo "#include \"$name.h\"" >>"$work/all.c"
	succeeds "${name}_in_c11" $CC -std=c11 -Wstrict-prototypes $strict "$work/one.c"
	if [ "$CXX" = : ]; then
		skip "${name}_in_cxx11" "no C++ compiler"
	else
		succeeds "${name}_in_cxx11" $CXX -std=c++11 $strict $float16 "$work/one.cc"
	fi
done
succeeds every_function_is_explained "${PYTHON:-python3}" "$srcdir/tests/install/documented.py" \
	"$srcdir"/include/*.h
echo '/* Of threads. */
int rocket_said(void);

int rocket_bare(void);' >"$work/bare.h"
succeeds a_bare_function_is_found sh -c "! '${PYTHON:-python3}' '$srcdir/tests/install/documented.py' \
	'$work/bare.h' >'$work/bare' && grep -q 'rocket_bare has no comment' '$work/bare'"
succeeds all_headers_together $CC -std=c11 $strict "$work/all.c"
plan
