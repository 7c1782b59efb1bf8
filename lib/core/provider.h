/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * provider.h - the submit seam: everything the library asks of a kernel driver.
 *
 * A provider is one constant struct. It owns no global state: what it needs per open
 * file hangs on struct rocket_node. An external provider defines the symbol
 * rocket_external_provider and is linked with --with-external-provider=FILE;
 * tools/provider-seam prints what a provider owes and checks one.
 */
#ifndef ROCKET_CORE_PROVIDER_H
#define ROCKET_CORE_PROVIDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "rocket_npu.h"

/* Raised whenever an operation is added or changes meaning. */
#define ROCKET_PROVIDER_ABI 1u

/*
 * System calls as the provider makes them. The real kernel and the in-process device
 * are two tables of this kind, so one provider drives both. Every call behaves as its
 * namesake: -1 and errno on failure.
 */
struct rocket_kernel {
	const char *name; /* "linux", "sim" */
	int (*open)(const char *node);
	int (*close)(int fd);
	int (*ioctl)(int fd, unsigned long request, void *arg); /* restarts on EINTR */
	void *(*mmap)(int fd, size_t length, uint64_t offset);
	int (*munmap)(int fd, void *addr, size_t length);
	/* Value of a driver's module parameter, or fallback when it cannot be read. */
	long (*param)(const char *module, const char *name, long fallback);
	/* Which chip is behind fd and how many cores it has: "" and 0 where that cannot be told. */
	void (*identify)(int fd, char chip[16], unsigned *cores);
	/* How long a job takes is the host's computing time, not an NPU's: a long wait is no
	 * sign of a job that hung. */
	bool simulated;
	/*
	 * Who simulates an NPU knows what no driver tells. True when the fence of the job that was
	 * submitted last with the tasks in that object of a vendor's driver will not be signalled
	 * any more: a core has been stuck with it, or with one before it, for as long as a job is
	 * waited for, or it is gone. Ask, then look at the fence. Or NULL.
	 */
	bool (*is_hung)(int fd, uint64_t tasks);
	/* Why the last open() of this thread failed, where errno does not say; "" else. Or NULL. */
	const char *(*open_reason)(void);
};

struct rocket_caps {
	unsigned version_major, version_minor;
	uint8_t ranges, batched, batched_native, ppu_done, no_dpu_done;
	uint8_t completion_tracked, batch_atomic;
	uint8_t errors_reported; /* PREP_BO returns the error of a failed job */
};

/* One open device node. The library fills fd, kernel, path and rknpu_submit before open. */
struct rocket_node {
	int fd;
	const struct rocket_kernel *kernel;
	const char *path;
	void *priv;              /* the provider's own */
	struct rocket_caps caps; /* filled by open */
	char chip[16];           /* "rk3588" or "" when the driver cannot tell; filled by open */
	unsigned cores;          /* 0 = unknown; filled by open */
	char driver_version[32]; /* for people; filled by open */
	char refusal[96];        /* why open failed, where -errno does not say; "" else */
	/* A provider that may make more than one SUBMIT call of one submit, or none, sets the first
	 * in open and adds its calls and their tasks to the others, atomically. */
	bool counts_calls;
	uint64_t submit_calls; /* that the library has not taken from here yet */
	uint64_t submit_tasks; /* in those calls; counted alike */
	/* Why submit says -EOPNOTSUPP, where that does not; NULL else. Constant, stored atomically.
	 */
	const char *complaint;
	const char *rknpu_submit; /* ROCKET_RKNPU_SUBMIT; NULL: unset */
};

struct rocket_provider_job {
	const rocket_task_desc *tasks;
	uint32_t n_tasks;
	const uint32_t *in_handles;
	uint32_t n_in;
	const uint32_t *out_handles;
	uint32_t n_out;
	uint32_t flags; /* ROCKET_JOB_*, only bits the caps allow */
};

/*
 * Every operation is mandatory. Unless said otherwise they return 0 or -errno and do
 * not log; the library turns that into a status and a line. Operations on one node
 * may be called from several threads at once.
 */
struct rocket_provider {
	uint32_t abi_version; /* ROCKET_PROVIDER_ABI */
	uint32_t size;        /* sizeof(struct rocket_provider) */
	const char *name;     /* "rocket": the name --with-providers and ROCKET_DEVICE use */
	const char *const *node_globs; /* device nodes to look at, NULL-terminated, in order */

	/* 0 when the open fd is a node of this driver, -ENODEV when it is not. */
	int (*match)(const struct rocket_kernel *kernel, int fd);
	/* Take over a matched fd: read version and capabilities, allocate priv.
	 * On failure the caller closes fd. */
	int (*open)(struct rocket_node *node);
	/* Release priv; the caller closes fd. */
	void (*close)(struct rocket_node *node);

	/* Fill handle, dma_address, mmap_offset, size (page rounded) and ptr. */
	int (*bo_alloc)(struct rocket_node *node, size_t size, rocket_bo *bo);
	int (*bo_free)(struct rocket_node *node, rocket_bo *bo);
	/* timeout_ns relative, 0 polls: -EBUSY while busy, -ETIMEDOUT when it ran out, the
	 * job's error (-ETIMEDOUT never stands for that: -ECANCELED or -EIO) when it failed. */
	int (*bo_prep)(struct rocket_node *node, const rocket_bo *bo, uint64_t timeout_ns);
	int (*bo_fini)(struct rocket_node *node, const rocket_bo *bo);
	int (*bo_prep_ranges)(struct rocket_node *node, const rocket_bo *bo,
			      const rocket_bo_range *r, unsigned n, uint64_t timeout_ns);
	int (*bo_fini_ranges)(struct rocket_node *node, const rocket_bo *bo,
			      const rocket_bo_range *r, unsigned n);

	/* Scratch bytes that submit needs for one job of max_tasks tasks; multiple of 8. */
	size_t (*scratch_size)(uint32_t max_tasks);
	/* Queue n_jobs jobs in order, one kernel call. scratch may be NULL: allocate. */
	int (*submit)(struct rocket_node *node, const struct rocket_provider_job *jobs,
		      uint32_t n_jobs, void *scratch);
};

/*
 * Check a provider: version, size, name, every operation present. Returns 0, or the
 * number of faults, each reported as one line through report (may be NULL).
 */
int rocket_provider_check(const struct rocket_provider *p,
			  void (*report)(const char *line, void *user), void *user);

/* What a provider owes: name and duty of operation i, NULL past the last. */
struct rocket_provider_op {
	const char *name;
	const char *duty;
	size_t offset; /* of the pointer in struct rocket_provider */
};
const struct rocket_provider_op *rocket_provider_op(unsigned i);

/* The providers of this build, NULL-terminated, in the order they are tried. */
const struct rocket_provider *const *rocket_providers(void);

extern const struct rocket_kernel rocket_kernel_linux;
/* Two of its calls, for kernels whose buffers are a file's pages, too. */
void *rocket_linux_mmap(int fd, size_t length, uint64_t offset);
int rocket_linux_munmap(int fd, void *addr, size_t length);

#endif
