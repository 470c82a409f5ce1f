"""Launches for Hopper: what is copied first, how C is stored, and that every map is one that the copy engine takes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tilewright.kernels.batches import BatchSlice, slices
from tilewright.kernels.launch import Pointer, Scalar, TensorMap
from tilewright.kernels.matmul.wgmma import part_launches
from tilewright.kernels.matmul.wgmma_tile import (
    BY_COLUMN_BOXES,
    BY_COPY_ENGINE,
    BY_ROWS,
    SHARED_BYTES_PER_BLOCK,
    WgmmaTile,
)
from tilewright.kernels.operand import packed
from tilewright.kernels.problem import Epilogue, Problem
from tilewright.kernels.refusals import PlanError

LARGE = WgmmaTile(128, 256, 3, cluster_m=2)
SMALL = WgmmaTile(64, 64, 4, consumers=1)


def product(m, k, n, batch=(), out_dtype="bfloat16"):
    """Contiguous operands of m x k x n."""
    a, b, c = (packed((*batch, *shape)) for shape in ((m, k), (k, n), (m, n)))
    return Problem(a, b, c, "bfloat16", out_dtype)


def launches_of(multiplication, tile):
    """The launches of a product that is one part."""
    (part,) = slices(multiplication)
    return part_launches(part, tile)


def rounded(size_bytes):
    """Up to where the next copy begins."""
    return -(-size_bytes // 256) * 256


def macro(launch, name):
    """A macro's value as a number."""
    return int(dict(launch.macros)[name])


def numbers(launch, *names):
    """Members of the parameter `product`."""
    return [launch.arguments[f"product.{name}"].value for name in names]


def test_aligned_product_is_one_launch():
    """No copy, C by the copy engine, and as many blocks as the chip has places for clusters."""
    made = launches_of(product(4096, 2048, 8192), LARGE)

    (launch,) = made.launches
    assert made.workspace_bytes == 0
    assert macro(launch, "STORE") == BY_COPY_ENGINE
    assert launch.grid == (132, 1, 1)
    assert launch.cluster == (2, 1, 1)
    a, b, c = tuple(launch.arguments.values())[:3]
    assert a == TensorMap("A", "bfloat16", (2048, 4096), (4096,), (64, 128))
    assert b == TensorMap("B", "bfloat16", (8192, 2048), (16384,), (64, 32))
    assert c == TensorMap("C", "bfloat16", (8192, 4096), (16384,), (64, 64))


def test_padding_between_rows_of_c_is_the_callers():
    """Rows of C that end inside of 16 bytes are stored by threads, though the copy engine could address them."""
    whole = product(96, 512, 192)
    odd = product(96, 512, 191)
    odd = replace(odd, c=replace(odd.c, row_stride=192))

    assert macro(launches_of(whole, LARGE).launches[-1], "STORE") == BY_COPY_ENGINE
    assert odd.c.copy_engine_refusal(2) is None
    assert macro(launches_of(odd, LARGE).launches[-1], "STORE") == BY_ROWS


def test_odd_product_copies_both_operands_at_once():
    """One launch copies A and B to rows of 128-byte lines; C is stored by rows."""
    made = launches_of(product(4097, 4095, 4099), LARGE)

    repack, multiply = made.launches
    assert repack.kernel == "matmul/repack"
    assert made.workspace_bytes == rounded(2 * 4097 * 4096) + rounded(2 * 4095 * 4160)
    assert macro(multiply, "STORE") == BY_ROWS
    assert multiply.overlaps_previous
    assert [argument for argument in multiply.arguments.values() if isinstance(argument, TensorMap)] == [
        TensorMap("workspace", "bfloat16", (4095, 4097), (8192,), (64, 128)),
        TensorMap("workspace", "bfloat16", (4099, 4095), (8320,), (64, 32), offset_bytes=rounded(2 * 4097 * 4096)),
    ]
    assert [argument.buffer for argument in repack.arguments.values() if isinstance(argument, Pointer)] == [
        *("A", "workspace", "B", "workspace"),
    ]


def test_only_what_needs_it_is_copied():
    """With an odd number of columns alone, B is copied and A is not: its rows are aligned."""
    repack, multiply = launches_of(product(512, 512, 511), SMALL).launches

    assert [argument.buffer for argument in repack.arguments.values() if isinstance(argument, Pointer)] == [
        "B",
        "workspace",
    ]
    assert tuple(repack.arguments.values())[-1] == Scalar("int", 0)
    assert [argument.buffer for argument in multiply.arguments.values() if isinstance(argument, TensorMap)] == [
        "A",
        "workspace",
    ]


def test_odd_rows_of_a_are_loaded_in_classes():
    """With an odd inner size alone nothing is copied: eight maps of every eighth row, each from a boundary on."""
    made = launches_of(product(1024, 1023, 1024, batch=(3,)), SMALL)

    (launch,) = made.launches
    classes = [launch.arguments[f"maps.a[{number}]"] for number in range(8)]
    assert (made.workspace_bytes, macro(launch, "A_ROW_CLASSES"), macro(launch, "STORE")) == (0, 1, BY_ROWS)
    assert "nothing is repacked" in made.reasons[0]
    for i, kept in enumerate(classes):
        shift = 1023 * i % 8
        assert kept.offset_bytes == 2 * (1023 * i - shift)
        assert kept.offset_bytes % 16 == 0
        assert kept.sizes == (1023 + shift, 3 * 128)
        assert kept.strides_bytes == (16 * 1023,)
    assert numbers(launch, "k", "a_shift", "a_rows_1", "a_rows_2") == [1023, 7, 1024, 0]


