#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What needs no kernel build: what is written down twice is the same, what only computes
# computes, checkpatch, the overlay, the udev rules, and the semantic patches of the kernel's
# coccicheck kind on our files.
. "$(dirname "$0")/lib.sh"

"$top/kmod/assemble" "$series" "$bases/$series" "$scratch/step"

# The numbers of a header, from the folder it is in. libdrm has the drm.h that the kernel's
# headers call drm/drm.h.
uapi_values() {
	local libdrm
	libdrm=$(pkg-config --variable=includedir libdrm)/libdrm
	mkdir -p "$scratch/uapi"
	ln -sfn "$libdrm" "$scratch/uapi/drm"
	gcc -o "$scratch/uapi/values" -I "$1" -I "$libdrm" -I "$scratch/uapi" "$top/kmod/uapi-values.c"
	"$scratch/uapi/values"
}
same_uapi() {
	uapi_values "$scratch/step/include/uapi/drm" >"$scratch/module"
	uapi_values "$top/uapi/drm" >"$scratch/library"
	diff "$scratch/module" "$scratch/library"
}
behaves "the header of the module has the numbers of the library's" same_uapi

same_conf() { "$top/kmod/dkms-conf" | diff - "$top/dkms.conf"; }
behaves "dkms.conf is what kmod/dkms-conf makes of version and kernels" same_conf

# What only computes runs here, without the kernel's headers.
pure() {
	local header
	mkdir "$scratch/empty"
	sed -n 's/^#include <\(.*\)>$/\1/p' "$top/kmod/rocket_bos.c" "$top/kmod/rocket_bos.h" \
		"$top/kmod/rocket_ranges.c" | grep / | while read -r header; do
		mkdir -p "$scratch/empty/$(dirname "$header")"
		: >"$scratch/empty/$header"
	done
	: >"$scratch/empty/rocket_job.h"
	: >"$scratch/empty/rocket_gem.h"
	gcc -O1 -g -fsanitize=address,undefined -fno-sanitize-recover -Wall -Wno-unused -iquote "$top/kmod" \
		-I "$scratch/empty" -o "$scratch/pure-test" "$top/kmod/pure-test.c"
	"$scratch/pure-test"
}
behaves "what only computes computes the right thing" pure

overlay() {
	gives 0 dtc -q -@ -I dts -O dtb -o /dev/null "$top/patches/example-board.dtso"
	[ ! -s "$said" ]
}
behaves "the example overlay compiles" overlay

rules() {
	gives 0 udevadm verify --no-style "$top"/udev/*.rules
	says '2 udev rules files have been checked'
	says 'Success: +2'
	says 'Fail: +0'
	sed 's/GROUP="render"/GROUP=render/' "$top/udev/60-rocket-npu.rules" >"$scratch/60-broken.rules"
	gives 1 udevadm verify --no-style "$scratch/60-broken.rules"
}
behaves "udev takes the rules" rules

# ---- the whole driver, as the kernel's own semantic checks see it ----

# What they find in the stock driver is not ours.
found_by() {
	spatch --very-quiet --no-includes -D report --sp-file "$1" --dir "$2" >"$scratch/report" 2>"$scratch/errors" || return
	sed -n "s,^$2/,,p" "$scratch/report" | sed 's/:[0-9][0-9-]*//g' | sort -u
}
cocci() {
	local script ran=0
	: >"$said"
	for script in $(find "/srv/source/$series/scripts/coccinelle" -name '*.cocci' | sort); do
		# Some have no report mode.
		found_by "$script" "$scratch/step/drivers" >"$scratch/found" || continue
		ran=$((ran + 1))
		[ -s "$scratch/found" ] || continue
		found_by "$script" "$bases/$series/drivers" >"$scratch/found.stock"
		comm -23 "$scratch/found" "$scratch/found.stock" | sed "s,^,$(basename "$script"): ," >>"$said"
	done
	cat "$said"
	[ "$ran" -ge 60 ]
	[ ! -s "$said" ]
}
cocci_finds() {
	mkdir "$scratch/bad"
	printf 'static void f(void *p)\n{\n\tif (p)\n\t\tkfree(p);\n}\n' >"$scratch/bad/bad.c"
	found_by "/srv/source/$series/scripts/coccinelle/free/ifnullfree.cocci" "$scratch/bad" >"$said"
	says 'WARNING: NULL check before'
	# sparse does not count locks any more in these kernels.
	printf 'static int f(struct mutex *m, int x)\n{\n\tmutex_lock(m);\n\tif (x)\n\t\treturn -1;\n\tmutex_unlock(m);\n\treturn 0;\n}\n' \
		>"$scratch/bad/bad.c"
	found_by "/srv/source/$series/scripts/coccinelle/locks/mini_lock.cocci" "$scratch/bad" >"$said"
	says 'preceding lock'
}
behaves "coccinelle with the kernel's checks finds nothing that the patches brought" cocci
behaves "and finds what is there" cocci_finds

checkpatch() {
	perl "/srv/source/$series/scripts/checkpatch.pl" --no-tree --strict --no-signoff --max-line-length=100 -q \
		--ignore FILE_PATH_CHANGES "$@" >"$said" 2>&1 && [ ! -s "$said" ] || { cat "$said"; return 1; }
}
for p in "$top"/patches/*.patch; do
	behaves "checkpatch $(basename "$p" .patch)" checkpatch "$p"
done
# It takes no path with a blank.
mkdir "$scratch/kmod"
cp "$top"/kmod/rocket_*.[ch] "$scratch/kmod/"
for f in "$scratch"/kmod/*; do
	ignore=()
	# Trace events are laid out as the kernel has them, which checkpatch does not know.
	case $f in *_trace.h) ignore=(--ignore OPEN_ENDED_LINE,PARENTHESIS_ALIGNMENT) ;; esac
	behaves "checkpatch $(basename "$f")" checkpatch -f "${ignore[@]}" "$f"
done
finish
