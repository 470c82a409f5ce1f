"""What launches drawn at random share: number, set, type, the case itself, sizes and blocks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import exp, log
from random import Random
from types import SimpleNamespace
from typing import Any

from benchmarks.measure.caches.cache_launches.case import KERNELS, CacheCase
from tests.counters.corpus.case import Array

BLOCKS = ((8, 8), (16, 8), (8, 16), (16, 16), (32, 4), (32, 8), (32, 16), (32, 32), (64, 4), (12, 12), (4, 32), (64, 1))
ROWS_OF_THREADS = ((32, 1), (64, 1), (128, 1), (256, 1), (512, 1))
REPEATS = 2
TYPES = {"float": "f4", "double": "f8", "half": "f2"}
TOLERANCES = {"float": 1e-5, "double": 1e-13, "half": 2e-3}
FLAGS = ("A_TRANSPOSED", "B_TRANSPOSED", "X_IS_ROW", "SPREAD", "BOX")
Macros = dict[str, str]


@dataclass(frozen=True, eq=False)
class DrawnCase(CacheCase):
    """A kernel behind the prelude that all drawn kernels share."""

    @property
    def source_text(self) -> str:
        """The prelude and the kernel's file."""
        return (KERNELS / "drawn_numbers.cuh").read_text(encoding="utf-8") + super().source_text


@dataclass(frozen=True)
class Launch:
    """What every family is told: the number of the draw, the set and the type of the elements."""

    number: int
    of_set: str
    kind: str

    def case(
        self,
        name: str,
        file: str,
        title: str,
        grid: tuple[int, int, int],
        block: tuple[int, int],
        macros: Mapping[str, str],
        arguments: Mapping[str, Any],
        expected: Callable[[SimpleNamespace], Mapping[str, Array]],
    ) -> CacheCase:
        """The launch itself."""
        of_type = {} if self.kind == "float" else {self.kind.upper(): "1"}
        told = {key: value for key, value in macros.items() if not key.startswith(("FAMILY", "BX", "BY"))}
        said = " ".join(key.lower() if key in FLAGS else f"{key}={value}" for key, value in told.items())
        return DrawnCase(
            name,
            grid=grid,
            block=(*block, 1),
            arguments=arguments,
            expected=expected,
            tolerance=TOLERANCES[self.kind],
            path=KERNELS / file,
            macros={**macros, **of_type},
            of_set=self.of_set,
            title=f"{self.number}: {title} {self.kind} by {block[0]}x{block[1]} {said}".strip(),
            repeats=REPEATS,
        )


def size(chosen: Random, low: int = 64, high: int = 1200) -> int:
    """A size, small ones as likely as large ones: half of them whole warps."""
    number = round(exp(chosen.uniform(log(low), log(high))))
    return max(32 * round(number / 32), 32) if chosen.random() < 0.5 else number


def shape(block: tuple[int, int]) -> Macros:
    """The block as macros."""
    return {"BX": str(block[0]), "BY": str(block[1])}
