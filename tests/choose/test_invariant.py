"""Plans of products whose rows do not depend on each other: of k, n, types and the chip alone, never of m."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.choose.plan_account import check_plan
from tilewright.choose import choose_plan, find_chip
from tilewright.choose.sm90 import rule
from tilewright.choose.sm90.tiles import tile_table
from tilewright.kernels.invariant import K_MULTIPLE, k_per_chunk, k_per_split
from tilewright.kernels.operand import packed
from tilewright.kernels.problem import Problem
from tilewright.kernels.refusals import PlanError

H200, A100, T4 = (find_chip(name) for name in ("h200", "a100", "t4"))
ROWS = (1, 2, 16, 63, 64, 65, 200, 1024, 4096, 20000)


def problem_of(m, n, k, dtype="bfloat16", precision=None, batch=()):
    """A product of packed matrices."""
    operands = (packed((*batch, *shape)) for shape in ((m, k), (k, n), (m, n)))
    a, b, c = operands
    return Problem(a, b, c, dtype, dtype, precision=precision, invariant=True)


def how_k_is_added(problem, facts):
    """What decides over the bits: the kernel, and where splits begin."""
    plan = choose_plan(problem, facts)
    check_plan(problem, plan, facts)
    product = next(
        launch for launch in plan.launches if launch.kernel not in {"matmul/repack", "matmul/repack_float32"}
    )
    arguments: dict[str, Any] = {name: getattr(value, "value", value) for name, value in product.arguments.items()}
    if "product.k_blocks_per_split" in arguments:
        block_k = int(dict(product.macros)["BLOCK_K"])
        split = min(int(arguments["product.k_blocks_per_split"]) * block_k, problem.k)
    else:
        split = min(int(arguments.get("product.k_per_split", problem.k)), problem.k)
    # Parts are added by one thread of a launch, by a block that has them all, or by the first block of a cluster.
    assert {dict(launch.macros).get("SPLIT_LANES") for launch in plan.launches[1:]} <= {None, "1"}
    return plan.kernel.name.removesuffix("_small"), split


@pytest.mark.parametrize(
    ("facts", "dtype", "kernel"),
    [
        (H200, "bfloat16", "matmul/wgmma"),
        (H200, "float16", "matmul/wgmma"),
        (A100, "bfloat16", "matmul/mma_sync"),
        (T4, "float16", "matmul/mma_sync"),
        (H200, "float32", "matmul/cuda_cores_float32"),
        (A100, "float32", "matmul/cuda_cores_float32"),
        (H200, "float64", "matmul/mma_sync_float64"),
    ],
    ids=str,
)
@pytest.mark.parametrize(
    ("n", "k"), [(4096, 4096), (1024, 8192), (100, 65536), (3000, 5001), (28672, 8192), (1, 5000), (129, 77)]
)
def test_rows_decide_over_nothing(facts, dtype, kernel, n, k):
    """One kernel and one way to add up k for one row and for twenty thousand, and for batches of them."""
    found = {str(how_k_is_added(problem_of(m, n, k, dtype), facts)) for m in ROWS}
    found |= {str(how_k_is_added(problem_of(m, n, k, dtype, batch=(5,)), facts)) for m in (1, 70)}
    assert len(found) == 1, found
    assert kernel in found.pop()


@pytest.mark.parametrize(
    ("n", "k", "dtype", "parts"),
    [
        (4096, 4096, "bfloat16", 1),
        (4096, 14336, "bfloat16", 2),  # 64 tiles
        (1024, 8191, "bfloat16", 1),  # each part would be less than 4,096
        (1024, 8192, "bfloat16", 2),
        (128, 65536, "bfloat16", 16),
        (1024, 65536, "float32", 16),  # 8 tiles
        (1024, 4096, "float32", 8),
        (1024, 2047, "float32", 3),
        (8448, 65536, "float32", 4),  # however many tiles there are
        (8448, 2047, "float32", 3),
        (128, 1023, "float32", 1),
        (1024, 4096, "float64", 8),
        (8448, 65536, "float64", 1),  # as many tiles as SMs
    ],
)
def test_how_k_is_split(n, k, dtype, parts):
    """Where columns are too few to keep SMs busy, if the parts are long enough; at multiples of every tile's k."""
    each = k_per_split(problem_of(64, n, k, dtype), 132)
    assert each % K_MULTIPLE == 0
    assert (parts == 1) == (each == 0)
    assert each == 0 or -(-k // each) == parts
    assert k_per_split(problem_of(64, n, k, dtype), None) == 0


@pytest.mark.parametrize(
    ("n", "k", "dtype", "precision", "parts"),
    [
        (4096, 4096, "bfloat16", None, 2),
        (4096, 14336, "bfloat16", None, 4),  # 32 tiles
        (4097, 4095, "bfloat16", None, 1),  # each part would be less than 2,048
        (1024, 8192, "float16", None, 4),
        (8192, 8192, "float16", None, 2),
        (12288, 8192, "float16", None, 1),  # 96 tiles
        (128, 65536, "bfloat16", None, 32),
        (1024, 8192, "float32", "tf32", 2),  # which has no chunks
    ],
)
def test_how_k_is_cut_where_a_block_may_have_all_of_it(n, k, dtype, precision, parts):
    """On Hopper's tensor cores, so that parts may be shorter."""
    each = k_per_chunk(problem_of(64, n, k, dtype, precision), 132)
    assert each % K_MULTIPLE == 0
    assert -(-k // (each or k)) == parts
    assert k_per_chunk(problem_of(64, n, k, dtype, precision), None) == 0


@pytest.mark.parametrize(
    ("m", "how"), [(100, "Split-K: k is split into 4 parts"), (8192, "Chunks: k is cut into 4 parts")]
)
def test_few_rows_have_splits_and_many_have_chunks(m, how):
    """The parts are the same."""
    assert any(reason.startswith(how) for reason in choose_plan(problem_of(m, 1024, 8192), H200).reasons)


def test_precision_is_not_chosen_by_size():
    """With "auto" they are those of SGEMM at every size; others are taken by name if they keep the promise."""
    for m in (64, 8192):
        plan = choose_plan(problem_of(m, 8192, 8192, "float32", "auto"), H200)
        assert (plan.kernel.idea, plan.problem.precision) == ("cuda_cores_float32", "ieee")
    for m in (1, 8192):
        assert choose_plan(problem_of(m, 8192, 8192, "float32", "tf32"), H200).kernel.idea == "wgmma"
    for precision in ("bf16x6", "fp16x3"):
        with pytest.raises(PlanError, match="In matmul/wgmma_split a row's bits may depend on the other rows"):
            choose_plan(problem_of(64, 512, 512, "float32", precision), H200)
    with pytest.raises(PlanError, match="does not multiply float32 with precision 'tf32'"):
        choose_plan(problem_of(64, 512, 512, "float32", "tf32"), A100)


def test_kernels_without_the_promise_are_refused():
    """By name; those with it run."""
    with pytest.raises(
        PlanError, match=r"In matmul/small_batched .* with invariant=True cuda_cores_16bit, .* accepted"
    ):
        choose_plan(problem_of(16, 16, 16, batch=(100,)), H200, "small_batched")
    assert choose_plan(problem_of(16, 16, 16), H200, "mma_sync").kernel.idea == "mma_sync"
    assert choose_plan(problem_of(1, 1, 9, "float32"), H200).kernel.idea == "cuda_cores_float32"  # no dot/two_stage
    with pytest.raises(PlanError, match="Another kernel would, with other bits"):
        choose_plan(problem_of(1, 8, 8, batch=(2**26,)), H200)


def test_without_it_nothing_changes():
    """A plan of a product of the same sizes, and its sentence."""
    problem = problem_of(64, 1024, 8192)
    free = choose_plan(replace(problem, invariant=False), H200)
    assert "do not depend on" not in str(free)
    assert "A row's bits do not depend on the other rows: k is added up in one order." in str(
        choose_plan(problem, H200)
    )


def test_measured_tiles_that_share_k_are_left_out(monkeypatch):
    """Of tiles that were measured near a shape, those whose bits follow from the rows are not taken."""
    tile = next(iter(tile_table().measured)).tile
    whole = replace(tile, splits=1, stream_k=False, small=False)
    measured = [replace(whole, splits=2), replace(whole, stream_k=True), whole]
    monkeypatch.setattr(rule, "_measured", lambda *_, **__: ((each, "measured") for each in measured))
    ranked = rule.ranked_tiles(problem_of(4096, 12288, 4096), 132, repacked=False)

    assert [found for found, why in ranked if why == "measured"] == [whole]
