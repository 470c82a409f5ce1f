"""What a GPU answered: a digest of all registers for each random program, written by tests/gpu/fuzz_programs.py."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

ANSWERS = Path(__file__).with_name("h100.json")


def digest(values: NDArray[np.uint64]) -> str:
    """Return 16 hexadecimal digits that stand for the bits."""
    return hashlib.sha256(np.ascontiguousarray(values).tobytes()).hexdigest()[:16]


def answers() -> list[str]:
    """Return the digest of each program, from number 0 on."""
    return [each for line in json.loads(ANSWERS.read_text())["digests"] for each in line.split()]


def write_answers(path: Path, origin: dict[str, str], digests: list[str]) -> None:
    """Write the digests of programs 0, 1, 2 and so on, ten on a line."""
    lines = [" ".join(digests[first : first + 10]) for first in range(0, len(digests), 10)]
    path.write_text(json.dumps({"origin": origin, "programs": len(digests), "digests": lines}, indent=0))
