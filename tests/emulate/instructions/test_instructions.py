"""Every instruction of the table gives the H200's bits in the emulator."""

from __future__ import annotations

import functools
import struct
from typing import Any

import numpy as np
import pytest

from tests.emulate.instructions.module import module_text
from tests.emulate.instructions.table import ROWS, read_expected
from tests.emulate.instructions.values import digest, operand_tuples
from tests.emulate.instructions.variants import WIDTH_BITS, Judge, Variant
from tests.emulate.running import entry_of, launch
from tilewright.emulate import UnsupportedInstruction

FLOAT_FORM = {"f16": (5, 10), "bf16": (8, 7), "f32": (8, 23), "f64": (11, 52)}
PACKED = {"f16x2": "f16", "bf16x2": "bf16"}


@functools.cache
def expected() -> dict[str, Any]:
    """Return what the hardware answered, per row."""
    return dict(read_expected()["results"])


def is_nan(bits: int, kind: str) -> bool:
    """Whether `bits` is a NaN of the float type `kind`."""
    exponent, fraction = FLOAT_FORM[kind]
    return (bits & ((1 << (exponent + fraction)) - 1)) > ((1 << exponent) - 1) << fraction


def ordinal(bits: int, kind: str) -> int:
    """Return the place of a float among all of its type, so that neighbors differ by one; zeros are one."""
    exponent, fraction = FLOAT_FORM[kind]
    magnitude = bits & ((1 << (exponent + fraction)) - 1)
    return -magnitude if bits >> (exponent + fraction) else magnitude


def value(bits: int, kind: str) -> float:
    """Return the number that `bits` stand for."""
    if kind == "f64":
        return float(struct.unpack("<d", struct.pack("<Q", bits))[0])
    return float(struct.unpack("<f", struct.pack("<I", bits << 16 if kind == "bf16" else bits))[0])


def agrees(got: int, want: int, kind: str, judge: Judge) -> bool:
    """Whether an answer is the hardware's, within the row's tolerance."""
    if kind in PACKED:
        half = PACKED[kind]
        return agrees(got & 0xFFFF, want & 0xFFFF, half, judge) and agrees(got >> 16, want >> 16, half, judge)
    if kind not in FLOAT_FORM or got == want:
        return got == want
    if judge.exact or is_nan(got, kind) or is_nan(want, kind):
        return False
    if abs(ordinal(got, kind) - ordinal(want, kind)) <= judge.ulp:
        return True
    return kind != "f16" and abs(value(got, kind) - value(want, kind)) <= judge.absolute


def run_row(row: Variant, tuples: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Return the emulator's result bits, case by case."""
    operands = np.array(tuples, dtype=np.uint64)
    results = np.zeros((len(tuples), len(row.outs)), dtype=np.uint64)
    launch(module_text([row]), operands, results, block=len(tuples), entry="case_0")
    masks = [(1 << WIDTH_BITS[kind]) - 1 for kind in row.outs]
    return [tuple(int(bits) & mask for bits, mask in zip(case, masks, strict=True)) for case in results]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_instruction_gives_the_bits_of_the_hardware(row):
    """A row's answers are the hardware's to the bit, or within the stated error where it approximates."""
    tuples = operand_tuples(row)
    kept = expected()[row.name]
    assert kept["operands"] == digest(tuples), "The operands changed: run tests/gpu/fill_instruction_table.py again."
    try:
        answers = run_row(row, tuples)
    except UnsupportedInstruction:
        if not row.optional:
            raise
        return
    wanted = [tuple(int(bits, 16) for bits in case.split(":")) for case in kept["bits"].split()]
    differing = [
        f"{[f'{operand:#x}' for operand in operands]}: {[f'{bits:#x}' for bits in got]}, "
        f"the hardware {[f'{bits:#x}' for bits in want]}"
        for operands, got, want in zip(tuples, answers, wanted, strict=True)
        if not all(agrees(a, b, kind, row.judge) for a, b, kind in zip(got, want, row.outs, strict=True))
    ]
    assert not differing, "\n".join([f"{len(differing)} of {len(tuples)} cases differ", *differing[:12]])


def test_table_names_its_origin():
    """The expected bits say which device, driver and day they come from."""
    assert set(read_expected()["origin"]) >= {"device", "compute_capability", "driver", "date"}


def test_table_holds_every_row_once():
    """Names are unique and the file holds neither more nor fewer rows than the table."""
    names = [row.name for row in ROWS]

    assert len(set(names)) == len(names)
    assert set(expected()) == set(names)


@pytest.mark.parametrize("instruction", ["addc.u32 %r2, 0, 0", "subc.u32 %r2, 5, 0", "madc.lo.u32 %r2, 1, 1, 0"])
def test_only_cc_changes_the_carry(instruction):
    """Without it an instruction reads the carry and leaves it to the next one, as the manual of PTX has it."""
    body = f"""    .reg .b32 %r<4>; .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [p0];
    mov.u32 %r1, 0xffffffff;
    add.cc.u32 %r3, %r1, 1;
    {instruction};
    addc.u32 %r3, 0, 0;
    st.global.u32 [%rd1], %r3;
    ret;"""
    carry = np.zeros(1, np.uint32)
    launch(entry_of("kernel", ["u64"], body), carry)

    assert carry.tolist() == [1]
