/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __ROCKET_RAIL_H__
#define __ROCKET_RAIL_H__

struct device_driver;

/*
 * Have the rail of a core on before its power domain is, where the device tree does not tell the
 * domain about it. Around the life of the driver that is named.
 */
int rocket_rail_init(const struct device_driver *driver);
void rocket_rail_exit(void);

#endif
