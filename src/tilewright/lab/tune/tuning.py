"""One product: the planner's choice and the candidates that the models find next, timed; the faster one confirmed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tilewright.choose import Plan, PlanError, choose_plan
from tilewright.choose.candidates import Candidate, candidates
from tilewright.choose.tuned import problem_key
from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.kernel import Kernel
from tilewright.kernels.launch import Launches
from tilewright.kernels.problem import Problem
from tilewright.kernels.tuned import Tuned, TunedChoice

from .stopwatch import Stopwatch

SECONDS = 0.05
"""For each of the two timings of a product, about; every plan is timed seven times at least."""
LEAST_GAIN = 1.03
"""Less is noise. Both timings have to show it."""
MOST_US_OF_MODEL = 3.0
"""What the models find slower by so much is not timed."""
FEW, MANY = 6, 16
"""How many candidates are timed: of a product that was drawn, and of one that was asked for."""


@dataclass(frozen=True)
class Contest:
    """A product with the plans that are to be timed: the planner's, then those of candidates.

    Of each kernel the candidates follow each other as its model says. ``rated`` is the planner's plan with rates on
    trial (`rates.py`).
    """

    group: str
    problem: Problem
    planned: Launches
    planned_kernel: str
    candidates: tuple[Candidate, ...]
    plans: tuple[Launches, ...]
    rated: Launches | None = None

    @property
    def key(self) -> str:
        """By what the product is kept."""
        return problem_key(self.problem)

    @property
    def all_plans(self) -> tuple[Launches, ...]:
        """Each plan once, the planner's first."""
        rated = () if self.rated is None else (self.rated,)
        return tuple(dict.fromkeys((self.planned, *self.plans, *rated)))


@dataclass(frozen=True)
class Measured:
    """What was measured of a product, in us, None for what did not run or agree.

    ``choice`` is what was faster than the planner's, both times.
    """

    contest: Contest
    planned_us: float
    candidates_us: tuple[float | None, ...]
    rated_us: float | None = None
    choice: TunedChoice | None = None

    @property
    def gain(self) -> float:
        """How many times as fast the product is with what is kept: 1 where that is the planner's choice."""
        return 1.0 if self.choice is None else self.choice.model_us / self.choice.us


def contest(
    group: str, problem: Problem, facts: DeviceFacts, most: int = FEW, factors: Mapping[str, float] | None = None
) -> Contest | None:
    """Return what is to be timed for a product, with up to so many candidates; None where there is nothing to choose.

    ``factors``: rates on trial.

    Raises:
        PlanError: no kernel multiplies it here.
    """
    plan = choose_plan(problem, replace(facts, tuned=None))
    found = dict(_shortlist(candidates(problem, facts), most))
    if not found:
        return None
    rated = None
    if factors is not None:
        rated = _bare(choose_plan(problem, replace(facts, tuned=Tuned(factors=factors))))
    return Contest(group, problem, _bare(plan), plan.kernel.name, tuple(found), tuple(found.values()), rated)


def _shortlist(ranked: Sequence[Candidate], most: int) -> Iterator[tuple[Candidate, Launches]]:
    """Yield the first of each kernel, then the first of what is left, each with its launches."""
    near = [each for each in ranked if each.model_us <= MOST_US_OF_MODEL * ranked[0].model_us]
    first: dict[Kernel, Candidate] = {}
    for each in near:
        first.setdefault(each.kernel, each)
    count = 0
    for each in (*first.values(), *(one for one in near if first[one.kernel] is not one)):
        if count == most:
            return
        try:
            launches = _bare(each.launches())
        except PlanError:
            continue
        count += 1
        yield each, launches


def _bare(plan: Plan | Launches) -> Launches:
    """Return what is launched, without the reasons."""
    return Launches(plan.launches, plan.workspace_bytes)


def measured(asked: Contest, stopwatch: Stopwatch, seconds: float = SECONDS) -> Measured:
    """Time a product's plans in turn, and once more the planner's choice and what was faster.

    Raises:
        UnmeasurableError: the planner's choice cannot run, or there is no memory for the product.
    """
    times = dict(zip(asked.all_plans, stopwatch.times_us(asked.problem, asked.all_plans, seconds), strict=True))
    planned_us = times[asked.planned]
    assert planned_us is not None  # it agrees with itself
    rated_us = None if asked.rated is None else times[asked.rated]
    found = Measured(asked, planned_us, tuple(times[plan] for plan in asked.plans), rated_us)
    best = fastest(found.candidates_us)
    if best is None or _gain(planned_us, found.candidates_us[best]) < LEAST_GAIN:
        return found
    again_us, us = stopwatch.times_us(asked.problem, [asked.planned, asked.plans[best]], seconds)
    if again_us is None or us is None or _gain(again_us, us) < LEAST_GAIN:
        return found
    winner = asked.candidates[best]
    return replace(found, choice=TunedChoice(winner.kernel.name, winner.tile, round(us, 2), round(again_us, 2)))


def fastest(times_us: Sequence[float | None]) -> int | None:
    """Return which of the times is the least; None where there is none."""
    known = [number for number, us in enumerate(times_us) if us is not None]
    return min(known, key=lambda number: times_us[number] or 0.0, default=None)


def _gain(planned_us: float, us: float | None) -> float:
    return 0.0 if us is None else planned_us / us
