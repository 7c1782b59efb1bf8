// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * sim_dev.c - the fds: opening, closing, finding the file behind a number.
 *
 * The fd is a file in memory that holds the buffers' pages. A file is recognised by its
 * inode and not by its number, so dup() works, and a number that was closed behind our
 * back and used again by somebody else is simply not ours.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device.h"

/* Offsets start where a DRM driver's do, so that an offset is never taken for an address. */
#define FIRST_OFFSET ((uint64_t)1 << 32)
#define FILE_SIZE    ((uint64_t)1 << 50)

static pthread_mutex_t registry = PTHREAD_MUTEX_INITIALIZER;
static struct sim_file *files;

/* The drivers there are, each with a device of its own while a file of it is open. */
static const struct sim_abi *const abis[] = { &sim_abi_rocket, &sim_abi_rknpu };
#define N_ABIS (sizeof(abis) / sizeof(abis[0]))
static struct sim_device *devices[N_ABIS];

static pthread_mutex_t counters_lock = PTHREAD_MUTEX_INITIALIZER;
static struct npu_counters device_counters;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct sim_file *parents_files; /* in a child of fork(): unusable, still reachable */
static struct sim_device *parents_devices[N_ABIS];

/*
 * A child has the numbers, but neither the threads nor a say in the parent's device: its
 * copies answer EBADF. It may open a device of its own.
 */
static void forked(void)
{
	static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;

	registry = fresh;
	counters_lock = fresh;
	sim_fence_forked();
	parents_files = files;
	memcpy(parents_devices, devices, sizeof(devices));
	files = NULL;
	memset(devices, 0, sizeof(devices));
}

static void init(void)
{
	pthread_atfork(NULL, NULL, forked);
}

/* ---- numbers and files, registry lock held ---- */

static bool is_of(const struct stat *st, const struct sim_file *file)
{
	return st->st_dev == file->st_dev && st->st_ino == file->st_ino;
}

static bool is_file(int fd, const struct sim_file *file)
{
	struct stat st;

	return fstat(fd, &st) == 0 && is_of(&st, file);
}

static struct sim_file *file_of(int fd)
{
	struct stat st;

	if (!files || fstat(fd, &st))
		return NULL;
	for (struct sim_file *f = files; f; f = f->next)
		if (is_of(&st, f))
			return f;
	return NULL;
}

/* A number under which file is still open, or -1. Other threads may close what is looked at: it is
 * looked at by its name. */
static int any_number(const struct sim_file *file)
{
	DIR *d = opendir("/proc/self/fd");
	struct stat st;
	int found = -1;

	for (struct dirent *e; d && found < 0 && (e = readdir(d));)
		if (!fstatat(dirfd(d), e->d_name, &st, 0) && is_of(&st, file))
			found = atoi(e->d_name);
	if (d)
		closedir(d);
	return found;
}

static void unlist(struct sim_file *file)
{
	for (struct sim_file **p = &files; *p; p = &(*p)->next)
		if (*p == file) {
			*p = file->next;
			return;
		}
}

/* Unlist every file that was closed with close(2). Returns them chained by next. */
static struct sim_file *take_abandoned(void)
{
	struct sim_file *gone = NULL, *next;

	for (struct sim_file *f = files; f; f = next) {
		next = f->next;
		if (is_file(f->fd, f))
			continue;
		f->fd = any_number(f);
		if (f->fd >= 0)
			continue;
		unlist(f);
		f->next = gone;
		gone = f;
	}
	return gone;
}

/* ---- references ---- */

static void destroy(struct sim_file *file)
{
	struct sim_device *dev = file->dev, *last = NULL;

	dev->abi->detach(file);
	pthread_mutex_lock(&dev->lock);
	sim_gem_release(file);
	pthread_mutex_unlock(&dev->lock);
	sim_space_fini(&file->own_space);
	free(file);
	pthread_mutex_lock(&registry);
	if (!--dev->users) {
		last = dev;
		for (size_t i = 0; i < N_ABIS; i++)
			if (devices[i] == dev)
				devices[i] = NULL;
	}
	pthread_mutex_unlock(&registry);
	if (last)
		sim_device_free(last);
}

static void put(struct sim_file *file)
{
	bool last;

	pthread_mutex_lock(&registry);
	last = --file->refs == 0;
	pthread_mutex_unlock(&registry);
	if (last)
		destroy(file);
}