@pytest.mark.parametrize(
    ("m", "k", "n", "words"),
    [
        (2048, 2047, 1024, False),
        (2056, 2047, 8192, True),
        (65536, 65, 1024, False),
        (65536, 63, 1024, True),
        (1024, 1023, 1024, True),
    ],
)
def test_classes_cost_less_than_a_copy(m, k, n, words):
    """Tiles left half empty, a phase more for a short inner size, or a small A make a copy the better way."""
    made = launches_of(product(m, k, n), SMALL)

    assert any("A is repacked" in reason for reason in made.reasons) == words


def test_an_a_without_a_row_of_each_class_is_copied():
    """The map of a class that A has no row of would begin behind A, and the copy engine would read there."""
    few = product(4, 524_291, 16, batch=(200,))
    few = replace(few, a=replace(few.a, batch_strides=(0,)))
    enough = product(8, 524_291, 16, batch=(200,))
    enough = replace(enough, a=replace(enough.a, batch_strides=(0,)))

    assert any("A is repacked" in reason for reason in launches_of(few, SMALL).reasons)
    assert any("nothing is repacked" in reason for reason in launches_of(enough, SMALL).reasons)


def test_broadcast_batch_is_not_copied():
    """A matrix that all products share is copied once, and its map has one matrix."""
    whole = product(63, 65, 67, batch=(9,))
    whole = replace(whole, b=replace(whole.b, batch_strides=(0,)))

    made = launches_of(whole, SMALL)

    b = tuple(made.launches[1].arguments.values())[1]
    assert isinstance(b, TensorMap)
    assert b.sizes == (67, 65, 1, 1)
    assert made.workspace_bytes == rounded(2 * 9 * 63 * 72) + rounded(2 * 65 * 72)


def test_splits_are_added_in_another_launch():
    """Partial sums go to the workspace in float32, and the epilogue to the launch that adds them."""
    whole = replace(product(64, 8192, 64), epilogue=Epilogue(activation="relu"))

    made = launches_of(whole, replace(SMALL, splits=16))

    multiply, add = made.launches
    assert "EPILOGUE" not in dict(multiply.macros)
    assert dict(multiply.macros)["OUTPUT"] == "float"
    assert macro(add, "EPILOGUE") == 1
    assert macro(add, "SPLIT_LANES") == 16
    assert made.workspace_bytes == 4 * 16 * 64 * 64
    c = multiply.arguments["maps.c[0]"]
    assert isinstance(c, TensorMap)
    assert c.sizes == (64, 64, 16, 1)
    assert multiply.grid == (16, 1, 1)


@pytest.mark.parametrize("inner", [1, 64, 65, 1000, 8191])
@pytest.mark.parametrize("splits", [1, 2, 7, 500])
def test_no_split_is_empty(inner, splits):
    """Every split has a part of the inner dimension, and together they have all of it."""
    multiply = launches_of(product(64, inner, 64), replace(SMALL, splits=splits)).launches
    (launch,) = [launch for launch in multiply if launch.kernel == "matmul/wgmma"]
    m, n, k_blocks, per_split, made = numbers(launch, "m", "n", "k_blocks", "k_blocks_per_split", "splits")

    assert (m, n, k_blocks) == (64, 64, -(-inner // 64))
    assert (made - 1) * per_split < k_blocks <= made * per_split


def test_swapped_product_is_the_transposed_one():
    """C^T = B^T A^T: the maps trade places, columns of 64 results are stored as boxes and bias runs along the rows."""
    whole = replace(product(16, 256, 1024), epilogue=Epilogue(bias=True))
    (launch,) = launches_of(whole, WgmmaTile(128, 16, 4, transposed_problem=True)).launches

    *operands, of_c = (argument for argument in launch.arguments.values() if isinstance(argument, TensorMap))
    assert [each.buffer for each in operands] == ["B", "A"]
    assert (of_c.buffer, of_c.box, of_c.sizes) == ("C", (64, 16), (1024, 16))
    assert (macro(launch, "A_K_MAJOR"), macro(launch, "B_K_MAJOR"), macro(launch, "STORE")) == (0, 1, BY_COLUMN_BOXES)
    assert numbers(launch, "c.row", "c.column") == [1, 1024]
    assert tuple(launch.arguments.values())[-3:-1] == (Scalar("long long", 1), Scalar("long long", 0))
    assert BatchSlice(whole).transposed.transposed == BatchSlice(whole)


@pytest.mark.parametrize(
    ("tile", "words"),
    [
        (WgmmaTile(96, 128, 4), "block_m is a multiple of 64"),
        (WgmmaTile(128, 100, 4), "block_n is a multiple of 8"),
        (WgmmaTile(128, 256, 5), "5 stages of this tile"),
        (WgmmaTile(128, 128, 1), "2 stages or more"),
        (WgmmaTile(128, 256, 2, consumers=1), "do not fit"),
        (WgmmaTile(64, 8, 4, consumers=1, cluster_m=2), "parts of 8 rows"),
    ],
)
def test_impossible_tiles_are_refused(tile, words):
    """A sentence says what is accepted."""
    with pytest.raises(PlanError, match=words):
        launches_of(product(512, 512, 512), tile)


def test_stages_that_leave_no_room_for_c_are_refused():
    """Stages may fill a block's shared memory so that nothing is left for C to pass through."""
    tile = WgmmaTile(64, 64, 14, consumers=1)
    assert tile.refusal is None
    (launch,) = launches_of(product(512, 512, 512), replace(tile, transposed_problem=True, stages=13)).launches
    assert launch.shared_bytes <= SHARED_BYTES_PER_BLOCK

    with pytest.raises(PlanError, match="use fewer stages"):
        launches_of(product(513, 512, 513), tile)
