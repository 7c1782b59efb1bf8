// SPDX-License-Identifier: LGPL-2.1-or-later
/* open.c - which node ROCKET_DEVICE names, and taking it over. */
#include "config.h"

#include <errno.h>
#include <glob.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bo_table.h"
#include "device.h"
#include "profile.h"
#include "rocket_log.h"
#include "status.h"

#ifdef HAVE_SIM
#include "sim/dev/sim_dev.h"
#define SIM_CHOICE ", or ROCKET_DEVICE=sim for the simulated RK3588"
#else
#define SIM_CHOICE " (this build has no simulated NPU)"
#endif

#define GUARD_SIZE 4096

/* Why no node was taken: the first error, and what was tried, for one log line. */
struct refusal {
	int err; /* -errno, 0 = nothing tried */
	char text[640];
};

__attribute__((format(printf, 3, 4))) static void refuse(struct refusal *r, int err,
							 const char *fmt, ...)
{
	size_t used = strlen(r->text);
	char reason[sizeof(r->text)];
	va_list ap;

	if (!r->err || r->err == -ENODEV)
		r->err = err;
	va_start(ap, fmt);
	vsnprintf(reason, sizeof(reason), fmt, ap);
	va_end(ap);
	if (strstr(r->text, reason))
		return; /* a node that does not open fails for every provider */
	if (used + 2 < sizeof(r->text))
		snprintf(r->text + used, sizeof(r->text) - used, "%s%.*s", used ? "; " : "",
			 (int)(sizeof(r->text) - used), reason);
}

/* The profile for the chip found, or NULL. */
static const struct rocket_hw_profile *
choose_profile(const struct rocket_settings *s, const struct rocket_node *node, struct refusal *why)
{
	static atomic_flag warned = ATOMIC_FLAG_INIT;
	const char *chip = s->chip[0] ? s->chip : node->chip;

	if (s->chip[0] && node->chip[0] && strcmp(s->chip, node->chip)) {
		refuse(why, -EINVAL, "ROCKET_CHIP=%s, but %s is an %s", s->chip, node->path,
		       node->chip);
		return NULL;
	}
	switch (rocket_chip_kind(chip)) {
	case ROCKET_CHIP_SUPPORTED:
		return rocket_hw_by_name(chip);
	case ROCKET_CHIP_NO_ENCODER:
		refuse(why, -ENODEV, "%s: this build has no encoder for the %s", node->path, chip);
		return NULL;
	case ROCKET_CHIP_UNKNOWN:
		break;
	}
	if (chip[0]) {
		refuse(why, -EINVAL, "%s: no chip is called %s (this build knows rk3588)",
		       node->path, chip);
		return NULL;
	}
	if (!atomic_flag_test_and_set(&warned))
		rocket_log(ROCKET_LOG_WARN, "%s: %s; set ROCKET_CHIP to be sure", node->path,
			   rocket_hw_assumed()->select_warning);
	return rocket_hw_assumed();
}

bool rocket_device_has_its_file(const struct rocket_device *dev)
{
	struct stat st;

	return fstat(dev->node.fd, &st) == 0 && st.st_dev == dev->file_dev &&
	       st.st_ino == dev->file_ino;
}

void rocket_keep_init(struct rocket_keep *keep)
{
	*keep = (struct rocket_keep){ .kept = NULL };
	pthread_mutex_init(&keep->lock, NULL);
}

void rocket_keep_fini(struct rocket_keep *keep)
{
	if (keep->kept)
		keep->free_kept(keep->kept);
	keep->kept = NULL;
	keep->bytes = 0;
	pthread_mutex_destroy(&keep->lock);
}

void rocket_device_destroy(struct rocket_device *dev)
{
	rocket_bo bo;

	if (dev->node.fd >= 0 && !rocket_device_has_its_file(dev)) {
		rocket_log(ROCKET_LOG_WARN, "fd %d was closed without rocket_close()",
			   dev->node.fd);
		dev->node.fd = -1; /* whoever has the number now keeps it */
	}
	while (rocket_bo_table_pop(dev->bos, &bo))
		dev->provider->bo_free(&dev->node, &bo);
	dev->provider->bo_free(&dev->node, &dev->guard);
	dev->provider->close(&dev->node);
	if (dev->node.fd >= 0 && dev->node.kernel->close(dev->node.fd))
		rocket_log(ROCKET_LOG_WARN, "closing fd %d: %s", dev->node.fd, strerror(errno));
	rocket_bo_table_free(dev->bos);
	rocket_keep_fini(&dev->matmuls);
	free(dev);
}

