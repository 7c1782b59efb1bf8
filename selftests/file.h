/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * file.h - open files of the node, their buffers, and the ioctls as functions.
 *
 * Calls return 0 or -errno of one ioctl; only those that say so restart on EINTR.
 * Everything made through test_file() and test_bo() is released when the test ends.
 */
#ifndef SELFTESTS_FILE_H
#define SELFTESTS_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "drm/rocket_accel.h"
#include "runner.h"

#define FILE_BOS   128
#define TEST_FILES 16
#define PAGE       4096u
#define MS         INT64_C(1000000)
#define SECOND     (1000 * MS)

struct bo {
	uint32_t handle, size; /* handle 0: closed */
	uint32_t dma;
	uint64_t offset;
	uint64_t object; /* of the vendor's driver: its address in the kernel */
	void *map;       /* NULL: not mapped */
};

struct file {
	const struct node *node;
	int fd;
	unsigned n_bos;
	struct bo bos[FILE_BOS];
};

int64_t now_ns(void); /* CLOCK_MONOTONIC */
void sleep_ms(unsigned ms);
/* After which the driver takes a job that makes no progress for hung. */
int64_t job_timeout(const struct test *t);

/* ---- with release at the end of the test ---- */
void test_files_begin(struct test *t);
void test_files_end(struct test *t);
/* Zeroed host memory. NULL: the failure is recorded. */
void *test_alloc(struct test *t, size_t size);
/* NULL: the failure is recorded. */
struct file *test_file(struct test *t);
/* Closes it now. */
int test_file_close(struct file *f);
/* Allocate and map. NULL: the failure is recorded. */
struct bo *test_bo(struct test *t, struct file *f, uint32_t size);
void bo_unmap(struct file *f, struct bo *bo);
/* Gives up the handle; the mapping stays. */
int bo_close_handle(struct file *f, struct bo *bo);

/* ---- single calls ---- */
int file_ioctl(const struct file *f, unsigned long request, void *arg);
int file_create_bo(const struct file *f, struct drm_rocket_create_bo *args);
int file_gem_close(const struct file *f, uint32_t handle);
/* deadline is absolute; restarts. */
int file_prep(const struct file *f, uint32_t handle, int64_t deadline);
int file_fini(const struct file *f, uint32_t handle);
int file_submit(const struct file *f, struct drm_rocket_submit *args);
/* A file descriptor of the buffer as a dma-buf, and a buffer of f from one. */
int file_export(const struct file *f, uint32_t handle, int *dmabuf);
int file_import(const struct file *f, int dmabuf, uint32_t *handle);
/* One job of the sizes of this header. */
int file_submit_job(const struct file *f, struct drm_rocket_job *job);

#endif
