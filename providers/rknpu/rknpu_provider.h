/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rknpu_provider.h - the provider for the vendor's rknpu driver. */
#ifndef PROVIDERS_RKNPU_RKNPU_PROVIDER_H
#define PROVIDERS_RKNPU_RKNPU_PROVIDER_H

#include "lib/core/provider.h"

extern const struct rocket_provider rocket_provider_rknpu;

#endif
