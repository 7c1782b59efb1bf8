#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The life of the module under DKMS: built and installed over a module that the kernel brings,
# its way into an initramfs, a build that fails, upgrade and downgrade, a build that is cut off, a
# second kernel, removal.
. "$(dirname "$0")/lib.sh"

older=$version
newer=$version.1
modules=/lib/modules/$kernel
ours=$modules/updates/dkms/rocket.ko.xz
stock=$modules/kernel/drivers/accel/rocket/rocket.ko.xz
dkms_tree=/var/lib/dkms/rocket-npu
second=${kernel%arm64}rt-arm64

pretend_arm64
on() { dkms "$1" -m rocket-npu -v "$2" -k "${3:-$kernel}" -a aarch64 "${@:4}"; }
state() { dkms status -m rocket-npu -v "$1" -k "${2:-$kernel}" | sed 's/.*: //;s/ (Original modules exist)//'; }
# in_state STATE VERSION [KERNEL]
in_state() { [ "$(state "${@:2}")" = "$1" ] || { dkms status; return 1; }; }
not_built() { ! dkms status -m rocket-npu -v "$1" -k "${2:-$kernel}" | grep -E 'built|installed'; }
info() { modinfo -k "${2:-$kernel}" -F "$1" rocket; }
used() { modinfo -k "${1:-$kernel}" -n rocket; }

# Everything that is there, but for what depmod makes and the times.
listing() {
	find / -xdev \( -path /proc -o -path /dev -o -path /mnt -o -path /var/tmp -o -path /tmp -o -path /root/.ccache \) -prune -o \
		! -name 'modules.*' \( -type f -o -type l -o -type d \) -printf '%p %y %m %l\n' | sort
	find "$modules" /usr/src/rocket-npu-* "/lib/modules/$second" -type f ! -name 'modules.*' \
		-exec sha256sum {} + 2>/dev/null | sort
}

# ---- a module that the kernel brings, unpatched ----

bring_stock() {
	"$top/kmod/assemble" "$series" "$bases/$series" "$scratch/stock" 0
	make -s -j"$JOBS" -C "$headers" M="$scratch/stock" modules
	mkdir -p "$(dirname "$stock")"
	aarch64-linux-gnu-strip -g "$scratch/stock/drivers/accel/rocket/rocket.ko"
	xz -c "$scratch/stock/drivers/accel/rocket/rocket.ko" >"$stock"
	cp "$stock" "$scratch/stock.ko.xz"
	depmod "$kernel"
	[ "$(used)" = "$stock" ]
	[ -z "$(info version)" ]
}
behaves "the stock driver builds, and is the one in use" bring_stock

# ---- install ----

tree "$older"
listing >"$scratch/before"

add() {
	gives 0 on add "$older"
	[ "$(dkms status -m rocket-npu)" = "rocket-npu/$older: added" ]
}
behaves "the tree is added" add

install() {
	gives 0 on install "$older"
	in_state installed "$older"
	[ "$(used)" = "$ours" ]
}
behaves "the module is built and installed, and wins over the kernel's own" install

described() {
	[ "$(info version)" = "$older" ]
	[ "$(info name)" = rocket ]
	[[ $(info vermagic) = "$kernel "*" aarch64" ]]
	info alias | grep -qxF 'of:N*T*Crockchip,rk3588-rknn-core'
	info depends | tr , '\n' | grep -qx drm_shmem_helper
	# The parameters are those that the documentation lists.
	info parm | sed 's/:.*//' | sort >"$scratch/parm"
	sed -n '/^## Parameters/,/^## /s/^| `\([a-z_]*\)` .*/\1/p' "$top/patches/README.md" | sort >"$scratch/documented"
	same "$scratch/parm" "$scratch/documented"
	[ -s "$scratch/parm" ]
}
behaves "modinfo shows version, kernel, device, and the documented parameters" described

