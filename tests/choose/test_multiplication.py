"""Multiplications as data: what is accepted, what the copy engine can address, how batches flatten."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from tilewright.kernels.batches import BatchSlice, flattened, slices
from tilewright.kernels.operand import Operand, packed
from tilewright.kernels.problem import Epilogue, Problem
from tilewright.kernels.refusals import PlanError


def multiplication(*batch: int, m: int = 6, k: int = 5, n: int = 4, **changes: Any) -> Problem:
    """Return a small product of packed matrices, changed as told."""
    plain = Problem(packed((*batch, m, k)), packed((*batch, k, n)), packed((*batch, m, n)), "bfloat16", "bfloat16")
    return replace(plain, **changes)


@pytest.mark.parametrize(
    ("operand", "major", "leading"),
    [
        (Operand(6, 5, 5, 1), "row", 5),
        (Operand(6, 5, 1, 6), "column", 6),
        (Operand(6, 5, 10, 2), None, None),
        (Operand(1, 5, 77, 1), "row", 8),
        (Operand(1, 5, 77, 3), "column", 3),  # one row with gaps: columns of one element, 3 apart
        (Operand(6, 1, 1, 99), "column", 8),
        (Operand(6, 1, 3, 99), "row", 3),
        (Operand(1, 1, 9, 9), "row", 8),
        (Operand(6, 5, -5, 1), "row", -5),
        (Operand(6, 5, 0, 1), "row", 0),
    ],
)
def test_the_direction_in_which_elements_are_neighbours(operand, major, leading):
    """A matrix is row-major, column-major or neither; an extent of 1 is never walked."""
    assert (operand.major, operand.leading_stride) == (major, leading)
    mirrored = operand.transposed
    if 1 not in {operand.rows, operand.columns}:
        assert mirrored.major == {"row": "column", "column": "row", None: None}[major]
        assert mirrored.leading_stride == leading
    assert mirrored.transposed == operand


@pytest.mark.parametrize(
    ("operand", "why"),
    [
        (packed((64, 64)), None),
        (packed((64, 64)).transposed, None),
        (packed((64, 63)), "stride of 63 elements"),
        (Operand(64, 63, 64, 1), None),
        (packed((64, 64), alignment_bytes=2), "aligned to 2 bytes"),
        (Operand(64, 64, 128, 2), "neither its rows nor its columns"),
        (Operand(64, 64, -64, 1), "stride of -64 elements"),
        (Operand(64, 64, 0, 1), "stride of 0 elements"),
        (packed((3, 64, 64)), None),
        (Operand(64, 64, 64, 1, (3,), (0,)), None),
        (Operand(64, 64, 64, 1, (3,), (4100,)), "stride of 4,100 elements"),
        (Operand(64, 64, 64, 1, (1,), (4100,)), None),
        (Operand(2, 64, 2**40, 1), "2^40"),
        (Operand(1, 63, 63, 1), None),
    ],
)
def test_what_the_copy_engine_can_address(operand, why):
    """TMA wants 16-byte addresses and positive strides in multiples of 16 bytes, one of them a unit."""
    refusal = operand.copy_engine_refusal(2)
    if why is None:
        assert refusal is None
    else:
        assert refusal is not None
        assert why in refusal


def test_how_wide_rows_can_be_read():
    """Address and strides together say how many bytes a load may have."""
    assert packed((64, 64)).vector_bytes(2) == 16
    assert packed((64, 66)).vector_bytes(2) == 4
    assert packed((64, 63)).vector_bytes(2) == 2
    assert packed((64, 64), alignment_bytes=8).vector_bytes(2) == 8
    assert Operand(64, 64, -68, 1).vector_bytes(2) == 8
    assert Operand(64, 64, 128, 2).vector_bytes(2) == 2


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"dtype": "float64"}, "C is float64 for inputs in float64, not bfloat16."),
        ({"out_dtype": "float16"}, "C is bfloat16 or float32 for inputs in bfloat16, not float16."),
        ({"a": packed((6, 7))}, "For C (6, 4), B is (7, 4), not (5, 4)."),
        ({"b": packed((5, 3))}, "For C (6, 4), B is (5, 4), not (5, 3)."),
        ({"b": packed((2, 5, 4))}, "For C (6, 4), B is (5, 4), not (2, 5, 4)."),
        ({"c_operand": packed((6, 4))}, "go together"),
        ({"epilogue": Epilogue(beta=1)}, "go together"),
    ],
)
def test_what_does_not_fit_is_refused_in_a_sentence(change, sentence):
    """Types and shapes are checked when a multiplication is made."""
    with pytest.raises(PlanError, match=re.escape(sentence)):
        multiplication(**change)


def test_extents_and_activations_are_refused_in_a_sentence():
    """So are unknown activations, and sizes beyond 32-bit coordinates where kernels count in them."""
    with pytest.raises(PlanError, match="'relu', 'gelu', 'silu', not 'tanh'"):
        Epilogue(activation="tanh")
    refusal = multiplication(m=2**31, k=1, n=1).extent_refusal()
    assert refusal == "m, n and k are at most 2,147,482,624, not 2,147,483,648: coordinates are 32-bit."


def test_a_multiplication_knows_its_work():
    """Operations and least bytes count what is broadcast once."""
    product_ = multiplication(3, 2)
    assert product_.flops == 2 * 6 * 6 * 5 * 4
    assert product_.least_bytes == 2 * 6 * (30 + 20 + 24)
    shared = replace(product_, b=replace(product_.b, batch_strides=(0, 0)), out_dtype="float32")
    assert shared.least_bytes == 2 * (6 * 30 + 20) + 4 * 6 * 24
    assert str(product_) == "matmul of A (3, 2, 6, 5) and B (3, 2, 5, 4), bfloat16"
    assert str(Epilogue(alpha=0.5, beta=2, bias=True, activation="relu")) == "relu(0.5 AB + 2 c + bias)"


def test_batches_without_gaps_become_one_extent():
    """Packed batches of any rank are one extent."""
    flat = flattened(multiplication(3, 1, 2, 4))
    assert flat.batch == (24,)
    assert (flat.a.batch_strides, flat.b.batch_strides, flat.c.batch_strides) == ((30,), (20,), (24,))


def test_a_broadcast_batch_keeps_two_extents_and_is_not_copied():
    """A dimension that one operand lacks stays apart from one that it has."""
    whole = multiplication(3, 2)
    shared = replace(whole, b=replace(whole.b, batch_strides=(20, 0)))
    assert flattened(shared).batch == (3, 2)
    everywhere = replace(whole, b=replace(whole.b, batch_strides=(0, 0)))
    assert flattened(everywhere).batch == (6,)
    assert flattened(everywhere).b.batch_strides == (0,)


def places(part: BatchSlice) -> list[tuple[int, ...]]:
    """Where each product of a slice begins in A, B and C."""
    operands = (part.part.a, part.part.b, part.part.c)
    offsets = (part.a_offset, part.b_offset, part.c_offset)
    return [
        tuple(
            offset + sum(i * s for i, s in zip(index, operand.batch_strides, strict=True))
            for operand, offset in zip(operands, offsets, strict=True)
        )
        for index in product(*map(range, part.part.batch))
    ]


def test_slices_reach_every_product_once_in_order():
    """What cannot be merged to two extents is several launches."""
    whole = multiplication(2, 3, 2, 4)
    gaps = replace(
        whole,
        a=replace(whole.a, batch_strides=(1000, 0, 61, 7)),
        b=replace(whole.b, batch_strides=(0, 40, 20, 0)),
    )
    parts = slices(gaps)
    assert all(len(part.part.batch) <= 2 for part in parts)
    assert len(parts) == 6
    assert [place for part in parts for place in places(part)] == places(BatchSlice(gaps))
    assert slices(whole) == (BatchSlice(flattened(whole)),)


def test_a_slice_has_the_alignment_of_its_own_address():
    """The second slice of a batch with an odd stride begins at another alignment."""
    whole = multiplication(2, 2, 2, m=8, k=8, n=8)
    moved = replace(whole, a=replace(whole.a, batch_strides=(132, 131, 64)))
    assert [part.part.a.alignment_bytes for part in slices(moved)] == [16, 8]


def test_a_batch_of_nothing_stays_one_of_nothing():
    """No product is no product after flattening."""
    assert flattened(multiplication(3, 0)).batch_count == 0
