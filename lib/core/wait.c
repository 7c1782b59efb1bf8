// SPDX-License-Identifier: LGPL-2.1-or-later
/* wait.c - handing buffers between the CPU and the NPU. */
#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>

#include "clock.h"
#include "counters.h"
#include "device.h"
#include "rocket_log.h"
#include "status.h"

/* Set by rocket_busy_poll_set_us(); negative: what the environment said at open. */
static atomic_long busy_poll_us = -1;

void rocket_busy_poll_set_us(long us)
{
	atomic_store(&busy_poll_us, us < 0 ? 0 : us);
}

/* One prep of a whole buffer (n == 0) or of ranges. */
struct prep {
	struct rocket_device *dev;
	const rocket_bo *bo;
	const rocket_bo_range *ranges;
	unsigned n;
	const char *who;
};

static int prep_once(const struct prep *p, uint64_t timeout_ns)
{
	struct rocket_device *dev = p->dev;

	if (p->n)
		return dev->provider->bo_prep_ranges(&dev->node, p->bo, p->ranges, p->n,
						     timeout_ns);
	return dev->provider->bo_prep(&dev->node, p->bo, timeout_ns);
}

static int prep_waiting(const struct prep *p, uint64_t timeout_ns, uint64_t start)
{
	long poll_us = atomic_load(&busy_poll_us);
	uint64_t spin_ns, spent;
	int r;

	if (poll_us < 0)
		poll_us = p->dev->settings.busy_poll_us;
	spin_ns = (uint64_t)poll_us * 1000;
	if (spin_ns > timeout_ns)
		spin_ns = timeout_ns;
	for (spent = 0; spent < spin_ns; spent = rocket_now_ns() - start) {
		r = prep_once(p, 0);
		if (r != -EBUSY)
			return r;
	}
	/* Never 0, which would poll: the last wait belongs to the kernel. */
	return prep_once(p, timeout_ns > spent ? timeout_ns - spent : 1);
}

static void report_slow(const struct prep *p, uint64_t us)
{
	bool blind = !p->dev->node.caps.errors_reported;

	rocket_log(p->dev->node.kernel->simulated ? ROCKET_LOG_DEBUG : ROCKET_LOG_WARN,
		   "slow wait: %" PRIu64 " ms for buffer %u (IOVA %#" PRIx64 ", %zu bytes)%s",
		   us / 1000, p->bo->handle, p->bo->dma_address, p->bo->size,
		   blind ? "; this driver reports a job it retired as done: the data may be stale"
			 : "");
}

static int report_failure(const struct prep *p, int r, uint64_t timeout_ns)
{
	const char *why = r == -ETIMEDOUT   ? "a job still writes it and the wait ran out"
			  : r == -ECANCELED ? "the job that writes it hung and was retired"
			  : r == -EIO ? "the job that writes it hung, faulted or was cancelled"
				      : strerror(-r);

	if (r == -EBUSY && !timeout_ns) { /* the answer of a poll, nothing went wrong */
		rocket_log(ROCKET_LOG_DEBUG, "%s: buffer %u is busy", p->who, p->bo->handle);
		return ROCKET_E_DEVICE;
	}
	return rocket_fail(rocket_status_of_errno(r),
			   "%s: buffer %u (IOVA %#" PRIx64 ", %zu bytes): %s", p->who,
			   p->bo->handle, p->bo->dma_address, p->bo->size, why);
}

static int prep(const struct prep *p, uint64_t timeout_ns)
{
	int slow_ms = p->dev->settings.slow_wait_ms > 0 ? p->dev->settings.slow_wait_ms
							: p->dev->profile->slow_wait_ms;
	uint64_t start, us;
	bool slow;
	int r;

	if (!timeout_ns) {
		r = prep_once(p, 0);
		return r ? report_failure(p, r, 0) : ROCKET_OK;
	}
	start = rocket_now_ns();
	r = prep_waiting(p, timeout_ns, start);
	us = (rocket_now_ns() - start) / 1000;
	slow = us >= (uint64_t)slow_ms * 1000;
	rocket_count_wait(us, slow);
	if (slow)
		report_slow(p, us);
	return r ? report_failure(p, r, timeout_ns) : ROCKET_OK;
}

