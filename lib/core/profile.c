// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "profile.h"
#include "settings.h"

/* Precision codes of the dtypes this tree encodes for the RK3588. */
#define RK3588_DTYPES (ROCKET_DT_BIT(0) /* int8 */ | ROCKET_DT_BIT(2) /* fp16 */)

#define RK3588_VALUES                                                                              \
	.name = "rk3588", .cbuf_banks = 12, /* [source: manual, 12 x 32 KiB per core][silicon] */  \
		.cbuf_bank_size = 32768,    /* [silicon] */                                        \
		.max_tile = 256,            /* [silicon] largest Mt, Nt of validated programs */   \
		.kgroup_2b = 32, /* [silicon] K group of the fp16 and int8 weight cube */          \
		.kgroup_4b = 16, /* [silicon] the same in tf32 */                                  \
		.ngroup = 16,    /* [silicon] N group of the fp16 weight cube */                   \
		.dtype_supported = RK3588_DTYPES,                                                  \
	.default_workers = 8,        /* [silicon, tuned] 3 cores; more fds hide host work */       \
		.slow_wait_ms = 450, /* [silicon] just below the backstop */                       \
		.backstop_ms = 500   /* [source: rocket's scheduler timeout] */

static const struct rocket_hw_profile profiles[] = {
	{ RK3588_VALUES, .select_warning = NULL },
};
static const struct rocket_hw_profile assumed = {
	RK3588_VALUES,
	.select_warning =
		"the chip could not be identified: the parameters of the RK3588 are assumed",
};

/* Named by device trees and refused: geometry and parameters differ [silicon]. */
static const char *const without_encoder[] = { "rk3576", "rk3568", "rk3566", "rk3562" };

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static _Atomic(const struct rocket_hw_profile *) current;

const struct rocket_hw_profile *rocket_hw_by_name(const char *name)
{
	for (size_t i = 0; name && i < COUNT(profiles); i++)
		if (!strcmp(name, profiles[i].name))
			return &profiles[i];
	return NULL;
}

const struct rocket_hw_profile *rocket_hw_assumed(void)
{
	return &assumed;
}

enum rocket_chip_kind rocket_chip_kind(const char *chip)
{
	if (rocket_hw_by_name(chip))
		return ROCKET_CHIP_SUPPORTED;
	for (size_t i = 0; i < COUNT(without_encoder); i++)
		if (!strcmp(chip, without_encoder[i]))
			return ROCKET_CHIP_NO_ENCODER;
	return ROCKET_CHIP_UNKNOWN;
}

void rocket_hw_select(const struct rocket_hw_profile *p)
{
	atomic_store(&current, p);
}

const struct rocket_hw_profile *rocket_hw_current(void)
{
	const struct rocket_hw_profile *p = atomic_load(&current);
	struct rocket_settings s;
	char chip[16] = "";
	unsigned cores;

	if (p)
		return p;
	s = rocket_settings_read();
	if (s.chip[0])
		snprintf(chip, sizeof(chip), "%s", s.chip);
	else if (!strcmp(s.device, "sim"))
		strcpy(chip, "rk3588");
	else if (!strncmp(s.device, "sim:", 4))
		snprintf(chip, sizeof(chip), "%.*s", (int)strcspn(s.device + 4, ":"), s.device + 4);
	else
		rocket_sysfs_identify("", "rocket", chip, &cores);
	p = rocket_hw_by_name(chip);
	return p ? p : &assumed;
}

void rocket_chip_of_compatible(const char *list, size_t size, char chip[16])
{
	chip[0] = 0;
	for (const char *end = list + size; list < end;
	     list += strnlen(list, (size_t)(end - list)) + 1) {
		char entry[128];

		snprintf(entry, sizeof(entry), "%.*s", (int)strnlen(list, (size_t)(end - list)),
			 list);
		for (size_t i = 0; i < COUNT(profiles); i++)
			if (strstr(entry, profiles[i].name)) {
				snprintf(chip, 16, "%s", profiles[i].name);
				return;
			}
		for (size_t i = 0; i < COUNT(without_encoder); i++)
			if (strstr(entry, without_encoder[i])) {
				snprintf(chip, 16, "%s", without_encoder[i]);
				return;
			}
	}
}
