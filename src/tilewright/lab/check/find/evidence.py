"""What counts as evidence for an accusation: whether a guess explains what a product's kernel does.

Whoever is called wrong must be wrong under what was meant, and not under what was guessed. So findings are reported

- for what the user or the file says: `--args`, `--operation`, a comment;
- for a guess that holds at several independent draws: sizes that all differ, in three orders, none of them 1. Under a
  guessed launch, or where a number that the kernel is not given is taken for a dot product's length, it must also read
  A and B and nothing beyond them, since what lies behind an array here is 0, and adds nothing. What is wrong at other
  sizes then is the kernel's mistake;
- for a guess that is wrong, but a near miss: at each of those draws most elements of C are right;
- for a race in shared memory in a launch of the file: whatever the arrays are, it is one;
- for a guess under which one small change of the file makes everything right. A change of what is computed from the
  elements does not count, unless it makes a sum of an assignment: without it, the kernel may be meant as it is.

A guess that only resembles the product, or that touches the right elements, explains nothing: relu(A B), A B / 8 and
a product of matrices that lie otherwise do that, too. Then the answer is a question. Between two guesses of which one
makes the kernel right, that one is taken.
"""

from __future__ import annotations

from tilewright.emulate.observers import Finding
from tilewright.lab.check.sizes import fewer_rows, least_inner, trial_sizes

from .address_ranking import LIKELY, best_by_addresses
from .candidate import Candidate, Found
from .launches import tile_of
from .search import try_one
from .trials import Trial

MOST = 0.7
"""The share of C that is right in a near miss."""
DRAWS = (trial_sizes, fewer_rows, least_inner)


def explains(candidate: Candidate, found: Found) -> bool:
    """Return whether a guess is right at every draw, or a near miss at every draw."""
    roles = found.roles
    if roles.fixed:
        return True  # tried at no others, and right there for the most part
    draws = [try_one(candidate, roles, found.rule, found.tile, choose=choose) for choose in DRAWS]
    if found.fits:
        is_known = not (found.rule.is_guess or may_be_many(found))
        return all(draw.fits for draw in draws) and (is_known or reads_its_own(candidate, draws[0]))
    return not may_be_many(found) and all(draw.share >= MOST for draw in draws)


def may_be_many(found: Found) -> bool:
    """Return whether a number that the kernel is not given is taken for the length of a dot product's vectors.

    It may be how many dot products there are.
    """
    unpassed = [name for name, _ in found.roles.constants if f"@{name}" not in found.roles.arguments]
    return found.roles.operation == "dot" and bool(unpassed)


def reads_its_own(candidate: Candidate, trial: Trial) -> bool:
    """Return whether a guess reads and writes what its roles say, and hardly anything else."""
    touched = best_by_addresses(candidate, [trial], tile_of(trial.rule, trial.roles, candidate.shared_extents))
    return touched is not None and touched.alike >= LIKELY


def is_proof(cause: Finding | None) -> bool:
    """Return whether a change that makes everything right shows that the kernel is not meant as it is."""
    if cause is None:
        return False
    return not cause.details.get("is_of_values") or "+=" in str(cause.details["change"])
