// SPDX-License-Identifier: LGPL-2.1-or-later
/* registry.c - the providers that configure chose for this build. */
#include "config.h"

#include "provider.h"

#ifdef HAVE_PROVIDER_ROCKET
#include "providers/rocket/rocket_provider.h"
#endif
#ifdef HAVE_PROVIDER_RKNPU
#include "providers/rknpu/rknpu_provider.h"
#endif
#ifdef HAVE_EXTERNAL_PROVIDER
extern const struct rocket_provider rocket_external_provider;
#endif

static const struct rocket_provider *const providers[] = {
#ifdef HAVE_PROVIDER_ROCKET
	&rocket_provider_rocket,
#endif
#ifdef HAVE_PROVIDER_RKNPU
	&rocket_provider_rknpu,
#endif
#ifdef HAVE_EXTERNAL_PROVIDER
	&rocket_external_provider,
#endif
	NULL,
};

const struct rocket_provider *const *rocket_providers(void)
{
	return providers;
}
