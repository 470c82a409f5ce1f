"""The kernels and tiles that may be the fastest for a product, as candidates with the times of the models.

`tilewright tune` times some of them, and keeps the name of the fastest; a plan looks that name up here again. So what
is kept can name nothing but what the planner itself would consider.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from functools import partial

from tilewright.choose.sm90.rule import fitted_launches, timed_tiles
from tilewright.kernels.batches import BatchSlice, slices
from tilewright.kernels.catalogue import find
from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.kernel import Kernel
from tilewright.kernels.launch import Launches
from tilewright.kernels.matmul import (
    cuda_cores_float32,
    few_lines,
    matrix_vector,
    mma_direct,
    mma_sync,
    mma_sync_float64,
    outer_products,
    short_k,
    small_batched,
    wgmma_classes,
    wgmma_split,
    wgmma_split_tile,
)
from tilewright.kernels.matmul.direct_loads import fits_grid
from tilewright.kernels.matmul.multistage import Multistage
from tilewright.kernels.matmul.vectors import dot_products
from tilewright.kernels.matmul.wgmma import H200_SMS, nothing_to_multiply
from tilewright.kernels.matmul.wgmma_tile import WgmmaTile
from tilewright.kernels.problem import Problem
from tilewright.kernels.refusals import PlanError

EXACT = "cuda_cores_float32"
"""Takes the place of any precision whose repacking or splitting takes longer: no bits are lost."""
USUAL = {each.name: each.default for each in fields(WgmmaTile)}


@dataclass(frozen=True)
class Candidate:
    """A kernel with a tile, by numbers with names, the modelled time in us, and what makes the launches.

    ``launches`` raises PlanError where the tile does not fit after all.
    """

    kernel: Kernel
    tile: Mapping[str, int] = field(hash=False)
    model_us: float
    launches: Callable[[], Launches] = field(repr=False, compare=False)


def candidates(problem: Problem, facts: DeviceFacts, kernel: str | None = None) -> list[Candidate]:
    """Return the candidates for a matrix product on a chip whose SMs are counted, the fastest by its model first.

    There are none for products of vectors, empty ones, those with an inner size of 0, those that are to be invariant,
    and batches that take several launches, whose parts have plans of their own. ``kernel``: the one that is asked for,
    as in "matmul/wgmma"; None for all.
    """
    if facts.machine != "gpu" or not facts.sm_count or problem.operation != "matmul" or problem.invariant:
        return []
    if problem.is_empty or problem.k == 0 or problem.m == problem.n == 1:
        return []
    part, *more = slices(problem)
    if more:
        return []
    ideas = [idea for idea in WAYS if kernel in {None, f"matmul/{idea}"} and _takes(idea, problem, facts)]
    found = [each for idea in ideas for each in WAYS[idea](part, facts)]
    return sorted(found, key=lambda each: each.model_us)


def _takes(idea: str, problem: Problem, facts: DeviceFacts) -> bool:
    kernel = find("matmul", idea)
    refused = None if idea == EXACT else kernel.precision_refusal(problem.precision)
    refused = refused or kernel.chip_refusal(problem.dtype, facts.compute_capability)
    return (refused or kernel.refusal(problem, facts)) is None


def _wgmma(part: BatchSlice, facts: DeviceFacts) -> Iterator[Candidate]:
    sms = facts.sm_count or H200_SMS
    if nothing_to_multiply(part.part) is not None:
        return
    for us, tile in timed_tiles(part.part, facts):
        yield Candidate(find("matmul", "wgmma"), _numbers(tile), us, partial(_fitted, part, tile, sms))


def _fitted(part: BatchSlice, tile: WgmmaTile, sms: int) -> Launches:
    return fitted_launches(part, tile, sms)[1]


def _wgmma_split(part: BatchSlice, facts: DeviceFacts) -> Iterator[Candidate]:
    product, sms = part.part, facts.sm_count or H200_SMS
    if product.batch_count >= wgmma_split.MOST_BATCHES:
        return
    precision = wgmma_split.computed(product)
    for us, tile in dict.fromkeys(wgmma_split_tile.timed_tiles(product, precision, sms)):
        turned = replace(tile, transposed_problem=product.c.major == "column")
        make = partial(_by_parts, part, turned, precision, sms)
        yield Candidate(find("matmul", "wgmma_split"), _numbers(turned), us, make)


def _by_parts(part: BatchSlice, tile: WgmmaTile, precision: str, sms: int) -> Launches:
    found, most = wgmma_split.part_launches(part, tile, precision, sms), wgmma_split.MOST_WORKSPACE_BYTES
    if part.part.precision == "auto":
        most = wgmma_split.MOST_AUTO_BYTES
    if found.workspace_bytes > most:
        raise PlanError(f"Parts take {found.workspace_bytes:,} bytes of workspace, and {most:,} are taken.")
    return found


def _numbers(tile: WgmmaTile) -> dict[str, int]:
    """Return a tile's fields, without those that are as usual."""
    found = {name: getattr(tile, name) for name, usual in USUAL.items() if getattr(tile, name) != usual}
    return {name: int(value) for name, value in found.items()}


