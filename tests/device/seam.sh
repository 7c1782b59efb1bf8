#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# provider-seam says what a provider owes and finds out what one lacks.
. "$top_srcdir/tests/install/tap.sh"

[ "$cross_compiling" != yes ] || skip_all "provider-seam is run natively only"

seam="$builddir/tools/provider-seam/provider-seam"

# provider NAME OMITTED: a shared provider whose operation OMITTED is missing.
provider() {
	cat >"$work/$1.c" <<-END
		#include "lib/core/provider.h"
		static int match(const struct rocket_kernel *k, int fd) { (void)k, (void)fd; return -19; }
		static int take(struct rocket_node *n) { (void)n; return -19; }
		static void leave(struct rocket_node *n) { (void)n; }
		static int alloc(struct rocket_node *n, size_t s, rocket_bo *b) { (void)n, (void)s, (void)b; return -12; }
		static int drop(struct rocket_node *n, rocket_bo *b) { (void)n, (void)b; return 0; }
		static int prep(struct rocket_node *n, const rocket_bo *b, uint64_t t) { (void)n, (void)b, (void)t; return 0; }
		static int fini(struct rocket_node *n, const rocket_bo *b) { (void)n, (void)b; return 0; }
		static int prepr(struct rocket_node *n, const rocket_bo *b, const rocket_bo_range *r, unsigned c, uint64_t t)
		{ (void)n, (void)b, (void)r, (void)c, (void)t; return -95; }
		static int finir(struct rocket_node *n, const rocket_bo *b, const rocket_bo_range *r, unsigned c)
		{ (void)n, (void)b, (void)r, (void)c; return -95; }
		static size_t scratch(uint32_t n) { (void)n; return 8; }
		static int send(struct rocket_node *n, const struct rocket_provider_job *j, uint32_t c, void *s)
		{ (void)n, (void)j, (void)c, (void)s; return -19; }
		static const char *const globs[] = { "/dev/none*", 0 };
		const struct rocket_provider rocket_external_provider = {
			.abi_version = ROCKET_PROVIDER_ABI, .size = sizeof(struct rocket_provider),
			.name = "mine", .node_globs = globs, .match = match, .open = take, .close = leave,
			.bo_alloc = alloc, .bo_free = drop, .bo_prep = prep, .bo_fini = fini,
			.bo_prep_ranges = prepr, .bo_fini_ranges = finir, .scratch_size = scratch, .submit = send,
			$2
		};
	END
	$CC -c -fPIC -w -I"$srcdir" -I"$srcdir/include" -o "$work/$1.o" "$work/$1.c" || exit 99
	$CC -shared -o "$work/$1.so" "$work/$1.o" || exit 99
}

provider whole ""
provider lazy ".submit = 0, .bo_fini = 0"
provider future ".abi_version = 99"
ar cr "$work/whole.a" "$work/whole.o" || exit 99
echo 'const int rocket_external_provider = 1;' | $CC -c -xc -o "$work/small.o" - || exit 99
echo 'int nothing;' | $CC -c -xc -fPIC -o "$work/none.o" - || exit 99
$CC -shared -o "$work/none.so" "$work/none.o" || exit 99
head -c 300 "$work/whole.o" >"$work/cut.o"
echo text >"$work/text.o"

says() {
	"$@" | grep -qF "$text"
}

# exits CODE COMMAND...
exits() {
	want=$1
	shift
	"$@"
	got=$?
	[ $got = "$want" ] || echo "exit code $got, not $want"
	[ $got = "$want" ]
}

for op in match open close bo_alloc bo_free bo_prep bo_fini bo_prep_ranges bo_fini_ranges \
	scratch_size submit; do
	text="  $op "
	succeeds "seam_lists_$op" says "$seam"
done
succeeds builtin_provider_is_whole exits 0 "$seam" rocket
if grep -q '^#define HAVE_PROVIDER_RKNPU 1' "$builddir/config.h"; then
	succeeds builtin_provider_of_the_vendors_driver_is_whole exits 0 "$seam" rknpu
fi
succeeds shared_provider_is_whole exits 0 "$seam" "$work/whole.so"
succeeds object_of_a_provider_is_found exits 0 "$seam" "$work/whole.o"
succeeds archive_of_a_provider_is_found exits 0 "$seam" "$work/whole.a"
succeeds provider_lacking_operations_fails exits 1 "$seam" "$work/lazy.so"
text="operation submit is missing"
succeeds provider_lacking_submit_is_told says "$seam" "$work/lazy.so"
text="operation bo_fini is missing"
succeeds provider_lacking_bo_fini_is_told says "$seam" "$work/lazy.so"
text="abi_version is 99"
succeeds provider_of_another_abi_is_told says "$seam" "$work/future.so"
succeeds worst_of_several_decides exits 1 "$seam" rocket "$work/lazy.so" "$work/whole.o"
succeeds object_of_another_size_fails exits 1 "$seam" "$work/small.o"
succeeds object_without_the_symbol_fails exits 2 "$seam" "$work/none.o"
succeeds shared_without_the_symbol_fails exits 2 "$seam" "$work/none.so"
succeeds object_cut_short_fails exits 2 "$seam" "$work/cut.o"
succeeds text_is_no_object exits 2 "$seam" "$work/text.o"
succeeds file_missing_fails exits 2 "$seam" "$work/missing.so"
succeeds name_unknown_fails exits 2 "$seam" panfrost
succeeds option_unknown_fails exits 2 "$seam" --frobnicate
succeeds help_is_given exits 0 "$seam" --help
plan
