"""What is kept of an earlier run into the same output: its tiles' extents, and the tiles that are whole on the disk."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tilewright.arrays.errors import StoreError
from tilewright.arrays.stores.store import Store
from tilewright.choose import PlanError
from tilewright.choose.streamed import StreamedPlan, StreamedProblem, StreamRates
from tilewright.choose.streamed_tiles import plan_streamed, planned_as

from .host_tiles import read_checksum
from .journal import VERSION, Journal
from .request import Streamed

Whole = Callable[[StreamedPlan, dict[int, int]], dict[int, int]]
"""Of tiles with the checksums that the journal has, those that are on the disk as they were reported."""


def continued(
    asked: Streamed,
    problem: StreamedProblem,
    limit: int,
    rates: StreamRates,
    journal: Journal,
    *,
    resume: bool,
    least_tiles: int = 1,
    whole: Whole | None = None,
) -> tuple[StreamedPlan, set[int]]:
    """The plan, and the tiles that are whole, of an earlier run if there was one; the journal is written anew.

    Args:
        asked: the product.
        problem: the same for planning.
        limit: the bytes that may be taken.
        rates: what the plan tells times by.
        journal: that of the output, whose lock is held.
        resume: whether an earlier run is continued.
        least_tiles: as for `plan_streamed`, of a run that begins.
        whole: compares tiles with their checksums; None reads them here.

    Raises:
        PlanError: the earlier run was of another product, or its tiles do not fit in the limit.
        StoreError: the journal cannot be written.
    """
    told, tiles = journal.read() if resume else (None, {})
    identity = _identity(asked, journal.path.parent, problem.machine)
    if told is None:
        plan, kept = plan_streamed(problem, limit, rates, least_tiles), {}
    else:
        for name, value in identity.items():
            if told.get(name) != value:
                raise PlanError(
                    f"{asked.out.shown} was begun with another {_WORDS[name]}, so it cannot be continued; leave resume "
                    "out to begin anew."
                )
        plan = planned_as(problem, tuple(told["tile"]), told["step"], limit, rates)
        told_of = {number: checksum for number, checksum in tiles.items() if 0 <= number < plan.tile_count}
        kept = whole(plan, told_of) if whole is not None else whole_tiles(asked.out, plan, told_of)
    journal.begin({"version": VERSION, **identity, "tile": list(plan.tile), "step": plan.step}, kept)
    return plan, set(kept)


_WORDS = {
    "operation": "operation",
    "machine": "machine",
    "dtype": "type",
    "a": "A, or A has changed since",
    "b": "B, or B has changed since",
    "out": "shape or type",
}


def _identity(asked: Streamed, folder: Path, machine: str) -> dict[str, Any]:
    """What must be the same for a run to be continued."""

    def of(store: Store) -> list[Any]:
        is_apart = store.path is not None and store.path != asked.out.path and not _holds(store.path, folder)
        return [list(store.shape), store.dtype, store.fingerprint(), store.stamp() if is_apart else None]

    return {
        "operation": asked.operation,
        "machine": machine,
        "dtype": [asked.dtype, asked.sum_dtype],
        "a": of(asked.a),
        "b": of(asked.b),
        "out": [list(asked.out.shape), asked.out.dtype, list(asked.out.written_chunks or ())],
    }


def _holds(folder: Path, path: Path) -> bool:
    return path.is_relative_to(folder.resolve())


def whole_tiles(out: Store, plan: StreamedPlan, tiles: dict[int, int]) -> dict[int, int]:
    """Those of the tiles, given with their checksums, that are on the disk as they were reported."""
    places = plan.tiles()
    return {number: sum_ for number, sum_ in tiles.items() if _is_whole(out, plan, places[number], sum_)}


def _is_whole(out: Store, plan: StreamedPlan, place: tuple[slice, slice], checksum: int) -> bool:
    try:
        return read_checksum(out, *place, plan.strip_bytes) == checksum
    except StoreError:
        return False  # it is computed again
