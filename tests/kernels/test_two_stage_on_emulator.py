"""dot/two_stage on the emulator: any lengths, strides and types against exact sums, in memory that nobody cleared."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kernels.plan_on_emulator import run_on_emulator
from tests.kernels.strided_operands import strided
from tests.lab.planted.watching import all_observers
from tilewright.choose import PlanError, find_chip
from tilewright.choose.choice import choose_plan
from tilewright.emulate import Emulator
from tilewright.kernels.dot import two_stage
from tilewright.kernels.dot.two_stage import Division
from tilewright.kernels.problem import Epilogue, Problem

H200 = find_chip("h200")
KINDS = {"bfloat16": "u2"}
SLOW = pytest.mark.slow
BLOCKS = Division(threads=64, team=64, loads=2, blocks_per_sm=1, blocks=5)
ROUNDS = Division(threads=64, team=64, loads=2, blocks_per_sm=1, blocks=5, wave=2, rounds=2)
SHARED = pytest.mark.parametrize("division", [BLOCKS, ROUNDS], ids=["blocks", "rounds"])
"""How blocks share a product: all alike; the first in rounds, the others what is left."""
COLUMNS = Division(threads=64, team=8, loads=2, blocks_per_sm=1, blocks=3, across=True)


@pytest.fixture(scope="module")
def emulator():
    """One emulator for all products."""
    return Emulator()


@dataclass
class Vectors:
    """Products of vectors: A and B are (k,) or (batch, k) views with elements and products ``steps`` apart."""

    a: Any
    b: Any
    dtype: str = "float32"
    out_dtype: str = ""

    @property
    def problem(self) -> Problem:
        """As plans see it, with results side by side."""
        a, b = self.a.operand, self.b.operand
        c = strided((*a.batch, 1, 1), (*((1,) if a.batch else ()), 0, 0), self.results.dtype.name, 0).operand
        column = replace(b, rows=b.columns, columns=1, row_stride=b.column_stride, column_stride=0)
        return Problem(a, column, c, self.dtype, self.out_dtype or self.dtype, operation="dot")

    @property
    def results(self):
        """Room for the results, full of what no sum is."""
        count = self.a.view.shape[0] if self.a.view.ndim == 3 else 1
        dtype = np.dtype(KINDS.get(self.out_dtype or self.dtype, self.out_dtype or self.dtype))
        return np.full(count, 77 if dtype.kind in "iu" else np.nan, dtype)

    def run(self, emulator: Emulator, division: Division | None = None, observers: Any = (), times: int = 1) -> Any:
        """The results of the last of so many runs; those of all have the same bits, and nothing else is written."""
        problem = self.problem
        plan: Any = choose_plan(problem, H200) if division is None else two_stage.divided(problem, division)
        buffers = {"A": self.a.buffer, "B": self.b.buffer, "C": self.results}
        buffers["workspace"] = np.full(plan.workspace_bytes + 16, 0xFF, np.uint8)
        there = {name: emulator.allocate(array.nbytes, name=name) for name, array in buffers.items()}
        for name, array in buffers.items():
            there[name].write(array)
        size = self.a.buffer.itemsize
        firsts = {"A": self.a.first * size, "B": self.b.first * size}
        addresses = {name: there[name].address + firsts.get(name, 0) for name in buffers}
        found = []
        for _ in range(times):
            there["C"].write(buffers["C"])
            run_on_emulator(emulator, plan, addresses, "compute_90", observers)
            found.append(there["C"].read(buffers["C"].dtype, buffers["C"].shape))
        for name in "AB":
            np.testing.assert_array_equal(
                there[name].read(buffers[name].dtype, buffers[name].shape).view("u1"), buffers[name].view("u1")
            )
        assert not there["workspace"].read(np.uint8, (plan.workspace_bytes + 16,))[: plan.workspace_bytes].any()
        for each in there.values():
            each.free()
        assert len({each.tobytes() for each in found}) == 1
        return found[-1]

    def exact(self) -> list[Fraction]:
        """The sums as rational numbers."""
        rows, columns = (each.view.reshape(self.results.size, each.view.shape[-1]) for each in (self.a, self.b))
        return [
            sum((Fraction(x) * Fraction(y) for x, y in zip(row.tolist(), column.tolist(), strict=True)), Fraction(0))
            for row, column in zip(rows, columns, strict=True)
        ]

    def check(self, emulator: Emulator, division: Division | None = None, **options: Any) -> None:
        """The results are the exact sums, rounded once; Dot2's to one unit in the last place."""
        found = self.run(emulator, division, **options)
        for result, exact in zip(found, self.exact(), strict=True):
            if found.dtype.kind in "iu":
                assert int(result) == int(exact)
            else:
                expected = nearest(exact, found.dtype)
                assert abs(Fraction(float(result)) - Fraction(float(expected))) <= (
                    Fraction(float(np.spacing(np.abs(expected))))
                )


