"""Ranks roles by how well they explain the addresses that a kernel reads and writes, when its results are useless."""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.lab.check.sizes import trial_sizes

from .candidate import TRIAL_SEED, Candidate, trial_unit
from .roles import Roles
from .trials import Trial, trial_by_addresses

MOST_LOOKED_AT = 96
SURE = 0.98
"""A likeness from which on the roles are certain, whatever the result is."""
LIKELY, AHEAD = 0.9, 0.05
"""A lower likeness that suffices if no other roles come close: a guard one row too tight touches one row less."""


def best_by_addresses(candidate: Candidate, trials: Sequence[Trial], tile: int) -> Trial | None:
    """Return the guess that best explains what is read and written, when the results are useless."""
    return next(iter(_by_addresses(candidate, trials, tile)), None)


def best_by_operands(candidate: Candidate, trials: Sequence[Trial], tile: int) -> Trial | None:
    """Return the guess under which the most arrays are touched as they should be: a wrong index is of one of them."""
    scored = _by_addresses(candidate, trials, tile)
    return max(
        scored, key=lambda trial: (sum(share >= SURE for share in trial.apart.values()), trial.alike), default=None
    )


def sure_by_addresses(candidate: Candidate, trials: Sequence[Trial], tile: int) -> Trial | None:
    """Return the guess that is certain, or None."""
    scored = _by_addresses(candidate, trials, tile)
    if not scored:
        return None
    first = scored[0]
    rivals = [trial.alike for trial in scored if _meaning(trial.roles) != _meaning(first.roles)]
    is_alone = first.alike > LIKELY and first.alike > max(rivals, default=0.0) + AHEAD
    return first if first.alike > SURE or is_alone else None


def _by_addresses(candidate: Candidate, trials: Sequence[Trial], tile: int) -> list[Trial]:
    """Return the guesses with their likeness to what is read and written, the best first."""
    scored = []
    for trial in sorted(trials, key=lambda trial: -trial.score)[:MOST_LOOKED_AT]:
        if not trial.refusal:
            sizes = trial_sizes(trial.roles.operation, trial.roles.family, trial_unit(candidate, trial.roles, tile))
            stand = candidate.stand(trial.roles.constants_at(sizes))
            scored.append(trial_by_addresses(stand, trial, sizes, candidate.dtypes(trial.roles), TRIAL_SEED))
    return sorted(scored, key=lambda trial: -trial.alike)


def _meaning(roles: Roles) -> tuple[object, ...]:
    """Return the part of the roles that determines which addresses are touched; factors do not."""
    return tuple("factor" if "." in word else word for word in roles.arguments), roles.constants
