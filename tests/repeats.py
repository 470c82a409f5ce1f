"""How much tests repeat: a few times or a half in CI, and as much as a claim says in `make test-long`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

Case = TypeVar("Case")


def repeats(few: int, many: int) -> int:
    """Return ``few``, or ``many`` where TILEWRIGHT_LONG_TESTS=1."""
    return many if is_long() else few


def sampled(cases: Sequence[Case]) -> list[Case]:
    """Return all of them in a long run, and otherwise every other one: of families whose cases are alike."""
    return list(cases) if is_long() else list(cases)[::2]


def is_long() -> bool:
    """Say whether this is a long run."""
    return os.environ.get("TILEWRIGHT_LONG_TESTS") == "1"
