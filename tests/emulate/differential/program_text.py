"""The text of a random PTX program while it is written: its registers, its memory, and how it begins and ends."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

THREADS, BLOCKS = 128, 2
REGISTERS = {16: 6, 32: 10, 64: 8}
PREDICATES = 4
LETTER = {16: "h", 32: "w", 64: "l"}
BITS = {letter: bits for bits, letter in LETTER.items()}
SLOT_BYTES = 8 * (sum(REGISTERS.values()) + PREDICATES)
"""Of a thread, in the inputs and in the outputs: 8 bytes a register."""
OWN_BYTES = 16
"""Of a thread in shared memory, and in the global scratch."""
COMMON_WORDS = 8
"""Words that all threads of a block add to."""
TILE_BYTES = 4096
"""What copies in bulk and products of warpgroups move and read."""
SHARED = {"own": OWN_BYTES * THREADS, "common": 4 * COMMON_WORDS, "tile": TILE_BYTES, "full": 8}
SCRATCH_BYTES = BLOCKS * (THREADS * OWN_BYTES + TILE_BYTES)


@dataclass
class Program:
    """The text of a program while it is written."""

    random: Random
    lines: list[str] = field(default_factory=list)
    labels: int = 0
    phases: int = 0
    """Of the mbarrier, that copies have ended."""
    needs_sm90a: bool = False

    def state(self, kind: Callable[[Program], None]) -> None:
        """Add a statement, and hide from ptxas what its registers hold."""
        before = len(self.lines)
        kind(self)
        used = sorted(set(re.findall(r"%([hwl])(\d+)\b", "\n".join(self.lines[before:]))))
        for letter, number in used:
            bits = BITS[letter]
            self.add(f"xor.b{bits} %{letter}{number}, %{letter}{number}, %zero{bits};")

    def add(self, *lines: str) -> None:
        """Add lines."""
        self.lines += lines

    def any_of(self, bits: int) -> str:
        """Return the name of a register."""
        return f"%{LETTER[bits]}{self.random.randrange(REGISTERS[bits])}"

    def some_of(self, bits: int, count: int) -> list[str]:
        """Return the names of different registers."""
        return [f"%{LETTER[bits]}{number}" for number in self.random.sample(range(REGISTERS[bits]), count)]

    def predicate(self) -> str:
        """Return the name of a predicate."""
        return f"%p{self.random.randrange(PREDICATES)}"

    def label(self) -> str:
        """Return a new label."""
        self.labels += 1
        return f"place_{self.labels}"


def named(place: int) -> str:
    """Return the name of the register that is stored at a place of a thread's outputs."""
    names = [f"%{LETTER[bits]}{number}" for bits, count in REGISTERS.items() for number in range(count)]
    return [*names, *(f"%p{number}" for number in range(PREDICATES))][place]


def whole(p: Program) -> str:
    """Return the text with what comes before its statements and after them."""
    registers = [f".reg .b{bits} %{LETTER[bits]}<{count}>;" for bits, count in REGISTERS.items()]
    names = [(f"%{LETTER[bits]}{i}", bits) for bits, count in REGISTERS.items() for i in range(count)]
    loads, stores = [], []
    for place, (name, bits) in enumerate(names):
        loads.append(f"ld.global.b{bits} {name}, [%in+{8 * place}];")
        stores.append(f"st.global.b{bits} [%out+{8 * place}], {name};")
    for i in range(PREDICATES):
        loads += [f"ld.global.b32 %x, [%in+{8 * (len(names) + i)}];", f"setp.ne.b32 %p{i}, %x, 0;"]
        stores += [f"selp.b32 %x, 1, 0, %p{i};", f"st.global.b32 [%out+{8 * (len(names) + i)}], %x;"]
    shared = [f".shared .align 1024 .b8 {name}[{size}];" for name, size in SHARED.items()]
    own = [
        f"mul.lo.u32 %own, %thread, {OWN_BYTES};",
        "mov.u32 %x, own;",
        "add.u32 %own, %own, %x;",
        f"mad.wide.u32 %scratch, %index, {OWN_BYTES}, %scratch;",
        *[f"st.shared.b32 [%own+{at}], %w{at // 4};" for at in range(0, OWN_BYTES, 4)],
        *[f"st.global.b32 [%scratch+{at}], %w{at // 4};" for at in range(0, OWN_BYTES, 4)],
        "setp.ne.u32 %first, %thread, 0;",
        "@%first bra begun;",
        *[f"st.shared.b32 [common+{4 * word}], {word};" for word in range(COMMON_WORDS)],
        "mbarrier.init.shared::cta.b64 [full], 1;",
        "fence.mbarrier_init.release.cluster;",
        "begun:",
        "mov.u32 %x, tile;",
        f"mad.lo.u32 %tile, %thread, {TILE_BYTES // THREADS}, %x;",
        *[f"st.shared.b64 [%tile+{8 * i}], %l{i};" for i in range(TILE_BYTES // THREADS // 8)],
        "bar.sync 0;",
    ]
    return "\n".join(
        [
            f".version 8.5\n.target {'sm_90a' if p.needs_sm90a else 'sm_90'}\n.address_size 64",
            ".visible .entry kernel(.param .u64 inputs, .param .u64 outputs, .param .u64 scratch)\n{",
            *shared,
            *registers,
            f".reg .pred %p<{PREDICATES}>, %first, %is_nan;",
            ".reg .b64 %in, %out, %scratch, %tiles, %zero64, %constant64;",
            ".reg .b16 %zero16, %constant16;",
            ".reg .b32 %zero32, %constant32;",
            ".reg .b32 %thread, %block, %index, %x, %own, %tile;",
            "ld.param.u64 %in, [inputs];",
            "ld.param.u64 %out, [outputs];",
            "ld.param.u64 %scratch, [scratch];",
            "mov.u32 %thread, %tid.x;",
            "mov.u32 %block, %ctaid.x;",
            f"mad.lo.u32 %index, %block, {THREADS}, %thread;",
            f"add.u64 %tiles, %scratch, {BLOCKS * THREADS * OWN_BYTES};",
            f"mad.wide.u32 %tiles, %block, {TILE_BYTES}, %tiles;",
            *[f"ld.global.b{bits} %zero{bits}, [%tiles+{TILE_BYTES - 8}];" for bits in REGISTERS],
            f"mad.wide.u32 %in, %index, {SLOT_BYTES}, %in;",
            f"mad.wide.u32 %out, %index, {SLOT_BYTES}, %out;",
            *loads,
            *own,
            *p.lines,
            *stores,
            "ret;\n}\n",
        ]
    )


def without_nan(name: str) -> list[str]:
    """Return what makes a float64 register 1 where it holds NaN."""
    return [f"setp.nan.f64 %is_nan, {name}, {name};", f"@%is_nan mov.b64 {name}, 0x3ff0000000000000;"]
