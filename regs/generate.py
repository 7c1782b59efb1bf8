#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Turn a register table (CSV) into one generated file, written to standard output.

    generate.py header|emit|fields|names|page TABLE.csv

header  offsets, masks, shifts and getters; depends on nothing of the library
emit    one struct and one checked writer per register, for the encoders
fields  an X-macro list of every field, for tests that walk all setters
names   tables of blocks, registers and fields for disassembler and validator
page    the reference page, in Markdown

Columns of the table: block, block_base, register, offset, field, msb, lsb, access
(RO, RW, W1C), encoding, description. Encodings:

uint      the field holds the value
int       the field holds the value in two's complement
minus1    the field holds the value minus one; setter and getter take and give the natural
          value and are named FIELD_EXTENT
addr      the register holds a 16-byte aligned device address
reserved  written as 0, no setter
"""
import csv
import os
import sys

ENCODINGS = ("uint", "int", "minus1", "addr", "reserved")
ACCESS = ("RO", "RW", "W1C")


class Field:
    def __init__(self, row, where):
        self.name = row["field"]
        self.msb, self.lsb = int(row["msb"]), int(row["lsb"])
        self.access, self.encoding = row["access"], row["encoding"]
        self.description = row["description"]
        if not 0 <= self.lsb <= self.msb <= 31:
            raise ValueError(f"{where}: bits {self.msb}:{self.lsb} are not in a register")
        if self.access not in ACCESS or self.encoding not in ENCODINGS:
            raise ValueError(f"{where}: access {self.access} or encoding {self.encoding} is unknown")
        if self.encoding == "addr" and (self.msb != 31 or self.lsb not in (0, 4)):
            raise ValueError(f"{where}: an address field is 31:4 or 31:0")

    @property
    def width(self):
        return self.msb - self.lsb + 1

    @property
    def mask(self):
        return ((1 << self.width) - 1) << self.lsb

    @property
    def settable(self):
        return self.encoding != "reserved" and self.access != "RO"

    @property
    def member(self):
        """The name of the setter and getter."""
        return self.name + ("_EXTENT" if self.encoding == "minus1" else "")

    @property
    def limits(self):
        """Smallest and largest natural value."""
        if self.encoding == "int":
            return -(1 << (self.width - 1)), (1 << (self.width - 1)) - 1
        if self.encoding == "minus1":
            return 1, 1 << self.width
        if self.encoding == "addr":
            return 0, 0xFFFFFFF0
        return 0, (1 << self.width) - 1


class Register:
    def __init__(self, name, offset):
        self.name, self.offset, self.fields = name, offset, []

    @property
    def setters(self):
        return [f for f in self.fields if f.settable]

    @property
    def writable(self):
        return sum(f.mask for f in self.setters)


class Block:
    def __init__(self, name, base):
        self.name, self.base, self.registers = name, base, []

    @property
    def target(self):
        """Target of the block's command words, 0 where programs cannot reach it."""
        return 1 << (8 + (self.base >> 12)) | 1 if self.base < 0x8000 else 0


class Chip:
    def __init__(self, path):
        self.name = os.path.splitext(os.path.basename(path))[0]
        self.blocks = []
        with open(path, newline="", encoding="ascii") as f:
            for number, row in enumerate(csv.DictReader(f), 2):
                self.add(row, f"{path}:{number}")
        for block in self.blocks:
            for register in block.registers:
                self.check(block, register)

    def add(self, row, where):
        if not self.blocks or self.blocks[-1].name != row["block"]:
            if any(b.name == row["block"] for b in self.blocks):
                raise ValueError(f"{where}: block {row['block']} is in two pieces")
            self.blocks.append(Block(row["block"], int(row["block_base"], 16)))
        block, offset = self.blocks[-1], int(row["offset"], 16)
        if not block.registers or block.registers[-1].name != row["register"]:
            if block.registers and block.registers[-1].offset >= offset:
                raise ValueError(f"{where}: registers are not in ascending order")
            block.registers.append(Register(row["register"], offset))
        if block.registers[-1].offset != offset or offset & ~0xFFF != block.base:
            raise ValueError(f"{where}: offset {offset:#x} does not belong here")
        block.registers[-1].fields.append(Field(row, where))

    def check(self, block, register):
        bits = 0
        for f in register.fields:
            if bits & f.mask:
                raise ValueError(f"{block.name}.{register.name}.{f.name} overlaps a neighbour")
            bits |= f.mask
        if bits != 0xFFFFFFFF:
            raise ValueError(f"{block.name}.{register.name}: bits {~bits & 0xFFFFFFFF:#x} missing")

    def registers(self):
        for block in self.blocks:
            for register in block.registers:
                yield block, register, f"{block.name}_{register.name}"


