"""Mutants of small sources: what is changed and what is not, and which outcome a trial has."""

from __future__ import annotations

import ast
import os
import shutil
from pathlib import Path

import pytest

from tests.mutants import __main__ as command
from tests.mutants import kept_units, reached, trial
from tests.mutants.mutations import mutants_of

SOURCE = b'''"""A docstring with 1."""

from __future__ import annotations

__all__ = ["of", "1"]
LIMIT = 3


def of(size: int = 1, names: list[int] | None = None, is_free: bool = False) -> int:
    """Another, 2."""
    if size > LIMIT and not is_free:
        raise ValueError(f"size is {size + 1}")
    counts = [0]
    pairs(counts, zip(names, names, strict=True))
    counts[0] = size % 2
    counts.append(size * 2)
    return counts[0] if names is None else -1
'''
SUMS = """def add(a, b):
    c = 0
    return a + b + c * 0


def turn():
    while False:
        pass
"""
TESTS = """from tilewright.sums import add, turn


def test_add():
    turn()
    assert add(2, 3) == 5
"""
MORE_TESTS = """

def test_turn():
    turn()
"""
UNREACHED = """

def unreached():
    return 7
"""
CHANGES = {
    ("constant", "3", "4"),
    ("constant", "1", "2"),
    ("constant", "False", "True"),
    ("condition", "size > LIMIT and not is_free", "(not (size > LIMIT and (not is_free)))"),
    ("comparison", "size > LIMIT", "(size >= LIMIT)"),
    ("and or", "size > LIMIT and not is_free", "(size > LIMIT or not is_free)"),
    ("negation", "not is_free", "(is_free)"),
    ("removed", "counts[0] = size % 2", "pass"),
    ("arithmetic", "size % 2", "(size // 2)"),
    ("removed", "counts.append(size * 2)", "pass"),
    ("arithmetic", "size * 2", "(size // 2)"),
    ("return", "counts[0] if names is None else -1", "None"),
    ("condition", "names is None", "(not names is None)"),
    ("comparison", "names is None", "(names is not None)"),
    ("constant", "2", "3"),
    ("constant", "0", "1"),
    ("removed", "pairs(counts, zip(names, names, strict=True))", "pass"),
}


def test_what_is_changed():
    """Each kind once at each place; no text, annotation, sentence or list of names."""
    found = mutants_of("some/of.py", SOURCE)

    assert {(mutant.kind, mutant.before, mutant.after) for mutant in found} == CHANGES
    assert {mutant.function for mutant in found} == {"module", "of"}
    for mutant in found:
        changed = mutant.applied(SOURCE)
        ast.parse(changed)
        assert changed.count(b"\n") == SOURCE.count(b"\n")
    assert len({mutant.key for mutant in found}) == len(found) > len(CHANGES)
    of_nothing = mutants_of("of.py", b"def of():\n    return False\ndef other():\n    return 0\n")
    assert [(mutant.kind, mutant.before) for mutant in of_nothing] == [
        *[("constant", "False"), ("return", "0"), ("constant", "0")]
    ]


def test_a_seed_draws_the_same():
    """Of the package's own files; others are refused."""
    files = command.files_of(["choose/tile", "kernels"])
    assert "choose/tile.py" in files
    assert "kernels/problem.py" in files
    keys = [[mutant.key for mutant in command.drawn(files, seed, 20)] for seed in (1, 1, 2)]
    assert keys[0] == keys[1] != keys[2]
    with pytest.raises(SystemExit, match="There is no nowhere"):
        command.files_of(["nowhere"])


