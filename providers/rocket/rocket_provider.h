/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rocket_provider.h - the provider for the mainline rocket driver. */
#ifndef PROVIDERS_ROCKET_ROCKET_PROVIDER_H
#define PROVIDERS_ROCKET_ROCKET_PROVIDER_H

#include "lib/core/provider.h"

extern const struct rocket_provider rocket_provider_rocket;

#endif