static void put_all(struct sim_file *chain)
{
	while (chain) {
		struct sim_file *next = chain->next;

		put(chain);
		chain = next;
	}
}

static struct sim_file *get(int fd)
{
	struct sim_file *file;

	pthread_mutex_lock(&registry);
	file = file_of(fd);
	if (file)
		file->refs++;
	pthread_mutex_unlock(&registry);
	if (!file)
		errno = EBADF;
	return file;
}

void *sim_file_map(struct sim_file *file, size_t length, uint64_t offset)
{
	void *p = MAP_FAILED;

	pthread_mutex_lock(&registry);
	if (!is_file(file->fd, file))
		file->fd = any_number(file);
	if (file->fd < 0)
		errno = EBADF;
	else
		p = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, file->fd, (off_t)offset);
	pthread_mutex_unlock(&registry);
	return p;
}

/* ---- open and close ---- */

/* What "sim", "sim:CHIP" or "sim:CHIP:DRIVER" names. False: nothing. */
static bool parse_spec(const char *spec, const struct npu_chip **chip, size_t *abi)
{
	char name[16] = "rk3588";
	const char *rest, *driver = abis[0]->driver;

	if (strncmp(spec, "sim", 3) || (spec[3] && spec[3] != ':'))
		return false;
	rest = spec + 3;
	if (*rest == ':') {
		size_t n = strcspn(++rest, ":");

		if (n >= sizeof(name))
			return false;
		memcpy(name, rest, n);
		name[n] = 0;
		rest += n;
	}
	if (*rest == ':')
		driver = rest + 1;
	*chip = npu_chip_by_name(name);
	for (*abi = 0; *abi < N_ABIS && strcmp(driver, abis[*abi]->driver);)
		++*abi;
	return *chip && *abi < N_ABIS;
}

static int open_memory(void)
{
	struct rlimit limit;
	int fd;

	/* Beyond this limit ftruncate() would not just fail but raise SIGXFSZ. */
	if (!getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur < FILE_SIZE) {
		errno = EFBIG;
		return -1;
	}
	fd = memfd_create("rocket-sim", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0)
		return -1;
	/* Sealed, so that nobody can cut the pages away under the cores. */
	if (ftruncate(fd, (off_t)FILE_SIZE) ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)) {
		int err = errno;

		close(fd);
		errno = err;
		return -1;
	}
	return fd;
}

static struct sim_file *new_file(void)
{
	struct sim_file *file = calloc(1, sizeof(*file));
	struct stat st;

	if (!file)
		return NULL;
	file->refs = 1;
	file->next_offset = FIRST_OFFSET;
	if (sim_space_init(&file->own_space)) {
		errno = ENOMEM;
		goto err_free;
	}
	file->space = &file->own_space;
	file->reaper = &file->own_reaper;
	file->memory = (struct npu_memory){ .map = sim_space_map, .ctx = file->space };
	file->fd = open_memory();
	if (file->fd < 0)
		goto err_space;
	if (fstat(file->fd, &st))
		goto err_close;
	file->opened_as = file->fd;
	file->st_dev = st.st_dev;
	file->st_ino = st.st_ino;
	return file;

err_close:
	close(file->fd);
err_space:
	sim_space_fini(&file->own_space);
err_free:
	free(file);
	return NULL;
}

static _Thread_local char open_reason[SIM_REASON_MAX];

const char *sim_dev_open_reason(void)
{
	return open_reason;
}

/* Enter file, creating the device for the first. 0 or an errno. */
static int enter(struct sim_file *file, const struct npu_chip *chip, size_t abi)
{
	int err = 0;

	pthread_mutex_lock(&registry);
	if (!devices[abi]) {
		devices[abi] = sim_device_new(abis[abi], chip, open_reason);
		if (!devices[abi])
			err = errno;
	}
	if (!err) {
		devices[abi]->users++;
		abis[abi]->attach(devices[abi], file);
		file->next = files;
		files = file;
	}
	pthread_mutex_unlock(&registry);
	return err;
}

int sim_dev_open(const char *spec)
{
	const struct npu_chip *chip;
	struct sim_file *file, *abandoned;
	size_t abi;
	int fd, err;

	open_reason[0] = '\0';
	if (!parse_spec(spec, &chip, &abi)) {
		errno = ENODEV;
		return -1;
	}
	pthread_once(&once, init);
	pthread_mutex_lock(&registry);
	abandoned = take_abandoned();
	pthread_mutex_unlock(&registry);
	put_all(abandoned);

	file = new_file();
	if (!file)
		return -1;
	fd = file->fd;
	err = enter(file, chip, abi);
	if (!err)
		return fd;
	close(fd);
	sim_space_fini(&file->own_space);
	free(file);
	errno = err;
	return -1;
}

