"""A row's bits do not depend on the other rows: the kernels' own programs, on an emulator with an H100's bits.

Numbers are random, so that another order of the sums would be seen.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from typing import Any

import numpy
import pytest

from tests.kernels.plan_on_emulator import held_by, run_on_emulator
from tests.lab.planted.watching import all_observers
from tilewright.choose import find_chip
from tilewright.choose.choice import choose_plan
from tilewright.choose.sm90.rule import fitted_launches
from tilewright.choose.sm90.tiles import tile_table
from tilewright.emulate import Emulator
from tilewright.kernels import invariant
from tilewright.kernels.batches import slices
from tilewright.kernels.matmul import cuda_cores_float32, mma_sync, mma_sync_float64, row_classes
from tilewright.kernels.matmul.float_tile import Shares
from tilewright.kernels.matmul.wgmma import part_launches
from tilewright.kernels.matmul.wgmma_tile import WgmmaTile
from tilewright.kernels.operand import packed
from tilewright.kernels.problem import Epilogue, Problem

H200, A100 = ("h200", "compute_90a"), ("a100", "compute_80")
BITS = {"float16": "u2", "bfloat16": "u2", "float32": "u4", "float64": "u8"}
FULL = Epilogue(0.7, -1.3, bias=True, activation="silu")


@pytest.fixture(scope="module")
def emulator():
    """One emulator for all products."""
    return Emulator()


def bits_of(values, dtype):
    """Numbers, rounded to a type, as whole numbers of its size."""
    if dtype != "bfloat16":
        return values.astype(dtype).view(BITS[dtype])
    return (values.astype("f4").view("u4") >> 16).astype("u2")


class Product:
    """Random A and B, and rows of C, each as a product of its own on a chip."""

    def __init__(self, emulator, chip, sizes, dtype, out_dtype="", epilogue=None, precision=None):
        self.emulator, self.architecture = emulator, chip[1]
        self.facts = replace(find_chip(chip[0]), sm_count=132)
        m, self.n, self.k = sizes
        self.dtype, self.out_dtype, self.epilogue = dtype, out_dtype or dtype, epilogue or Epilogue()
        self.precision = precision or ("ieee" if dtype == "float32" else None)
        random = numpy.random.default_rng(sum(sizes))
        a, b, c, bias = (
            random.standard_normal(shape) for shape in ((m, self.k), (self.k, self.n), (m, self.n), self.n)
        )
        self.whole = {"A": bits_of(a, dtype), "B": bits_of(b, dtype), "c_operand": bits_of(c, self.out_dtype)}
        self.bias = bits_of(bias, self.out_dtype)

    def problem(self, rows, alignment_bytes=16):
        """A product of so many rows."""
        n, k = self.n, self.k
        c_operand = packed((rows, n)) if self.epilogue.beta else None
        operands = packed((rows, k), alignment_bytes), packed((k, n)), packed((rows, n))
        how: dict[str, Any] = {"c_operand": c_operand, "precision": self.precision, "invariant": True}
        return Problem(*operands, self.dtype, self.out_dtype, self.epilogue, **how)

    def plan(self, rows, tile=None, kernel="auto"):
        """The plan of a product of so many rows."""
        return choose_plan(self.problem(rows), self.facts, kernel, tile)

    def bits(self, first, last, plan: Any = None, observers=()):
        """Rows first..last-1 of C."""
        plan = plan or self.plan(last - first)
        arrays = {"A": self.whole["A"][first:last].copy(), "B": self.whole["B"]}
        arrays["C"] = numpy.full((last - first, self.n), 0x7E, BITS[self.out_dtype])
        if self.epilogue.beta:
            arrays["c_operand"] = self.whole["c_operand"][first:last].copy()
        if self.epilogue.bias:
            arrays["bias"] = self.bias
        with held_by(self.emulator, arrays, max(1, plan.workspace_bytes)) as held:
            addresses = {name: buffer.address for name, buffer in held.items()}
            run_on_emulator(self.emulator, plan, addresses, self.architecture, observers)
            return held["C"].read(arrays["C"].dtype, arrays["C"].shape)

    def bits_in_place(self, first, last):
        """The same, with A's rows where they lie in the whole, on a 16-byte boundary or off it."""
        above_bytes = first * self.k * self.whole["A"].itemsize
        problem = self.problem(last - first, alignment_bytes=math.gcd(above_bytes, 16))
        plan = choose_plan(problem, self.facts)
        arrays = {"A": self.whole["A"], "B": self.whole["B"]}
        arrays["C"] = numpy.full((last - first, self.n), 0x7E, BITS[self.out_dtype])
        with held_by(self.emulator, arrays, max(1, plan.workspace_bytes)) as held:
            addresses = {name: buffer.address for name, buffer in held.items()}
            addresses["A"] += above_bytes
            run_on_emulator(self.emulator, plan, addresses, self.architecture)
            return held["C"].read(arrays["C"].dtype, arrays["C"].shape)


def same_in_splits(product, splits, rows):
    """Whether each part of the rows has the bits that it has in the whole."""
    whole = product.bits(0, rows)
    for first, last in splits:
        numpy.testing.assert_array_equal(product.bits(first, last), whole[first:last], f"rows {first} to {last}")
    return whole


