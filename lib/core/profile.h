/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile.h - which machine parameters apply. */
#ifndef ROCKET_CORE_PROFILE_H
#define ROCKET_CORE_PROFILE_H

#include "rocket_hw_profile.h"

enum rocket_chip_kind {
	ROCKET_CHIP_UNKNOWN,    /* no name this library knows */
	ROCKET_CHIP_NO_ENCODER, /* known, but this build cannot encode for it */
	ROCKET_CHIP_SUPPORTED,
};
enum rocket_chip_kind rocket_chip_kind(const char *chip);

/* The RK3588's values, marked by select_warning as assumed because the chip is unknown. */
const struct rocket_hw_profile *rocket_hw_assumed(void);

/* Make p the profile rocket_hw_current() answers. */
void rocket_hw_select(const struct rocket_hw_profile *p);

/* Find the chip in a NUL-separated device tree "compatible" list: its name, or "". */
void rocket_chip_of_compatible(const char *list, size_t size, char chip[16]);

/*
 * Chip and core count from a sysfs tree: the nodes bound to the driver, else the machine's
 * own compatible list (then cores is 0). root is "" except in tests.
 */
void rocket_sysfs_identify(const char *root, const char *driver, char chip[16], unsigned *cores);

#endif
