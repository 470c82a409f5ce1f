"""Which of several guesses at a kernel's roles is taken."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tilewright.lab.check.find import address_ranking, search
from tilewright.lab.check.find.roles import QuestionError
from tilewright.lab.check.find.trials import best
from tilewright.lab.check.sizes import uneven_sizes


def guess(name: str, score: float, *, is_bijective: bool = True, contents: int = 0) -> Any:
    """What was tried."""
    roles = SimpleNamespace(name=name, is_bijective=is_bijective, operation="matmul")
    return SimpleNamespace(roles=roles, rule=None, score=score, contents=contents)


def name_of(trial: Any) -> str:
    """The guess that it is."""
    return str(trial.roles.name)


@pytest.mark.parametrize(
    ("uneven", "taken"),
    [({"first": 1.0}, "first"), ({"first": 0.5, "second": 1.0}, "second"), ({"first": 1.0, "second": 1.0}, "first")],
)
def test_of_those_that_fit_one_that_fits_uneven_sizes(monkeypatch, uneven, taken):
    """The first of them; a guess alone needs no other trial."""
    tried = []

    def try_one(_candidate, roles, _rule, _tile, *, choose):
        tried.append(choose)
        return guess(roles.name, uneven[roles.name])

    monkeypatch.setattr(search, "try_one", try_one)
    monkeypatch.setattr(search, "tile_of", lambda *_: 16)
    monkeypatch.setattr(search, "found_by", lambda _, trial, *, fits, what: (name_of(trial), fits, what))
    candidate: Any = SimpleNamespace(shared_extents=())

    found: Any = search.settled(candidate, [guess(name, 1.0) for name in uneven])

    assert found == (taken, True, "fits")
    assert tried == ([] if len(uneven) == 1 else [uneven_sizes] * 2)


def test_the_best_guess():
    """By its score; then one whose sizes all differ; then the first."""
    alike = guess("alike", 0.9, is_bijective=False)
    assert name_of(best([guess("a", 0.5), alike])) == "alike"
    assert name_of(best([alike, guess("b", 0.9), guess("c", 0.9)])) == "b"


@pytest.mark.parametrize(
    ("rival", "is_refused"),
    [
        (guess("rival", 0.9, contents=1), True),
        (guess("rival", 0.9), False),
        (guess("rival", 0.89, contents=1), False),
        (guess("rival", 0.91, contents=1), False),
        (guess("rival", 0.9, contents=1, is_bijective=False), False),
    ],
)
def test_a_tie(rival, is_refused):
    """Two guesses with equal scores, and different results, are a question."""
    chosen = guess("chosen", 0.9)
    candidate: Any = SimpleNamespace(name="mm")
    if not is_refused:
        search._refuse_tie(candidate, chosen, [chosen, rival])
        return
    with pytest.raises(QuestionError, match=r"^mm is wrong either way, and could be .*chosen.* or .*rival.*: give the"):
        search._refuse_tie(candidate, chosen, [chosen, rival])


@pytest.mark.parametrize(
    ("alikes", "is_sure"),
    [
        ({}, False),
        ({"A,B": 0.99}, True),
        ({"A,B": 0.97}, True),  # no other comes close
        ({"A,B": 0.9}, False),
        ({"A,B": 0.99, "B,A": 0.98}, True),  # so much is enough
        ({"A,B": 0.97, "B,A": 0.91}, True),
        ({"A,B": 0.97, "B,A": 0.93}, False),
        ({"A,B,2.0": 0.97, "A,B,0.5": 0.96}, True),  # factors touch no addresses
        ({"A,B": 0.5, "B,A": 0.3}, False),
    ],
)
def test_a_guess_that_addresses_make_certain(monkeypatch, alikes, is_sure):
    """What it reads and writes is nearly all that the kernel does, or much more alike than any other guess's."""
    trials = [
        SimpleNamespace(alike=alike, roles=SimpleNamespace(arguments=tuple(words.split(",")), constants=()))
        for words, alike in alikes.items()
    ]
    monkeypatch.setattr(address_ranking, "_by_addresses", lambda *_: trials)
    candidate: Any = None

    found: Any = address_ranking.sure_by_addresses(candidate, [], 16)

    assert (found is not None) == is_sure
    assert not is_sure or found is trials[0]


@pytest.mark.parametrize(("is_guessed", "pending"), [(True, "needs its launch"), (False, "needs its arguments")])
def test_what_is_asked_for_where_nothing_fits(is_guessed, pending):
    """A kernel without a launch needs one first; that is said in place of a verdict."""
    slots: Any = SimpleNamespace(parameters=[])
    candidate: Any = SimpleNamespace(name="mm", slots=slots, is_guessed=is_guessed, computes_arguments=False)

    error = search.no_fit(candidate, [])

    assert isinstance(error, QuestionError)
    assert error.pending == pending