/* Take over an fd that p matched. On failure the fd stays open. */
static struct rocket_device *adopt(const struct rocket_provider *p, const struct rocket_settings *s,
				   const struct rocket_kernel *kernel, const char *path, int fd,
				   struct refusal *why)
{
	struct rocket_device *dev = calloc(1, sizeof(*dev));
	struct stat st;
	int r;

	if (!dev)
		goto err_nomem;
	if (fstat(fd, &st) == 0) {
		dev->file_dev = st.st_dev;
		dev->file_ino = st.st_ino;
	}
	dev->settings = *s;
	dev->provider = p;
	snprintf(dev->path, sizeof(dev->path), "%s", path);
	dev->node.fd = fd;
	dev->node.kernel = kernel;
	dev->node.path = dev->path;
	dev->node.rknpu_submit = dev->settings.rknpu_submit;
	dev->bos = rocket_bo_table_new();
	if (!dev->bos)
		goto err_dev;
	rocket_keep_init(&dev->matmuls);
	r = p->open(&dev->node);
	if (r) {
		refuse(why, r, "%s: the %s provider cannot take it: %s", path, p->name,
		       dev->node.refusal[0] ? dev->node.refusal : strerror(-r));
		goto err_table;
	}
	if (dev->settings.batch_submit < 0)
		dev->settings.batch_submit = dev->node.caps.batched_native;
	dev->settings.tasks_apart = !dev->node.caps.batch_atomic;
	dev->profile = choose_profile(s, &dev->node, why);
	if (!dev->profile)
		goto err_open;
	r = p->bo_alloc(&dev->node, GUARD_SIZE, &dev->guard);
	if (r) {
		refuse(why, r, "%s: cannot allocate a first buffer: %s", path, strerror(-r));
		goto err_open;
	}
	return dev;

err_open:
	p->close(&dev->node);
err_table:
	rocket_keep_fini(&dev->matmuls);
	rocket_bo_table_free(dev->bos);
	free(dev);
	return NULL;
err_dev:
	free(dev);
err_nomem:
	refuse(why, -ENOMEM, "%s: no memory", path);
	return NULL;
}

static struct rocket_device *try_node(const struct rocket_provider *p,
				      const struct rocket_settings *s,
				      const struct rocket_kernel *kernel, const char *path,
				      struct refusal *why)
{
	struct rocket_device *dev = NULL;
	int fd = kernel->open(path), r;

	if (fd < 0) {
		int err = errno;
		const char *reason = kernel->open_reason ? kernel->open_reason() : "";

		refuse(why, -err, "%s: %s", path, reason[0] ? reason : strerror(err));
		return NULL;
	}
	r = p->match(kernel, fd);
	if (r)
		refuse(why, r, "%s: not a node of the %s driver%s%s", path, p->name,
		       r == -ENODEV ? "" : ": ", r == -ENODEV ? "" : strerror(-r));
	else
		dev = adopt(p, s, kernel, path, fd, why);
	if (!dev)
		kernel->close(fd);
	return dev;
}

static void log_fault(const char *line, void *provider)
{
	const struct rocket_provider *p = provider;

	rocket_log(ROCKET_LOG_ERROR, "provider %s: %s", p->name ? p->name : "?", line);
}

static bool usable(const struct rocket_provider *p)
{
	return rocket_provider_check(p, log_fault, (void *)p) == 0;
}

static struct rocket_device *try_named(const struct rocket_settings *s,
				       const struct rocket_kernel *kernel, const char *path,
				       const char *driver, struct refusal *why)
{
	struct rocket_device *dev = NULL;

	for (const struct rocket_provider *const *p = rocket_providers(); *p && !dev; p++)
		if (usable(*p) && (!driver[0] || !strcmp(driver, (*p)->name)))
			dev = try_node(*p, s, kernel, path, why);
	return dev;
}

