"""When c comes by the copy engine and when threads read it: maps, stages, and the sentence that says why."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tilewright.choose import find_chip
from tilewright.choose.choice import choose_plan
from tilewright.kernels.batches import slices
from tilewright.kernels.launch import Pointer, TensorMap
from tilewright.kernels.matmul.wgmma import part_launches
from tilewright.kernels.matmul.wgmma_operands import stages_of_c_operand
from tilewright.kernels.matmul.wgmma_tile import SHARED_BYTES_PER_BLOCK, WgmmaTile
from tilewright.kernels.operand import Operand, packed
from tilewright.kernels.problem import Epilogue, Problem

LARGE = WgmmaTile(128, 256, 4, cluster_m=2)
NARROW = WgmmaTile(64, 72, 6, 1, block_k=128, transposed_problem=True, small=True)
STAGED = "c is read by the copy engine"


def product(m=512, k=512, n=512, batch=(), out_dtype="bfloat16", c_operand=None, **epilogue):
    """Contiguous operands of m x k x n with a C operand, which is contiguous, too, unless it is given."""
    a, b, c = (packed((*batch, *shape)) for shape in ((m, k), (k, n), (m, n)))
    return Problem(a, b, c, "bfloat16", out_dtype, Epilogue(beta=1, **epilogue), c_operand or c)


def launches_of(multiplication, tile=LARGE):
    """The launches of a product that is one part."""
    (part,) = slices(multiplication)
    return part_launches(part, tile)


def map_of_c_operand(launch):
    """The C operand's map, or None where threads read it."""
    maps = [each for each in launch.arguments.values() if isinstance(each, TensorMap) and each.buffer == "c_operand"]
    assert len(maps) == launch.has("C_OPERAND_STAGED")
    return maps[0] if maps else None


def macro(launch, name):
    """A macro's value as a number."""
    return int(dict(launch.macros)[name])


@pytest.mark.parametrize(
    ("out_dtype", "width", "box", "swizzle_bytes"),
    [
        ("bfloat16", 256, (64, 64), 128),
        ("bfloat16", 96, (32, 64), 64),
        ("bfloat16", 80, (16, 64), 32),
        ("bfloat16", 72, (8, 64), 0),
        ("float32", 256, (32, 64), 128),
        ("float32", 72, (8, 64), 32),
    ],
)
def test_rows_come_in_parts_of_64_by_at_most_128_bytes(out_dtype, width, box, swizzle_bytes):
    """As many columns as divide the tile, and what is contiguous is the box's first extent."""
    tile = WgmmaTile(128, width, 3)
    (launch,) = launches_of(product(n=720, out_dtype=out_dtype), tile).launches
    size = 4 if out_dtype == "float32" else 2

    assert macro(launch, "C_OPERAND_BY_COLUMNS") == 0
    assert map_of_c_operand(launch) == TensorMap("c_operand", out_dtype, (720, 512), (720 * size,), box, swizzle_bytes)


@pytest.mark.parametrize(("out_dtype", "box"), [("bfloat16", (64, 8)), ("float32", (32, 8))])
def test_columns_come_in_lines_of_128_bytes(out_dtype, box):
    """Of the transposed product, and of a c that is itself transposed."""
    (turned,) = launches_of(product(out_dtype=out_dtype), NARROW).launches
    given = product(out_dtype=out_dtype, c_operand=packed((512, 512)).transposed)
    (launch,) = launches_of(given, WgmmaTile(128, 72, 3)).launches

    for each in (turned, launch):
        assert macro(each, "C_OPERAND_BY_COLUMNS") == 1
        assert map_of_c_operand(each).box == box
        assert map_of_c_operand(each).swizzle_bytes == 128


def test_batches_that_c_is_broadcast_along_are_one_matrix():
    """The kernel sees a stride of 0, and does not move along it."""
    c_operand = replace(packed((4, 512, 512)), batch_strides=(0,))
    (launch,) = launches_of(product(batch=(4,), c_operand=c_operand)).launches

    assert map_of_c_operand(launch).sizes == (512, 512, 1, 1)
    strides = [launch.arguments[f"scalars.c_operand.{name}"].value for name in ("row", "column", "batch_1", "batch_2")]
    assert strides == [512, 1, 0, 0]


