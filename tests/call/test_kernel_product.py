"""Kernels asked for by name, on the emulator, from the public functions: results, plans, refusals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tilewright
from tilewright import PlanError, explain, matmul, reduced_matmul
from tilewright.kernels import OPERATIONS, kernels_of

TYPES: dict[str, Any] = {name: np.dtype(name) for name in ("float16", "float32", "float64")}
TYPES["bfloat16"] = np.dtype(ml_dtypes.bfloat16)
UNIT = {"float16": 2.0**-11, "bfloat16": 2.0**-8, "float32": 2.0**-24, "float64": 2.0**-53}
SIDES = {
    "strided": (1, 31, 32, 33, 67),
    "mma_sync_float64": (1, 31, 32, 33, 67),
    "cuda_cores_float32": (1, 31, 32, 33, 67),
    "cuda_cores_16bit": (1, 63, 64, 65, 97),
    "mma_sync": (1, 31, 32, 33, 67),
    "mma_direct": (1, 15, 16, 17, 67),
    "matrix_vector": (1, 7, 8, 9, 2053),
    "few_lines": (1, 2, 3, 4, 331),
    "wgmma_classes": (1, 7, 8, 16, 131),
    "outer_products": (1, 31, 32, 33, 67),
    "short_k": (1, 15, 16, 17, 61),
    "small_batched": (1, 31, 32, 33, 127),
    "wgmma": (1, 63, 64, 65, 97),
    "wgmma_split": (1, 63, 64, 65, 129),
}
"""1, a tile and its neighbours, a prime."""


def cases() -> Iterator[Any]:
    """Each kernel that plans for a chip and that the emulator runs, in each of its types, at sizes that do not fit."""
    for kernel in kernels_of("matmul"):
        if kernel.idea not in SIDES:
            continue
        sides = SIDES[kernel.idea]
        if kernel.idea == "matrix_vector":
            sizes = [(5, 1, side) for side in sides] + [(side, 1, 33) for side in sides[:-1]] + [(0, 1, 4), (5, 1, 0)]
        elif kernel.idea in {"few_lines", "wgmma_classes"}:
            sizes = [(side, sides[-1], 33) for side in sides[:-1]] + [(sides[-1], side, 9) for side in sides[:-1]]
            sizes += [(0, 3, 4), (3, 0, 4)] + ([(3, 2, 0)] if kernel.idea == "few_lines" else [])
        elif kernel.idea == "outer_products":
            sizes = [(m, n, k) for m in sides for n, k in ((1, 1), (64, 4), (65, 5), (67, 32))] + [(0, 3, 4), (5, 6, 0)]
        else:
            sizes = [(side, side, side) for side in sides]
            sizes += [(sides[-1], 1, sides[2]), (1, sides[3], sides[1]), (sides[1], sides[-1], 2)]
            sizes += [(0, 3, 4), (3, 0, 4)] + ([] if kernel.idea == "small_batched" else [(5, 6, 0)])
        for dtype in kernel.dtypes:
            yield pytest.param(kernel.idea, dtype, sizes, id=f"{kernel.idea}-{dtype}")


def check(a: Any, b: Any, c: Any, dtype: str) -> None:
    """Compare with float64: sums are rounded k times in float32 or float64, and the result once in its type."""
    wide, other = a.astype("f8"), b.astype("f8")
    summed = UNIT["float64" if dtype == "float64" else "float32"]
    magnitude = np.abs(wide) @ np.abs(other)
    bound = (a.shape[-1] + 4) * summed * magnitude + UNIT[dtype] * np.abs(wide @ other) + 2.0**-25
    assert c.dtype == TYPES[dtype]
    assert (np.abs(c.astype("f8") - wide @ other) <= bound).all()


@pytest.mark.parametrize(("kernel", "dtype", "sizes"), list(cases()))
def test_awkward_sizes(kernel, dtype, sizes):
    """No elements, one, a tile, one less and one more, a prime: within the bound of float64's result."""
    rng = np.random.default_rng(5)
    for m, n, k in sizes:
        a, b = (rng.standard_normal(shape).astype(TYPES[dtype]) for shape in ((m, k), (k, n)))
        precision = "auto"
        if (kernel, dtype) == ("wgmma", "float32"):  # which multiplies numbers of 11 bits
            a, b, precision = a.astype("f2").astype("f4"), b.astype("f2").astype("f4"), "tf32"
        c = matmul(a, b, kernel=kernel, device="emulator", precision=precision)
        assert c.shape == (m, n)
        check(a, b, c, dtype)


def test_every_kernel_that_the_emulator_executes_is_tried():
    """A kernel that joins the catalogue joins these tests, or those of the seeds' kernels."""
    planned = {k.idea for k in kernels_of("matmul") if "emulator" in k.runs_on and k.planning is not None}
    assert planned == set(SIDES)


