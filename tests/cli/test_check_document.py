"""docs/check.md shows what the command prints, but for what it leaves out with dots."""

import re
import shutil
from pathlib import Path

import pytest

from tilewright import cli

ROOT = Path(__file__).parents[2]
PLANTED = ROOT / "tests" / "lab" / "planted" / "bad"
DOCUMENT = (ROOT / "docs" / "check.md").read_text(encoding="utf-8")
RUBRIC = re.search(r"```toml\n(.*?)```", DOCUMENT, re.DOTALL)
ADDRESS = re.compile(r"0x[0-9a-f]+")
UNDEFINED = "__global__ void mul(const float* A, const float* B, float* C, int n) { nothing; }\n"


def shown(start: str) -> str:
    """What the document shows next under the first command of that start."""
    _, command, rest = DOCUMENT.partition(f"```sh\ntilewright {start}")
    assert command, f"docs/check.md shows no command that starts with {start!r}"
    return rest.partition("```text\n")[2].partition("```")[0]


def assert_shows(text: str, printed: str) -> None:
    """Each line of the text is one of what was printed, in that order; only at dots may lines be missing.

    Addresses depend on what was allocated before, in this process as well, so they may be others.
    """
    text, printed = (ADDRESS.sub("0x0", each) for each in (text, printed))
    lines = [line.rstrip() for line in printed.splitlines()]
    at, may_skip = 0, False
    for line in text.splitlines():
        if line.strip() == "...":
            may_skip = True
            continue
        found = lines.index(line, at) if line in lines[at:] else None
        assert found is not None, f"not printed: {line}"
        assert may_skip or found == at, f"left out without dots: {lines[at]}"
        at, may_skip = found + 1, False
    assert may_skip or not "".join(lines[at:]), f"left out at the end: {lines[at:]}"


@pytest.mark.slow
def test_the_first_run(monkeypatch, tmp_path, capsys):
    """A missing guard."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    shutil.copy(PLANTED / "no_guard_c.cu", tmp_path)
    assert cli.run(["check", "no_guard_c.cu"]) == cli.FAILED

    assert_shows(shown("check no_guard_c.cu"), capsys.readouterr().out)


@pytest.mark.slow
def test_the_course(monkeypatch, tmp_path, capsys):
    """Four submissions and the document's own rubric: a missing barrier, a missing guard, a right one, none at all."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    assert RUBRIC is not None
    (tmp_path / "rubric.toml").write_text(RUBRIC[1])
    folder = tmp_path / "submissions"
    folder.mkdir()
    for student, name in (("ada", "no_second_barrier"), ("ben", "no_guard_c"), ("cleo", "no_guard_c_mended")):
        shutil.copy(PLANTED / f"{name}.cu", folder / f"{student}.cu")
    (folder / "dan.cu").write_text(UNDEFINED)
    files = [f"submissions/{student}.cu" for student in ("ada", "ben", "cleo", "dan")]
    assert cli.run(["check", *files, "--points", "rubric.toml", "--seed", "2024"]) == cli.FAILED

    assert_shows(shown("check submissions"), capsys.readouterr().out)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a\nb\n", "not printed: b"),
        ("a\nd\n", "left out without dots: c"),
        ("a\nc\n", "left out at the end"),
        ("c\na\n...\n", "left out without dots: a"),
    ],
)
def test_a_difference_is_seen(text, sentence):
    """Lines of its own, lines that lack, another order."""
    with pytest.raises(AssertionError, match=sentence):
        assert_shows(text, "a\nc\nd\n")


def test_dots_stand_for_lines():
    """In the middle and at the end."""
    assert_shows("a\n  ...\nd\n", "a\nc\nd\n")
    assert_shows("a\n...\n", "a\nc\nd\n")
