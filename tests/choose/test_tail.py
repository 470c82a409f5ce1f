"""Products on Hopper in two launches: whole waves of tiles, and what is left."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.kernels.integer_product import IntegerProduct
from tests.kernels.plan_on_emulator import check_on_emulator
from tilewright.choose import choose_plan, find_chip
from tilewright.choose.choice import choose_plan as planned
from tilewright.choose.sm90 import rule
from tilewright.choose.sm90.cost import occupied
from tilewright.choose.sm90.tail import cuts
from tilewright.choose.sm90.tiles import tile_table
from tilewright.emulate import Emulator
from tilewright.kernels.batches import slices
from tilewright.kernels.matmul.wgmma_tile import WgmmaTile
from tilewright.kernels.operand import Operand, packed
from tilewright.kernels.problem import Epilogue, Problem

H200 = find_chip("h200")


def product(m: int, k: int, n: int, **more) -> Problem:
    """Packed matrices in bfloat16."""
    return Problem(packed((m, k)), packed((k, n)), packed((m, n)), "bfloat16", "bfloat16", **more)


def test_a_little_over_a_wave():
    """140 tiles on 132 SMs: 130 of them fill a wave, and the other 120 columns are split along k."""
    plan = choose_plan(product(1272, 9104, 3448), H200)

    assert [launch.kernel for launch in plan.launches] == ["matmul/wgmma", "matmul/wgmma", "matmul/splitk_reduce"]
    assert "whole waves of it cover 3,328 columns, and the rest is a product of its own" in plan.reasons[1]
    assert any(reason.startswith("Of the rest: Tile") for reason in plan.reasons)
    assert plan.workspace_bytes > 0


def test_a_little_over_whole_tiles():
    """Six tiles and eight rows: these eight are a thin product, whose blocks share k."""
    plan = choose_plan(product(1544, 9104, 2768), H200)

    assert [launch.kernel for launch in plan.launches] == ["matmul/wgmma", "matmul/wgmma_small"]
    assert "cover 1,536 rows" in plan.reasons[1]


@pytest.mark.parametrize("sizes", [(4096, 4096, 4096), (8192, 8192, 8192), (1024, 1024, 1024), (2048, 4096, 2048)])
def test_whole_waves_are_one_launch(sizes):
    """And so are products that were measured, and small ones."""
    assert len(choose_plan(product(*sizes), H200).launches) == 1


def test_what_was_asked_for_is_not_cut():
    """A tile, and a row's bits that do not depend on the other rows: one launch."""
    large = product(1272, 9104, 3448)

    assert len(planned(large, H200, "wgmma", (128, 256)).launches) == 1
    assert [launch.kernel for launch in choose_plan(replace(large, invariant=True), H200).launches].count(
        "matmul/wgmma"
    ) == 1


def test_columns_are_not_cut_where_a_bias_lies_along_them():
    """Its address would be another."""
    tall = product(1272, 9104, 3448)
    cut, _ = rule._cut(_part(tall), H200) or (None, None)
    assert cut is not None
    assert cut.about.endswith("columns")

    biased = replace(tall, epilogue=Epilogue(bias=True))
    found = rule._cut(_part(biased), H200)
    assert found is None or found[0].about.endswith("rows")


def _part(whole: Problem):
    (part,) = slices(whole)
    return part


@pytest.mark.slow
@pytest.mark.parametrize(
    ("layout", "epilogue"),
    [
        pytest.param("rows", Epilogue(0.5, -2, bias=True, activation="relu"), id="rows, with an epilogue"),
        pytest.param("columns", Epilogue(), id="columns"),
    ],
)
def test_both_parts_are_right(monkeypatch, layout, epilogue):
    """On a chip of two SMs, for which a small product has many waves: every element, inside C and outside it."""
    few = replace(H200, sm_count=2)
    monkeypatch.setattr(rule, "LEAST_PRODUCTS_CUT", 0)
    monkeypatch.setattr(rule, "LEAST_GAIN", 0)
    monkeypatch.setattr(rule, "leaves_sms_idle", lambda *_: True)
    m, k, n = (600, 72, 264) if layout == "rows" else (136, 72, 840)
    shapes = [(m, k), (k, n), (m, n), *([(m, n)] if epilogue.beta else [])]
    strides = [(k, 1), (n, 1), (n, 1), *([(n, 1)] if epilogue.beta else [])]
    made = IntegerProduct("float16", "float16", tuple(shapes), tuple(strides), epilogue=epilogue)
    plan = planned(made.multiplication(), few, "wgmma")

    assert sum(launch.kernel == "matmul/wgmma" for launch in plan.launches) == 2
    assert f" {layout}, and the rest" in plan.reasons[1]
    check_on_emulator(made, plan, Emulator(), "compute_90a")


def test_products_of_a_batch_are_cut():
    """Whole products, each with its own place in A, B and C."""
    a, b = Operand(512, 1024, 1024, 1, (40,), (512 * 1024,)), Operand(1024, 512, 512, 1, (40,), (1024 * 512,))
    c = Operand(512, 512, 512, 1, (40,), (512 * 512,))
    part = _part(Problem(a, b, c, "bfloat16", "bfloat16"))
    tile = WgmmaTile(128, 256, 4, cluster_m=2)
    (cut,) = cuts(part, [(tile, occupied(part.part.sizes, 40, tile, 132))], tile_table().model, 132, None)

    # 320 tiles, eight for each product: two waves of 132 tiles have those of 33 products.
    assert cut.about == "33 products"
    assert (cut.first.part.batch_count, cut.rest.part.batch_count) == (33, 7)
    assert (cut.first.a_offset, cut.first.c_offset) == (0, 0)
    assert (cut.rest.a_offset, cut.rest.b_offset, cut.rest.c_offset) == (33 * 2**19, 33 * 2**19, 33 * 2**18)
