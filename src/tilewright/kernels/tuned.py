"""What `tilewright tune` measured on a card, as data: which kernel was the fastest, and how far off models are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class TunedChoice:
    """The fastest way to a product: a kernel's name, its tile, and what it took in us beside the model's choice.

    ``tile`` has the numbers by name of a candidate (`choose/candidates.py`).
    """

    kernel: str
    tile: Mapping[str, int] = field(hash=False)
    us: float
    model_us: float


@dataclass(frozen=True)
class Tuned:
    """What is kept of a card: choices by product (`choose/tuned.py`), and a factor of a model's time by kernel."""

    choices: Mapping[str, TunedChoice] = field(default_factory=dict, hash=False)
    factors: Mapping[str, float] = field(default_factory=dict, hash=False)
