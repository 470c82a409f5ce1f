"""The exercises of the course: each loses points as it is given, each solution has all of them."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from pathlib import Path

import pytest

from tilewright.lab.check.course import check_files
from tilewright.lab.check.options import Options
from tilewright.lab.check.report.points import score

LEARN = Path(__file__).parents[2] / "docs" / "learn"
EXERCISES = sorted(path.name for path in (LEARN / "exercises").glob("*.cu"))
RUBRIC = tomllib.loads((LEARN / "rubric.toml").read_text(encoding="utf-8"))["points"]
LOST = {
    "3-barriers.cu": {"right", "boundary tiles", "no race"},
    "5-lanes.cu": {"coalesced"},
    "6-banks.cu": {"no bank conflict"},
    "8-tree.cu": {"right", "no race"},
}
"""At least these, as each is given. For the others `check` tries long which small change would mend them."""


def _options(path: Path) -> dict[str, str]:
    """The options that the first lines of an exercise name."""
    head = path.read_text(encoding="utf-8").partition("\n\n")[0]
    command = re.search(r"// (tilewright check .*)\n// +(--grid.*)\n", head)
    assert command is not None
    words = shlex.split(f"{command[1]} {command[2]}")
    assert words[2] == path.name
    return {name.removeprefix("--"): value for name, value in zip(words[3::2], words[4::2], strict=True)}


def _earned(path: Path) -> set[str]:
    """Return the criteria that a file earns."""
    given = _options(path)
    options = Options(operation=given["operation"], arguments=given["args"], block=given["block"], grid=given["grid"])
    (results,) = check_files([path], options)
    return {line.criterion for line in score(results, RUBRIC).lines if line.points}


def test_there_are_eight():
    """One for each lesson, with a solution, and the same way to grade both."""
    assert [name[0] for name in EXERCISES] == list("12345678")
    for name in EXERCISES:
        assert _options(LEARN / "exercises" / name) == _options(LEARN / "solutions" / name)
    lessons = sorted(path.stem for path in LEARN.glob("[1-8]-*.md"))
    assert [lesson[0] for lesson in lessons] == [name[0] for name in EXERCISES]
    for lesson, name in zip(lessons, EXERCISES, strict=True):
        text = (LEARN / f"{lesson}.md").read_text(encoding="utf-8")
        for part in ("**Predict.**", "<!-- play: ", "<summary>Reveal", f"(exercises/{name})", f"(solutions/{name})"):
            assert part in text, (lesson, part)
        assert text.count("<summary>Hint") >= 2, lesson


def test_the_notebook_has_the_same_exercises():
    """A cell for each, that grades the file beside it; nothing of a run is kept."""
    cells = json.loads((LEARN / "exercises.ipynb").read_text(encoding="utf-8"))["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    assert re.findall(r'grade\("([\w.-]+)"\)', code) == EXERCISES
    assert all(cell["outputs"] == [] for cell in cells if cell["cell_type"] == "code")
    compile(code, "exercises.ipynb", "exec")


@pytest.mark.slow
@pytest.mark.parametrize("name", EXERCISES)
def test_a_solution_has_all_points(name):
    """The graders' own answer."""
    assert _earned(LEARN / "solutions" / name) == set(RUBRIC)


@pytest.mark.slow
@pytest.mark.parametrize("name", LOST)
def test_an_exercise_loses_points_as_it_is_given(name):
    """Those that the lesson is about."""
    assert not LOST[name] & _earned(LEARN / "exercises" / name)
