"""Which kernels run for which type on a GPU, as data."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tilewright.choose import PlanError, find_chip
from tilewright.choose.batches import MOST_LAUNCHES
from tilewright.choose.gpu_plan import plan_product
from tilewright.choose.launches import Pointer, Scalar
from tilewright.choose.multiplication import Epilogue, Multiplication, packed
from tilewright.choose.multiplication_plan import plan_multiplication
from tilewright.compile.planned import KERNELS
from tilewright.kernels.kernel import MAX_GRID_X

H200 = find_chip("h200")


def product(a, b, c, dtype="float32", **more):
    """A product of packed operands of these shapes."""
    return Multiplication(packed(a), packed(b), packed(c), dtype, dtype, **more)


def source_of(launch):
    """The text of a launch's kernel, without what it includes."""
    return (KERNELS / launch.source).read_text(encoding="utf-8")


SQUARE = product((64, 64), (64, 64), (64, 64))


def test_16_bits_are_planned_elsewhere():
    """One number stands for a square tile."""
    halves = product((64, 64), (64, 64), (64, 64), "float16")

    assert plan_product(halves, H200) == plan_multiplication(halves, H200)
    assert plan_product(halves, H200, "mma_sync", 64) == plan_multiplication(halves, H200, "mma_sync", (64, 64))


@pytest.mark.parametrize(("dtype", "element"), [("float32", "float"), ("float64", "double")])
def test_any_strides_are_read_where_they_lie(dtype, element):
    """One launch for a broadcast batch, sizes as int, strides as long long, alpha and beta in the type."""
    b = replace(packed((7, 64)).transposed, batch=(3,), batch_strides=(0,))
    whole = Multiplication(packed((3, 40, 7)), replace(b, rows=7, columns=64), packed((3, 40, 64)), dtype, dtype)
    (launch,) = plan_product(whole, H200, tile=16).launches

    assert (launch.kernel, launch.grid, launch.block) == ("matmul/strided", (4 * 3 * 3, 1, 1), (16, 16, 1))
    assert dict(launch.macros)["ELEMENT"] == element
    assert launch.arguments[:3] == (Pointer("A"), Pointer("B"), Pointer("C"))
    assert [a.value for a in launch.arguments[5:10] if isinstance(a, Scalar)] == [40, 64, 7, 3, 3]
    assert launch.arguments[10:12] == (Scalar(element, 1), Scalar(element, 0))
    assert [a.value for a in launch.arguments[12:20] if isinstance(a, Scalar)] == [7, 1, 280, 0, 1, 64, 0, 0]


def test_a_large_grid_is_cut():
    """Blocks take several tiles where there are more than a grid has blocks."""
    (launch,) = plan_product(product((2**30, 1), (1, 2**12), (2**30, 2**12)), H200).launches

    assert launch.grid == (MAX_GRID_X, 1, 1)


@pytest.mark.parametrize("shape", [(64, 64, 64), (127, 63, 65), (64, 8192, 64), (2048, 2048, 2048), (3000, 3000, 3001)])
@pytest.mark.parametrize(
    ("kernel", "dtype"),
    [*((idea, "float16") for idea in ("auto", "wgmma", "mma_sync", "cuda_cores_16bit")), ("auto", "float32")],
)
def test_launches_that_may_overlap_are_of_kernels_that_wait(kernel, dtype, shape):
    """A launch may start before its forerunner has ended where its source waits for it, and only there."""
    m, k, n = shape

    for launch in plan_product(product((m, k), (k, n), (m, n), dtype), H200, kernel).launches:
        assert launch.overlaps_previous == ("wait_for_previous_kernel();" in source_of(launch)), launch.kernel


def test_kernels_of_the_seeds_do_not_overlap():
    """They are what the lectures show, and know nothing of the kernels around them."""
    (launch,) = plan_product(SQUARE, H200, "tiled").launches

    assert not launch.overlaps_previous
    assert "wait_for_previous_kernel" not in source_of(launch)


def test_nothing_to_do():
    """An empty C has no launches, and says so."""
    plan = plan_product(product((0, 4), (4, 4), (0, 4)), H200)

    assert plan.launches == ()
    assert plan.reasons == ("C is empty: nothing is launched.",)


def test_a_seeds_kernel_takes_a_product_a_launch():
    """Each of a batch has its offset."""
    plan = plan_product(product((2, 3, 5, 4), (2, 3, 4, 6), (2, 3, 5, 6)), H200, "naive")

    offsets = [[a.offset_bytes for a in launch.arguments if isinstance(a, Pointer)] for launch in plan.launches]
    assert offsets == [[4 * 20 * i, 4 * 24 * i, 4 * 30 * i] for i in range(6)]
    assert {launch.kernel for launch in plan.launches} == {"matmul/naive"}


@pytest.mark.parametrize(
    ("whole", "kernel", "tile", "sentence"),
    [
        (SQUARE, "auto", (32, 32), r"take a tile of one number, not \(32, 32\)"),
        (SQUARE, "strided", 33, "takes tiles from 1 to 32"),
        (SQUARE, "tiled", 33, "takes tiles from 1 to 32"),
        (replace(SQUARE, epilogue=Epilogue(activation="relu")), "tiled", None, r"without relu\(AB\)"),
        (
            replace(SQUARE, b=SQUARE.b.transposed),
            "tiled",
            None,
            r"B has the strides \(1, 64\)",
        ),
    ],
)
def test_what_is_refused(whole, kernel, tile, sentence):
    """With what would be accepted."""
    with pytest.raises(PlanError, match=sentence):
        plan_product(whole, H200, kernel, tile)


def test_an_address_that_no_gpu_reads_is_refused():
    """A float64 at a multiple of 4 would end the process's context, and not this call alone."""
    plain = product((8, 8), (8, 8), (8, 8), "float64")
    for name in ("a", "b", "c"):
        with pytest.raises(PlanError, match="copy it to an aligned address"):
            plan_product(replace(plain, **{name: replace(plain.a, alignment_bytes=4)}), H200)


def test_too_many_launches_are_refused():
    """A seed's kernel for a large batch, and a batch that no two extents describe."""
    many = (MOST_LAUNCHES + 1, 4, 4)
    with pytest.raises(PlanError, match="at most 4,096 in a call, not 4,097; kernel='auto' takes them in one"):
        plan_product(product(many, many, many), H200, "naive")
    scattered = replace(packed((4, 4)), batch=(20,) * 5, batch_strides=(7, 900, 13_001, 11, 5))
    with pytest.raises(PlanError, match=r"would take 8,000\s+launches; at most 4,096 are made"):
        plan_product(Multiplication(scattered, scattered, packed((20,) * 5 + (4, 4)), "float32", "float32"), H200)
    endless = replace(scattered, batch=(10**6,) * 4, batch_strides=(7, 900, 13_001, 11))
    with pytest.raises(PlanError, match=r"would take 1,000,000,000,000\s+launches"):
        plan_product(Multiplication(endless, endless, packed((10**6,) * 4 + (4, 4)), "float32", "float32"), H200)
