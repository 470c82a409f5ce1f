"""tf32 products on the emulator: every path, awkward sizes and layouts, and numbers that tf32 rounds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from tests.kernels.hopper_products import ACROSS, DOWN, FULL, NARROW, ONE, SQUARE, TWO, WIDE, HopperCase
from tests.kernels.plan_on_emulator import held_by, run_on_emulator
from tests.kernels.test_hopper_on_emulator import ARCHITECTURE, checked
from tests.lab.planted.watching import all_observers
from tests.repeats import sampled
from tilewright import matmul
from tilewright.emulate import Emulator
from tilewright.kernels.batches import slices
from tilewright.kernels.matmul.wgmma import part_launches
from tilewright.kernels.matmul.wgmma_tile import WgmmaTile
from tilewright.kernels.operand import packed
from tilewright.kernels.problem import Problem

ALIGNED, ODD = ((64, 64, 64), (56, 72, 120), (136, 72, 200), (8, 264, 72)), ((1, 1, 1), (63, 65, 67), (65, 1, 129))
MORE_ODD = ((1, 67, 64), (131, 61, 37), (66, 62, 94), (2, 3, 5))
TIE = 2.0**-11
"""Half of tf32's last place at 1."""


def case(sizes, tile=ONE, layouts="NNN", **more) -> HopperCase:
    """A product of float32; the tile's k is for 16 bits."""
    return HopperCase(sizes, tile, layouts, "float32", **more)


def cases() -> Iterator[HopperCase]:
    """Yield every path with the sizes that it gets wrong first."""
    for sizes in (*ALIGNED, *ODD, *MORE_ODD):
        yield case(sizes)
    for sizes in (ALIGNED[2], *ODD):  # more than a tile, one number, primes, an inner size of 1
        for tile in (TWO, DOWN, ACROSS, SQUARE, WIDE, NARROW):
            yield case(sizes, tile)
        for layouts in ("NTN", "TNN", "TTN", "NNT", "NTT"):
            yield case(sizes, layouts=layouts, epilogue=FULL)
        yield case(sizes, replace(ONE, splits=3), "NTN", epilogue=FULL)
        yield case(sizes, replace(ONE, transposed_problem=True), "NNT", epilogue=FULL)
        yield case(sizes, replace(ONE, splits=2), "TNN", batch=2)
        for layouts in ("NNN", "NTN"):
            yield case(sizes, layouts=layouts, batch=3, epilogue=FULL)
            yield case(sizes, layouts=layouts, offset=1, gap=3)
            yield case(sizes, layouts=layouts, gap=4)
    for width in (8, 24, 48, 96, 160, 192):
        yield case((128, 2 * width, 72), WgmmaTile(128, width, 2), "NTN")
    yield case((192, 128, 64), WgmmaTile(192, 128, 3, consumers=3))
    yield case((256, 128, 136), WgmmaTile(256, 128, 2))
    yield case((64, 128, 256), WgmmaTile(64, 64, 2, consumers=1, block_k=128))
    for layouts in ("NNN", "NTN", "TTN"):
        for sms in (3, 4, 7):
            yield case((136, 136, 264), replace(ONE, stream_k=True), layouts, epilogue=FULL, sms=sms)


QUICK = (
    case((136, 136, 136), replace(ONE, stream_k=True), sms=4),
    case((136, 72, 200), TWO),
    case((136, 72, 200), SQUARE, "NTN"),
    case((63, 65, 67), ONE, "TTN", epilogue=FULL),
    case((56, 72, 200), replace(ONE, splits=3), "TNN", epilogue=FULL),
    case((63, 65, 67), ONE, "NTN", batch=3),
    case((66, 62, 94), replace(ONE, transposed_problem=True), "NNT", offset=1, gap=3),
    case((128, 256, 64), WIDE),
    case((1, 1, 1)),
)


@pytest.fixture(scope="module")
def emulator():
    """One emulator for all products."""
    return Emulator()


@pytest.mark.parametrize("product", QUICK, ids=str)
def test_each_path(emulator, product):
    """Clusters, split-K, batches, epilogues, transposed and unaligned operands: one case of each."""
    checked(product, emulator)


