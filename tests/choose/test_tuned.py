"""Plans of products that were timed on a card: what `tilewright tune` kept comes first, and only where it may."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.random_products import drawn
from tilewright.choose import PlanError, choose_plan, find_chip
from tilewright.choose.candidates import Candidate, candidates
from tilewright.choose.sm90.fastest import fastest_by_model
from tilewright.choose.tuned import problem_key
from tilewright.kernels.facts import EMULATOR_FACTS, DeviceFacts
from tilewright.kernels.matmul.matrix_vector import DIVISIONS
from tilewright.kernels.operand import packed
from tilewright.kernels.problem import Epilogue, Problem
from tilewright.kernels.tuned import Tuned, TunedChoice

H100 = find_chip("h100")
DTYPES = ("bfloat16", "float16", "float32", "float64")


def product(m: int, k: int, n: int, dtype: str = "bfloat16", **how) -> Problem:
    """Packed matrices."""
    return Problem(packed((m, k)), packed((k, n)), packed((m, n)), dtype, dtype, **how)


def tuned_to(problem: Problem, idea: str, place: int = 0, facts: DeviceFacts = H100) -> DeviceFacts:
    """The card with one product tuned to a candidate of a kernel: the first by its model, or a later one."""
    of_kernel = [each for each in candidates(problem, facts) if each.kernel.idea == idea]
    choice = TunedChoice(f"matmul/{idea}", of_kernel[place].tile, 41.2, 47.0)
    return replace(facts, tuned=Tuned({problem_key(problem): choice}))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("chip", ["h100", "a100", "t4"])
def test_a_candidate_is_named_by_its_kernel_and_tile(chip, dtype):
    """Each name once, so that what is kept means one; and the models' order is theirs."""
    facts = find_chip(chip)
    for drawn_product in drawn("candidates", 3):
        found = candidates(replace(drawn_product, dtype=dtype).problem, facts)

        names = [(each.kernel.name, tuple(each.tile.items())) for each in found]
        assert len(set(names)) == len(names)
        assert [each.model_us for each in found] == sorted(each.model_us for each in found)
        assert all(each.kernel.chip_refusal(dtype, facts.compute_capability) is None for each in found)


def test_the_planners_choice_is_the_first_candidate():
    """Where one kernel's model decides: the same tile, the same launches."""
    for problem in (product(33, 500, 31), product(5000, 30, 7000), product(100, 777, 900, "float64")):
        assert candidates(problem, H100)[0].launches().launches == choose_plan(problem, H100).launches


@pytest.mark.parametrize(
    "problem",
    [
        product(64, 64, 64, invariant=True),
        product(0, 64, 64),
        product(64, 0, 64),
        product(1, 64, 1),
        Problem.of("reduced_matmul", 64, 64, 64, "float32"),
    ],
)
def test_some_products_have_no_candidates(problem):
    """Those that promise bits, and those that are no matrix products."""
    assert candidates(problem, H100) == []


def test_a_product_with_a_vector_has_rows_and_dot_products():
    """Blocks of several rows and warps, and a dot product for each result where there is no epilogue."""
    problem = product(3001, 4096, 1)
    found = [each for each in candidates(problem, H100) if each.kernel.idea == "matrix_vector"]

    pairs = [(each.tile.get("rows", 0), each.tile.get("warps", 0)) for each in found]
    assert sorted(pairs) == sorted([(0, 0), *DIVISIONS])
    (dots,) = [each for each in found if not each.tile]
    assert {launch.kernel for launch in dots.launches().launches} == {"dot/two_stage"}
    biased = replace(problem, epilogue=Epilogue(bias=True))
    assert all(each.tile for each in candidates(biased, H100) if each.kernel.idea == "matrix_vector")


def test_the_emulator_has_no_candidates():
    """It has no SMs, so no model has a time."""
    assert candidates(product(64, 64, 64), EMULATOR_FACTS) == []