def nearest(exact: Fraction, dtype: Any) -> Any:
    """A rational number as a float, through float64, which is exact enough for a comparison to one last place."""
    return np.dtype(dtype).type(float(exact))


def vectors(
    k: int,
    dtype: str = "float32",
    *,
    batch: int | None = None,
    steps: tuple[int, int] = (1, 1),
    offsets: tuple[int, int] = (0, 0),
    across: bool = False,
    out_dtype: str = "",
) -> Vectors:
    """Random vectors whose elements are so far apart; ``across``: those of other products lie between them."""
    rng = np.random.default_rng(k)
    made = []
    for step, offset in zip(steps, offsets, strict=True):
        width = batch or 1
        of_batch, of_k = (1, step * width) if across else (abs(step) * k + 3, step)
        shape, strides = ((1, k), (0, of_k)) if batch is None else ((batch, 1, k), (of_batch, 0, of_k))
        integers = np.dtype(dtype).kind in "iu"
        one = strided(shape, strides, dtype, 99 if integers else np.nan, offset=offset)
        one.view[...] = rng.integers(0, 5, shape) if integers else rng.uniform(0.5, 1, shape)
        made.append(one)
    return Vectors(made[0], made[1], dtype, out_dtype)


@pytest.mark.parametrize("k", [0, 1, 31, 33, 1021, pytest.param(9001, marks=SLOW)])
@pytest.mark.parametrize(
    "dtype", ["float32", "float64", *(pytest.param(dtype, marks=SLOW) for dtype in ("float16", "int8", "int64"))]
)
def test_lengths(emulator, dtype, k):
    """As planned for a chip: one block, several that hand over their sums; the same bits each time."""
    steps = 0 if dtype == "int8" and k > 1000 else 1  # what fits
    vectors(k, dtype, steps=(steps, 1), out_dtype="int32" if dtype == "int8" else "").check(emulator, times=2)


@SHARED
@pytest.mark.parametrize("is_plain", [False, True])
@pytest.mark.parametrize("k", [0, 5, 511, 2048, 2049, 5000])
def test_tiles(emulator, division, is_plain, k):
    """None at all, one in part, as many as the rounds have, one more; others go to the blocks after the wave."""
    vectors(k, "float32").check(emulator, replace(division, is_plain=is_plain), times=2)


def test_what_is_plain():
    """One product, contiguous, from 16 bytes on."""
    plain = Problem.of("dot", 1, 1, 2**20, "float32")
    others = (
        replace(plain, a=replace(plain.a, alignment_bytes=4)),
        replace(plain, b=replace(plain.b, row_stride=2)),
        vectors(2**15, batch=2).problem,
    )
    assert [two_stage.division_of(each, H200).is_plain for each in (plain, *others)] == [True, False, False, False]


@pytest.mark.slow
@SHARED
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("offsets", [(1, 1), (0, 1), (3, 1), (2, 0)])
def test_misaligned(emulator, division, dtype, offsets):
    """Vectors of every width: what both addresses allow."""
    vectors(1500, dtype, offsets=offsets).check(emulator, division)


@SHARED
@pytest.mark.parametrize("steps", [(-1, -1), (-1, 2), (0, 1), (3, -2)])
def test_strides(emulator, division, steps):
    """Backwards, the same number again and again, with gaps."""
    vectors(777, steps=steps).check(emulator, division)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["float16", "float64"])
@pytest.mark.parametrize(
    "division",
    [BLOCKS, ROUNDS, COLUMNS, *(Division(64, team, 2, 4) for team in (1, 8, 32))],
    ids=["blocks", "rounds", "columns", "one", "eight", "warp"],
)
def test_batches(emulator, dtype, division):
    """Blocks, teams of a warp's threads, and columns; the last team has fewer products than it could."""
    for k in (0, 3, 101):
        vectors(k, dtype, batch=11, across=division.across, offsets=(1, 1)).check(emulator, division)


@pytest.mark.parametrize(
    "division",
    [BLOCKS, ROUNDS, COLUMNS, Division(64, 8, 2, 4)],
    ids=["blocks", "rounds", "columns", "teams"],
)
def test_every_observer_is_content(emulator, division):
    """No race between blocks, nothing read before it was written but what is handed over."""
    watching = all_observers()
    vectors(700, batch=3, across=division.across).check(emulator, division, observers=watching)
    errors = [finding for observer in watching for finding in observer.findings if finding.severity == "error"]
    assert errors == []


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(
    k=st.integers(0, 300),
    steps=st.tuples(st.integers(-3, 3), st.integers(-3, 3)),
    offsets=st.tuples(st.integers(0, 7), st.integers(0, 7)),
    batch=st.one_of(st.none(), st.integers(1, 5)),
    dtype=st.sampled_from(["float16", "float32", "float64"]),
)
def test_any_layout(emulator, k, steps, offsets, batch, dtype):
    """Whatever the plan for a chip does with it."""
    vectors(k, dtype, steps=steps, offsets=offsets, batch=batch).check(emulator)


