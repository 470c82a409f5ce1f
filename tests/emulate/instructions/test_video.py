"""The video instructions, pairs of 16-bit integers and `lop3` with a predicate, against the PTX manual in Python."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable

import numpy as np
import pytest

from tests.emulate.instructions.test_instructions import run_row
from tests.emulate.instructions.values import operand_tuples
from tests.emulate.instructions.variants import Variant, variant
from tests.emulate.instructions.video import ROWS
from tests.emulate.running import entry_of, launch
from tilewright.emulate import PtxSyntaxError

WORD = (1 << 32) - 1
COMPARISONS = {name: getattr(operator, name) for name in ("eq", "ne", "lt", "le", "gt", "ge")}
SECOND: dict[str, Callable[[int, int], int]] = {"add": operator.add, "min": min, "max": max}


def extended(value: int, bits: int, kind: str) -> int:
    """Return the low bits of a value as a number of their type."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if kind[0] == "s" and value >> (bits - 1) else value


def clamped(value: int, bits: int, kind: str) -> int:
    """Return a value brought into the range of its type."""
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if kind[0] == "s" else (0, (1 << bits) - 1)
    return min(max(value, low), high)


def combined(name: str, words: list[str], x: int, y: int) -> int:
    """The operation itself, on numbers."""
    if name in ("vshl", "vshr"):
        count = min(y, 32) if "clamp" in words else y & 31
        return x << count if name == "vshl" else x >> count
    if name == "vset":
        return int(next(test for word, test in COMPARISONS.items() if word in words)(x, y))
    total = x + y
    return {
        "vadd": total, "vsub": x - y, "vabsdiff": abs(x - y), "vmin": min(x, y), "vmax": max(x, y),
        "vavrg": (total + (total >= 0)) >> 1,
    }[name]  # fmt: skip


def product(words: list[str], signed: bool, x: int, y: int, z: int) -> int:
    """vmad: operands come with their signs; the sum is shifted and clamped."""
    total = x * y + z + ("po" in words)
    total >>= next((int(word[3:]) for word in words if word.startswith("shr")), 0)
    return clamped(total, 32, "s32" if signed else "u32") if "sat" in words else total


