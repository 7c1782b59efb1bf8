/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* elf_symbol.h - looking for a data object in a .o or .a without linking it. */
#ifndef TOOLS_PROVIDER_SEAM_ELF_SYMBOL_H
#define TOOLS_PROVIDER_SEAM_ELF_SYMBOL_H

#include <stddef.h>
#include <stdint.h>

/*
 * Whether the image (an ELF object of 64 bits, little endian, or an archive of such) defines
 * a global data object called name. 1 and its size, 0 when it does not, -1 when the image
 * is no such file.
 */
int elf_find_object(const uint8_t *image, size_t size, const char *name, uint64_t *object_size);

#endif