def _mma_sync(part: BatchSlice, facts: DeviceFacts) -> Iterator[Candidate]:
    product, paths = part.part, mma_sync.load_paths(part.part)
    for tile in filter(lambda each: each.takes(paths), mma_sync.WARP_TILES):
        for splits in dict.fromkeys(tile.splits(product, facts.sm_count or 1)):
            names = {"block_m": tile.block_m, "block_n": tile.block_n, "block_k": tile.block_k, "splits": splits}
            us = tile.us(product, splits, facts, paths)
            yield Candidate(find("matmul", "mma_sync"), names, us, partial(mma_sync.divided, part, facts, tile, splits))


def _mma_direct(part: BatchSlice, facts: DeviceFacts) -> Iterator[Candidate]:
    for tile in mma_direct.TILES:
        if fits_grid(tile.grid(part.part)):
            names = {"block_m": tile.block_m, "block_n": tile.block_n, "warps": tile.warps, "steps": tile.steps}
            us = tile.us(part.part, facts)
            yield Candidate(find("matmul", "mma_direct"), names, us, partial(_direct, part, tile))


def _direct(part: BatchSlice, tile: mma_direct.DirectTile) -> Launches:
    return Launches((mma_direct.direct_launch(part, tile),))


def _short_k(part: BatchSlice, facts: DeviceFacts) -> Iterator[Candidate]:
    us = short_k.us(part.part, facts)
    yield Candidate(find("matmul", "short_k"), {}, us, partial(short_k.launches, part.part, facts, None))


def _matrix_vector(part: BatchSlice, facts: DeviceFacts) -> Iterator[Candidate]:
    kernel, product = find("matmul", "matrix_vector"), part.part
    for rows, warps in matrix_vector.DIVISIONS:
        us = matrix_vector.rows_us(product, rows, warps, facts)
        launches = partial(matrix_vector.divided, (part,), rows, warps)
        yield Candidate(kernel, {"rows": rows, "warps": warps}, us, launches)
    if product.epilogue.is_plain:
        yield Candidate(kernel, {}, matrix_vector.dots_us(product, facts), partial(_dots, product, facts))


def _dots(product: Problem, facts: DeviceFacts) -> Launches:
    found = dot_products(product, facts)
    if found is None:
        raise PlanError("dot/two_stage does not take these vectors.")
    return found


def _small_batched(part: BatchSlice, facts: DeviceFacts) -> Iterator[Candidate]:
    us = small_batched.us(part.part, facts)
    yield Candidate(find("matmul", "small_batched"), {}, us, partial(small_batched.launches, part.part, facts, None))


def _few_lines(part: BatchSlice, facts: DeviceFacts) -> Iterator[Candidate]:
    for division in dict.fromkeys(few_lines.divisions(part.part, facts)):
        us, make = few_lines.division_us(part.part, division, facts), partial(few_lines.divided, part, division)
        names = {"thread_n": division.thread_n, "splits": division.splits}
        yield Candidate(find("matmul", "few_lines"), names, us, make)


def _wgmma_classes(part: BatchSlice, facts: DeviceFacts) -> Iterator[Candidate]:
    for division in dict.fromkeys(wgmma_classes.divisions(part.part, facts)):
        us = wgmma_classes.division_us(part.part, division, facts)
        make = partial(wgmma_classes.divided, part, division, facts)
        yield Candidate(find("matmul", "wgmma_classes"), asdict(division), us, make)


def _outer_products(part: BatchSlice, facts: DeviceFacts) -> Iterator[Candidate]:
    us, make = outer_products.us(part.part, facts), partial(outer_products.launches, part.part, facts, None)
    yield Candidate(find("matmul", "outer_products"), {}, us, make)


def _multistage(kernel: Multistage, part: BatchSlice, facts: DeviceFacts) -> Iterator[Candidate]:
    found, idea = dict.fromkeys(kernel.choices(part, facts)), kernel.name.partition("/")[2]
    for us, tile, shares in found:
        names = {"block_m": tile.block_m, "block_n": tile.block_n, "block_k": tile.block_k, "splits": shares.splits}
        names |= {"stays": 1} if tile.stays else {}
        names |= {"whole": shares.whole, "blocks": shares.blocks} if shares.blocks else {}
        yield Candidate(find("matmul", idea), names, us, partial(kernel.divided, part, facts, tile, shares))


WAYS: dict[str, Callable[[BatchSlice, DeviceFacts], Iterator[Candidate]]] = {
    "wgmma": _wgmma,
    "mma_sync": _mma_sync,
    "mma_direct": _mma_direct,
    "short_k": _short_k,
    "matrix_vector": _matrix_vector,
    "small_batched": _small_batched,
    "wgmma_split": _wgmma_split,
    "few_lines": _few_lines,
    "wgmma_classes": _wgmma_classes,
    "outer_products": _outer_products,
    "cuda_cores_float32": partial(_multistage, cuda_cores_float32.KERNEL),
    "mma_sync_float64": partial(_multistage, mma_sync_float64.KERNEL),
}
"""The kernels that are timed beside each other, and what yields their candidates."""