@pytest.mark.slow
@pytest.mark.parametrize("product", sampled(each for each in dict.fromkeys(cases()) if each not in QUICK), ids=str)
def test_awkward_products(emulator, product):
    """The same paths at sizes around their tiles."""
    checked(product, emulator)


@pytest.mark.parametrize("sizes", [(72, 136, 200), (71, 137, 203)])
def test_no_observer_accuses(emulator, sizes):
    """What threads read of an operand that lies across k has come: by the copy engine, and by copies of their own."""
    watching = all_observers()

    checked(case(sizes, TWO), emulator, watching)

    assert [found for observer in watching for found in observer.findings if found.severity == "error"] == []


def test_counted_products(emulator):
    """2 m n k operations where the tiles fit; an instruction of m64nNk8 is four warps'."""
    counts = checked(case((128, 64, 192), TWO, "NTN"), emulator)

    assert counts.matrix_flops == 2 * 128 * 64 * 192
    assert counts.matrix_instructions == 4 * (128 // 64) * (192 // 8)


def as_tf32(values):
    """The nearest numbers of 11 significant bits, ties to even; infinities and NaN as they are."""
    bits = values.view(np.uint32)
    rounded = ((bits + 0xFFF + (bits >> 13 & 1)) & np.uint32(0xFFFFE000)).view(np.float32)
    return np.where(np.isfinite(values), rounded, values)


def multiplied(emulator, a, b):
    """The product of two matrices of float32 with tf32."""
    (m, k), n = a.shape, b.shape[1]
    (part,) = slices(Problem(packed((m, k)), packed((k, n)), packed((m, n)), "float32", "float32"))
    plan = part_launches(part, ONE, 2)
    c = np.full((m, n), np.nan, np.float32)
    with held_by(emulator, {"A": a, "B": b, "C": c}, plan.workspace_bytes) as held:
        run_on_emulator(emulator, plan, {name: each.address for name, each in held.items()}, ARCHITECTURE)
        return held["C"].read(c.dtype, c.shape)


@pytest.mark.parametrize("sizes", [(64, 96, 64), (67, 61, 131), (33, 300, 65)])
def test_numbers_are_rounded_to_the_nearest(emulator, sizes):
    """Within the sums' own error of the product of rounded numbers, which truncated ones would miss by far."""
    m, k, n = sizes
    random = np.random.default_rng(15)
    a, b = random.standard_normal((m, k)).astype(np.float32), random.random((k, n)).astype(np.float32)

    c = multiplied(emulator, a, b)

    exact, size = (as_tf32(f(a)).astype("f8") @ as_tf32(f(b)).astype("f8") for f in (np.positive, np.abs))
    assert (np.abs(c - exact) <= (k + 8) * 2.0**-24 * size).all()


def test_ties_and_what_is_not_finite(emulator):
    """Ties go to even, at every exponent; infinities and NaN stay so, and what rounds beyond the range is infinite."""
    ones = np.array([1 + TIE, 1 + 3 * TIE, 1 + TIE + 2.0**-23, 1 - TIE / 2, -(1 + TIE), 2.0**-130], np.float32)
    large = np.array([np.finfo(np.float32).max, np.inf, -np.inf, np.nan], np.float32)
    a = np.concatenate([ones, large])[:, None]

    c = multiplied(emulator, np.ascontiguousarray(a), np.ones((1, 4), np.float32))

    expected = [1, 1 + 4 * TIE, 1 + 2 * TIE, 1, -1, 2.0**-130, np.inf, np.inf, -np.inf, np.nan]
    np.testing.assert_array_equal(c, np.repeat(np.array(expected, np.float32)[:, None], 4, axis=1))


@pytest.mark.parametrize("more", [{}, {"batch": 3}])
def test_matmul_takes_it(more):
    """The public function plans it and says what was computed."""
    random = np.random.default_rng(1)
    shape = (more["batch"],) if more else ()
    a, b = random.integers(-4, 5, (*shape, 65, 33)).astype("f4"), random.integers(-4, 5, (*shape, 33, 30)).astype("f4")

    assert np.array_equal(matmul(a, b, precision="tf32", device="emulator"), a @ b)