CASES = [
    (H200, "bfloat16", "float32", None),
    (H200, "float16", "float16", FULL),
    (A100, "bfloat16", "float32", None),
    (A100, "float16", "float16", FULL),
    (H200, "float32", "float32", None),
    (A100, "float32", "float32", FULL),
    (A100, "float64", "float64", None),
]


@pytest.mark.parametrize(("chip", "dtype", "out_dtype", "epilogue"), CASES)
def test_rows_alone_and_together(emulator, chip, dtype, out_dtype, epilogue):
    """With the tiles that plans choose by the number of rows."""
    product = Product(emulator, chip, (130, 72, 200), dtype, out_dtype, epilogue)
    same_in_splits(product, [(129, 130), (3, 20), (60, 130)], 130)


@pytest.mark.parametrize(("chip", "dtype"), [(H200, "bfloat16"), (A100, "float16"), (H200, "float32")])
def test_where_k_is_split(emulator, monkeypatch, chip, dtype):
    """Splits begin at the same places for all rows, and are added in one order, whoever does it."""
    for name in ("LEAST_K_PER_SPLIT_ON_TENSOR_CORES", "LEAST_K_PER_CHUNK"):
        monkeypatch.setattr(invariant, name, 128)
    monkeypatch.setitem(invariant.LEAST_K_PER_SPLIT, "float32", 128)
    product = Product(emulator, chip, (70, 24, 552), dtype, "float32")
    for rows in (1, 70):
        assert any(reason.startswith(("Split-K", "Chunks")) for reason in product.plan(rows).reasons)
    whole = same_in_splits(product, [(69, 70), (5, 40)], 70)

    for name in ("LEAST_K_PER_SPLIT_ON_TENSOR_CORES", "LEAST_K_PER_CHUNK"):
        monkeypatch.setattr(invariant, name, 2**20)
    monkeypatch.setitem(invariant.LEAST_K_PER_SPLIT, "float32", 2**20)
    assert (product.bits(0, 70) != whole).any()  # so that the comparisons above see an order


CHUNK = 256
SPLIT = WgmmaTile(128, 64, 4, splits=3, k_per_split=CHUNK)
IN_CHUNKS = [
    WgmmaTile(64, 64, 4, 1),
    WgmmaTile(64, 64, 4, 1, 128, blocks_per_sm=2),
    WgmmaTile(64, 256, 4, 1),
    WgmmaTile(128, 40, 6, cluster_m=1),
    WgmmaTile(128, 256, 4, cluster_m=2),
    WgmmaTile(192, 128, 4, 3),
    WgmmaTile(256, 128, 4, transposed_problem=True),
    WgmmaTile(64, 16, 4, 1, 128, small=True, transposed_problem=True),
    WgmmaTile(64, 128, 4, 1, small=True),
    WgmmaTile(128, 64, 4, cluster_m=2, small=True, transposed_problem=True),
]
"""With sums that wait in registers and in memory, all of them or a part, of one to three consumers."""


@pytest.mark.parametrize("tile", IN_CHUNKS, ids=str)
@pytest.mark.parametrize(("out_dtype", "epilogue"), [("float32", None), ("bfloat16", FULL)], ids=["plain", "full"])
def test_chunks_of_a_block_have_the_bits_of_splits(emulator, tile, out_dtype, epilogue):
    """The third chunk is shorter; infinities, NaN and zeros are among the numbers."""
    product = Product(emulator, H200, (136, 72, 600), "bfloat16", out_dtype, epilogue)
    product.whole["A"][5], product.whole["A"][6], product.whole["A"][7] = 0, 0x8000, 0x0001
    product.whole["A"][9, :5], product.whole["A"][10, 300], product.whole["A"][11, 590] = 0x7F80, 0x7FC0, 0xFF80
    (part,) = slices(product.problem(136))
    _, split = fitted_launches(part, SPLIT, 132)
    _, found = fitted_launches(part, replace(tile, chunked=True, k_per_split=CHUNK), 132)
    assert [len(split.launches), len(found.launches)] == [2, 1]
    assert "Chunks: k is cut into 3 parts, whose sums a block adds in a fixed order." in found.reasons

    numpy.testing.assert_array_equal(product.bits(0, 136, found), product.bits(0, 136, split))


@pytest.mark.parametrize(("n", "out_dtype"), [(104, "float32"), (103, "bfloat16"), (104, "bfloat16")])
def test_a_block_in_chunks_takes_tile_after_tile(emulator, n, out_dtype):
    """On two SMs, watched: sums wait where results of the tile before were stored from, in boxes or by rows."""
    product = Product(emulator, H200, (200, n, 600), "bfloat16", out_dtype)
    (part,) = slices(product.problem(200))
    _, split = fitted_launches(part, SPLIT, 132)
    tile = WgmmaTile(64, 256, 3, 1, chunked=True, k_per_split=CHUNK)
    found, watching = part_launches(part, tile, 2), all_observers()
    assert found.launches[-1].grid == (2, 1, 1)
    assert not tile.holds_chunks

    bits = product.bits(0, 200, found, watching)
    numpy.testing.assert_array_equal(bits, product.bits(0, 200, split))
    assert [each for observer in watching for each in observer.findings if each.severity == "error"] == []