signed() {
	[ "$(info sig_hashalgo)" = sha256 ]
	[[ $(info signer) = "DKMS module signing key"* ]]
	xz -dc "$ours" >"$scratch/signed.ko"
	# module, signature in DER, 12 bytes that end with the length of the signature, magic of 28.
	local size length
	[ "$(tail -c 28 "$scratch/signed.ko")" = "~Module signature appended~" ]
	size=$(stat -c %s "$scratch/signed.ko")
	length=$((16#$(tail -c 32 "$scratch/signed.ko" | head -c 4 | od -An -tx1 | tr -d ' ')))
	head -c $((size - 40)) "$scratch/signed.ko" | tail -c "$length" >"$scratch/signature"
	head -c $((size - 40 - length)) "$scratch/signed.ko" >"$scratch/content"
	openssl x509 -inform DER -in /var/lib/dkms/mok.pub -out "$scratch/mok.pem"
	openssl cms -verify -binary -inform DER -in "$scratch/signature" -content "$scratch/content" \
		-certfile "$scratch/mok.pem" -noverify -out /dev/null
	printf x | dd of="$scratch/content" bs=1 seek=4096 conv=notrunc status=none
	gives 4 openssl cms -verify -binary -inform DER -in "$scratch/signature" -content "$scratch/content" \
		-certfile "$scratch/mok.pem" -noverify -out /dev/null
}
behaves "it is signed with the key of DKMS, and the signature holds for it alone" signed

# A kernel package that is installed again brings its own module again.
shadowed() {
	mkdir -p "$(dirname "$stock")"
	cp "$scratch/stock.ko.xz" "$stock"
	depmod "$kernel"
	[ "$(used)" = "$ours" ]
	rm "$stock"
	rmdir -p --ignore-fail-on-non-empty "$(dirname "$stock")"
	depmod "$kernel"
}
behaves "it wins where both are there" shadowed

# ---- the initramfs, in which the kernel loads it ----

options='options rocket rocket_npu_clk_hz=900000000'
with_options() {
	echo "$options" >/etc/modprobe.d/rocket-npu.conf
	"$@"
	rm /etc/modprobe.d/rocket-npu.conf
}
# unpacked: the module and its options are in the folder.
unpacked() {
	cmp "$scratch/initramfs$ours" "$ours" || cmp "$scratch/initramfs/usr$ours" "$ours"
	[ "$(cat "$scratch/initramfs/etc/modprobe.d/rocket-npu.conf")" = "$options" ]
}
initramfs_tools() {
	cp -r /etc/initramfs-tools "$scratch/initramfs-tools"
	mkdir -p "$scratch/initramfs-tools/hooks"
	cp "$top/debian/rocket-npu-dkms.initramfs-hook" "$scratch/initramfs-tools/hooks/rocket-npu-dkms"
	chmod +x "$scratch/initramfs-tools/hooks/rocket-npu-dkms"
	echo CONFIG_RD_GZIP=y >"/boot/config-$kernel"
	mkinitramfs -d "$scratch/initramfs-tools" -c gzip -o "$scratch/image" "$kernel"
	rm "/boot/config-$kernel"
	rm -rf "$scratch/initramfs"
	unmkinitramfs "$scratch/image" "$scratch/initramfs"
	unpacked
}
behaves "the initramfs of initramfs-tools has the module and its options" with_options initramfs_tools

dracut_image() {
	local module=/usr/lib/dracut/modules.d/90rocket-npu
	mkdir "$module"
	cp "$top/debian/dracut/module-setup.sh" "$module/"
	dracut --force --no-hostonly --modules rocket-npu --kver "$kernel" "$scratch/image"
	rm -r "$module"
	rm -rf "$scratch/initramfs"
	mkdir "$scratch/initramfs"
	(cd "$scratch/initramfs" && lsinitrd --unpack "$scratch/image")
	unpacked
}
behaves "and so has that of dracut" with_options dracut_image

# ---- a newer version that does not build, then does ----

tree "$newer"
sum() { sha256sum "$ours"; }
broken_build() {
	local before file=/usr/src/rocket-npu-$newer/kmod/rocket_bos.c
	before=$(sum)
	cp "$file" "$scratch/whole"
	echo 'int no semicolon' >>"$file"
	gives 10 on install "$newer"
	cp "$scratch/whole" "$file"
	says 'Error! Bad return status for module build'
	says "Consult $dkms_tree/$newer/build/make.log"
	grep -q 'rocket_bos.c:.*error:' "$dkms_tree/$newer/build/make.log"
	[ "$before" = "$(sum)" ]
	[ "$(info version)" = "$older" ]
	in_state installed "$older"
	not_built "$newer"
}
behaves "a build that fails says where, and leaves the module of before" broken_build

broken_patch() {
	local file=/usr/src/rocket-npu-$newer/base/$series/drivers/accel/rocket/rocket_gem.c
	cp "$file" "$scratch/whole"
	sed -i 's/domain/dominion/' "$file"
	gives 1 on install "$newer"
	cp "$scratch/whole" "$file"
	grep -q "assemble: .* does not apply to the $series driver" "$dkms_tree/$newer/build/make.log"
	[ "$(info version)" = "$older" ]
	not_built "$newer"
}
behaves "a driver that the patches do not fit fails before anything is compiled" broken_patch

upgrade() {
	gives 0 on install "$newer"
	[ "$(info version)" = "$newer" ]
	[ "$(used)" = "$ours" ]
	in_state installed "$newer"
}
behaves "the same version builds once it is mended, and replaces the older" upgrade

downgrade() {
	local before
	before=$(sum)
	gives 6 on install "$older"
	says "Module version $older"
	says "is not newer than what is already found in kernel $(literal "$kernel") \($newer\)"
	[ "$before" = "$(sum)" ]
	gives 0 on install "$older" "$kernel" --force
	[ "$(info version)" = "$older" ]
}
behaves "an older one is refused with both versions named, unless forced" downgrade

# ---- a build that is cut off ----

cut_off() {
	local pid build=$dkms_tree/$newer/build
	rm -rf "$build"
	# What runs in the background of a script is deaf to SIGINT otherwise.
	setsid env --default-signal=INT dkms build -m rocket-npu -v "$newer" -k "$second" -a aarch64 >"$said" 2>&1 &
	pid=$!
	set +x
	for ((i = 0; i < 600; i++)); do
		ls "$build"/kmod/build/drivers/accel/rocket/*.o >/dev/null 2>&1 && break
		sleep 0.1
	done
	set -x
	kill -"$1" -- "-$pid"
	! wait "$pid"
	[ -d "$build" ]
	[ ! -e "$dkms_tree/$newer/$second" ]
	not_built "$newer" "$second"
	[ "$(info version)" = "$older" ]
}
behaves "a build that is interrupted counts as not made" cut_off INT
behaves "a build that is killed counts as not made" cut_off KILL

# ---- a kernel that is installed later, and removed ----

kernel_comes() {
	# DKMS runs depmod where the kernel's package has run it before.
	touch "/lib/modules/$second/modules.order" "/lib/modules/$second/modules.builtin"
	depmod "$second"
	gives 0 /etc/kernel/postinst.d/dkms "$second"
	says "Autoinstall on $(literal "$second") succeeded for module\(s\) rocket-npu"
	in_state installed "$newer" "$second"
	[[ $(info vermagic "$second") = "$second "* ]]
	[ "$(info version "$second")" = "$newer" ]
	[ ! -e "$dkms_tree/$newer/build" ]
}
behaves "a kernel that is installed gets the newest version, after the cut-off builds" kernel_comes

kernel_goes() {
	gives 0 /etc/kernel/prerm.d/dkms "$second"
	[ ! -e "/lib/modules/$second/updates" ]
	not_built "$newer" "$second"
	[ "$(info version)" = "$older" ]
}
behaves "a kernel that is removed takes its module along, and no other" kernel_goes

# ---- removal ----

# What the removal of the package does, for one version after the other.
remove() {
	gives 0 dkms remove -m rocket-npu -v "$newer" --all
	gives 0 dkms remove -m rocket-npu -v "$older" --all
	rm -r "/usr/src/rocket-npu-$newer"
	[ -z "$(dkms status -m rocket-npu)" ]
	[ "$(used)" = "$stock" ]
	same "$stock" "$scratch/stock.ko.xz"
}
behaves "after the removal the kernel's own module is back, unchanged" remove

# The key outlives the packages that use it, as DKMS has it.
nothing_left() {
	listing | grep -v '^/var/lib/dkms/mok\.' >"$scratch/after"
	grep -v '^/var/lib/dkms/mok\.' "$scratch/before" | diff - "$scratch/after"
}
behaves "and nothing else is left" nothing_left
finish
