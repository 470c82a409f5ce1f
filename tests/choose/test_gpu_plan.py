"""Which kernels run for which type on a GPU, as data."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tilewright.choose import PlanError, find_chip
from tilewright.choose.choice import choose_plan
from tilewright.compile.planned import KERNELS
from tilewright.kernels.batches import MOST_LAUNCHES
from tilewright.kernels.launch import MAX_GRID_X, Pointer, Scalar
from tilewright.kernels.operand import packed
from tilewright.kernels.problem import Epilogue, Problem

H200 = find_chip("h200")


def product(a, b, c, dtype="float32", **more):
    """A product of packed operands of these shapes."""
    return Problem(packed(a), packed(b), packed(c), dtype, dtype, **more)


def source_of(launch):
    """The text of a launch's kernel, without what it includes."""
    return (KERNELS / launch.source).read_text(encoding="utf-8")


SQUARE = product((64, 64), (64, 64), (64, 64))


def test_16_bits_are_planned_elsewhere():
    """One number stands for a square tile."""
    halves = product((64, 64), (64, 64), (64, 64), "float16")

    assert choose_plan(halves, H200) == choose_plan(halves, H200)
    assert choose_plan(halves, H200, "mma_sync", 64) == choose_plan(halves, H200, "mma_sync", (64, 64))


@pytest.mark.parametrize(("dtype", "element"), [("float32", "float"), ("float64", "double")])
def test_any_strides_are_read_where_they_lie(dtype, element):
    """One launch for a broadcast batch, sizes as int, strides as long long, alpha and beta in the type."""
    b = replace(packed((7, 64)).transposed, batch=(3,), batch_strides=(0,))
    whole = Problem(packed((3, 40, 7)), replace(b, rows=7, columns=64), packed((3, 40, 64)), dtype, dtype)
    (launch,) = choose_plan(whole, H200, tile=16).launches

    assert (launch.kernel, launch.grid, launch.block) == ("matmul/strided", (4 * 3 * 3, 1, 1), (16, 16, 1))
    assert dict(launch.macros)["ELEMENT"] == element
    given = launch.arguments
    assert [given[name] for name in "ABC"] == [Pointer("A"), Pointer("B"), Pointer("C")]
    assert (given["scalars.alpha"], given["scalars.beta"]) == (Scalar(element, 1), Scalar(element, 0))
    values = {name: argument.value for name, argument in given.items() if isinstance(argument, Scalar)}
    assert [values[f"product.{name}"] for name in ("m", "n", "k", "batches", "batches_1")] == [40, 64, 7, 3, 3]
    names = [f"product.{matrix}.{way}" for matrix in "ab" for way in ("row", "column", "batch_1", "batch_2")]
    assert [values[name] for name in names] == [7, 1, 280, 0, 1, 64, 0, 0]


def test_a_large_grid_is_cut():
    """Blocks take several tiles where there are more than a grid has blocks."""
    (launch,) = choose_plan(product((2**30, 1), (1, 2**12), (2**30, 2**12)), H200, "strided").launches

    assert launch.grid == (MAX_GRID_X, 1, 1)


@pytest.mark.parametrize("shape", [(64, 64, 64), (127, 63, 65), (64, 8192, 64), (2048, 2048, 2048), (3000, 3000, 3001)])
@pytest.mark.parametrize(
    ("kernel", "dtype"),
    [*((idea, "float16") for idea in ("auto", "wgmma", "mma_sync", "cuda_cores_16bit")), ("auto", "float32")],
)
def test_launches_that_may_overlap_are_of_kernels_that_wait(kernel, dtype, shape):
    """A launch may start before its forerunner has ended where its source waits for it, and only there."""
    m, k, n = shape

    for launch in choose_plan(product((m, k), (k, n), (m, n), dtype), H200, kernel).launches:
        assert launch.overlaps_previous == ("wait_for_previous_kernel();" in source_of(launch)), launch.kernel


def test_kernels_of_the_seeds_do_not_overlap():
    """They are what the lectures show, and know nothing of the kernels around them."""
    (launch,) = choose_plan(SQUARE, H200, "tiled").launches

    assert not launch.overlaps_previous
    assert "wait_for_previous_kernel" not in source_of(launch)


def test_nothing_to_do():
    """An empty C has no launches, and says so."""
    plan = choose_plan(product((0, 4), (4, 4), (0, 4)), H200)

    assert plan.launches == ()
    assert plan.reasons == ("C is empty: nothing is launched.",)
    assert plan.grid == plan.block == (1, 1, 1)


def test_a_seeds_kernel_takes_a_product_a_launch():
    """Each of a batch has its offset."""
    plan = choose_plan(product((2, 3, 5, 4), (2, 3, 4, 6), (2, 3, 5, 6)), H200, "naive")

    offsets = [
        [a.offset_bytes for a in launch.arguments.values() if isinstance(a, Pointer)] for launch in plan.launches
    ]
    assert offsets == [[4 * 20 * i, 4 * 24 * i, 4 * 30 * i] for i in range(6)]
    assert {launch.kernel for launch in plan.launches} == {"matmul/naive"}


@pytest.mark.parametrize(
    ("whole", "kernel", "tile", "sentence"),
    [
        (SQUARE, "strided", (32, 32), r"take a tile of one number, not \(32, 32\)"),
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
        choose_plan(whole, H200, kernel, tile)


def test_an_address_that_no_gpu_reads_is_refused():
    """A float64 at a multiple of 4 would end the process's context, and not this call alone."""
    plain = product((8, 8), (8, 8), (8, 8), "float64")
    for name in ("a", "b", "c"):
        with pytest.raises(PlanError, match="copy it to an aligned address"):
            choose_plan(replace(plain, **{name: replace(plain.a, alignment_bytes=4)}), H200)


def test_too_many_launches_are_refused():
    """A seed's kernel for a large batch, and a batch that no two extents describe."""
    many = (MOST_LAUNCHES + 1, 4, 4)
    with pytest.raises(PlanError, match="at most 4,096 in a call, not 4,097; matmul/strided takes them in one"):
        choose_plan(product(many, many, many), H200, "naive")
    scattered = replace(packed((4, 4)), batch=(20,) * 5, batch_strides=(7, 900, 13_001, 11, 5))
    with pytest.raises(PlanError, match=r"would take 8,000\s+launches; at most 4,096 are made"):
        choose_plan(Problem(scattered, scattered, packed((20,) * 5 + (4, 4)), "float32", "float32"), H200)
    endless = replace(scattered, batch=(10**6,) * 4, batch_strides=(7, 900, 13_001, 11))
    with pytest.raises(PlanError, match=r"would take 1,000,000,000,000\s+launches"):
        choose_plan(Problem(endless, endless, packed((10**6,) * 4 + (4, 4)), "float32", "float32"), H200)
