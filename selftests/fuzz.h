/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fuzz.h - random calls that know the structure of the ioctls, the same for the same seed.
 */
#ifndef SELFTESTS_FUZZ_H
#define SELFTESTS_FUZZ_H

#include "file.h"
#include "load.h"

#define FUZZ_FILES   4
#define FUZZ_BOS     24
#define FUZZ_ARENA   (4 * PAGE) /* arguments; the page after it cannot be touched */
#define FUZZ_DMABUFS 8

struct fuzz_bo {
	uint32_t handle, size, dma;
	uint64_t offset;
};

struct fuzz_file {
	int fd; /* -1: closed */
	unsigned n_bos;
	struct fuzz_bo bos[FUZZ_BOS];
};

struct fuzz {
	struct test *t;
	uint64_t state; /* of the random numbers */
	unsigned ioctls;
	struct fuzz_file files[FUZZ_FILES];
	int dmabufs[FUZZ_DMABUFS]; /* -1: none */
	unsigned char *arena;
	unsigned used; /* bytes of the arena of this call */
};

/* One run of the table: the calls that a seed makes. */
struct fuzz_run {
	uint64_t seed;
	unsigned ioctls;
	char name[48];
};

/* ---- values ---- */
uint32_t fuzz_below(struct fuzz *f, uint32_t n);
bool fuzz_once_in(struct fuzz *f, uint32_t n);
uint32_t fuzz_u32(struct fuzz *f); /* mostly where something changes */
uint64_t fuzz_u64(struct fuzz *f);
uint32_t fuzz_size(struct fuzz *f);
/* A count of things of which most is sensible. */
uint32_t fuzz_count(struct fuzz *f, uint32_t most);
int64_t fuzz_deadline(struct fuzz *f);
struct fuzz_file *fuzz_file(struct fuzz *f);
struct fuzz_bo *fuzz_bo(struct fuzz *f, struct fuzz_file *file); /* NULL: it has none */
/* A handle of the file, mostly; of another file, closed, or never given else. */
uint32_t fuzz_handle(struct fuzz *f, struct fuzz_file *file);
/* Room for an argument array, at times partly or wholly where nothing is. */
void *fuzz_room(struct fuzz *f, size_t bytes);
uint64_t fuzz_pointer(struct fuzz *f, const void *right);

/* ---- calls ---- */
void fuzz_step(struct fuzz *f);

/* Seeds that found something once, always tried first. */
extern const struct fuzz_run fuzz_corpus[];
extern const unsigned fuzz_corpus_size;

#endif