@pytest.mark.parametrize("kernel", ["mma_sync", "mma_direct", "short_k", "small_batched", "cuda_cores_16bit"])
def test_a_batch_is_one_launch(kernel):
    """Leading dimensions broadcast, of either side, without a copy; vectors lose their dimension again."""
    rng = np.random.default_rng(3)
    a, b = rng.standard_normal((3, 1, 5, 7)).astype("f2"), rng.standard_normal((2, 7, 4)).astype("f2")

    check(a, b, matmul(a, b, kernel=kernel, device="emulator"), "float16")
    check(a[0, 0, 0], b, matmul(a[0, 0, 0], b, kernel=kernel, device="emulator"), "float16")
    check(a, b[0, :, 0], matmul(a, b[0, :, 0], kernel=kernel, device="emulator"), "float16")
    plan = explain(a, b, kernel=kernel, device="emulator")
    assert (len(plan.launches), plan.problem.batch_count) == (1, 6)


def test_the_seeds_kernels_take_a_launch_for_each_of_a_batch():
    """Of packed matrices, in one plan; of the reduced product too."""
    rng = np.random.default_rng(4)
    a, b = rng.standard_normal((2, 4, 6)), rng.standard_normal((3, 1, 6, 8))
    rows, columns = a[..., 0::2, :] + a[..., 1::2, :], b[..., 0::2] + b[..., 1::2]

    np.testing.assert_allclose(matmul(a, b, kernel="tiled", tile=4, device="emulator"), a @ b)
    np.testing.assert_allclose(reduced_matmul(a, b, kernel="tiled", tile=4, device="emulator"), rows @ columns)
    assert len(explain(a, b, kernel="tiled", device="emulator").launches) == 6


def test_more_products_than_a_call_may_launch():
    """The default takes them in one launch; a seed's kernel that was asked for says what does."""
    a = np.arange(4097 * 4, dtype="f4").reshape(4097, 2, 2) % 7

    np.testing.assert_array_equal(matmul(a, a, device="emulator"), a @ a)
    with pytest.raises(PlanError, match=r"at most 4,096 in a call, not 4,097; matmul/strided takes them in one\."):
        matmul(a, a, kernel="tiled", device="emulator")
    with pytest.raises(PlanError, match=r"not 4,097; take them in parts\."):
        reduced_matmul(a, a, kernel="tiled", device="emulator")


def test_an_epilogue_and_a_wider_result():
    """The sums come back in float32: an epilogue rounds once, and out_dtype not at all."""
    rng = np.random.default_rng(6)
    a, b, bias = (rng.integers(-3, 4, shape).astype("f2") for shape in ((9, 5), (5, 7), (7,)))

    c = matmul(a, b, bias=bias, activation="relu", out_dtype="float32", kernel="mma_sync", device="emulator")

    assert c.dtype == np.float32
    np.testing.assert_array_equal(c, np.maximum(a.astype("f4") @ b.astype("f4") + bias, 0))


@pytest.mark.slow
def test_torchs_tensors_come_back_as_tensors():
    """bfloat16, which NumPy lacks, through its bits."""
    torch = pytest.importorskip("torch")
    a, b = torch.arange(12).reshape(3, 4).bfloat16(), torch.ones(4, 2).bfloat16()

    c = matmul(a, b, kernel="mma_sync", device="emulator")

    assert (c.dtype, c.tolist()) == (torch.bfloat16, [[6, 6], [22, 22], [38, 38]])
    assert explain(a, b, kernel="mma_sync", device="emulator").problem.dtype == "bfloat16"


def test_a_tile_of_rows_and_columns():
    """As on a GPU; the kernel says which it has."""
    a = np.ones((40, 40), "f2")

    assert (matmul(a, a, kernel="mma_sync", tile=(64, 32), device="emulator") == 40).all()
    assert explain(a, a, kernel="mma_sync", tile=(64, 32), device="emulator").tile == (64, 32)
    with pytest.raises(PlanError, match=r"mma_sync has the tiles .*\(128, 128\)"):
        matmul(a, a, kernel="mma_sync", tile=7, device="emulator")


def test_types_that_a_kernel_does_not_take():
    """The types of both operands, in the sentence of the kernel or of the function."""
    narrow, wide = np.ones((4, 4), "f2"), np.ones((4, 4), "f4")
    with pytest.raises(PlanError, match="mma_sync takes float16 or bfloat16, not float32"):
        matmul(wide, wide, kernel="mma_sync", device="emulator")
    with pytest.raises(tilewright.DtypeError, match=r"A is .* float16"):
        matmul(narrow, narrow, kernel="tiled", device="emulator")


@pytest.mark.parametrize("operation", [operation.name for operation in OPERATIONS])
@pytest.mark.parametrize("device", ["host", "emulator"])
def test_explain_answers_with_a_plan(operation, device):
    """One type for all operations and machines; `test_explain_on_gpu` asks the same of arrays on a GPU."""
    x = np.ones(8, "f4") if operation == "dot" else np.ones((8, 8), "f4")
    plan = explain(x, x, operation=operation, device=device)

    assert type(plan) is tilewright.Plan
    assert (plan.machine, plan.problem.operation) == (device, operation)
    assert all(reason.endswith(".") for reason in plan.reasons)