@pytest.mark.parametrize(
    ("precision", "ideas"),
    [
        ("auto", {"cuda_cores_float32", "wgmma_split"}),
        ("ieee", {"cuda_cores_float32"}),
        ("tf32", {"cuda_cores_float32", "wgmma"}),
        ("fp16x3", {"cuda_cores_float32", "wgmma_split"}),
    ],
)
def test_a_precision_has_the_kernels_that_are_as_exact(precision, ideas):
    """No candidate has fewer bits than were asked for."""
    found = candidates(product(500, 500, 500, "float32", precision=precision), H100)
    assert {each.kernel.idea for each in found} == ideas


@pytest.mark.parametrize(
    ("dtype", "idea", "place"),
    [
        ("bfloat16", "wgmma", 3),
        ("bfloat16", "mma_sync", 1),
        ("float16", "mma_direct", 0),
        ("float32", "wgmma_split", 0),
        ("float32", "cuda_cores_float32", 2),
        ("float64", "mma_sync_float64", 5),
    ],
)
def test_what_was_kept_is_planned(dtype, idea, place):
    """With the candidate's launches, a reason with both times, and the precision that is computed."""
    problem = product(300, 500, 400, dtype)
    facts = tuned_to(problem, idea, place)
    plan = choose_plan(problem, facts)

    wanted = [each for each in candidates(problem, H100) if each.kernel.idea == idea][place]
    assert plan.launches == wanted.launches().launches
    assert plan.kernel.idea == idea
    assert "tuned on this card: 41.2 us, the model's choice 47.0 us. " in plan.reasons[0]
    assert plan.problem.precision in {None, *plan.kernel.precisions}


@pytest.mark.parametrize("precision", ["tf32", "bf16x6", "fp16x3"])
def test_a_precision_may_be_tuned_to_the_exact_kernel(precision):
    """Which has none of these, and computes float32 as it is."""
    problem = product(300, 500, 400, "float32", precision=precision)
    assert choose_plan(problem, tuned_to(problem, "cuda_cores_float32")).problem.precision == "ieee"


def test_other_products_are_planned_by_the_models():
    """Another size, layout, alignment, type or precision is another product."""
    problem = product(300, 504, 400)
    facts = tuned_to(problem, "mma_sync")
    others = [
        product(301, 504, 400),
        product(300, 504, 400, "float16"),
        product(300, 504, 400, "float32"),
        replace(problem, b=packed((400, 504)).transposed),
        replace(problem, a=packed((300, 504), alignment_bytes=2)),
        Problem(packed((2, 300, 504)), packed((2, 504, 400)), packed((2, 300, 400)), "bfloat16", "bfloat16"),
    ]
    assert "tuned" in choose_plan(problem, facts).reasons[0]
    for other in others:
        assert choose_plan(other, facts) == choose_plan(other, H100)


def test_a_batch_is_kept_by_what_it_is():
    """Extents that merge are one; which operand is broadcast matters."""

    def batch(shape: tuple[int, ...]) -> Problem:
        return Problem(
            packed((*shape, 64, 32)), packed((*shape, 32, 96)), packed((*shape, 64, 96)), "float16", "float16"
        )

    shared = replace(batch((6,)), b=replace(packed((32, 96)), batch=(6,), batch_strides=(0,)))
    assert problem_key(batch((2, 3))) == problem_key(batch((6,))) == "float16 6x64x32x96 row/16 row/16 row/16"
    assert problem_key(shared) == "float16 6x64x32x96 row/16 row/16/0 row/16"


def test_a_view_of_aligned_rows_is_kept_as_one():
    """Kernels see along what it is contiguous and in what vectors it is read, not how long its rows are in memory."""
    problem = product(300, 504, 400)
    view = replace(problem, a=replace(problem.a, row_stride=512))
    assert problem_key(view) == problem_key(problem)
    assert problem_key(replace(problem, a=replace(problem.a, row_stride=505))) != problem_key(problem)


def test_an_epilogue_has_the_plan_of_the_product_alone():
    """And the reason says that it was measured without."""
    problem = product(300, 500, 400)
    plan = choose_plan(replace(problem, epilogue=Epilogue(bias=True)), tuned_to(problem, "mma_sync"))

    assert plan.kernel.idea == "mma_sync"
    assert "(measured without an epilogue)" in plan.reasons[0]


