"""The result of a sweep: as data, for JSON, in sentences, and as a notebook's table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from tilewright.choose import DeviceFacts, Occupancy, Plan
from tilewright.choose.printable import escape
from tilewright.lab.sweep.counting import LaunchCounts
from tilewright.lab.sweep.model import IN_WORDS, MODEL, ModelledTime

COLUMNS = (
    "tile",
    "blocks per SM",
    "of its warps",
    "global loads",
    "load requests",
    "load sectors",
    "bank conflicts",
    "warp instructions",
    "lanes used",
    "modelled us",
    "bound by",
)
TIMED = "timed us"


@dataclass(frozen=True)
class SweepRow:
    """One tile.

    counts: of the launch. occupancy: on the chip, with the registers that `registers_from` counted. modelled: what the
    chip would take. timed_us: all timed launches on a GPU, if there are any.
    """

    tile: int
    plan: Plan
    counts: LaunchCounts
    occupancy: Occupancy
    registers_from: str
    modelled: ModelledTime
    timed_us: tuple[float, ...] = ()

    @property
    def lanes_used(self) -> float:
        """The share of lanes that were active in executed warp instructions."""
        values = self.counts.values
        return values["thread_instructions"] / (32 * values["warp_instructions"])

    @property
    def median_timed_us(self) -> float | None:
        """The median of the timed launches, None without."""
        return median(self.timed_us) if self.timed_us else None

    @property
    def us(self) -> float:
        """What the rows are ranked by: the timed median, or the modelled time."""
        return self.modelled.us if self.median_timed_us is None else self.median_timed_us

    def cells(self) -> list[str]:
        """The row as text, one cell for each of COLUMNS and, where timed, TIMED."""
        counts, values = self.counts, self.counts.values
        fraction = self.occupancy.fraction
        cells = [
            str(self.tile),
            str(self.occupancy.blocks_per_sm),
            "-" if fraction is None else f"{fraction:.0%}",
            f"{counts.global_loads:,}",
            f"{values['global_load_requests']:,}",
            f"{values['global_load_sectors']:,}",
            f"{counts.bank_conflicts:,}",
            f"{values['warp_instructions']:,}",
            f"{self.lanes_used:.0%}",
            in_digits(self.modelled.us),
            IN_WORDS[self.modelled.bound],
        ]
        return cells if self.median_timed_us is None else [*cells, in_digits(self.median_timed_us)]

    def as_dict(self) -> dict[str, Any]:
        """The row as JSON takes it."""
        occupancy, counts = self.occupancy, self.counts
        return {
            "tile": self.tile,
            "grid": list(self.plan.grid),
            "block": list(self.plan.block),
            "blocks_per_sm": occupancy.blocks_per_sm,
            "blocks_per_sm_complete": occupancy.complete,
            "occupancy": occupancy.fraction,
            "limited_by": list(occupancy.limited_by),
            "registers_per_thread": occupancy.registers_per_thread,
            "registers_from": self.registers_from,
            "shared_bytes_per_block": occupancy.shared_bytes_per_block,
            "counts": {
                "how": how_counted(counts),
                "blocks": counts.blocks,
                "blocks_run": counts.blocks_run,
                "blocks_observed": counts.blocks_observed,
                "global_loads": counts.global_loads,
                **counts.values,
                "lines_per_global_request": counts.lines_per_request,
                "shared_wavefronts": counts.shared_wavefronts,
                "bank_conflicts": counts.bank_conflicts,
            },
            "lanes_used": self.lanes_used,
            "modelled": {**asdict(self.modelled), "us": self.modelled.us, "bound": self.modelled.bound},
            "timed_us": list(self.timed_us) or None,
            "median_timed_us": self.median_timed_us,
        }


@dataclass(frozen=True, repr=False)
class Sweep:
    """A kernel at its tiles, in their order, on a chip.

    left_out: tiles that the sizes do not allow, each with why. sentences: why the winner wins. timed_on: the GPU, if
    rows were timed.
    """

    kernel: str
    sizes: tuple[int, int, int]
    dtype: str
    chip: DeviceFacts
    rows: tuple[SweepRow, ...]
    left_out: Mapping[int, str]
    sentences: tuple[str, ...]
    timed_on: str | None = None

    @property
    def ranking(self) -> tuple[SweepRow, ...]:
        """The rows, fastest first: by the timed median where there is one, else by the modelled time."""
        return tuple(sorted(self.rows, key=lambda row: (row.us, row.tile)))

    @property
    def winner(self) -> SweepRow:
        """The first of the ranking."""
        return self.ranking[0]

    @property
    def columns(self) -> tuple[str, ...]:
        """The table's header."""
        return COLUMNS if self.timed_on is None else (*COLUMNS, TIMED)

    @property
    def title(self) -> str:
        """The kernel, the sizes, the type and the chip."""
        m, n, k = self.sizes
        return f"{self.kernel}, m = {m:,}, n = {n:,}, k = {k:,}, {self.dtype}, on {self.chip.name}"

    def as_dict(self) -> dict[str, Any]:
        """Everything as JSON takes it."""
        m, n, k = self.sizes
        return {
            "kernel": self.kernel,
            "m": m,
            "n": n,
            "k": k,
            "dtype": self.dtype,
            "chip": self.chip.name,
            "model": MODEL,
            "timed_on": self.timed_on,
            "winner": self.winner.tile,
            "sentences": list(self.sentences),
            "left_out": {str(tile): why for tile, why in self.left_out.items()},
            "rows": [row.as_dict() for row in self.rows],
        }

    def __str__(self) -> str:
        """Return why the winner wins, in sentences."""
        return " ".join(self.sentences)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """The table and the sentences, as notebooks show them; the winner's row is bold and marked."""
        head = "".join(f'<th scope="col" style="text-align:right">{escape(name)}</th>' for name in self.columns)
        body = "".join(self._html_row(row) for row in self.rows)
        why = "".join(f"<li>{escape(sentence)}</li>" for sentence in self.sentences)
        return (
            f"<table><caption>{escape(self.title)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
            f"<ul>{why}</ul>"
        )

    def _html_row(self, row: SweepRow) -> str:
        is_first = row is self.winner
        first, *others = row.cells()
        mark = " \N{LEFTWARDS ARROW} first" if is_first else ""
        cells = "".join(f'<td style="text-align:right">{escape(cell)}</td>' for cell in others)
        style = ' style="font-weight:bold"' if is_first else ""
        return f'<tr{style}><th scope="row" style="text-align:right">{first}{mark}</th>{cells}</tr>'


def how_counted(counts: LaunchCounts) -> str:
    """Say how much of a launch was executed."""
    observed = f"bank conflicts and lines in {counts.blocks_observed:,} of them"
    if counts.whole:
        return f"counted by execution of all {counts.blocks:,} blocks, {observed}"
    return (
        f"counted by execution of {counts.blocks_run:,} of {counts.blocks:,} blocks, {observed}, scaled; "
        "global loads by the seeds' formula"
    )


def in_digits(us: float) -> str:
    """Three digits without an exponent, as in "0.123", "12.3" and "12,345"."""
    return f"{us:,.0f}" if us >= 99.95 else f"{us:.1f}" if us >= 9.995 else f"{us:.2f}" if us >= 0.9995 else f"{us:.3f}"