def test_the_sum_of_the_seed(emulator):
    """10,000 products of the square root of 2 with itself, in double: as correctly rounded, and 20000.00."""
    case = vectors(10_000, "float64")
    case.a.view[...] = case.b.view[...] = np.sqrt(2.0)
    (result,) = case.run(emulator)

    assert (result, f"{result:.2f}") == (float(case.exact()[0]), "20000.00")


def test_dot2_keeps_what_float64_rounds_away(emulator):
    """Sums that cancel to far below a unit in the last place of their terms."""
    case = vectors(1001, "float64")
    case.a.view[0, 500:1000] = -case.a.view[0, :500]
    case.b.view[0, 500:1000] = case.b.view[0, :500]
    case.a.view[0, 1000] = case.b.view[0, 1000] = 1e-13

    assert case.run(emulator)[0] == pytest.approx(1e-26, rel=1e-3)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_what_is_not_finite(emulator, dtype):
    """Overflow, infinity and NaN are IEEE's."""
    case, largest = vectors(100, dtype), float(np.finfo(dtype).max)
    case.a.view[...] = case.b.view[...] = largest
    assert case.run(emulator)[0] == np.inf
    case.a.view[0, :50], case.a.view[0, 50:], case.b.view[...] = -np.inf, 1, 1
    assert case.run(emulator)[0] == -np.inf
    case.a.view[0, 99] = np.inf
    assert np.isnan(case.run(emulator)[0])


def test_a_wider_result(emulator):
    """Products of float32 whose sum float32 does not have; of bfloat16, whose range float32 does not exceed."""
    case = vectors(2, out_dtype="float64")
    case.a.view[0], case.b.view[0] = (1, 2.0**-40), (1, 1)
    assert case.run(emulator)[0] == 1 + 2.0**-40

    large = strided((1, 3), (0, 1), "u2", 0)
    large.view[...] = np.array([2.0**100] * 3, "f4").view("u4") >> 16
    assert Vectors(large, large, "bfloat16", "float64").run(emulator)[0] == 3 * 2.0**200


@pytest.mark.slow
def test_bfloat16_is_rounded_once(emulator):
    """To the nearest, from a sum that is exact."""
    for k in (1, 257, 1003):
        ones = strided((1, k), (0, 1), "u2", 0)
        ones.view[...] = 0x3F80
        (bits,) = Vectors(ones, ones, "bfloat16").run(emulator)
        exact = np.array([k], "f4").view("u4")[0]
        assert bits == (int(exact) + 0x7FFF + (int(exact) >> 16 & 1)) >> 16


def test_what_it_refuses():
    """Matrices, an epilogue, a tile; each in a sentence."""
    row = Problem.of("matmul", 1, 1, 8, "float32")
    for problem, tile, said in (
        (Problem.of("matmul", 2, 1, 8, "float32"), None, "takes two vectors, or a batch of them"),
        (replace(row, epilogue=Epilogue(alpha=2)), None, "stores the sum as it is, without 2 AB"),
        (row, 16, "has no tile to set"),
    ):
        refusal = two_stage.refusal(problem, H200, tile)
        assert refusal is not None
        assert said in refusal
    with pytest.raises(PlanError, match="C is int8 or int16 or int32 or int64 for inputs in int8, not uint8"):
        replace(Problem.of("dot", 1, 1, 8, "int8"), out_dtype="uint8")


def test_who_takes_it():
    """A GPU for all products of vectors, those of matmul among them; not with an epilogue, and not an old chip."""
    row = Problem.of("matmul", 1, 1, 4096, "float32")
    assert choose_plan(row, H200).kernel.name == "dot/two_stage"
    assert choose_plan(Problem.of("dot", 1, 1, 4096, "int32"), H200).kernel.name == "dot/two_stage"
    assert choose_plan(replace(row, epilogue=Epilogue(alpha=2)), H200).kernel.name != "dot/two_stage"
    assert choose_plan(Problem.of("matmul", 1, 2, 4096, "float32"), H200).kernel.name != "dot/two_stage"


@pytest.mark.parametrize(
    ("power", "blocks", "wave", "rounds"),
    [(12, 1, 0, 0), (14, 16, 0, 0), (19, 256, 0, 0), (20, 256, 0, 0), (22, 992, 528, 3), (24, 1328, 528, 14)],
)
def test_who_has_what(power, blocks, wave, rounds):
    """In float64: one block, one for each tile, or for two, and a wave of blocks with most of the tiles."""
    found = two_stage.division_of(Problem.of("dot", 1, 1, 2**power, "float64"), H200)

    assert (found.blocks, found.wave, found.rounds) == (blocks, wave, rounds)
    if wave:  # every tile has a block, and each block after the wave has one
        assert wave * rounds + blocks - wave == 2**power // (found.threads * found.loads * 2)