def banner(chip, what):
    print("/* SPDX-License-Identifier: LGPL-2.1-or-later */")
    print(f"/* {what}. Made from regs/{chip.name}.csv by regs/generate.py: edit those. */")


def header(chip):
    low, up = chip.name, chip.name.upper()
    banner(chip, "Offsets, fields and getters")
    print(f"#ifndef REGS_{up}_H\n#define REGS_{up}_H\n\n#include <stdint.h>\n")
    print("/*")
    print(" * Natural value of a field in a register's word: sign-extended where the field is")
    print(" * signed, plus one where the hardware holds the value minus one (FIELD_EXTENT).")
    print(" */")
    print(f"#define {up}_GET(block, reg, field, word) {low}_get_##block##_##reg##_##field(word)")
    for block in chip.blocks:
        print(f"\n#define {up}_{block.name} 0x{block.base:04x}u")
        if block.target:
            print(f"#define {up}_{block.name}_TARGET 0x{block.target:04x}u")
    for _, register, name in chip.registers():
        print(f"\n#define {up}_{name} 0x{register.offset:04x}u")
        for f in register.fields:
            if f.encoding == "reserved":
                continue
            macro = f"{up}_{name}_{f.name}"
            print(f"#define {macro}__MASK 0x{f.mask:08x}u")
            print(f"#define {macro}__SHIFT {f.lsb}")
        for f in register.fields:
            if f.encoding != "reserved":
                getter(low, name, f)
    print("\n#endif")


def getter(low, name, f):
    kind, body = "uint32_t", f"(word & 0x{f.mask:08x}u) >> {f.lsb}"
    if f.encoding == "addr":
        body = f"word & 0x{f.mask:08x}u"
    elif f.encoding == "minus1":
        body = f"((word & 0x{f.mask:08x}u) >> {f.lsb}) + 1"
    elif f.encoding == "int":
        kind, body = "int32_t", f"(int32_t)(word << {31 - f.msb}) >> {32 - f.width}"
    print(f"static inline {kind} {low}_get_{name}_{f.member}(uint32_t word)")
    print(f"{{\n\treturn {body};\n}}")


def emit(chip):
    low, up = chip.name, chip.name.upper()
    banner(chip, "Checked register writers")
    print(f"#ifndef REGS_{up}_EMIT_H\n#define REGS_{up}_EMIT_H\n")
    print(f'#include "lib/encode/field.h"\n#include "regs/{low}.h"\n')
    print("/*")
    print(" * Append one register write to a program; fields that are not named are 0:")
    print(" *   EMIT(p, CNA, CONV_CON2, .FEATURE_GRAINS = m + 1);")
    print(" * A value its field cannot hold becomes the program's fault. FIELD_EXTENT takes the")
    print(" * natural value (1 or more) of a field that holds it minus one, and must be named.")
    print(" */")
    print("#define EMIT(p, block, reg, ...) \\")
    print(f"\t{low}_emit_##block##_##reg(p, (struct {low}_##block##_##reg){{ __VA_ARGS__ }})")
    print("/* Write 0 to the registers first..last of a block. */")
    print("#define EMIT_ZEROS(p, block, first, last) \\")
    print(f"\trocket_program_zeros(p, {up}_##block##_TARGET, {up}_##block##_##first, \\")
    print(f"\t\t\t     {up}_##block##_##last)")
    for block, register, name in chip.registers():
        if not block.target or not register.setters:
            continue
        print(f"\nstruct {low}_{name} {{")
        for f in register.setters:
            print(f"\tint64_t {f.member};")
        print("};")
        print(f"static inline void {low}_emit_{name}(struct rocket_program *p, struct {low}_{name} f)")
        print("{\n\tuint32_t word = 0;\n")
        for f in register.setters:
            full = f"{block.name}.{register.name}.{f.member}"
            print(f'\tword |= rocket_field_{f.encoding}(p, "{full}", f.{f.member}, {f.msb}, {f.lsb});')
        print(f"\trocket_program_write(p, {up}_{block.name}_TARGET, {up}_{name}, word);\n}}")
    print("\n#endif")


