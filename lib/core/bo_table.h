/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bo_table.h - the live buffers of one fd, by IOVA. Thread-safe. */
#ifndef ROCKET_CORE_BO_TABLE_H
#define ROCKET_CORE_BO_TABLE_H

#include <stdbool.h>

#include "rocket_npu.h"

struct rocket_bo_table;

struct rocket_bo_table *rocket_bo_table_new(void);
void rocket_bo_table_free(struct rocket_bo_table *t);

/* 0 or -ENOMEM. */
int rocket_bo_table_add(struct rocket_bo_table *t, const rocket_bo *bo);
/* Remove the buffer with this handle and mapping; false when it is not there. */
bool rocket_bo_table_remove(struct rocket_bo_table *t, const rocket_bo *bo);
/* Take out any one buffer; false when there is none. */
bool rocket_bo_table_pop(struct rocket_bo_table *t, rocket_bo *out);

/* Between these, no buffer comes or goes. */
void rocket_bo_table_lock(struct rocket_bo_table *t);
void rocket_bo_table_unlock(struct rocket_bo_table *t);

/* Locked: CPU address of [iova, iova + size) when one buffer holds it, else NULL. */
const void *rocket_bo_table_ptr(const struct rocket_bo_table *t, uint64_t iova, uint64_t size);
/* Locked: whether [iova, iova + size) is covered by buffers. */
bool rocket_bo_table_mapped(const struct rocket_bo_table *t, uint64_t iova, uint64_t size);

#endif
