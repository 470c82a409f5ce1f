"""Random PTX programs over all instruction families, for the emulator and a GPU alike.

Program i is always the same text. Its registers hold bits, and any instruction takes any register of its width: so
floats are NaN with payloads, subnormal and infinite as often as not. Left out is what no two runs agree on, or what the
manual leaves open: approximate functions, atomics whose old value depends on who comes first. Left out, too, is what
ptxas decides: which of two NaN a float64 operation hands on (it may exchange operands), and what it makes of several
instructions and of constants: each result is joined with a zero that it cannot know.

A program with products of warpgroups is for `sm_90a`; all others are for `sm_90`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from tests.emulate.instructions.table import ROWS
from tests.emulate.instructions.values import POOLS
from tests.emulate.instructions.variants import WIDTH_BITS, Variant

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

TABLE = [row for row in ROWS if row.judge.exact and not row.optional]
MOST_STATEMENTS = 40
HALVES = ("f16", "f16x2", "bf16", "bf16x2")
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan")


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


def program(number: int, statements: int | None = None) -> str:
    """Return program `number`. statements: only the first so many, which shows where two machines part."""
    p = Program(Random(number))
    count = p.random.randint(12, MOST_STATEMENTS)
    together = [shuffle, vote, match, redux, exchange, common, matrix, bulk_copy]
    weights = [3, 2, 1, 1, 3, 1, 2, 1]
    if number % 4 == 3:
        together, weights = [*together, warpgroup], [*weights, 3]
    for _ in range(count if statements is None else min(statements, count)):
        kind = p.random.random()
        if kind < 0.5:
            p.state(from_table)
        elif kind < 0.62:
            p.state(halves)
        elif kind < 0.68:
            p.state(atomic)
        elif kind < 0.8:
            diverged(p)
        else:
            p.state(p.random.choices(together, weights)[0])
    return _text(p)


def named(place: int) -> str:
    """Return the name of the register that is stored at a place of a thread's outputs."""
    names = [f"%{LETTER[bits]}{number}" for bits, count in REGISTERS.items() for number in range(count)]
    return [*names, *(f"%p{number}" for number in range(PREDICATES))][place]


def _text(p: Program) -> str:
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


def from_table(p: Program) -> None:
    """An instruction of the table that hardware has answered."""
    row = p.random.choice(TABLE)
    first, last = _letters(p, row)
    p.add("{", *first, row.body, *last, "}")


def guarded(p: Program) -> None:
    """One that some threads leave out."""
    skip = p.label()
    p.add(f"@!{p.predicate()} bra {skip};")
    from_table(p)
    p.add(f"{skip}:")


def _letters(p: Program, row: Variant) -> tuple[list[str], list[str]]:
    """Return what gives a row's operands their values, and what takes its results."""
    first, last = [], []
    sources = {bits: p.some_of(bits, 4) for bits in REGISTERS}
    for letter, kind, pool in zip("abcd", row.ins, row.pools, strict=False):
        first.append(f".reg {_register(kind)} %{letter};")
        if kind == "pred":
            first.append(f"not.pred %{letter}, {p.predicate()};")
        elif pool != kind:
            bits = WIDTH_BITS[kind]
            first.append(f"or.b{bits} %constant{bits}, %zero{bits}, {p.random.choice(POOLS[pool]):#x};")
            first.append(f"mov.b{bits} %{letter}, %constant{bits};")
        else:
            bits = WIDTH_BITS[kind]
            first.append(f"mov.b{bits} %{letter}, {sources[bits].pop()};")
        if kind == "f64" and letter != "abcd"[row.ins.index("f64")]:
            first += _number(f"%{letter}")
    for letter, kind in zip("oqr", row.outs, strict=False):
        first.append(f".reg {_register(kind)} %{letter};")
        if kind == "pred":
            last.append(f"not.pred {p.predicate()}, %{letter};")
        else:
            last.append(f"mov.b{WIDTH_BITS[kind]} {p.any_of(WIDTH_BITS[kind])}, %{letter};")
    return first, last


def _number(name: str) -> list[str]:
    """Return what makes a float64 register 1 where it holds NaN."""
    return [f"setp.nan.f64 %is_nan, {name}, {name};", f"@%is_nan mov.b64 {name}, 0x3ff0000000000000;"]


