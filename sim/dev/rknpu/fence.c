// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * fence.c - fences of the vendor's driver.
 *
 * An event fd stands for the sync_file: it becomes readable when its job has completed. The driver
 * signals a fence there alone and gives none an error, so that of a job that is dropped is never
 * signalled [source: 0.9.8].
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/sync_file.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "rknpu.h"

/* Who is told that a fence is signalled sees what its job did, of which a poll assures nobody. */
static pthread_mutex_t signalling = PTHREAD_MUTEX_INITIALIZER;

void sim_fence_forked(void)
{
	static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;

	signalling = fresh;
}

int rknpu_fence_new(struct rknpu_job *job, int *out)
{
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	if (fd < 0)
		return -errno;
	job->fence = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (job->fence < 0) {
		int err = errno;

		close(fd);
		return -err;
	}
	*out = fd;
	return 0;
}

void rknpu_fence_signal(struct rknpu_job *job)
{
	const uint64_t one = 1;

	if (job->fence < 0)
		return;
	pthread_mutex_lock(&signalling);
	if (write(job->fence, &one, sizeof(one)) < 0)
		sim_log(job->file->dev, "a fence cannot be signalled");
	close(job->fence);
	job->fence = -1;
	pthread_mutex_unlock(&signalling);
}

bool rknpu_is_fence(int fd)
{
	static const char want[] = "anon_inode:[eventfd]";
	char path[48], target[sizeof(want)] = "";

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return fd >= 0 && readlink(path, target, sizeof(target)) == sizeof(want) - 1 &&
	       !memcmp(target, want, sizeof(want) - 1);
}

int sim_fence_ioctl(int fd, unsigned long request, void *arg)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	struct sync_file_info *info = arg;
	int r;

	if (!rknpu_is_fence(fd))
		return -EBADF;
	if (request != SYNC_IOC_FILE_INFO)
		return -ENOTTY;
	if (info->flags || info->pad)
		return -EINVAL;
	pthread_mutex_lock(&signalling);
	r = poll(&p, 1, 0) < 0 ? -errno : 0;
	pthread_mutex_unlock(&signalling);
	if (r)
		return r;
	snprintf(info->name, sizeof(info->name), "rknpu");
	info->status = p.revents & POLLIN ? 1 : 0;
	info->num_fences = 1; /* and nothing of it: the caller's room for them is not looked at */
	return 0;
}