@pytest.mark.parametrize(
    ("c_operand", "words"),
    [
        (replace(packed((512, 512)), alignment_bytes=8), "its address is aligned to 8 bytes"),
        (Operand(512, 512, 513, 1), "its stride of 513 elements is no positive multiple of 16 bytes"),
        (Operand(512, 512, 0, 1), "its stride of 0 elements"),
        (Operand(512, 512, 1024, 2), "neither its rows nor its columns are contiguous"),
        (Operand(512, 512, -512, 1), "its stride of -512 elements"),
    ],
)
def test_what_the_copy_engine_cannot_address_is_read_by_threads(c_operand, words):
    """With the kernel for large and for small products, and the reason is a sentence of the plan."""
    for tile in (LARGE, NARROW):
        made = launches_of(product(c_operand=c_operand), tile)

        assert map_of_c_operand(made.launches[-1]) is None
        assert Pointer("c_operand") in made.launches[-1].arguments.values()
        assert made.reasons[-1].startswith("c is read by the threads that add it")
        assert words in made.reasons[-1]


def test_plans_say_how_c_is_read():
    """And those without c say nothing of it; where k is cut, the last kernel adds it."""
    h200 = find_chip("h200")
    for size in (512, 4096):
        assert any(reason.startswith(STAGED) for reason in choose_plan(product(size, size, size), h200).reasons)
    plain = replace(product(), epilogue=Epilogue(bias=True), c_operand=None)
    assert not any("c is read" in reason for reason in choose_plan(plain, h200).reasons)
    split = launches_of(product(), WgmmaTile(128, 128, 4, splits=2))
    assert split.reasons[-1] == "c is read by the threads that add it: that is where the partial sums are added."
    assert not any(launch.has("C_OPERAND_STAGED") for launch in split.launches)


def test_rows_in_classes_have_their_c_read_by_threads():
    """A tile has every eighth row there, and a box has every row."""
    made = launches_of(product(1024, 1023, 1024, batch=(3,)), WgmmaTile(64, 64, 4, consumers=1))

    assert macro(made.launches[-1], "A_ROW_CLASSES") == 1
    assert map_of_c_operand(made.launches[-1]) is None
    assert "these tiles have every eighth" in made.reasons[-1]


@pytest.mark.parametrize(
    ("tile", "out_bytes", "stages"),
    [
        (LARGE, 2, 2),  # 8 parts, 2 in the room for A and 4 in that for B
        (LARGE, 4, 3),
        (WgmmaTile(128, 128, 4), 2, 1),
        (WgmmaTile(256, 128, 4), 2, 2),
        (WgmmaTile(192, 128, 4, consumers=3), 4, 4),  # 12 parts, of which 3 fit for each of three consumers
        (WgmmaTile(128, 8, 4), 4, 1),
        (NARROW, 2, 1),
    ],
)
def test_as_many_stages_as_the_parts_need(tile, out_bytes, stages):
    """Parts are shared out evenly among consumers: those that fit a stage, rounded down."""
    assert stages_of_c_operand(tile, out_bytes, b_k_major=True) == stages


def test_a_small_product_has_stages_for_all_of_k_and_c_where_they_fit():
    """Then c is asked for at once, and waits for no stage; else the tile stays as it is."""
    tile = WgmmaTile(64, 64, 2, 1, block_k=128, transposed_problem=True, small=True)
    (short,) = launches_of(product(256, 256, 256), tile).launches
    (long,) = launches_of(product(256, 4096, 256), tile).launches

    assert macro(short, "STAGES") == 3
    assert short.shared_bytes == 3 * (64 + 64) * 2 * 128 + 3 * 16
    assert short.shared_bytes <= SHARED_BYTES_PER_BLOCK
    assert macro(long, "STAGES") == 2


def test_bias_lies_along_the_rows_of_the_transposed_product():
    """The kernel is compiled for it."""
    with_bias = product(bias=True)

    assert macro(launches_of(with_bias, NARROW).launches[0], "BIAS_ALONG_ROWS") == 1
    assert macro(launches_of(with_bias, LARGE).launches[0], "BIAS_ALONG_ROWS") == 0
    assert not launches_of(product(), LARGE).launches[0].has("BIAS_ALONG_ROWS")