static struct rocket_device *try_all(const struct rocket_settings *s, struct refusal *why)
{
	struct rocket_device *dev = NULL;

	for (const struct rocket_provider *const *p = rocket_providers(); *p && !dev; p++) {
		if (!usable(*p))
			continue;
		for (const char *const *pattern = (*p)->node_globs; *pattern && !dev; pattern++) {
			glob_t g;

			if (glob(*pattern, 0, NULL, &g) == 0)
				for (size_t i = 0; i < g.gl_pathc && !dev; i++)
					dev = try_node(*p, s, &rocket_kernel_linux, g.gl_pathv[i],
						       why);
			globfree(&g);
		}
	}
	return dev;
}

#ifdef HAVE_SIM
static bool built_in(const char *driver)
{
	for (const struct rocket_provider *const *p = rocket_providers(); *p; p++)
		if (!strcmp(driver, (*p)->name))
			return true;
	return false;
}
#endif

static struct rocket_device *try_sim(const struct rocket_settings *s, struct refusal *why)
{
#ifdef HAVE_SIM
	char chip[32] = "rk3588", driver[32] = "";
	const char *rest = s->device + strlen("sim");

	if (*rest == ':') {
		size_t n = strcspn(++rest, ":");

		snprintf(chip, sizeof(chip), "%.*s", (int)n, rest);
		rest += n;
		if (*rest == ':')
			snprintf(driver, sizeof(driver), "%s", ++rest);
	}
	if (rocket_chip_kind(chip) == ROCKET_CHIP_NO_ENCODER) {
		refuse(why, -ENODEV, "the %s is not yet simulated nor encoded for", chip);
		return NULL;
	}
	if (rocket_chip_kind(chip) == ROCKET_CHIP_UNKNOWN) {
		refuse(why, -ENODEV, "no simulated chip is called \"%s\" (there is rk3588)", chip);
		return NULL;
	}
	/* A library for the vendor's driver alone means that one by "sim". */
	if (!driver[0] && !built_in("rocket") && built_in("rknpu")) {
		char spec[64];

		snprintf(spec, sizeof(spec), "sim:%s:rknpu", chip);
		return try_named(s, &rocket_kernel_sim, spec, "rknpu", why);
	}
	return try_named(s, &rocket_kernel_sim, s->device, driver, why);
#else
	(void)s;
	refuse(why, -ENODEV, "this build has no simulated NPU (configured with --disable-sim)");
	return NULL;
#endif
}

struct rocket_device *rocket_device_select_on(const struct rocket_settings *s,
					      const struct rocket_kernel *kernel, const char *path,
					      int *err)
{
	struct refusal why = { 0, "" };
	struct rocket_device *dev = try_named(s, kernel, path, "", &why);

	if (dev)
		return dev;
	*err = why.err ? why.err : -ENODEV;
	rocket_fail(ROCKET_E_DEVICE, "%s: %s", path,
		    why.text[0] ? why.text : "no provider of this build is for it");
	return NULL;
}

struct rocket_device *rocket_device_select(const struct rocket_settings *s, int *err)
{
	struct refusal why = { 0, "" };
	struct rocket_device *dev;
	bool named = s->device[0] != 0;

	if (!strcmp(s->device, "sim") || !strncmp(s->device, "sim:", 4))
		dev = try_sim(s, &why);
	else if (named)
		dev = try_named(s, &rocket_kernel_linux, s->device, "", &why);
	else
		dev = try_all(s, &why);
	if (dev)
		return dev;
	if (!why.err)
		why.err = -ENODEV;
	*err = why.err;
	if (named)
		rocket_fail(ROCKET_E_DEVICE, "rocket_open: ROCKET_DEVICE=%s: %s", s->device,
			    why.text[0] ? why.text : "no provider of this build is for it");
	else
		rocket_fail(
			ROCKET_E_DEVICE,
			"rocket_open: no NPU found (%s). Set ROCKET_DEVICE=/dev/accel/accelN or "
			"/dev/dri/renderDN to name a node" SIM_CHOICE,
			why.text[0] ? why.text
				    : "there is no device node such as its providers look for");
	return NULL;
}
