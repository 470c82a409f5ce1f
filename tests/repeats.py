"""How much tests repeat: a few times or a twelfth in CI, and as much as a claim says in `make test-long`."""

from __future__ import annotations

import os
import random
from collections.abc import Iterable, Sequence
from typing import TypeVar

from tilewright.lab.check.options import Options

Case = TypeVar("Case")
Other = TypeVar("Other")


def repeats(few: int, many: int) -> int:
    """Return ``few``, or ``many`` where TILEWRIGHT_LONG_TESTS=1."""
    return many if is_long() else few


def sampled(cases: Iterable[Case]) -> list[Case]:
    """Return all of them in a long run, and otherwise a twelfth, always the same: of families whose cases are alike."""
    given = list(cases)
    # Drawn, and not every twelfth one, which of pairs would always be the same side.
    drawn = random.Random(len(given)).sample(range(len(given)), -(-len(given) // 8))
    chosen = set(drawn[: -(-len(given) // 12)])
    return [case for at, case in enumerate(given) if is_long() or at in chosen]


def by_turns(cases: Iterable[Case], others: Sequence[Other]) -> list[tuple[Case, Other]]:
    """Return each case with each of the others in a long run, and otherwise each with one of them, by turns."""
    return [
        (case, other)
        for at, case in enumerate(cases)
        for turn, other in enumerate(others)
        if is_long() or turn == at % len(others)
    ]


def cause_seconds() -> float:
    """Return how long a cause is looked for where none is to be found: in a long run as long as by default."""
    return Options().cause_seconds if is_long() else 4.0


def is_long() -> bool:
    """Say whether this is a long run."""
    return os.environ.get("TILEWRIGHT_LONG_TESTS") == "1"
