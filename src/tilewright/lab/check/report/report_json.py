"""`--json`: a check's complete results, with stable keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .points import Score
from .records import record_of
from .result import CheckResult

VERSION = 1
"""Increased when a key is removed or changes its meaning; keys may be added at any time."""


def document(
    files: Sequence[Sequence[CheckResult]], *, seed: int = 0, strict: bool = False, scores: Sequence[Score] = ()
) -> dict[str, Any]:
    """Return the document of `--json`. files: each file's results, in order. scores: of each file, with `--points`."""
    rows: list[dict[str, Any]] = [
        {
            "file": results[0].file,
            "well": all(result.is_well(strict=strict) for result in results),
            "kernels": [
                {**record_of(result), "right": result.is_right, "well": result.is_well(strict=strict)}
                for result in results
            ],
        }
        for results in files
    ]
    for row, score in zip(rows, scores, strict=False):
        row["points"] = score.record()
    return {
        "version": VERSION,
        "seed": seed,
        "strict": strict,
        "well": all(row["well"] for row in rows),
        "files": rows,
    }
