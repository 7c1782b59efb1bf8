#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Where the stock driver comes from: the distribution's package, a kernel tree; and everything
# that can be wrong with them, after which the driver imported before is still there, whole.
. "$(dirname "$0")/lib.sh"

archive=/usr/src/linux-source-$series.tar.xz
dest="$scratch/a base"
pristine() { diff -r "$bases/$series" "$dest"; }
alone() { [ "$(find "$scratch" -maxdepth 1 -name 'a base*' | wc -l)" = 1 ]; }
import() { "$top/kmod/import" "$series" "$dest"; }

missing() {
	CACHE=$scratch/cache gives 1 import
	says "no linux-source-$series here or in the archive; set KSRC="
	[ ! -e "$dest" ]
	[ -z "$(find "$scratch/cache" -mindepth 1)" ]
}
behaves "without the package and a network it says what is missing" missing

tree_import() {
	KSRC=/srv/source/$series gives 0 import
	[ ! -s "$said" ]
	pristine
	alone
}
behaves "a kernel tree gives the driver" tree_import

wrong_tree() {
	KSRC=/srv/source/7.2 gives 1 import
	says "source/7.2 is Linux 7.2, not $series"
	KSRC=/usr gives 1 import
	says '/usr is no kernel tree'
	gives 1 "$top/kmod/import" seven "$dest"
	says "'seven' is not a kernel series"
	pristine
	alone
}
behaves "a tree of another series, or none, is refused and loses nothing" wrong_tree

# pack FOLDER: the folder as such an archive has it.
pack() { tar -C "$1/.." -cJf "$archive" --transform "s,^$(basename "$1"),linux-source-$series," "$(basename "$1")"; }
# altered FOLDER SED FILE: a copy of the kernel tree with one file changed.
altered() {
	rm -rf "$1"
	cp -r "/srv/source/$series" "$1"
	sed -i "$2" "$1/$3"
	! cmp -s "$1/$3" "/srv/source/$series/$3"
}

other_but_fits() {
	altered "$scratch/other" '1i/* another first line */' drivers/accel/rocket/rocket_registers.h
	pack "$scratch/other"
	gives 0 import
	says 'not the one the patches were made for, but they apply to it'
	cmp "$scratch/other/drivers/accel/rocket/rocket_registers.h" "$dest/drivers/accel/rocket/rocket_registers.h"
	alone
	KSRC=/srv/source/$series import
	pristine
}
behaves "a driver that differs where no patch is gets a warning" other_but_fits

# The patches would apply to this one with fuzz, to who knows what.
only_with_fuzz() {
	local file=drivers/accel/rocket/rocket_gem.c patch context
	patch=$(echo "$top"/patches/0001-*.patch)
	context=$(grep -m 1 -A 1 '^@@' "$patch" | tail -n 1)
	altered "$scratch/fuzz" "s|^$(printf %s "${context# }" | sed 's/[][\.*^$|]/\\&/g')\$|/* something else */|" $file
	cp -r "$scratch/fuzz" "$scratch/try"
	patch -s -p1 -F2 -d "$scratch/try" <"$patch"
	pack "$scratch/fuzz"
	gives 1 import
	says '0001-.* does not apply'
	says 'not the one the patches were made for, and they do not fit'
	pristine
	alone
}
behaves "one that the patches fit only with fuzz is refused" only_with_fuzz

other_series() {
	altered "$scratch/series" 's/^PATCHLEVEL = .*/PATCHLEVEL = 2/' Makefile
	pack "$scratch/series"
	gives 1 import
	says "is Linux [0-9]*\.2, not $series"
	pristine
	alone
}
behaves "a package of another series is refused" other_series

no_driver() {
	cp -r "/srv/source/$series" "$scratch/bare"
	rm -r "$scratch/bare/drivers/accel/rocket"
	pack "$scratch/bare"
	gives 1 import
	says "$archive is damaged or lacks the rocket driver"
	pristine
	alone
}
behaves "a package without the driver is refused" no_driver

damaged() {
	cp -r "/srv/source/$series" "$scratch/whole"
	pack "$scratch/whole"
	truncate -s -1000 "$archive"
	gives 1 import
	says "$archive is damaged"
	pristine
	alone
}
behaves "a damaged package is refused" damaged

# The tree that a package would ship is refused where the import is.
no_tree() {
	gives 1 "$top/kmod/source-tree" "$scratch/tree"
	says "$archive is damaged"
	[ -z "$(find "$scratch" -maxdepth 1 -name 'tree*')" ]
	: >"$scratch/tree"
	gives 1 "$top/kmod/source-tree" "$scratch/tree"
	says "tree is there already"
}
behaves "no source tree is left half made" no_tree

package_import() {
	rm "$archive"
	dpkg-deb --fsys-tarfile "/srv/linux-source-$series.deb" | tar -x -C / "./usr/src/linux-source-$series.tar.xz"
	gives 0 "$top/kmod/source-tree" "$scratch/from package"
	[ ! -s "$said" ]
	BASES=$bases gives 0 "$top/kmod/source-tree" "$scratch/from cache"
	diff -r "$scratch/from package" "$scratch/from cache"
	diff -r "$bases/$series" "$scratch/from package/base/$series"
}
behaves "the installed linux-source package gives the very driver" package_import

same_tree() {
	(umask 077; cd /; TZ=Asia/Tokyo LC_ALL=C BASES=$bases "$top/kmod/source-tree" "$scratch/again")
	for t in "from cache" again; do
		(cd "$scratch/$t" && find . -printf '%p %m %T@ %U\n' | sort && find . -type f -exec sha256sum {} + | sort) >"$scratch/list"
		mv "$scratch/list" "$scratch/list $t"
	done
	same "$scratch/list from cache" "$scratch/list again"
	[ "$(find "$scratch/again" ! -newermt "@$SOURCE_DATE_EPOCH" | wc -l)" = "$(find "$scratch/again" | wc -l)" ]
}
behaves "the source tree does not depend on mask, zone, folder and place" same_tree
finish
