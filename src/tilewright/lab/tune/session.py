"""A run of `tilewright tune`: products in batches, programs compiled ahead, and what is found kept as it is found."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from tilewright.choose import PlanError
from tilewright.kernels.problem import Problem
from tilewright.kernels.tuned import Tuned
from tilewright.launch import Progress

from . import rates
from .products import drawn
from .stopwatch import Stopwatch, UnmeasurableError
from .tuning import FEW, MANY, Measured, contest, measured

AT_ONCE = 4
"""Products whose programs are compiled together."""
FITTED_SHARE = 2 / 3
"""Of the time, for products to which rates are fitted; on those of the rest they are tried."""


@dataclass
class Session:
    """What is measured on a card, and kept: ``keep`` is told everything that is to be kept whenever that changes.

    ``is_over`` says that a user wants to stop. ``left_out``: why products were not measured, in sentences.
    """

    stopwatch: Stopwatch
    kept: Tuned
    keep: Callable[[Tuned], None]
    is_over: Callable[[], bool] = lambda: False
    now: Callable[[], float] = time.monotonic
    found: list[Measured] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    trial: rates.Trial | None = None

    def measure(self, asked: Sequence[tuple[str, Problem]], progress: Progress | None = None) -> None:
        """Measure products, each after its group."""
        for first in range(0, len(asked), AT_ONCE):
            if self.is_over():
                return
            self._batch(asked[first : first + AT_ONCE], MANY, None)
            if progress is not None:
                progress(min(first + AT_ONCE, len(asked)), len(asked))

    def measure_drawn(self, seed: int, dtypes: Sequence[str], seconds: float, progress: Progress | None = None) -> None:
        """Measure products that are drawn at random, for about so long; fit rates to most, try them on the others."""
        products, begun = drawn(seed, dtypes), self.now()
        factors: Mapping[str, float] | None = None
        fits = rates.are_used(self.stopwatch.facts, dtypes)
        held_back = 0
        while not self.is_over() and (gone := self.now() - begun) < seconds:
            if progress is not None:
                progress(int(gone), int(seconds))
            if fits and factors is None and gone >= FITTED_SHARE * seconds:
                factors, fits = rates.fitted(self.found), False
                held_back = len(self.found)
            self._batch(list(islice(products, AT_ONCE)), FEW, factors)
        if factors is not None and not self.is_over():
            self.trial = rates.trial(factors, self.found[held_back:])
            self._keep(Tuned(self.kept.choices, dict(factors) if self.trial.is_kept else {}))

    def _batch(self, asked: Sequence[tuple[str, Problem]], most: int, factors: Mapping[str, float] | None) -> None:
        contests = []
        for group, problem in asked:
            try:
                found = contest(group, problem, self.stopwatch.facts, most, factors)
            except PlanError as error:
                self.left_out.append(f"{problem}: {error}")
                continue
            if found is None:
                self.left_out.append(f"{problem}: there is one kernel for it here, and nothing to choose from.")
            else:
                contests.append(found)
        self.stopwatch.prepare([plan for each in contests for plan in each.all_plans])
        for each in contests:
            if self.is_over():
                return
            try:
                self._add(measured(each, self.stopwatch))
            except UnmeasurableError as error:
                self.left_out.append(str(error))

    def _add(self, found: Measured) -> None:
        """Note what was measured, and keep it where it was faster; what was kept before and is no longer is dropped."""
        self.found.append(found)
        choices = {key: choice for key, choice in self.kept.choices.items() if key != found.contest.key}
        if found.choice is not None:
            choices[found.contest.key] = found.choice
        self._keep(Tuned(choices, self.kept.factors))

    def _keep(self, tuned: Tuned) -> None:
        if tuned != self.kept:
            self.kept = tuned
            self.keep(tuned)
