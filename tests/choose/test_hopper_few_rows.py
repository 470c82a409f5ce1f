"""Few rows by a large matrix on Hopper: which tile they get, and where another rule decides."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tilewright.choose import find_chip
from tilewright.choose.choice import choose_plan
from tilewright.choose.sm90.cost import STAGES, WHY, few_rows_tiles
from tilewright.kernels.matmul.wgmma_tile import WgmmaTile
from tilewright.kernels.operand import packed
from tilewright.kernels.problem import Problem

H200 = find_chip("h200")


def product(m, k, n, batch=()):
    """Contiguous operands of m x k x n."""
    a, b, c = (packed((*batch, *shape)) for shape in ((m, k), (k, n), (m, n)))
    return Problem(a, b, c, "bfloat16", "bfloat16")


@pytest.mark.parametrize(
    ("sizes", "tile"),
    [
        ((1, 8192, 8192), (64, 16, 6)),
        ((16, 8192, 8192), (64, 16, 6)),
        ((17, 4096, 4096), (64, 32, 8)),
        ((64, 2048, 2048), (64, 64, 6)),
        ((8, 8192, 64 * 132), (64, 16, 6)),
        ((8, 8192, 64 * 132 + 8), (128, 16, 5)),
        ((64, 4096, 14336), (128, 64, 4)),
    ],
)
def test_each_sm_streams_columns_of_b(sizes, tile):
    """Tiles of the transposed product, 64 columns wide where that is one for each SM at most, 128 beyond."""
    columns, rows, stages = tile
    ((found, why),) = few_rows_tiles(product(*sizes), 132)
    plan = choose_plan(product(*sizes), H200)

    assert found == WgmmaTile(columns, rows, stages, consumers=1, block_k=128, transposed_problem=True, small=True)
    assert why == WHY
    assert [launch.kernel for launch in plan.launches] == ["matmul/wgmma_small"]
    assert plan.launches[0].grid[0] * found.block_m >= sizes[2]
    assert any(WHY in reason for reason in plan.reasons)


@pytest.mark.parametrize(
    ("m", "k", "n", "batch"),
    [
        (65, 4096, 4096, ()),
        (8, 1024, 4096, ()),
        (8, 2**20, 2048, ()),
        (8, 4096, 1024, ()),
        (8, 4096, 32000, ()),
        (8, 4096, 4096, (4,)),
    ],
)
def test_elsewhere_another_rule_decides(m, k, n, batch):
    """More rows, other inner sizes, too few columns, more than a tile for each SM, batches: not measured, or slower."""
    assert list(few_rows_tiles(product(m, k, n, batch), 132)) == []
    assert not any(WHY in reason for reason in choose_plan(product(m, k, n, batch), H200).reasons)


def test_b_along_the_inner_size_is_taken_too():
    """A layer's weights are often stored so."""
    plain = product(4, 4096, 4096)
    turned = replace(plain, b=packed((4096, 4096)).transposed)
    plan = choose_plan(turned, H200)

    assert plan.launches[0].kernel == "matmul/wgmma_small"
    assert dict(plan.launches[0].macros)["A_K_MAJOR"] == "1"
    assert any(WHY in reason for reason in plan.reasons)


def test_what_the_kernel_refuses_goes_on_to_the_next_tile():
    """Rows of A along their other index need boxes of 64, and odd sizes are repacked: no error comes of it."""
    plain = product(8, 4096, 4096)
    for change in ({"a": packed((4096, 8)).transposed}, {"b": packed((4096, 4096), alignment_bytes=2)}):
        assert choose_plan(replace(plain, **change), H200).launches
    assert choose_plan(product(8, 4096, 4095), H200).launches


@pytest.mark.parametrize("columns_and_rows", STAGES)
def test_the_stages_fit(columns_and_rows):
    """A tile says of itself why it would not."""
    columns, rows = columns_and_rows
    tile = WgmmaTile(columns, rows, STAGES[columns, rows], 1, block_k=128, transposed_problem=True, small=True)
    assert tile.refusal is None