def test_which_tests():
    """The mirror first, then those that import the module, then the folder's."""
    stages = trial.stages_of("choose/chips.py", trial.ROOT)
    assert stages[0] == [str(Path("tests/choose/test_chips.py"))]
    assert stages[-1] == [str(Path("tests/choose"))]
    assert any("test_vectors_on_gpu.py" in name for name in trial.stages_of("call/dot.py", trial.ROOT)[0])


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A package with one module and one test of it."""
    root = tmp_path / "repository"
    files = {
        "src/tilewright/__init__.py": "",
        "src/tilewright/sums.py": SUMS,
        "tests/test_sums.py": TESTS,
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    monkeypatch.setattr(trial, "ROOT", root)
    return root


@pytest.mark.slow
def test_a_trial(repository, tmp_path):
    """Killed, survived and out of time; the source stays what it is."""
    source = (repository / "src/tilewright/sums.py").read_bytes()
    copy = trial.Copy(tmp_path / "copy")
    found = {(mutant.kind, mutant.before): mutant for mutant in mutants_of("sums.py", source)}
    stages = trial.stages_of("sums.py", repository)
    assert stages == [[str(Path("tests/test_sums.py"))]]

    killed = copy.tried(found["arithmetic", "a + b"], stages, 60, "not slow")
    survived = copy.tried(found["constant", "0"], stages, 60, "not slow")
    endless = copy.tried(found["condition", "False"], stages, 30, "not slow")

    assert (killed.outcome, "test_add" in killed.by) == ("killed", True)
    assert (survived.outcome, survived.by) == ("survived", "")
    assert endless.outcome == "killed by time"
    for folder in (repository, copy.folder):
        assert (folder / "src/tilewright/sums.py").read_bytes() == source


@pytest.mark.slow
def test_tests_that_execute_a_line(repository, tmp_path):
    """They alone are run, the quickest first, then others of their files; where none does, it is not known."""
    pytest.importorskip("coverage", reason="coverage is not installed: make test-all brings it")
    (repository / "tests/test_sums.py").write_text(TESTS + MORE_TESTS)
    (repository / "src/tilewright/sums.py").write_text(SUMS + UNREACHED)
    shutil.copytree(trial.HERE, repository / "tests/mutants")
    copy = trial.Copy(tmp_path / "copy")
    copy.record(tmp_path / "reached/1", "not slow", ["tests/test_sums.py"])
    known = reached.Reached(tmp_path / "reached")
    source = (repository / "src/tilewright/sums.py").read_bytes()
    found = {(mutant.kind, mutant.before): mutant for mutant in mutants_of("sums.py", source)}

    def stages(kind, before, source=source):
        return trial.reaching_stages(found[kind, before], source, known, 60)

    of_add = [["tests/test_sums.py::test_add"], ["tests/test_sums.py::test_turn"]]
    assert stages("arithmetic", "a + b") == of_add
    assert set(stages("condition", "False")[0]) == {"tests/test_sums.py::test_add", "tests/test_sums.py::test_turn"}
    assert stages("return", "7") is None  # a process that a test starts may execute it
    assert stages("arithmetic", "a + b", source + b"\n") is None  # it is not what was recorded
    assert copy.tried(found["arithmetic", "a + b"], of_add, 60, "not slow").outcome == "killed"
    assert copy.tried(found["return", "7"], [], 60, "not slow").outcome == "survived"

    (copy.folder / "tests/test_sums.py").write_text(TESTS.replace("test_add", "test_sum"))
    copy.record(tmp_path / "reached/2", "not slow", ["tests/test_sums.py"])
    known = reached.Reached(tmp_path / "reached")
    assert list(known.seconds) == ["tests/test_sums.py::test_sum"]
    assert stages("arithmetic", "a + b") == [["tests/test_sums.py::test_sum"]]


def test_tests_in_portions(tmp_path):
    """The quickest first, one of each function; the nets are second, whatever they take; four portions at most."""
    known = reached.Reached(tmp_path)
    seconds = {"tests/a.py::f[1]": 1.0, "tests/a.py::f[2]": 1.0, "tests/a.py::g": 2.0, "tests/a.py::h": 9.0}
    known.seconds = {**seconds, "tests/nets/test_nets.py::readings": 30.0, "tests/nets/test_nets.py::hosts": 15.0}
    tests = sorted(known.seconds, key=known.seconds.__getitem__)

    first, nets, *rest = known.portions(tests, 3)

    assert first == ["tests/a.py::f[1]", "tests/a.py::g"]
    assert nets == ["tests/nets/test_nets.py::hosts", "tests/nets/test_nets.py::readings"]
    assert rest == [["tests/a.py::f[2]"], ["tests/a.py::h"]]
    assert known.portions(tests[:1], 3) == [["tests/a.py::f[1]"]]
    assert known.portions(list(seconds), 100) == [[*list(seconds)[:1], *list(seconds)[2:], "tests/a.py::f[2]"]]
    assert known.portions([], 3) == []


@pytest.mark.slow
def test_a_test_that_fails_anyway_tells_nothing(repository, tmp_path):
    """As one does that needs what the copy has not; the others tell all the same."""
    (repository / "tests/test_sums.py").write_text("def test_wrong():\n    assert False\n")
    copy = trial.Copy(tmp_path / "copy")
    source = (repository / "src/tilewright/sums.py").read_bytes()
    (mutant,) = (each for each in mutants_of("sums.py", source) if each.before == "a + b")
    assert copy.tried(mutant, [["tests/test_sums.py"]], 60, "not slow").outcome == "untold"

    (copy.folder / "tests/test_sums.py").write_text("def test_wrong():\n    assert False\n\n\n" + TESTS)
    assert copy.tried(mutant, [["tests/test_sums.py"]], 60, "not slow").by.endswith("test_add - assert -1 == 5")


def test_compiled_code_of_others_is_kept(monkeypatch, tmp_path):
    """Units of modules that import the mutant's, in whatever way, are not taken over; all others are."""
    sources = {
        "low": "LIMIT = 1",
        "near": "from .low import LIMIT",
        "far": "from tilewright.emulate import near",
        "other": "import tilewright.emulate.apart",
        "apart": "",
    }
    folder, original = tmp_path / "src/tilewright/emulate", tmp_path / "original"
    folder.mkdir(parents=True)
    original.mkdir()
    for name, text in sources.items():
        (folder / f"{name}.py").write_text(text)
        (original / f"tilewright.emulate.{name}.unit_of.unit").touch()
    said: list[tuple[str, ...]] = []

    def say(code, _environment, *arguments):
        said.append(arguments)
        return str(original if code is kept_units.FOLDER else "")

    monkeypatch.setattr(kept_units, "_said", say)
    kept = kept_units.KeptUnits(tmp_path)
    assert kept.reuse("emulate/low.py") is None  # nothing is compiled yet
    kept.compile(tmp_path)
    every = tuple(sorted(path.stem for path in original.iterdir()))
    assert said[1] == (str(original), *every)
    assert kept.reuse("choose/tile.py") is None

    for file, others in (("low", {"other", "apart"}), ("apart", {"low", "near", "far"}), ("far", {*sources} - {"far"})):
        assert kept.reuse(f"emulate/{file}.py") == original
        assert said[-1] == (str(original), *sorted(f"tilewright.emulate.{name}.unit_of" for name in others))
    kept_units.without(original)
    assert not original.exists()


