#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# configure refuses what it cannot build, with a reason, and takes an external provider.
. "$top_srcdir/tests/install/tap.sh"

[ "$cross_compiling" != yes ] || skip_all "configure is tried natively only"

mkdir "$work/configure"
cd "$work/configure" || exit 99

# One cache for all runs: only the options differ.
configure() {
	env -u CONFIG_SITE CC="$CC" CFLAGS="-O0" "$srcdir/configure" -q \
		--cache-file="$work/config.cache" "$@"
}

provider() {
	$CC -c -O0 -o "$work/$1.o" -xc - $2 || exit 99
}

echo 'const struct { int size; } rocket_external_provider = { 4 };' | provider good -fPIC
echo 'void rocket_external_provider(void) { }' | provider function -fPIC
echo 'extern const int rocket_external_provider; int other(void) { return rocket_external_provider; }' |
	provider reference -fPIC
echo 'extern int far; int get(void) { return far; } const int rocket_external_provider = 1;' |
	provider fixed "-fno-pic -fno-pie"
ar cr "$work/good.a" "$work/reference.o" "$work/good.o"
$CC -shared -o "$work/good.so" "$work/good.o"
echo text >"$work/text.o"

refuses unknown_provider_is_named "unknown provider 'panfrost'" configure --with-providers=rocket,panfrost
refuses no_provider_at_all "needs --with-external-provider" configure --with-providers=none
refuses none_with_another "cannot be combined" configure --with-providers=none,rocket --with-external-provider="$work/good.o"
refuses provider_twice "named twice" configure --with-providers=rocket,rocket
refuses empty_provider_list "the list is empty" configure --with-providers=
refuses external_provider_without_name "needs the name" configure --with-external-provider
refuses external_provider_missing "cannot read" configure --with-external-provider="$work/absent.o"
refuses external_provider_of_other_kind "takes a .o, .a or .so" configure --with-external-provider="$work/out"
refuses external_provider_no_object "does not define" configure --with-external-provider="$work/text.o"
refuses external_provider_is_function "does not define" configure --with-external-provider="$work/function.o"
refuses external_provider_only_referenced "does not define" configure --with-external-provider="$work/reference.o"
refuses external_provider_not_position_independent "compile it with -fPIC" configure --with-external-provider="$work/fixed.o"
refuses unknown_sanitizer "cannot link a program with -fsanitize=thirst" configure --enable-sanitizers=thirst

for file in good.o good.a good.so; do
	succeeds "external_provider_in_${file#good.}" configure --with-providers=none --with-external-provider="$work/$file"
	succeeds "external_provider_in_${file#good.}_is_configured" grep -q '^#define HAVE_EXTERNAL_PROVIDER 1' config.h
done
succeeds no_builtin_provider_is_configured sh -c '! grep -q "^#define HAVE_PROVIDER_ROCKET" config.h'
succeeds vendors_provider_alone configure --with-providers=rknpu
succeeds vendors_provider_alone_is_configured grep -q '^#define HAVE_PROVIDER_RKNPU 1' config.h
plan
