"""The barrier problem, run."""

from __future__ import annotations

import pytest

from tests.emulate.running import line_of
from tilewright.kernels import find_taught
from tilewright.lab.barriers import BRANCH, Run, run_all, schedules, variants

TILED = find_taught("matmul", "tiled").source_text()
LINES = [number for number, text in enumerate(TILED.splitlines(), 1) if text.strip() == "__syncthreads();"]


@pytest.fixture(scope="module")
def runs():
    """Every variant under three schedules, by title."""
    result: dict[str, list[Run]] = {}
    for run in run_all((10, 9, 20), 4, schedules(2)):
        result.setdefault(run.variant.title, []).append(run)
    return result


def test_variants_are_the_file_itself_but_for_a_line():
    """Nothing moves: the lines that findings name are those of the catalogue's file."""
    by_title = {variant.title: variant for variant in variants()}
    assert by_title["as it is"].source.splitlines() == TILED.splitlines()
    for title, changed in (("without the first barrier", LINES[:1]), ("without both", LINES)):
        text = by_title[title].source.splitlines()
        differing = [i for i, (old, new) in enumerate(zip(TILED.splitlines(), text, strict=True), 1) if old != new]
        assert differing == changed == [number for number, _ in by_title[title].changes]
    assert line_of(by_title["the first barrier in a branch"].source, BRANCH) == LINES[0]


@pytest.mark.parametrize("title", ["as it is", "the blog's placement"])
def test_right_placements_are_silent(runs, title):
    """Right elements, no finding, and the warps stay together."""
    for run in runs[title]:
        assert (run.wrong, run.findings, run.fault) == (0, (), None)
        assert run.timeline.drift <= 1


@pytest.mark.parametrize("title", ["without the first barrier", "without the second barrier", "without both"])
def test_missing_barriers_are_named(runs, title):
    """Races on both tiles under every schedule, whatever the result looks like."""
    for run in runs[title]:
        assert {finding.address.partition("[")[0] for finding in run.findings} == {"tile_A", "tile_B"}
        assert {finding.kind for finding in run.findings} == {"race"}


def test_a_barrier_in_a_branch_is_named(runs):
    """Threads outside C do not come to it."""
    found = {finding.kind for run in runs["the first barrier in a branch"] for finding in run.findings}
    assert "race" in found or "barrier not reached" in found


def test_schedules_differ_and_repeat():
    """Round robin and as many random ones as asked for."""
    assert [str(schedule) for schedule in schedules(2)] == ["round robin", "random, seed 1", "random, seed 2"]


def test_drift_without_barriers():
    """Without barriers the first warp has ended its phases when the last one begins, and all their tiles are in use."""
    size, tile = (16, 16, 64), 16
    runs = {run.variant.title: run for run in run_all(size, tile, schedules(0))}
    assert runs["as it is"].timeline.drift == 1
    assert runs["without both"].timeline.drift == 4
    assert runs["without both"].timeline.working_set_bytes == 5 * 2 * 16 * 16 * 4
    assert len(runs["as it is"].timeline.bins) == 8