def _register(kind: str) -> str:
    return ".pred" if kind == "pred" else f".{kind}" if kind in ("f32", "f64") else f".b{WIDTH_BITS[kind]}"


def halves(p: Program) -> None:
    """Arithmetic of float16 and bfloat16, alone and in pairs."""
    kind = p.random.choice(HALVES)
    bits = 32 if kind.endswith("x2") else 16
    d, a, b, c = p.any_of(bits), *p.some_of(bits, 3)
    name = p.random.choice(
        [
            *[
                "add.rn",
                "sub.rn",
                "mul.rn",
                "fma.rn",
                "fma.rn.relu",
                "min",
                "max",
                "min.NaN",
                "max.NaN",
                "neg",
                "abs",
                "setp",
            ]
        ]
    )
    if name == "setp":
        left, right = p.predicate(), p.predicate()
        compared = p.random.choice(COMPARISONS)
        target = left if bits == 16 else f"{left}|{right}"
        if left != right:
            p.add(f"setp.{compared}.{kind} {target}, {a}, {b};")
    elif name in ("neg", "abs"):
        p.add(f"{name}.{kind} {d}, {a};")
    else:
        p.add(f"{name}.{kind} {d}, {a}, {b}{f', {c}' if 'fma' in name else ''};")


def atomic(p: Program) -> None:
    """An atomic on a word of the thread's own, in shared or in global memory: the old value is known."""
    space, at = p.random.choice([("shared", "%own"), ("global", "%scratch")])
    operation, kind = p.random.choice(
        [(name, kind) for name in ("min", "max") for kind in ("u32", "s32", "u64", "s64")]
        + [("add", kind) for kind in ("u32", "s32", "u64", "f32", "f64", "noftz.f16x2", "noftz.bf16x2", "noftz.f16")]
        + [(name, kind) for name in ("and", "or", "xor", "exch") for kind in ("b32", "b64")]
        + [(name, "u32") for name in ("inc", "dec")]
        + [("cas", kind) for kind in ("b32", "b64")]
    )
    bits = WIDTH_BITS[kind.rpartition(".")[2]]
    place = p.random.randrange(0, OWN_BYTES, bits // 8)
    third = f", {p.any_of(bits)}" if operation == "cas" else ""
    if kind == "f64":
        value = p.any_of(64)
        p.add(*_number(value), f"atom.{space}.add.f64 {p.any_of(64)}, [{at}+{place}], {value};")
        return
    p.add(f"atom.{space}.{operation}.{kind} {p.any_of(bits)}, [{at}+{place}], {p.any_of(bits)}{third};")


def diverged(p: Program) -> None:
    """Some threads do one thing and the others another, or go round some times."""
    guard, other, end = p.predicate(), p.label(), p.label()
    if p.random.random() < 0.3:
        top = p.label()
        p.add("{", ".reg .b32 %count;", ".reg .pred %again;", f"and.b32 %count, {p.any_of(32)}, 3;", f"{top}:")
        for _ in range(p.random.randint(1, 3)):
            p.state(p.random.choice([from_table, halves, atomic]))
        p.add("sub.u32 %count, %count, 1;", "setp.ge.s32 %again, %count, 0;", f"@%again bra {top};", "}")
        return
    p.add(f"@{guard} bra {other};")
    for _ in range(p.random.randint(1, 4)):
        p.state(p.random.choice([from_table, from_table, halves, atomic]))
    if p.random.random() < 0.5:
        p.state(guarded)
    p.add(f"bra {end};", f"{other}:")
    for _ in range(p.random.randint(0, 3)):
        p.state(p.random.choice([from_table, halves]))
    p.add(f"{end}:", "bar.warp.sync -1;")


def shuffle(p: Program) -> None:
    """Lanes give each other a word; all of them take part."""
    way, clamp = p.random.choice([("up", 0), ("down", 31), ("bfly", 31), ("idx", 31)])
    width = p.random.choice([32, 16, 8])
    mask = (32 - width) << 8 | clamp
    source = p.random.choice([str(p.random.randrange(32)), p.any_of(32)])
    p.add(f"shfl.sync.{way}.b32 {p.any_of(32)}|{p.predicate()}, {p.any_of(32)}, {source}, {mask:#x}, -1;")


def vote(p: Program) -> None:
    """A warp agrees."""
    if p.random.random() < 0.5:
        p.add(f"vote.sync.ballot.b32 {p.any_of(32)}, {p.predicate()}, -1;")
    else:
        p.add(f"vote.sync.{p.random.choice(['any', 'all', 'uni'])}.pred {p.predicate()}, {p.predicate()}, -1;")


def match(p: Program) -> None:
    """Who has the same word, among few."""
    bits = p.random.choice([32, 64])
    p.add("{", f".reg .b{bits} %few;", f"and.b{bits} %few, {p.any_of(bits)}, 3;")
    if p.random.random() < 0.5:
        p.add(f"match.any.sync.b{bits} {p.any_of(32)}, %few, -1;", "}")
    else:
        p.add(f"match.all.sync.b{bits} {p.any_of(32)}|{p.predicate()}, %few, -1;", "}")


def redux(p: Program) -> None:
    """A warp's sum, least, greatest or bits of a word."""
    kind = p.random.choice(
        ["add.u32", "add.s32", "min.u32", "min.s32", "max.u32", "max.s32", "and.b32", "or.b32", "xor.b32"]
    )
    p.add(f"redux.sync.{kind} {p.any_of(32)}, {p.any_of(32)}, -1;")


def exchange(p: Program) -> None:
    """Each thread writes its place in shared memory and, after a barrier, reads another's."""
    bits = p.random.choice([16, 32, 64])
    place = p.random.randrange(0, OWN_BYTES, bits // 8)
    p.add(
        "{",
        ".reg .b32 %other;",
        f"st.shared.b{bits} [%own+{place}], {p.any_of(bits)};",
        "bar.sync 0;",
        f"xor.b32 %other, %thread, {p.random.randrange(1, THREADS)};",
        "mov.u32 %x, own;",
        f"mad.lo.u32 %other, %other, {OWN_BYTES}, %x;",
        f"ld.shared.b{bits} {p.any_of(bits)}, [%other+{place}];",
        "bar.sync 0;",
        "}",
    )


def common(p: Program) -> None:
    """All threads of a block change one word, in any order alike; then all of them read it."""
    word = p.random.randrange(COMMON_WORDS)
    kind = p.random.choice(["add.u32", "min.s32", "max.u32", "and.b32", "or.b32", "xor.b32"])
    p.add(f"red.shared.{kind} [common+{4 * word}], {p.any_of(32)};", "bar.sync 0;")
    p.add(f"ld.shared.b32 {p.any_of(32)}, [common+{4 * word}];", "bar.sync 0;")


MATRICES = [
    ("m16n8k16", "f32.f16.f16.f32", 4, 4, 2), ("m16n8k8", "f32.f16.f16.f32", 4, 2, 1),
    ("m16n8k16", "f16.f16.f16.f16", 2, 4, 2), ("m16n8k16", "f32.bf16.bf16.f32", 4, 4, 2),
    ("m16n8k8", "f32.bf16.bf16.f32", 4, 2, 1), ("m16n8k8", "f32.tf32.tf32.f32", 4, 4, 2),
    ("m16n8k4", "f32.tf32.tf32.f32", 4, 2, 1), ("m16n8k32", "s32.s8.s8.s32", 4, 4, 2),
    ("m16n8k32", "s32.u8.s8.s32", 4, 4, 2), ("m16n8k16", "s32.u8.u8.s32", 4, 2, 1),
]  # fmt: skip
"""mma.sync: shape, types, and registers of D, A and B."""


def matrix(p: Program) -> None:
    """A warp's product on the tensor cores, of whatever bits there are."""
    if p.random.random() < 0.15:
        matrix_of_float64(p)
        return
    shape, types, sums, of_a, of_b = p.random.choice(MATRICES)
    d = p.random.sample(range(REGISTERS[32]), sums)
    a, b, c = (p.random.choices(range(REGISTERS[32]), k=count) for count in (of_a, of_b, sums))
    saturated = ".satfinite" if types.startswith("s32") and p.random.random() < 0.5 else ""
    operands = ", ".join(_group("w", numbers) for numbers in (d, a, b, c))
    p.add(f"mma.sync.aligned.{shape}.row.col{saturated}.{types} {operands};")


def matrix_of_float64(p: Program) -> None:
    """The same of float64, without NaN."""
    d, (a, b, *c) = p.some_of(64, 2), p.some_of(64, 4)
    for name in (a, b, *c):
        p.add(*_number(name))
    operands = f"{{{', '.join(d)}}}, {{{a}}}, {{{b}}}, {{{', '.join(c)}}}"
    p.add(f"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {operands};")


def _group(letter: str, numbers: list[int]) -> str:
    return "{" + ", ".join(f"%{letter}{number}" for number in numbers) + "}"


def bulk_copy(p: Program) -> None:
    """The block's tile goes to global memory in bulk, and comes back a piece further on."""
    done, again, phase = p.label(), p.label(), p.phases % 2
    p.phases += 1
    piece = 16 * p.random.randint(1, TILE_BYTES // 32)
    start, target = (16 * p.random.randint(0, (TILE_BYTES - piece) // 16) for _ in range(2))
    p.add(
        f"st.shared.b64 [%tile], {p.any_of(64)};",
        "fence.proxy.async;",
        "bar.sync 0;",
        f"@%first bra {done};",
        f"cp.async.bulk.global.shared::cta.bulk_group [%tiles], [tile], {TILE_BYTES};",
        "cp.async.bulk.commit_group;",
        "cp.async.bulk.wait_group 0;",
        "fence.proxy.async;",
        f"mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], {piece};",
        "{",
        ".reg .b64 %from;",
        f"add.u64 %from, %tiles, {start};",
        f"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile+{target}], [%from], {piece}, [full];",
        "}",
        f"{done}:",
        "{",
        ".reg .pred %done;",
        f"{again}:",
        f"mbarrier.try_wait.parity.shared::cta.b64 %done, [full], {phase};",
        f"@!%done bra {again};",
        "}",
        f"ld.shared.b64 {p.any_of(64)}, [%tile+8];",
        "bar.sync 0;",
    )


WARPGROUPS = [
    ("k16", "f32.f16.f16", "f", 4, ", 1, 1, 0, 0"), ("k16", "f32.bf16.bf16", "f", 4, ", 1, 1, 0, 0"),
    ("k16", "f16.f16.f16", "r", 2, ", 1, 1, 0, 0"), ("k8", "f32.tf32.tf32", "f", 4, ", 1, 1"),
    ("k32", "f32.e4m3.e5m2", "f", 4, ", 1, 1"), ("k32", "f16.e5m2.e4m3", "r", 2, ", 1, 1"),
    ("k32", "s32.s8.s8", "r", 4, ""), ("k32", "s32.u8.s8", "r", 4, ""),
]  # fmt: skip
"""wgmma.mma_async m64n8: depth, types, kind and number of D's registers, and what follows scale-d."""


def warpgroup(p: Program) -> None:
    """A product of the warpgroup: A and B from the block's tile, without swizzle, D added to or written."""
    p.needs_sm90a = True
    depth, types, kind, count, after = p.random.choice(WARPGROUPS)
    numbers = p.random.sample(range(REGISTERS[32]), count)
    saved = [f"mov.b32 %d{i}, %w{number};" for i, number in enumerate(numbers)]
    results = [f"mov.b32 %w{number}, %d{i};" for i, number in enumerate(numbers)]
    d = ", ".join(f"%d{i}" for i in range(count))
    register = ".f32" if kind == "f" else ".b32"
    # Rows of 16 bytes, 8 of them a core matrix of 128 bytes; the second along k 128 bytes on, the next rows 256.
    fields = (128 >> 4) << 16 | (256 >> 4) << 32
    p.add(
        f"st.shared.b64 [%tile+16], {p.any_of(64)};",
        "fence.proxy.async;",
        "bar.sync 0;",
        "{",
        f".reg {register} %d<{count}>;",
        ".reg .b64 %a, %b;",
        ".reg .pred %keep;",
        *saved,
        "mov.u32 %x, tile;",
        "shr.u32 %x, %x, 4;",
        "cvt.u64.u32 %a, %x;",
        f"or.b64 %a, %a, {fields:#x};",
        f"add.u64 %b, %a, {p.random.randrange(0, 1024, 128) // 16};",
        f"setp.ne.b32 %keep, {p.random.randrange(2)}, 0;",
        "wgmma.fence.sync.aligned;",
        f"wgmma.mma_async.sync.aligned.m64n8{depth}.{types} {{{d}}}, %a, %b, %keep{after};",
        "wgmma.commit_group.sync.aligned;",
        "wgmma.wait_group.sync.aligned 0;",
        *results,
        "}",
        "bar.sync 0;",
    )
