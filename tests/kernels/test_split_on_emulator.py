"""float32 products by 16-bit parts on the emulator, which adds as tensor cores do: every path, every kind of number."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.kernels.plan_on_emulator import check_on_emulator
from tests.kernels.split_products import (
    ARCHITECTURE,
    ONE,
    PRECISIONS,
    QUICK,
    SplitCase,
    multiplied,
    multiplied_and_asked,
    split_cases,
)
from tests.lab.planted.watching import all_observers
from tests.repeats import sampled
from tilewright.emulate import Emulator

SIDE = 66
"""Rows and columns of the matrices below: two tiles each way."""
FEW = 24
"""Rows and columns where numbers matter alone, not tiles; the inner size stays that of more than a step."""


@pytest.fixture(scope="module")
def emulator():
    """One emulator for all products."""
    return Emulator()


@pytest.fixture
def random():
    """Numbers that are the same each time."""
    return np.random.default_rng(15)


def checked(case: SplitCase, emulator: Emulator, watching=()) -> None:
    """Compare every element, inside C and outside it; small integers are exact in any order of the sums."""
    product = case.product()
    check_on_emulator(product, case.launches(product), emulator, ARCHITECTURE, watching)


@pytest.mark.parametrize("case", QUICK, ids=str)
def test_each_path(emulator, case):
    """Clusters, split-K, batches, epilogues, unaligned operands, sums in memory: one case of each."""
    checked(case, emulator)


@pytest.mark.slow
@pytest.mark.parametrize("case", sampled(case for case in dict.fromkeys(split_cases()) if case not in QUICK), ids=str)
def test_awkward_products(emulator, case):
    """The same paths at sizes around their tiles."""
    checked(case, emulator)


def test_no_observer_accuses(emulator):
    """Consumers that take turns, stages and sums in memory race nowhere."""
    watching = all_observers()

    checked(SplitCase((72, 136, 200), replace(ONE, block_m=128, consumers=2)), emulator, watching)

    assert [found for observer in watching for found in observer.findings if found.severity == "error"] == []


def error_of(c, a, b) -> tuple[float, float]:
    """The normwise error, and the largest componentwise one in units of 2^-24 |A||B|."""
    exact, size = (f(a.astype(np.float64)) @ f(b.astype(np.float64)) for f in (np.positive, np.abs))
    return float(np.linalg.norm(c - exact) / np.linalg.norm(exact)), float(np.max(np.abs(c - exact) / size)) * 2**24


@pytest.mark.parametrize(
    ("precision", "kind", "most"),
    [
        ("bf16x6", "normal", (1.1e-7, 1.0)),
        ("bf16x6", "positive", (8e-8, 5)),
        ("fp16x3", "normal", (1.6e-7, 1.5)),
        ("fp16x3", "positive", (1.1e-7, 6)),
    ],
)
def test_sums_do_not_drift(emulator, random, precision, kind, most):
    """Cut off at every step, or not promoted, positive sums would be 2e-6 too small."""
    draw = random.standard_normal if kind == "normal" else random.random
    a, b = (draw((64, 1024)).astype(np.float32), draw((1024, 64)).astype(np.float32))

    error = error_of(multiplied(emulator, a, b, precision), a, b)

    assert error[0] < most[0]
    assert error[1] < most[1]


def test_three_parts_are_the_number(emulator, random):
    """Times the identity each number comes back: of every exponent, the largest and the subnormal ones, too."""
    numbers = np.exp2(random.uniform(-149, 127, (SIDE, SIDE))).astype(np.float32) * random.choice([-1, 1], (SIDE, SIDE))
    numbers[3, :4] = [np.finfo(np.float32).max, -np.finfo(np.float32).max, 2.0**-149, 0]
    identity = np.eye(SIDE, dtype=np.float32)

    np.testing.assert_array_equal(multiplied(emulator, numbers.astype(np.float32), identity, "bf16x6"), numbers)
    np.testing.assert_array_equal(multiplied(emulator, identity, numbers.astype(np.float32), "bf16x6"), numbers)


@pytest.mark.parametrize("precision", PRECISIONS)
def test_what_is_not_finite(emulator, random, precision):
    """Rows with infinities and NaN become what IEEE 754 says; the other rows and a row of zeros stay what they are."""
    a, b = (random.standard_normal((SIDE, SIDE)).astype(np.float32) for _ in range(2))
    a[2, 5], a[40, 7], a[65, 1], a[7] = np.inf, np.nan, -np.inf, 0
    b[1, 9] = 0

    c = multiplied(emulator, a, b, precision)

    with np.errstate(invalid="ignore"):
        exact = a.astype(np.float64) @ b.astype(np.float64)
    np.testing.assert_array_equal(np.isnan(c), np.isnan(exact))
    np.testing.assert_array_equal(c[np.isinf(exact)], exact[np.isinf(exact)])
    np.testing.assert_allclose(c[np.isfinite(exact)], exact[np.isfinite(exact)], rtol=0, atol=2e-5)
    assert not c[7].any()


@pytest.mark.parametrize("precision", PRECISIONS)
def test_parts_may_overflow_where_numbers_do_not(emulator, precision):
    """The rounded high parts of these have an infinite product, the numbers themselves do not."""
    large = np.float32(1.9999 * 2.0**63)
    a, b = np.full((SIDE, 1), large), np.full((1, SIDE), large)

    np.testing.assert_array_equal(multiplied(emulator, a, b, precision), a * b)


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("powers", [(100, -120), (-145, 80), (-70, -70), (60, 60)])
def test_scaled_far_apart(emulator, random, precision, powers):
    """As accurate as float32's own sums where numbers or sums are huge, tiny or subnormal."""
    shapes = (FEW, SIDE), (SIDE, FEW)
    a, b = (
        random.standard_normal(shape).astype(np.float32) * np.float32(2.0**power)
        for shape, power in zip(shapes, powers, strict=True)
    )

    c = multiplied(emulator, a, b, precision)

    sizes = np.abs(a.astype(np.float64)) @ np.abs(b.astype(np.float64))
    bound = 8 * 2.0**-24 * sizes + SIDE * 2.0**-150
    assert np.all(np.abs(c - a.astype(np.float64) @ b.astype(np.float64)) <= bound)


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("span", [6, 20, 50])
def test_exponents_that_span_k(emulator, random, precision, span):
    """Large numbers of A meet small ones of B; float16 parts that would lose bits are computed again."""
    powers = np.exp2(random.uniform(-span / 2, span / 2, SIDE)).astype(np.float32)
    a, b = (random.standard_normal(shape).astype(np.float32) for shape in ((FEW, SIDE), (SIDE, FEW)))
    a, b = a * powers, b / powers[:, None]

    assert error_of(multiplied(emulator, a, b, precision), a, b)[1] < 4


def test_a_few_numbers_of_few_bits_cost_nothing(emulator, random):
    """Normal numbers have some far below their row's largest; what those lose no sum of this size can tell."""
    a, b = (random.standard_normal((SIDE, SIDE)).astype(np.float32) for _ in range(2))
    a[3, 5], b[7, 11], a[9, :] = 2.0**-31, -(2.0**-30), 0

    c, was_suspect = multiplied_and_asked(emulator, a[:8], b, "fp16x3")

    assert not was_suspect
    assert error_of(c, a[:8], b)[1] < 4


def test_sums_that_are_small_beside_lost_bits_are_computed_again(emulator, random):
    """A sum of zeros but for the number of few bits is that number's product, which has all of them again."""
    a, b = (random.standard_normal((SIDE, SIDE)).astype(np.float32) for _ in range(2))
    a[3, 5], b[:, 2] = np.float32(1.2345678e-9), 0
    b[5, 2] = 1

    c, was_suspect = multiplied_and_asked(emulator, a, b, "fp16x3")

    assert was_suspect
    np.testing.assert_array_equal(c[:, 2], a[:, 5])
