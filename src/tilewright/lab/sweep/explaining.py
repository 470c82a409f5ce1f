"""Why the winner of a sweep wins: how its counts differ from those of the next and of the last."""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.choose import DeviceFacts
from tilewright.lab.sweep.model import IN_WORDS
from tilewright.lab.sweep.result import SweepRow, how_counted, in_digits


def sentences(ranking: Sequence[SweepRow], chip: DeviceFacts, timed_on: str | None) -> tuple[str, ...]:
    """Explain a ranking, fastest first. chip: what the model is of; timed_on: the GPU, if rows were timed."""
    first, last, sms = ranking[0], ranking[-1], chip.sm_count or 1
    told = [_first(ranking, chip.name, timed_on)]
    if len(ranking) > 1:
        told += [_loads(first, ranking[1], last), *_fewer_loads(first, ranking, sms), _against_last(first, last)]
    told += [_occupancy(first, ranking), _conflicts(ranking), _how(ranking, timed_on)]
    return tuple(told)


def _first(ranking: Sequence[SweepRow], chip: str, timed_on: str | None) -> str:
    first = ranking[0]
    bound = f"bound by {IN_WORDS[first.modelled.bound]}"
    if timed_on is None:
        told = f"Tile {first.tile} comes first on {chip} by the model: {in_digits(first.us)} us, {bound}"
    else:
        told = f"Tile {first.tile} comes first on {timed_on}, timed: {in_digits(first.us)} us; by the model {bound}"
    if len(ranking) == 1:
        return f"{told}."
    second = ranking[1]
    more = second.us / first.us - 1
    return f"{told}; tile {second.tile} follows with {in_digits(second.us)} us, {more:.0%} more."


def _loads(first: SweepRow, second: SweepRow, last: SweepRow) -> str:
    told = f"With tile {first.tile} all threads load {first.counts.global_loads:,} elements from global memory"
    others = (second,) if second is last else (second, last)
    parts = [_times(other.counts.global_loads, first.counts.global_loads, other.tile) for other in others]
    requests = first.counts.values["global_load_requests"]
    sectors = first.counts.values["global_load_sectors"]
    per_request = f"{sectors / requests:.3g} sectors each" if requests else "none"
    return f"{told} ({', '.join(parts)}) in {requests:,} requests of {per_request}."


def _times(theirs: int, ours: int, tile: int) -> str:
    if not ours or theirs == ours:
        return f"tile {tile} as many"
    ratio = theirs / ours
    return f"tile {tile} {ratio:.3g} times as many"


def _fewer_loads(first: SweepRow, ranking: Sequence[SweepRow], sms: int) -> list[str]:
    """Why a tile that loads less does not win."""
    least = min(ranking, key=lambda row: row.counts.global_loads)
    if least.counts.global_loads == first.counts.global_loads:
        return []
    told = f"Tile {least.tile} loads least, {least.counts.global_loads:,} elements"
    if least.counts.blocks < sms:
        idle = f"{sms - least.counts.blocks:,} of {sms:,} SMs"
        return [f"{told}, but has {least.counts.blocks:,} blocks, so that {idle} get none."]
    return [f"{told}, but is bound by {IN_WORDS[least.modelled.bound]}."]


def _against_last(first: SweepRow, last: SweepRow) -> str:
    told = (
        f"Tile {last.tile} comes last, with {in_digits(last.us)} us: by the model it is bound by "
        f"{IN_WORDS[last.modelled.bound]}"
    )
    if last.lanes_used < 0.9 * first.lanes_used:
        told += (
            f", and {last.lanes_used:.0%} of the lanes of its warps have work ({first.lanes_used:.0%} with the first)"
        )
    return f"{told}."


def _occupancy(first: SweepRow, ranking: Sequence[SweepRow]) -> str:
    told = str(first.occupancy).partition(". ")[0].rstrip(".")
    fraction = first.occupancy.fraction
    fuller = [row for row in ranking if (row.occupancy.fraction or 0) > (fraction or 0)]
    if fraction is not None:
        told += f": {fraction:.0%} of its warps"
    if not fuller:
        return f"{told}; no tile fills it more."
    most = max(fuller, key=lambda row: row.occupancy.fraction or 0)
    return f"{told}; tile {most.tile} fills {most.occupancy.fraction:.0%}, which does not decide."


def _conflicts(ranking: Sequence[SweepRow]) -> str:
    with_some = [row for row in ranking if row.counts.bank_conflicts]
    if not with_some:
        return "No tile has bank conflicts in shared memory."
    listed = ", ".join(
        f"tile {row.tile} {row.counts.bank_conflicts:,} of {row.counts.shared_wavefronts:,} wavefronts"
        for row in with_some
    )
    return f"Bank conflicts cost extra wavefronts of shared memory: {listed}."


def _how(ranking: Sequence[SweepRow], timed_on: str | None) -> str:
    kinds = {row.counts.whole for row in ranking}
    if kinds == {True}:
        told = "Counted by execution of every block"
    elif kinds == {False}:
        told = f"Counts are scaled from some blocks (tile {ranking[0].tile}: {how_counted(ranking[0].counts)})"
    else:
        whole = ", ".join(str(row.tile) for row in sorted(ranking, key=lambda row: row.tile) if row.counts.whole)
        told = f"Counted by execution of every block with tile {whole}, of some blocks, scaled, with the others"
    return f"{told}; {'us are modelled, not measured' if timed_on is None else 'modelled us are not measured'}."
