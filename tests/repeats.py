"""How often tests repeat what is random: a few times in CI, and as often as a claim says in `make test-long`."""

from __future__ import annotations

import os


def repeats(few: int, many: int) -> int:
    """Return ``few``, or ``many`` where TILEWRIGHT_LONG_TESTS=1."""
    return many if os.environ.get("TILEWRIGHT_LONG_TESTS") == "1" else few
