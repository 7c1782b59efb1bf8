// SPDX-License-Identifier: LGPL-2.1-or-later
#include "fuzz.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static uint64_t next(struct fuzz *f)
{
	uint64_t z = f->state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

uint32_t fuzz_below(struct fuzz *f, uint32_t n)
{
	return (uint32_t)((next(f) >> 32) * n >> 32);
}

bool fuzz_once_in(struct fuzz *f, uint32_t n)
{
	return fuzz_below(f, n) == 0;
}

uint32_t fuzz_u32(struct fuzz *f)
{
	static const uint32_t edges[] = {
		0,          1,          7,          8,          15,         16,         39,
		40,         41,         47,         48,         56,         4095,       4096,
		4097,       0xffff,     0x10000,    0x10001,    0x1ffff,    0x20000,    0x20010,
		0x7fffffff, 0x80000000, 0x80000001, 0xfffff000, 0xfffffff0, 0xfffffff8, 0xffffffff,
	};

	switch (fuzz_below(f, 4)) {
	case 0:
		return fuzz_below(f, 64);
	case 1:
		return (uint32_t)next(f);
	default:
		return edges[fuzz_below(f, COUNT(edges))];
	}
}

uint64_t fuzz_u64(struct fuzz *f)
{
	uint64_t v = fuzz_u32(f);

	return fuzz_once_in(f, 4) ? v << 32 | fuzz_u32(f) : v;
}

/* Sizes that exist, mostly small, so that there is memory for many. */
uint32_t fuzz_size(struct fuzz *f)
{
	if (fuzz_once_in(f, 16))
		return fuzz_u32(f) & 0x01ffffff;
	return 1 + fuzz_below(f, fuzz_once_in(f, 8) ? 256 * PAGE : 4 * PAGE);
}

uint32_t fuzz_count(struct fuzz *f, uint32_t most)
{
	return fuzz_once_in(f, 12) ? fuzz_u32(f) : fuzz_below(f, most + 1);
}

int64_t fuzz_deadline(struct fuzz *f)
{
	switch (fuzz_below(f, 8)) {
	case 0:
		return (int64_t)fuzz_u64(f);
	case 1:
		return (int64_t)-fuzz_u64(f);
	case 2:
		return now_ns() + fuzz_below(f, 3) * MS;
	default:
		return 0; /* does not wait */
	}
}

struct fuzz_file *fuzz_file(struct fuzz *f)
{
	return &f->files[fuzz_below(f, FUZZ_FILES)];
}

struct fuzz_bo *fuzz_bo(struct fuzz *f, struct fuzz_file *file)
{
	return file->n_bos ? &file->bos[fuzz_below(f, file->n_bos)] : NULL;
}

uint32_t fuzz_handle(struct fuzz *f, struct fuzz_file *file)
{
	struct fuzz_bo *bo;

	if (fuzz_once_in(f, 12))
		return fuzz_u32(f);
	bo = fuzz_bo(f, fuzz_once_in(f, 16) ? fuzz_file(f) : file);
	return bo ? bo->handle : fuzz_below(f, 8);
}

void *fuzz_room(struct fuzz *f, size_t bytes)
{
	void *at;

	/* The end of the arena is a cliff: what is longer than said hangs over it. */
	if (fuzz_once_in(f, 24))
		return f->arena + FUZZ_ARENA - fuzz_below(f, (uint32_t)bytes + 8) - 1;
	if (f->used + bytes > FUZZ_ARENA / 2)
		f->used = 0;
	at = f->arena + f->used;
	f->used += (bytes + 7) & ~7u;
	return at;
}

uint64_t fuzz_pointer(struct fuzz *f, const void *right)
{
	static const uint64_t nowhere[] = {
		0, 8, 0x7ffffffff000, 0xffff000000000000, 0xffff800000000000, ~UINT64_C(0),
	};

	if (!fuzz_once_in(f, 24))
		return (uintptr_t)right + (fuzz_once_in(f, 32) ? 1 + fuzz_below(f, 7) : 0);
	return nowhere[fuzz_below(f, COUNT(nowhere))];
}
