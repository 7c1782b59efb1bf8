// SPDX-License-Identifier: LGPL-2.1-or-later
#include "program.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "regs/names.h"

/* snprintf that continues where the last one ended and keeps counting past the end. */
struct text {
	char *buf;
	size_t size;
	int length;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *t, const char *fmt, ...)
{
	size_t used = (size_t)t->length < t->size ? (size_t)t->length : t->size;
	va_list ap;

	va_start(ap, fmt);
	t->length += vsnprintf(used < t->size ? t->buf + used : NULL, t->size - used, fmt, ap);
	va_end(ap);
}

/* Constants and addresses read better in hex, counts and codes in decimal. */
static void put_field(struct text *t, const struct rocket_field_name *f, uint32_t value)
{
	int64_t natural = rocket_field_value(f, value);
	const char *extent = f->encoding == ROCKET_ENCODING_MINUS1 ? "_EXTENT" : "";
	bool hex = f->encoding == ROCKET_ENCODING_ADDR || f->encoding == ROCKET_ENCODING_RESERVED ||
		   (f->encoding == ROCKET_ENCODING_UINT && f->msb - f->lsb == 31);

	if (hex)
		put(t, "%s%s=0x%" PRIx64, f->name, extent, (uint64_t)natural);
	else
		put(t, "%s%s=%" PRId64, f->name, extent, natural);
}

/* Fields that are 0 say nothing, except those where 0 stands for an extent of 1. */
static bool worth_showing(const struct rocket_field_name *f, uint32_t value)
{
	struct rocket_field_name raw = *f;

	raw.encoding = ROCKET_ENCODING_UINT;
	return f->encoding == ROCKET_ENCODING_MINUS1 || rocket_field_value(&raw, value) != 0;
}

static void put_write(struct text *t, const struct rocket_chip_names *chip, uint64_t word)
{
	unsigned target = rocket_word_target(word), offset = rocket_word_offset(word);
	const struct rocket_block_name *block = rocket_block_by_target(chip, target);
	const struct rocket_register_name *reg = rocket_register_by_offset(chip, offset);
	uint32_t value = rocket_word_value(word);
	const char *gap = "  ";

	if (!block) {
		put(t, "target %04x, offset %04x = 0x%08" PRIx32 "  unknown target", target, offset,
		    value);
		return;
	}
	if ((offset & 0xf000) != block->base) {
		put(t, "%s.? (%04x) = 0x%08" PRIx32 "  offset outside the block", block->name,
		    offset, value);
		return;
	}
	if (!reg) {
		put(t, "%s.? (%04x) = 0x%08" PRIx32 "  unknown register", block->name, offset,
		    value);
		return;
	}
	put(t, "%s.%s (%04x) = 0x%08" PRIx32, block->name, reg->name, offset, value);
	for (unsigned i = 0; i < reg->n_fields; i++) {
		if (!worth_showing(&reg->fields[i], value))
			continue;
		put(t, "%s", gap);
		put_field(t, &reg->fields[i], value);
		gap = " ";
	}
}

static void put_enable(struct text *t, uint32_t value)
{
	static const struct {
		uint32_t bit;
		const char *name;
	} blocks[] = {
		{ ROCKET_ENABLE_CNA, "CNA" }, { ROCKET_ENABLE_CORE, "CORE" },
		{ ROCKET_ENABLE_DPU, "DPU" }, { ROCKET_ENABLE_DPU_RDMA, "DPU_RDMA" },
		{ ROCKET_ENABLE_PPU, "PPU" }, { ROCKET_ENABLE_PPU_RDMA, "PPU_RDMA" },
	};

	put(t, "ENABLE (0008) = 0x%08" PRIx32 " ", value);
	for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
		if (value & blocks[i].bit)
			put(t, " %s", blocks[i].name);
		value &= ~blocks[i].bit;
	}
	if (value)
		put(t, " unknown=0x%" PRIx32, value);
}

int rocket_disassemble(const char *chip, uint64_t word, char *buf, size_t size)
{
	const struct rocket_chip_names *names = rocket_chip_names(chip);
	struct text t = { buf, size, 0 };
	unsigned target = rocket_word_target(word);

	/* Even an empty line is a terminated one. */
	put(&t, "%s", "");
	if (!names) {
		put(&t, "unknown chip: %016" PRIx64, word);
		return t.length;
	}
	switch (target) {
	case ROCKET_TARGET_NONE:
	case ROCKET_TARGET_NOP:
		put(&t, "%s", target == ROCKET_TARGET_NOP ? "NOP" : "NONE");
		break;
	case ROCKET_TARGET_FENCE:
		put(&t, "FENCE");
		break;
	case ROCKET_TARGET_ENABLE:
		put_enable(&t, rocket_word_value(word));
		return t.length;
	default:
		put_write(&t, names, word);
		return t.length;
	}
	if (word & 0xffffffffffffull)
		put(&t, " (ignored value 0x%08" PRIx32 ", offset %04x)", rocket_word_value(word),
		    rocket_word_offset(word));
	return t.length;
}