@pytest.mark.slow
def test_a_copy_takes_over_what_its_tree_has_compiled(monkeypatch, tmp_path):
    """Under a key of its own folder, so that it is loaded there, and not compiled again."""
    monkeypatch.setattr(kept_units, "COMPILE_ALL", kept_units.COMPILE_ALL.replace("    unit.compiled", ""))
    kept = (
        kept_units.COMPILE_ALL.partition("folder, ")[0] + "print(*[unit.kept.path for unit in units() if unit.is_kept])"
    )
    tree = {**os.environ, "PYTHONPATH": str(trial.ROOT / "src")}
    of_tree = kept_units._said(kept.replace("print", "units()[0].compiled; print"), tree)
    copy = trial.Copy(tmp_path / "copy")
    copy.units.compile(trial.ROOT)
    of_copy = kept_units._said(kept, kept_units.variables(copy.folder))
    assert of_tree
    assert of_copy
    assert [Path(path).name for path in of_copy.split()] == [Path(path).name for path in of_tree.split()]
    assert all(Path(path).is_relative_to(copy.folder) for path in of_copy.split())


def test_a_report(monkeypatch):
    """Survivors come first; those with a reason count as no mutants."""
    some = mutants_of("some/of.py", SOURCE)[:4]
    monkeypatch.setattr(command, "reasons", lambda: {some[1].key: "it is the same"})
    outcomes = ("killed", "survived", "survived", "killed by time")
    trials = [trial.Trial(mutant, outcome) for mutant, outcome in zip(some, outcomes, strict=True)]

    found = command.report(trials, {"seed": 1})

    assert found["counts"] == {"equivalent": 1, "killed": 1, "killed by time": 1, "survived": 1}
    assert found["killed"] == pytest.approx(2 / 3, abs=1e-3)
    assert found["mutants"][0]["key"] == some[2].key
    assert found["seed"] == 1


def test_reasons_are_of_mutants_that_are_there():
    """Each key that is judged equivalent names a file of the package, and has a reason."""
    for key, reason in command.reasons().items():
        assert (trial.ROOT / trial.PACKAGE / key.partition(" ")[0]).exists()
        assert len(reason) > 10
