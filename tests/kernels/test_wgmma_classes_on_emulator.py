"""Products with few rows or columns and unaligned lines on the emulator, with every observer."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.kernels.integer_product import IntegerProduct
from tests.kernels.plan_on_emulator import check_on_emulator
from tests.lab.planted.watching import all_observers
from tilewright.choose import find_chip
from tilewright.choose.choice import choose_plan
from tilewright.emulate import Emulator
from tilewright.kernels.batches import slices
from tilewright.kernels.matmul import wgmma_classes
from tilewright.kernels.matmul.wgmma_classes import Division
from tilewright.kernels.problem import Epilogue

CHIP = replace(find_chip("h200"), sm_count=2)
FULL = Epilogue(0.5, -2, bias=True, activation="relu")


@pytest.fixture(scope="module")
def emulator():
    """One emulator for all products."""
    return Emulator()


def product(m, k, n, majors, *, gaps=(0, 0, 0), dtype="bfloat16", out_dtype=None, epilogue=None):
    """A product whose operands lie along rows ("N") or columns ("T"), in matrices that are wider by the gaps."""
    shapes = [(m, k), (k, n), (m, n)]
    strides = [
        (width + gap, 1) if major == "N" else (1, height + gap)
        for (height, width), major, gap in zip(shapes, majors, gaps, strict=True)
    ]
    if epilogue is not None:
        shapes.append((m, n))
        strides.append((n + 3, 1))
    return IntegerProduct(dtype, out_dtype or dtype, tuple(shapes), tuple(strides), epilogue=epilogue or Epilogue())


def checked(made, emulator, division=None):
    """Compare every element, inside C and outside it; expect no error of any observer."""
    (part,) = slices(made.multiplication())
    plan = choose_plan(made.multiplication(), CHIP, "wgmma_classes")
    if division is not None:
        found = wgmma_classes.divided(part, division, CHIP)
        plan = replace(plan, launches=found.launches, workspace_bytes=found.workspace_bytes)
    watching = all_observers()
    check_on_emulator(made, plan, emulator, "compute_90a", watching)
    kinds = {found.kind for each in watching for found in each.findings if found.severity == "error"}
    # Rows of partial sums are padded to vectors, and the last one is read as a whole.
    assert kinds <= ({"uninitialised read"} if len(plan.launches) > 1 else set())


@pytest.mark.parametrize("majors", ["NNN", "NTN", "TNN", "TTT"])
@pytest.mark.parametrize(
    ("m", "k", "n"), [(1, 131, 257), (3, 70, 45), (8, 137, 264), (11, 77, 130), (250, 129, 1), (130, 31, 16)]
)
def test_layouts(emulator, majors, m, k, n):
    """Few rows, few columns, every layout, aligned and not."""
    checked(product(m, k, n, majors), emulator)


@pytest.mark.parametrize("gap", range(8))
@pytest.mark.parametrize("majors", ["NNN", "NTN"])
def test_every_boundary(emulator, majors, gap):
    """Lines that begin on one, two, four and eight boundaries."""
    checked(product(2, 72, 136, majors, gaps=(0, gap, 0)), emulator)


@pytest.mark.parametrize("division", [Division(64, 8, 2, 1), Division(64, 8, 3, 3), Division(128, 16, 2, 2)])
@pytest.mark.parametrize("majors", ["NNN", "NTN"])
def test_divisions(emulator, majors, division):
    """Tiles of each size, more stages than fit, k whole and in parts."""
    checked(product(5, 1701, 133, majors), emulator, division)


@pytest.mark.parametrize("majors", ["NNN", "TTT"])
def test_epilogues(emulator, majors):
    """A C operand, a bias for each column, an activation, results in float32."""
    checked(product(3, 70, 85, majors, gaps=(1, 2, 3), dtype="float16", epilogue=FULL), emulator)
    checked(product(139, 70, 5, majors, dtype="float16", out_dtype="float32", epilogue=FULL), emulator)
