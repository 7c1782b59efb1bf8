// SPDX-License-Identifier: LGPL-2.1-or-later
#include <ar.h>
#include <elf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "elf_symbol.h"

static bool inside(size_t size, uint64_t offset, uint64_t length)
{
	return offset <= size && length <= size - offset;
}

/* Section i, or false when the file is cut or the index wild. */
static bool section(const uint8_t *image, size_t size, const Elf64_Ehdr *ehdr, uint64_t i,
		    Elf64_Shdr *out)
{
	if (i >= ehdr->e_shnum || ehdr->e_shentsize != sizeof(*out) ||
	    !inside(size, ehdr->e_shoff, (i + 1) * sizeof(*out)))
		return false;
	memcpy(out, image + ehdr->e_shoff + i * sizeof(*out), sizeof(*out));
	return true;
}

static bool name_is(const uint8_t *image, size_t size, const Elf64_Shdr *strings, uint32_t at,
		    const char *name)
{
	size_t n = strlen(name) + 1;

	return inside(size, strings->sh_offset, strings->sh_size) &&
	       inside(strings->sh_size, at, n) && !memcmp(image + strings->sh_offset + at, name, n);
}

static int find_in_table(const uint8_t *image, size_t size, const Elf64_Ehdr *ehdr,
			 const Elf64_Shdr *table, const char *name, uint64_t *object_size)
{
	Elf64_Shdr strings;

	if (!section(image, size, ehdr, table->sh_link, &strings) ||
	    !inside(size, table->sh_offset, table->sh_size))
		return -1;
	for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= table->sh_size; at += sizeof(Elf64_Sym)) {
		Elf64_Sym sym;

		memcpy(&sym, image + table->sh_offset + at, sizeof(sym));
		if (ELF64_ST_TYPE(sym.st_info) != STT_OBJECT ||
		    ELF64_ST_BIND(sym.st_info) == STB_LOCAL || sym.st_shndx == SHN_UNDEF ||
		    !name_is(image, size, &strings, sym.st_name, name))
			continue;
		*object_size = sym.st_size;
		return 1;
	}
	return 0;
}

static int find_in_elf(const uint8_t *image, size_t size, const char *name, uint64_t *object_size)
{
	Elf64_Ehdr ehdr;
	Elf64_Shdr s;

	if (size < sizeof(ehdr))
		return -1;
	memcpy(&ehdr, image, sizeof(ehdr));
	if (memcmp(ehdr.e_ident, ELFMAG, SELFMAG) || ehdr.e_ident[EI_CLASS] != ELFCLASS64 ||
	    ehdr.e_ident[EI_DATA] != ELFDATA2LSB)
		return -1;
	for (unsigned i = 0; i < ehdr.e_shnum; i++) {
		int r;

		if (!section(image, size, &ehdr, i, &s))
			return -1;
		if (s.sh_type != SHT_SYMTAB)
			continue;
		r = find_in_table(image, size, &ehdr, &s, name, object_size);
		if (r)
			return r;
	}
	return 0;
}

static int find_in_archive(const uint8_t *image, size_t size, const char *name,
			   uint64_t *object_size)
{
	size_t at = SARMAG;

	while (inside(size, at, sizeof(struct ar_hdr))) {
		struct ar_hdr hdr;
		char length[sizeof(hdr.ar_size) + 1] = "";
		uint64_t n;

		memcpy(&hdr, image + at, sizeof(hdr));
		memcpy(length, hdr.ar_size, sizeof(hdr.ar_size));
		n = strtoull(length, NULL, 10);
		at += sizeof(hdr);
		if (memcmp(hdr.ar_fmag, ARFMAG, sizeof(hdr.ar_fmag)) || !inside(size, at, n))
			return -1;
		if (find_in_elf(image + at, n, name, object_size) == 1)
			return 1;
		at += n + (n & 1);
	}
	return 0;
}

int elf_find_object(const uint8_t *image, size_t size, const char *name, uint64_t *object_size)
{
	if (size >= SARMAG && !memcmp(image, ARMAG, SARMAG))
		return find_in_archive(image, size, name, object_size);
	return find_in_elf(image, size, name, object_size);
}
