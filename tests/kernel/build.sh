#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# build.sh SERIES: the driver builds after each patch, with W=1 and sparse (byte orders too), and
# with no message. FROM=N begins after N patches, LAST=1 after all. A series that is only compiled
# is built stock, after its own patches, and after all; ALL=1 builds it after each.
#
# Steps whose sources, kernel, and this script are those of a run that passed are not built
# again, and say so; what passed is in the folder /mnt/passed, which outlives the root.
. "$(dirname "$0")/lib.sh"

s=$1
headers=/usr/src/arm64-$s
built=$scratch/built
# The version of sparse in the root does not know __typeof_unqual__, and takes the strings of
# MODULE_* and module_param for expressions that are not constant.
sparse='sparse -D__typeof_unqual__=__typeof__ -D__CHECK_ENDIAN__ -Wbitwise'
known='bad constant expression|"accel_open" .* undefined'
extra=()
# Series that are only compiled lack DRM_ACCEL, which the driver is part of.
awk -v s="$s" '$1 == s && $2 == "run" { found = 1 } END { exit !found }' "$top/kmod/kernels" ||
	extra=(KCFLAGS=-DCONFIG_DRM_ACCEL=1 KBUILD_MODPOST_WARN=1)

# What did not change keeps its date, and is not built again.
refresh() {
	local f
	(cd "$1" && find . -type f -print0) | while IFS= read -rd '' f; do
		cmp -s "$1/$f" "$2/$f" || { mkdir -p "$(dirname "$2/$f")" && cp "$1/$f" "$2/$f"; }
	done
}

# What a step is made of.
key() {
	{
		(cd "$scratch/step" && find . -type f -print0 | sort -z | xargs -0 sha256sum)
		cat "$0" "$top/tests/kernel/lib.sh" /.stamp
		readlink -f "$headers"
	} | sha256sum | cut -d ' ' -f 1
}

step() {
	# After a step that failed everything is built anew, or its messages would not come again.
	[ -f "$scratch/good" ] || rm -rf "$built"
	rm -f "$scratch/good"
	refresh "$scratch/step" "$built"
	rm -f "$built/drivers/accel/rocket/rocket.ko"
	gives 0 make -s -j"$JOBS" -C "$headers" M="$built" W=1 C=1 "CHECK=$sparse" \
		CONFIG_DEBUG_INFO_BTF_MODULES= "${extra[@]}" modules
	[ -f "$built/drivers/accel/rocket/rocket.ko" ]
	! grep -vE "$known" "$said"
	touch "$passed/$(key)" "$scratch/good"
}

mapfile -t patches < <("$top/kmod/assemble" --list "$s")
first=${FROM:-0}
[ -z "${LAST:-}" ] || first=${#patches[@]}
mkdir -p "$built"
passed=/mnt/passed
own=$(comm -3 <(printf '%s\n' "${patches[@]}" | sort) <("$top/kmod/assemble" --list "$series" | sort) | wc -l)
for ((count = first; count <= ${#patches[@]}; count++)); do
	if [ ${#extra[@]} -gt 0 ] && [ -z "${ALL:-}" ] && [ "$count" -gt "$own" ] && [ "$count" -lt ${#patches[@]} ]; then
		continue
	fi
	name=stock
	[ "$count" = 0 ] || name=${patches[count - 1]%.patch}
	if ! "$top/kmod/assemble" "$s" "$bases/$s" "$scratch/step" "$count" >"$said" 2>&1; then
		behaves "$s builds with $name" gives 0 "$top/kmod/assemble" "$s" "$bases/$s" "$scratch/step" "$count"
	elif [ -f "$passed/$(key)" ]; then
		behaves "$s builds with $name # as when it passed" true
	else
		behaves "$s builds with $name" step
	fi
done

# Series that are only compiled are checked the same way; once is enough.
[ ${#extra[@]} = 0 ] || { finish; exit; }

# The checks are not asleep: each of these is found.
finds() {
	local file=$built/drivers/accel/rocket/rocket_bos.c
	refresh "$scratch/step" "$built"
	cp "$file" "$scratch/whole"
	echo "$2" >>"$file"
	make -s -j"$JOBS" -C "$headers" M="$built" W=1 C=1 "CHECK=$sparse" \
		CONFIG_DEBUG_INFO_BTF_MODULES= "${extra[@]}" modules >"$said" 2>&1 || true
	cp "$scratch/whole" "$file"
	grep -vE "$known" "$said" >"$said.new"
	mv "$said.new" "$said"
	says "$1"
}
behaves "$s: a byte order that is mixed up is found" finds 'incorrect type|restricted __le32' \
	'u32 rocket_try(__le32 x); u32 rocket_try(__le32 x) { return x; }'
behaves "$s: a function without a prototype is found" finds 'no previous prototype' \
	'int rocket_try(void) { return 0; }'
finish