int sim_dev_close(int fd)
{
	struct sim_file *file, *abandoned = NULL;

	pthread_mutex_lock(&registry);
	file = file_of(fd);
	if (file) {
		close(fd);
		abandoned = take_abandoned(); /* with file, unless a dup() of fd is left */
	}
	pthread_mutex_unlock(&registry);
	put_all(abandoned);
	if (!file)
		errno = EBADF;
	return file ? 0 : -1;
}

/* ---- calls on an fd ---- */

int sim_dev_ioctl(int fd, unsigned long request, void *arg)
{
	struct sim_file *file = get(fd);
	int r;

	if (file) {
		r = file->dev->abi->ioctl(file, request, arg);
		put(file);
	} else {
		r = sim_fence_ioctl(fd, request, arg);
	}
	if (r >= 0)
		return r;
	errno = -r;
	return -1;
}

void *sim_dev_mmap(int fd, size_t length, uint64_t offset)
{
	struct sim_file *file = get(fd);
	void *p;
	int err;

	if (!file)
		return MAP_FAILED;
	p = sim_gem_mmap(file, length, offset);
	err = errno;
	put(file);
	errno = err;
	return p;
}

int sim_dev_munmap(int fd, void *addr, size_t length)
{
	bool stays = false;

	(void)fd; /* a mapping may outlive its fd, and its address names it well enough */
	pthread_mutex_lock(&registry);
	for (struct sim_file *f = files; f && !stays; f = f->next)
		stays = sim_gem_munmap(f, addr, length);
	pthread_mutex_unlock(&registry);
	return stays ? 0 : munmap(addr, length);
}

bool sim_dev_owns(int fd)
{
	bool owns;

	pthread_mutex_lock(&registry);
	owns = file_of(fd) != NULL;
	pthread_mutex_unlock(&registry);
	return owns;
}

const struct npu_chip *sim_dev_chip(int fd)
{
	struct sim_file *file = get(fd);
	const struct npu_chip *chip;

	if (!file)
		return NULL;
	chip = file->dev->chip;
	put(file);
	return chip;
}

bool sim_dev_is_hung(int fd, uint64_t tasks)
{
	struct sim_file *file = get(fd);
	bool hung;

	if (!file)
		return true;
	hung = !file->dev->abi->is_hung || file->dev->abi->is_hung(file, tasks);
	put(file);
	return hung;
}

/* ---- counters ---- */

void sim_counters_add(struct npu_counters *to, const struct npu_counters *c)
{
	to->kicks += c->kicks;
	to->tasks += c->tasks;
	to->macs += c->macs;
	to->read_feature += c->read_feature;
	to->read_weight += c->read_weight;
	to->read_operand += c->read_operand;
	to->read_program += c->read_program;
	to->write += c->write;
}

void sim_count(struct sim_file *file, const struct npu_counters *c)
{
	sim_counters_add(&file->counters, c);
	pthread_mutex_lock(&counters_lock);
	sim_counters_add(&device_counters, c);
	pthread_mutex_unlock(&counters_lock);
}

int sim_dev_counters(int fd, struct npu_counters *out)
{
	struct sim_file *file;

	if (fd == -1) {
		pthread_mutex_lock(&counters_lock);
		*out = device_counters;
		pthread_mutex_unlock(&counters_lock);
		return 0;
	}
	file = get(fd);
	if (!file)
		return -1;
	pthread_mutex_lock(&file->dev->lock);
	*out = file->counters;
	pthread_mutex_unlock(&file->dev->lock);
	put(file);
	return 0;
}

void sim_dev_counters_reset(int fd)
{
	static const struct npu_counters zero;
	struct sim_file *file;

	if (fd == -1) {
		pthread_mutex_lock(&counters_lock);
		device_counters = zero;
		pthread_mutex_unlock(&counters_lock);
		return;
	}
	file = get(fd);
	if (!file)
		return;
	pthread_mutex_lock(&file->dev->lock);
	file->counters = zero;
	pthread_mutex_unlock(&file->dev->lock);
	put(file);
}