def answer(text: str, values: dict[str, int]) -> int:
    """Return what an instruction such as `vadd2.u32.u32.s32 %o.h1, %a.h21, %b, %c` gives."""
    opcode, _, rest = text.rstrip(";").partition(" ")
    name, *words = opcode.split(".")
    count = int(name[-1]) if name[-1].isdigit() else 1
    name = name.rstrip("24")
    kinds = [word for word in words if word in ("u32", "s32")]
    kind, *kinds = kinds if len(kinds) == 3 else ["u32", *kinds]
    target, *sources = re.findall(r"(-?)%(\w)(?:\.([bh])(\d+))?", rest)
    bits = {"": 32 // count, "b": 8, "h": 16}
    if count > 1:
        both = values[sources[0][1]] | values[sources[1][1]] << 32
        size, parts = 32 // count, []
        for which, (_, _, _, digits) in enumerate(sources[:2]):
            chosen = [int(d) for d in reversed(digits)] if digits else list(range(count * which, count * (which + 1)))
            parts.append([extended(both >> size * place, size, kinds[which]) for place in chosen])
        result = values[sources[2][1]]
        for place in range(count):
            if target[3] and str(place) not in target[3]:
                continue
            part = combined(name, words, parts[0][place], parts[1][place])
            if "add" in words:
                result += part
                continue
            part = clamped(part, size, kind) if "sat" in words else part
            mask = (1 << size) - 1
            result = result & ~(mask << size * place) | (part & mask) << size * place
        return result & WORD
    x, y = (
        extended(values[letter] >> bits[unit] * int(place or 0), bits[unit], source_kind)
        for (_, letter, unit, place), source_kind in zip(sources[:2], kinds, strict=True)
    )
    if name == "vmad":
        negated = [bool(sign) for sign, *_ in sources]
        signed = "s32" in kinds or any(negated)
        z = extended(values[sources[2][1]], 32, "s32" if signed else "u32")
        return product(words, signed, -x if negated[0] else x, -y if negated[1] else y, -z if negated[2] else z) & WORD
    value = combined(name, words, x, y)
    if "sat" in words:
        value = clamped(value, bits[target[2]], kind)
    second = next((word for word in words if word in SECOND), None)
    if second:
        value = SECOND[second](value, extended(values[sources[2][1]], 32, kind))
    if target[2]:
        mask, first = (1 << bits[target[2]]) - 1, bits[target[2]] * int(target[3])
        value = values[sources[2][1]] & ~(mask << first) | (value & mask) << first
    return value & WORD


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_video_instruction(row):
    """Each gives what the manual's steps give: extend, combine, clamp, then a second operation or a merge."""
    tuples = operand_tuples(row)
    texts = row.body.split("\n")
    for operands, got in zip(tuples, run_row(row, tuples), strict=True):
        values = dict(zip("abc", operands, strict=True))
        for text, bits in zip(texts, got, strict=True):
            assert bits == answer(text, values), (text, [f"{value:#x}" for value in operands])


def halves(word: int, signed: bool) -> list[int]:
    """Return both 16-bit integers of a word."""
    return [extended(word >> first, 16, "s" if signed else "u") for first in (0, 16)]


@pytest.mark.parametrize("kind", ["u16x2", "s16x2"])
@pytest.mark.parametrize("name", ["add", "min", "max", "min.relu", "max.relu"])
def test_pairs_of_integers(name, kind):
    """Both halves by themselves; `.relu` (of signed ones) raises negative results to 0."""
    if "relu" in name and kind == "u16x2":
        return
    row = variant(f"{name}.{kind}", "b32 b32", "b32")
    operation, least = SECOND[name[:3]], 0 if "relu" in name else -(1 << 16)
    tuples = operand_tuples(row)
    for (x, y), (got,) in zip(tuples, run_row(row, tuples), strict=True):
        both = zip(halves(x, kind[0] == "s"), halves(y, kind[0] == "s"), strict=True)
        low, high = (max(operation(a, b), least) & 0xFFFF for a, b in both)
        assert got == low | high << 16


@pytest.mark.parametrize("name", ["min", "max"])
def test_relu_of_an_integer(name):
    """A negative result is 0."""
    row = variant(f"{name}.relu.s32", "s32 s32", "s32")
    tuples = operand_tuples(row)
    for (x, y), (got,) in zip(tuples, run_row(row, tuples), strict=True):
        assert got == max(SECOND[name](extended(x, 32, "s"), extended(y, 32, "s")), 0)


@pytest.mark.parametrize("negated", ["", "!"])
@pytest.mark.parametrize("combine", ["and", "or"])
@pytest.mark.parametrize("table", [0x00, 0x80, 0x96, 0xEA])
def test_lookup_with_a_predicate(table, combine, negated):
    """The second result says whether the first is not 0, and (or) a predicate; `_` leaves the first out."""
    row = Variant(
        f"lop3.{combine} {table} {negated}", ("b32", "b32", "b32", "pred"), ("b32", "pred", "pred"),
        ("b32", "b32", "b32", "pred"),
        f"lop3.{combine}.b32 %o|%q, %a, %b, %c, {table}, {negated}%d;\n"
        f"lop3.{combine}.b32 _|%r, %a, %b, %c, {table}, {negated}%d;",
        must=tuple((0, 0, z, q) for z in (0, WORD) for q in (0, 1)),
    )  # fmt: skip
    tuples = operand_tuples(row)
    for (x, y, z, q), (value, verdict, again) in zip(tuples, run_row(row, tuples), strict=True):
        bits = [(table >> (4 * (x >> i & 1) + 2 * (y >> i & 1) + (z >> i & 1))) & 1 for i in range(32)]
        wanted = sum(bit << i for i, bit in enumerate(bits))
        other = bool(q) != bool(negated)
        assert value == wanted
        assert verdict == again == int((wanted != 0 and other) if combine == "and" else (wanted != 0 or other))


@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        ("__vabsdiffu4(x, y)", lambda x, y: np.abs(x.astype(int) - y).astype(np.uint8)),
        ("__vsadu4(x, y)", lambda x, y: np.abs(x.astype(int) - y).sum()),
        ("__vmaxs4(x, y)", lambda x, y: np.maximum(x.view(np.int8), y.view(np.int8))),
        ("__vaddus4(x, y)", lambda x, y: np.minimum(x.astype(int) + y, 255).astype(np.uint8)),
        ("__vavgu4(x, y)", lambda x, y: ((x.astype(int) + y + 1) >> 1).astype(np.uint8)),
        ("__vcmpgtu4(x, y)", lambda x, y: np.where(x > y, 255, 0).astype(np.uint8)),
        ("__vmaxs2(x, y)", lambda x, y: np.maximum(x.view(np.int16), y.view(np.int16))),
        ("__vminu2(x, y)", lambda x, y: np.minimum(x.view(np.uint16), y.view(np.uint16))),
        ("__vadd2(x, y)", lambda x, y: x.view(np.uint16) + y.view(np.uint16)),
        ("__viaddmax_s16x2_relu(x, y, 0)", lambda x, y: np.maximum(x.view(np.int16) + y.view(np.int16), 0)),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_intrinsics_of_cuda(call, wanted):
    """What CUDA's SIMD functions compile to."""
    source = f"""extern "C" __global__ void kernel(const unsigned* a, const unsigned* b, unsigned* c) {{
        unsigned x = a[threadIdx.x], y = b[threadIdx.x];
        c[threadIdx.x] = {call};
    }}"""
    x, y = np.random.default_rng(1).integers(0, 1 << 32, (2, 64), np.uint32)
    got = np.zeros(64, np.uint32)
    launch(source, x, y, got, block=64)

    for a, b, c in zip(x.view(np.uint8).reshape(-1, 4), y.view(np.uint8).reshape(-1, 4), got, strict=True):
        expected = wanted(a, b)
        assert int(c) == int(expected.view(np.uint32)[0] if expected.shape else expected)


def test_video_instruction_is_one_instruction():
    """However many rows it takes, it is counted once."""
    source = """extern "C" __global__ void kernel(unsigned* a) {
        unsigned x = a[threadIdx.x];
        asm("vabsdiff4.u32.u32.u32.add %0, %0, %1, %1;" : "+r"(x) : "r"(threadIdx.x));
        a[threadIdx.x] = x;
    }"""
    without = launch(source.replace("vabsdiff4.u32.u32.u32.add %0, %0, %1, %1;", ""), np.zeros(32, np.uint32))
    result = launch(source, np.zeros(32, np.uint32))

    assert result.counts.warp_instructions == without.counts.warp_instructions + 1


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("vadd.u32.u32.u32 %r1, %f1.b0, %r2", "%f1 is a register of type .f32"),
        ("vadd.u32.u32.u32 %p1, %r1, %r2", "%p1 is a register of type .pred"),
        ("vadd4.u32.u32.u32 %r1, %r1, %r2", "takes 4 operands, and has 3"),
        ("vadd4.u32.u32.u32.fast %r1, %r1, %r2, %r3", "vadd4 has no .fast"),
        ("min.s16x2 %f1, %f1, %f1", "%f1 is a register of type .f32"),
        ("lop3.xor.b32 %r1|%p1, %r1, %r2, %r3, 1, %p1", "lop3 has no .xor"),
    ],
)
def test_wrong_operands_are_refused(text, complaint):
    """As ptxas does, when the module is loaded."""
    body = f".reg .b32 %r<4>; .reg .f32 %f<2>; .reg .pred %p<2>;\n{text};\nret;"
    with pytest.raises(PtxSyntaxError, match=re.escape(complaint)):
        launch(entry_of("kernel", [], body))


def test_branch_by_table_with_a_predicate():
    """Lanes that do not take it go on behind it, and all meet again."""
    body = """.reg .b32 %r<5>; .reg .pred %p<2>; .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [p0];
    mov.u32 %r1, %tid.x;
    and.b32 %r2, %r1, 3;
    mov.u32 %r3, 7;
    setp.lt.u32 %p1, %r1, 20;
    targets: .branchtargets first, second, third;
    @%p1 brx.idx %r2, targets;
    mov.u32 %r3, 9;
    bra last;
    first: mov.u32 %r3, 1; bra last;
    second: mov.u32 %r3, 2; bra last;
    third: mov.u32 %r3, 3;
    last: activemask.b32 %r4;
    mad.wide.u32 %rd2, %r1, 8, %rd1;
    st.global.v2.u32 [%rd2], {%r3, %r4};
    ret;"""
    got = np.zeros((32, 2), np.uint32)
    launch(entry_of("kernel", ["u64"], body), got)

    lanes = np.arange(32)
    np.testing.assert_array_equal(got[:, 0], np.where(lanes < 20, np.minimum(lanes % 4, 2) + 1, 9))
    assert (got[:, 1] == WORD).all()