/* A reference to fd's device when bo names a buffer, else NULL and the reason logged. */
static struct rocket_device *begin(int fd, const rocket_bo *bo, const char *who)
{
	if (!bo || !bo->handle) {
		rocket_fail(ROCKET_E_SHAPE, "%s: no buffer given", who);
		return NULL;
	}
	return rocket_device_get(fd, who);
}

int rocket_bo_prep(int fd, rocket_bo *bo, int dir, uint64_t timeout_ns)
{
	struct prep p = { .bo = bo, .who = "rocket_bo_prep" };
	int r;

	(void)dir;
	p.dev = begin(fd, bo, p.who);
	if (!p.dev)
		return ROCKET_E_SHAPE;
	r = prep(&p, timeout_ns);
	rocket_device_put(p.dev);
	return r;
}

int rocket_bo_fini(int fd, rocket_bo *bo)
{
	struct rocket_device *dev = begin(fd, bo, "rocket_bo_fini");
	int r;

	if (!dev)
		return ROCKET_E_SHAPE;
	r = dev->provider->bo_fini(&dev->node, bo);
	if (r)
		r = rocket_fail(rocket_status_of_errno(r), "rocket_bo_fini: buffer %u: %s",
				bo->handle, strerror(-r));
	rocket_device_put(dev);
	return r;
}

static int check_ranges(const struct rocket_device *dev, const rocket_bo *bo,
			const rocket_bo_range *r, unsigned n, const char *who)
{
	uint64_t end = 0;

	if (!dev->node.caps.ranges)
		return rocket_fail(ROCKET_E_UNSUPPORTED,
				   "%s: needs a driver of version 1.5, this is %s", who,
				   dev->node.driver_version);
	if (!r || !n)
		return rocket_fail(ROCKET_E_SHAPE, "%s: no ranges given", who);
	for (unsigned i = 0; i < n; i++) {
		if (!r[i].size || r[i].offset < end || r[i].offset >= bo->size ||
		    r[i].size > bo->size - r[i].offset)
			return rocket_fail(
				ROCKET_E_SHAPE,
				"%s: range %u (%" PRIu64 "+%" PRIu64
				") is empty, out of order, overlapping or outside the buffer",
				who, i, r[i].offset, r[i].size);
		end = r[i].offset + r[i].size;
	}
	return ROCKET_OK;
}

int rocket_bo_prep_ranges(int fd, rocket_bo *bo, const rocket_bo_range *r, unsigned n,
			  uint64_t timeout_ns)
{
	struct prep p = { .bo = bo, .ranges = r, .n = n, .who = "rocket_bo_prep_ranges" };
	int ret;

	p.dev = begin(fd, bo, p.who);
	if (!p.dev)
		return ROCKET_E_SHAPE;
	ret = check_ranges(p.dev, bo, r, n, p.who);
	if (!ret)
		ret = prep(&p, timeout_ns);
	rocket_device_put(p.dev);
	return ret;
}

int rocket_bo_fini_ranges(int fd, rocket_bo *bo, const rocket_bo_range *r, unsigned n)
{
	static const char who[] = "rocket_bo_fini_ranges";
	struct rocket_device *dev = begin(fd, bo, who);
	int ret;

	if (!dev)
		return ROCKET_E_SHAPE;
	ret = check_ranges(dev, bo, r, n, who);
	if (!ret) {
		int e = dev->provider->bo_fini_ranges(&dev->node, bo, r, n);

		if (e)
			ret = rocket_fail(rocket_status_of_errno(e), "%s: buffer %u: %s", who,
					  bo->handle, strerror(-e));
	}
	rocket_device_put(dev);
	return ret;
}
