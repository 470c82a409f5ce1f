"""Statements of a random PTX program that each thread executes by itself: the table's, halves, atomics, branches."""

from __future__ import annotations

from tests.emulate.instructions.table import ROWS
from tests.emulate.instructions.values import POOLS
from tests.emulate.instructions.variants import WIDTH_BITS, Variant

from .program_text import OWN_BYTES, REGISTERS, Program, without_nan

TABLE = [row for row in ROWS if row.judge.exact and not row.optional]
HALVES = ("f16", "f16x2", "bf16", "bf16x2")
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan")


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
            first += without_nan(f"%{letter}")
    for letter, kind in zip("oqr", row.outs, strict=False):
        first.append(f".reg {_register(kind)} %{letter};")
        if kind == "pred":
            last.append(f"not.pred {p.predicate()}, %{letter};")
        else:
            last.append(f"mov.b{WIDTH_BITS[kind]} {p.any_of(WIDTH_BITS[kind])}, %{letter};")
    return first, last


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
        p.add(*without_nan(value), f"atom.{space}.add.f64 {p.any_of(64)}, [{at}+{place}], {value};")
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