@pytest.mark.parametrize("tile", [WgmmaTile(64, 16, 4, 1, 128, small=True), WgmmaTile(128, 64, 3, 2, 64, small=True)])
def test_parts_of_a_cluster_have_the_bits_of_splits(emulator, tile):
    """Its first block adds up those that the others multiplied."""
    product = Product(emulator, H200, (136, 72, 600), "bfloat16", "bfloat16", FULL)
    (part,) = slices(product.problem(136))
    _, split = fitted_launches(part, SPLIT, 132)
    own = replace(tile, splits=3, k_per_split=CHUNK, transposed_problem=True)
    _, found = fitted_launches(part, own, 132)
    assert found.launches[0].cluster == (1, 1, 3)

    numpy.testing.assert_array_equal(product.bits(0, 136, found), product.bits(0, 136, split))


@pytest.mark.parametrize(("chip", "dtype", "n"), [(H200, "float16", 2), (H200, "bfloat16", 72), (A100, "float16", 72)])
def test_rows_where_they_lie(emulator, monkeypatch, chip, dtype, n):
    """Rows of an odd size begin off boundaries, each by another shift, which row classes put in front of k."""
    monkeypatch.setattr(row_classes, "LEAST_COPY_BYTES", 0)
    product = Product(emulator, chip, (70, n, 141), dtype, "float32")
    whole = product.bits(0, 70)

    for first, last in ((0, 70), (0, 24), (3, 4), (13, 62), (8, 70)):
        numpy.testing.assert_array_equal(product.bits_in_place(first, last), whole[first:last], f"{first} to {last}")


def test_numbers_of_one_sign_and_zeros(emulator):
    """Rows of zeros, of negative zeros, and huge and tiny numbers beside them."""
    product = Product(emulator, H200, (66, 40, 136), "bfloat16", "float32")
    product.whole["A"][5], product.whole["A"][6] = 0, 0x8000
    product.whole["A"][7], product.whole["A"][8] = 0x7F00, 0x0040
    product.whole["A"][9, :5], product.whole["A"][10, 3] = 0x7F80, 0x7FC0
    same_in_splits(product, [(row, row + 1) for row in range(5, 11)] + [(4, 50)], 66)


@pytest.mark.slow
@pytest.mark.parametrize("transposed", [False, True])
def test_every_tile_of_hopper(emulator, transposed):
    """The same bits with each tile that a plan could choose, in both orientations."""
    product = Product(emulator, H200, (136, 136, 200), "bfloat16", "float32")
    (part,) = slices(product.problem(136))
    whole = product.bits(0, 136)
    for tile in dict.fromkeys([*tile_table().candidates, *tile_table().small]):
        if tile.small and tile.block_n % 64 and not transposed:
            continue  # B's rows come in boxes of 64
        _, launches = fitted_launches(part, replace(tile, transposed_problem=transposed), 132)
        numpy.testing.assert_array_equal(product.bits(0, 136, launches), whole, str(tile))


@pytest.mark.slow
def test_every_tile_of_mma_sync(emulator):
    """The same bits with each."""
    product = Product(emulator, A100, (136, 72, 200), "float16", "float32")
    (part,) = slices(product.problem(136))
    tiles = [tile for tile in mma_sync.WARP_TILES if tile.takes(mma_sync.load_paths(part.part))]
    found = [product.bits(0, 136, mma_sync.divided(part, product.facts, tile, 1)) for tile in tiles]
    for bits in found[1:]:
        numpy.testing.assert_array_equal(bits, found[0])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("planning", "dtype"), [(cuda_cores_float32, "float32"), (mma_sync_float64, "float64")], ids=str
)
def test_every_tile_of_floats(emulator, planning, dtype):
    """The same bits with each that fits the chip."""
    product = Product(emulator, A100, (136, 72, 200), dtype)
    (part,) = slices(product.problem(136))
    tiles = dict.fromkeys(choice.tile for choice in planning.KERNEL.choices(part, product.facts))
    assert len(tiles) > len(planning.KERNEL.tiles) / 2
    found = [product.bits(0, 136, planning.KERNEL.divided(part, product.facts, tile, Shares())) for tile in tiles]
    for bits in found[1:]:
        numpy.testing.assert_array_equal(bits, found[0])


@pytest.mark.slow
@pytest.mark.parametrize(("chip", "dtype", "out_dtype", "epilogue"), CASES)
def test_random_splits(emulator, chip, dtype, out_dtype, epilogue):
    """Of awkward sizes, among them a single column."""
    random = numpy.random.default_rng(len(dtype) + len(out_dtype))
    for n, k in ((1, 77), (65, 131)):
        rows = int(random.integers(2, 200))
        product = Product(emulator, chip, (rows, n, k), dtype, out_dtype, epilogue)
        cuts = sorted({0, rows, *(int(cut) for cut in random.integers(0, rows, 3))})
        same_in_splits(product, list(itertools.pairwise(cuts)), rows)
