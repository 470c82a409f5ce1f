"""Each hazard is found on its lines although the result is mostly right, and nothing is found in the mended twins."""

from __future__ import annotations

import pytest

from tests.kernels.hopper_products import QUICK
from tests.kernels.test_hopper_on_emulator import checked
from tests.lab.hazards.hazard_kernels import hazard_cases, run
from tilewright.emulate import Emulator
from tilewright.emulate.observers import HazardObserver, SwizzleObserver

CASES = pytest.mark.parametrize("case", hazard_cases(), ids=lambda case: case.name)
LUCKY = pytest.mark.parametrize("case", [case for case in hazard_cases() if case.is_right], ids=lambda case: case.name)
TIMES = pytest.mark.parametrize("completion", ["late", "random"])


def named(case, findings):
    """The lines of the case's file that findings of its kind name."""
    places = [place for each in findings if each.kind == case.finding for place in (each.place, each.other)]
    return {line for file, line in filter(None, places) if file == case.path.name}


@CASES
def test_each_is_named(case):
    """Every marked line, by its kind, in sentences; what else is said follows from it."""
    ran = run(case)

    assert case.marked("planted") <= named(case, ran.findings), ran.findings
    assert {found.kind for found in ran.findings} | {ran.fault} <= {case.finding, *case.also, ""}
    for text in (text for found in ran.findings for text in (found.message, found.advice)):
        assert text.endswith("."), text
        assert not text[0].islower(), text


@LUCKY
def test_results_are_right_by_luck(case):
    """No comparison of results would find it: they are the twin's."""
    assert (run(case).out == run(case.twin).out).all()


@CASES
def test_nothing_is_found_in_twins(case):
    """No finding, and no fault."""
    ran = run(case.twin)
    assert (ran.findings, ran.fault) == ([], "")


@TIMES
@CASES
def test_whenever_copies_are_made(case, completion):
    """Late, or by chance, in another order of warps: named again, and the twin is as silent."""
    ran, twin = run(case, completion, seed=3), run(case.twin, completion, seed=3)

    assert case.finding in {found.kind for found in ran.findings} | {ran.fault}, ran.findings
    assert (twin.findings, twin.fault) == ([], "")


def test_there_are_enough_of_them():
    """At least 25, and the mistakes that are known from public projects."""
    cases = hazard_cases()
    assert len(cases) >= 25
    public = {"TransformerEngine #2695", "TransformerEngine #3417", "DeepEP #621", "DeepEP #642", "FlashKDA #24"}
    public |= {"humming #54", "Fuser #3561", "DeepGEMM #448", "sglang #39124", "tilelang #977"}
    assert public <= {case.public for case in cases}


@pytest.mark.parametrize("completion", ["early", "late", "random"])
def test_nothing_is_found_in_the_catalogue(completion, monkeypatch):
    """In every path of the Hopper kernels."""
    found = []

    class Collecting(HazardObserver):
        def end(self):
            super().end()
            assert self.is_complete
            found.extend(self.findings)

    class CollectingLayouts(SwizzleObserver):
        def end(self):
            super().end()
            found.extend(self.findings)

    launch = Emulator.launch
    monkeypatch.setattr(
        Emulator, "launch", lambda *given, **options: launch(*given, **{**options, "completion": completion})
    )
    for case in QUICK:
        checked(case, Emulator(), [Collecting(), CollectingLayouts()])
    assert found == []