def test_what_was_asked_for_comes_before_what_was_measured():
    """A kernel, a tile, and rows whose bits do not depend on others."""
    problem = product(300, 500, 400)
    facts = tuned_to(problem, "mma_direct")
    assert choose_plan(problem, facts, "matmul/auto").kernel.idea == "mma_direct"
    for given in (("wgmma", None), ("auto", (64, 64)), ("mma_direct", (16, 16))):
        assert choose_plan(problem, facts, *given) == choose_plan(problem, H100, *given)
    invariant = replace(problem, invariant=True)
    assert choose_plan(invariant, facts) == choose_plan(invariant, H100)


def test_a_tile_that_is_no_candidate_is_left_aside():
    """Whatever a file says, a plan is one that the planner would consider."""
    problem = product(300, 500, 400)
    for kernel, tile in (("matmul/wgmma", {"block_m": 100}), ("matmul/gone", {}), ("matmul/mma_sync", {})):
        facts = replace(H100, tuned=Tuned({problem_key(problem): TunedChoice(kernel, tile, 1.0, 2.0)}))
        assert choose_plan(problem, facts) == choose_plan(problem, H100)


def test_a_tile_that_does_not_fit_after_all_is_left_aside():
    """A candidate may be refused when its launches are made."""
    problem = product(1, 512, 512)
    refused = next(place for place, each in enumerate(wgmmas(problem)) if is_refused(each))
    assert choose_plan(problem, tuned_to(problem, "wgmma", refused)) == choose_plan(problem, H100)


def wgmmas(problem: Problem) -> list[Candidate]:
    """The candidates of matmul/wgmma."""
    return [each for each in candidates(problem, H100) if each.kernel.idea == "wgmma"]


def is_refused(candidate: Candidate) -> bool:
    """Whether it has no launches."""
    try:
        candidate.launches()
    except PlanError:
        return True
    return False


def test_rates_of_a_card_decide_between_kernels():
    """A model that is too good by half loses, and the reason says whose rates these are."""
    problem = product(63, 61, 59)
    plain = fastest_by_model(problem, H100)
    rated = fastest_by_model(problem, replace(H100, tuned=Tuned(factors={"mma_direct": 2.0})))

    assert plain is not None
    assert rated is not None
    assert plain[0] == "mma_direct" != rated[0]
    assert rated[1].endswith("both by the rates that were measured on this card")


def test_on_other_chips_rates_let_the_planner_compare():
    """Without any it is matmul/mma_sync for all; with them it is what is fastest by its model and rate."""
    a100, even = find_chip("a100"), Tuned(factors={"mma_sync": 1.0})
    short, large = product(8192, 8, 8192), product(4096, 4096, 4096)
    assert choose_plan(short, a100).kernel.idea == "mma_sync"
    rated = choose_plan(short, replace(a100, tuned=even))
    assert rated.kernel.idea == "short_k"
    assert "both by the rates that were measured on this card" in rated.reasons[0]
    assert choose_plan(short, replace(a100, tuned=Tuned(factors={"short_k": 99.0}))).kernel.idea != "short_k"
    assert choose_plan(large, replace(a100, tuned=even)).kernel.idea == "mma_sync"


@pytest.mark.parametrize(
    "problem",
    [
        product(8192, 8, 8192, "bfloat16"),
        product(8192, 8, 8192, "float32"),
        product(8192, 0, 8192, "float16"),
        product(0, 8, 8192, "float16"),
        product(8192, 8, 8192, "float16", invariant=True),
    ],
)
def test_rates_change_nothing_where_there_is_one_kernel(problem):
    """A T4 multiplies bfloat16 on its CUDA cores; wider types, empty products and invariant rows have no choice."""
    t4 = find_chip("t4")
    rated = replace(t4, tuned=Tuned(factors={"mma_sync": 99.0}))
    assert choose_plan(problem, rated) == choose_plan(problem, t4)
    tiled = product(8192, 8, 8192, "float16")
    assert choose_plan(tiled, rated, tile=(64, 64)) == choose_plan(tiled, t4, tile=(64, 64))
    assert choose_plan(tiled, rated).kernel.idea == "short_k"