def fields(chip):
    banner(chip, "FIELD(block, register, setter, encoding, msb, lsb, others) of every settable field")
    print("/* others: initialisers of the register's other minus-one fields, which put 0 there. */")
    for block, register, _ in chip.registers():
        if not block.target:
            continue
        for f in register.setters:
            others = "".join(f".{o.member} = 1, " for o in register.setters
                             if o.encoding == "minus1" and o is not f)
            print(f"FIELD({block.name}, {register.name}, {f.member}, {f.encoding}, "
                  f"{f.msb}, {f.lsb}, {others})")


def names(chip):
    low = chip.name
    banner(chip, "Names of blocks, registers and fields")
    print('#include "regs/names.h"\n')
    print("#define F(name, msb, lsb, access, encoding) \\")
    print("\t{ #name, msb, lsb, ROCKET_ACCESS_##access, ROCKET_ENCODING_##encoding }")
    for _, register, name in chip.registers():
        print(f"\nstatic const struct rocket_field_name {name}[] = {{")
        for f in register.fields:
            print(f"\tF({f.name}, {f.msb}, {f.lsb}, {f.access}, {f.encoding.upper()}),")
        print("};")
    for block in chip.blocks:
        print(f"\nstatic const struct rocket_register_name {block.name}[] = {{")
        for r in block.registers:
            print(f'\t{{ "{r.name}", 0x{r.offset:04x}, 0x{r.writable:08x}, {len(r.fields)}, '
                  f"{block.name}_{r.name} }},")
        print("};")
    print("\nstatic const struct rocket_block_name blocks[] = {")
    for b in chip.blocks:
        print(f'\t{{ "{b.name}", 0x{b.base:04x}, 0x{b.target:04x}, {len(b.registers)}, {b.name} }},')
    print("};")
    print(f"\nconst struct rocket_chip_names rocket_{low}_names = {{")
    print(f'\t"{low}", {len(chip.blocks)}, blocks,\n}};')


MEANING = {"uint": "", "int": "signed", "minus1": "minus one", "addr": "address", "reserved": ""}


def page(chip):
    title = chip.name.upper()
    print(f"<!-- SPDX-License-Identifier: LGPL-2.1-or-later -->\n# Registers of the {title}\n")
    print(f"Made from `regs/{chip.name}.csv` by `regs/generate.py page`; a test keeps the two equal.\n")
    print("Offsets are absolute in the 64 KiB window of a core. Kind: *minus one* fields hold their "
          "value minus one (setters are named `FIELD_EXTENT` and take the natural value), *signed* "
          "fields are two's complement, *address* fields take a 16-byte aligned device address. "
          "Reserved bits are not listed and are written as 0.\n")
    print("| block | base | target | registers |\n|---|---|---|---|")
    for b in chip.blocks:
        target = f"0x{b.target:04x}" if b.target else "none: CPU only"
        print(f"| [{b.name}](#{b.name.lower()}) | 0x{b.base:04x} | {target} | {len(b.registers)} |")
    for b in chip.blocks:
        print(f"\n## {b.name}\n")
        for r in b.registers:
            print(f"### {b.name}.{r.name} (0x{r.offset:04x})\n")
            print("| bits | field | access | kind | largest | meaning |\n|---|---|---|---|---|---|")
            for f in r.fields:
                if f.encoding == "reserved":
                    continue
                bits = str(f.msb) if f.msb == f.lsb else f"{f.msb}:{f.lsb}"
                text = f.description.replace("|", "\\|")
                print(f"| {bits} | {f.name} | {f.access} | {MEANING[f.encoding]} | "
                      f"{f.limits[1]} | {text} |")
            print()


KINDS = {"header": header, "emit": emit, "fields": fields, "names": names, "page": page}

if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in KINDS:
        sys.exit(__doc__)
    try:
        KINDS[sys.argv[1]](Chip(sys.argv[2]))
    except (OSError, ValueError, KeyError) as e:
        sys.exit(f"generate.py: {e}")
