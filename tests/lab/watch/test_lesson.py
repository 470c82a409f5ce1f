"""What a page tells around a run: counted, and only where there is something to tell."""

from __future__ import annotations

from typing import Any

import pytest

from tilewright.compile import CompilerMissingError
from tilewright.lab.trace.document import FORMAT
from tilewright.lab.watch import lesson
from tilewright.lab.watch.lesson import RACES, lesson_of, memories, reads, tiles, timing, with_lesson, wrong_run


def _document(name: str, fault: str = "") -> dict[str, Any]:
    return {
        "format": FORMAT,
        "kernel": {"name": name},
        "problem": {"operation": name.split("/", maxsplit=1)[0], "tile": None, "m": 4, "n": 6, "k": 5},
        "launch": {"fault": fault},
    }


def test_each_number_is_read_by_a_row_or_a_column_of_threads():
    """A by as many threads as C has columns, B by as many as it has rows; together all loads of the launch."""
    counted = reads("matmul", 4, 6, 5)
    assert counted is not None
    assert counted["A"] == [6] * 20
    assert counted["B"] == [4] * 30
    assert counted["loads"] == sum(counted["A"]) + sum(counted["B"]) == 240


def test_large_products_are_not_counted_element_by_element():
    """That is for small ones, whose squares can be told apart."""
    assert reads("matmul", 64, 64, 64) is None


def test_a_reduced_product_reads_pairs():
    """An element of A goes to as many threads as C has columns, which are half of B's."""
    counted = reads("reduced_matmul", 4, 6, 5)
    assert counted is not None
    assert counted["A"] == [3] * 20
    assert counted["B"] == [2] * 30
    assert counted["loads"] == 4 * 5 * 2 * 3


@pytest.mark.parametrize("operation", ["matmul", "reduced_matmul"])
def test_every_tile_is_counted(operation):
    """Loads fall with the tile wherever it divides the matrices; a thread of a reduced product has a quarter of C."""
    found = tiles(operation)
    side = found["side"]
    for tile in (1, 2, 4, 8, 16, 32):
        assert found["loads"][tile - 1] == (2 if operation == "matmul" else 1) * side**3 // tile


def test_chips_say_what_they_hold():
    """Of blocks of each tile."""
    h200, *_, g80 = tiles("matmul")["chips"]
    assert h200["blocks"][15] == 8
    assert g80["blocks"][22] == 0


def test_without_barriers_warps_drift_apart():
    """Good timing and bad timing, as seed 000 calls them; and the tiles that are then in use at once."""
    good, bad = timing() or ({}, {})
    assert (good["drift"], bad["drift"]) == (1, 6)
    assert good["bytes"] < bad["bytes"]


def test_where_variables_live_is_as_compiled():
    """The memory diagram of seed 001."""
    found = memories("matmul/tiled", 2) or []
    where = {each["shown"]: (each["memory"], each["scope"]) for each in found}
    assert where["__shared__ float tile_A[2][2]"] == ("shared", "block")
    assert where["*A"] == ("global", "grid")


@pytest.mark.parametrize(("name", "barrier"), [(name, barrier) for name, races in RACES.items() for barrier in races])
def test_without_a_barrier_half_of_the_result_or_more_is_wrong(name, barrier):
    """That is what the page plays; it names the harm as a race."""
    document = wrong_run(name, barrier)
    assert document is not None
    problem = document["problem"]
    results = {"matmul": 64, "reduced_matmul": 64, "dot": 1}[problem["operation"]]
    assert problem["wrong_elements"] >= results / 2
    assert any(finding["kind"] == "race" for finding in document["findings"])
    assert len(document["kernel"]["empty"]) > 0


def test_a_dot_product_has_its_wrong_runs_alone():
    """It reads each number once, with tiles and without."""
    lesson = lesson_of(_document("dot/tiled"))
    assert lesson is not None
    assert {key: sorted(each) for key, each in lesson.items()} == {"without": ["1", "2"]}


def test_only_what_is_taught_has_a_lesson():
    """Neither a stranger's kernel, nor a run that was stopped, nor a pipeline."""
    assert lesson_of(_document("mine.cu")) is None
    assert lesson_of(_document("matmul/tiled", "out of bounds")) is None
    naive = lesson_of(_document("matmul/naive"))
    assert naive is not None
    assert naive["without"] == {}
    assert "lesson" not in with_lesson({"format": "tilewright-pipeline"})


def test_without_a_compiler_what_takes_one_is_left_out(monkeypatch):
    """The tiles that ship are counted; a kernel without a barrier does not ship."""

    def missing(*_, **__):
        raise CompilerMissingError("there is none")

    monkeypatch.setattr(lesson, "_loads", lambda plan: plan.block[0] if plan.block[0] in (2, 16) else None)
    monkeypatch.setattr(lesson, "catalogue_subject", missing)
    tiles.cache_clear()
    wrong_run.cache_clear()
    try:
        found = tiles("matmul")
        assert (found["tiles"], found["loads"]) == ([2, 16], [2, 16])
        assert wrong_run("matmul/tiled", 1) is None
    finally:
        tiles.cache_clear()
        wrong_run.cache_clear()
