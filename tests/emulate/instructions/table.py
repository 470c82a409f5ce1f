"""The whole table, and the file that keeps what the hardware answered."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from . import conversion, floating, integer
from .variants import Variant

EXPECTED = Path(__file__).with_name("expected.json")

ROWS: list[Variant] = [*integer.ROWS, *floating.ROWS, *conversion.ROWS]
"""Every variant, in the order of the file; names are unique."""


def read_expected() -> dict[str, Any]:
    """Return `expected.json`: its origin, and per variant the digest of its operands and its result bits."""
    return dict(json.loads(EXPECTED.read_text()))
