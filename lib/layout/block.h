/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * block.h - the order in which a cube is walked.
 *
 * Cube and rows cross each other, so one of them is always walked by its long stride.
 * Loops run over blocks of so many atoms, and so many rows where they go over them more than once,
 * which keep both sides' cache lines alive until they are used up (measured best of 4..256 by 8..64
 * on 256-row tiles).
 */
#ifndef ROCKET_LAYOUT_BLOCK_H
#define ROCKET_LAYOUT_BLOCK_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels.h"

#define ROCKET_BLOCK_ROWS  32
#define ROCKET_BLOCK_ATOMS 16

/* A block: its first row and atom, its extents, and where its first atom lies in the cube. */
struct block {
	size_t m, s, rows, atoms, cube_offset;
};

static inline bool next_block(struct block *b, size_t rows, size_t cube_rows, size_t atoms)
{
	if (!b->rows) {
		if (!rows || !atoms)
			return false;
	} else if ((b->s += ROCKET_BLOCK_ATOMS) >= atoms) {
		b->s = 0;
		if ((b->m += ROCKET_BLOCK_ROWS) >= rows)
			return false;
	}
	b->rows = rows - b->m < ROCKET_BLOCK_ROWS ? rows - b->m : ROCKET_BLOCK_ROWS;
	b->atoms = atoms - b->s < ROCKET_BLOCK_ATOMS ? atoms - b->s : ROCKET_BLOCK_ATOMS;
	b->cube_offset = (b->s * cube_rows + b->m) * ROCKET_ATOM_BYTES;
	return true;
}

#endif
