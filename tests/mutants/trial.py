"""A mutant on trial: its file in a copy of the repository, and the tests that can see it, within a time limit."""

from __future__ import annotations

import ast
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from .kept_units import KeptUnits, variables, without
from .mutations import Mutant
from .reached import VARIABLE, Reached

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PACKAGE = Path("src/tilewright")
COPIED = ("src", "tests", "benchmarks", "docs", "pyproject.toml", "README.md", "CHANGELOG.md", "ARCHITECTURE.md")
LEFT_BEHIND = shutil.ignore_patterns("__pycache__", "_build", ".pytest_cache", ".hypothesis")
PYTEST = ("-p", "no:cacheprovider")
NO_TESTS, UNKNOWN_TEST = 5, 4
"""pytest's status where none was collected, and for a test that is not there."""
LAUNCH = "emulate/machine/launch.py"
FEW = 3


@dataclass
class Trial:
    """What became of a mutant, by which tests, and in how many seconds.

    "killed", "survived", "killed by time", or "untold" where the tests take as long without it, or fail without it.
    """

    mutant: Mutant
    outcome: str = "survived"
    by: str = ""
    seconds: float = 0.0
    ran: list[str] = field(default_factory=list)

    def as_row(self) -> dict[str, object]:
        """Return it as the report has it."""
        found = self.mutant
        row: dict[str, object] = {"key": found.key, "line": found.line, "outcome": self.outcome, "by": self.by}
        return row | {"seconds": round(self.seconds, 1), "ran": self.ran}


class Copy:
    """A copy of the repository, in which one mutant at a time lives. The working tree is never written to."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._too_long: dict[str, bool] = {}
        self._failing: list[str] = []
        for name in COPIED:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, folder / name, ignore=LEFT_BEHIND)
            elif source.exists():
                shutil.copy2(source, folder / name)
        self.units = KeptUnits(folder)

    def source(self, file: str) -> bytes:
        """Return a source as it stands in the working tree."""
        return (ROOT / PACKAGE / file).read_bytes()

    def tried(self, mutant: Mutant, stages: list[list[str]], seconds: float, marks: str) -> Trial:
        """Run stages of tests until one fails; each has so many seconds, and more than them is death, too."""
        trial, began = Trial(mutant), time.monotonic()
        path, original = self.folder / PACKAGE / mutant.file, self.source(mutant.file)
        changed = mutant.applied(original)
        path.write_bytes(changed)
        compiled = self.units.reuse(mutant.file)
        try:
            for tests in stages:
                trial.ran.append(_named(tests))
                status, said = self.run(tests, seconds, marks)
                failing = len(self._failing)
                while status not in {None, 0, NO_TESTS}:
                    path.write_bytes(original)
                    if not self._fails_anyway(said, seconds, marks):
                        break
                    path.write_bytes(changed)
                    status, said = self.run(tests, seconds, marks)
                if status is None:
                    path.write_bytes(original)
                    outcome = "untold" if self._are_too_long(tests, seconds, marks) else "killed by time"
                    trial.outcome, trial.by = outcome, tests[0]
                elif status not in {0, NO_TESTS}:
                    trial.outcome, trial.by = "killed", said
                elif status == NO_TESTS and len(self._failing) > failing:
                    trial.outcome, trial.by = "untold", self._failing[-1]
                if trial.outcome != "survived":
                    break
        finally:
            path.write_bytes(original)
            without(compiled)
        trial.seconds = time.monotonic() - began
        return trial

    def _are_too_long(self, tests: list[str], seconds: float, marks: str) -> bool:
        """Whether tests take more than half of the time without any mutant, so that one tells nothing by its time."""
        name = " ".join(tests)
        if name not in self._too_long:
            self._too_long[name] = self.run(tests, seconds / 2, marks)[0] is None
        return self._too_long[name]

    def _fails_anyway(self, failed: str, seconds: float, marks: str) -> bool:
        """Whether a test that failed fails without the mutant, too: it tells nothing of any, and is not run again."""
        kind, _, test = failed.partition(" ")
        test = test.partition(" - ")[0]
        if kind not in {"FAILED", "ERROR"} or "::" not in test:
            return False  # the sources cannot even be imported
        fails = self.run([test], seconds, marks)[0] not in {0, NO_TESTS, UNKNOWN_TEST}
        self._failing += [test] if fails else []
        return fails

    def record(self, folder: Path, marks: str, tests: list[str]) -> None:
        """Run tests as they are, and leave in a folder what each executes."""
        folder.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "pytest", "-q", *PYTEST, "-p", "tests.mutants.reached", "-m", marks, *tests]
        subprocess.run(command, cwd=self.folder, env={**variables(self.folder), VARIABLE: str(folder)}, check=False)

    def run(self, tests: list[str], seconds: float, marks: str) -> tuple[int | None, str]:
        """Return pytest's status and the first test that failed; None for the status if the time is over."""
        left_out = [f"--deselect={test}" for test in self._failing]
        command = [sys.executable, "-m", "pytest", "-x", "-q", *PYTEST, "-m", marks, *left_out, *tests]
        process = subprocess.Popen(
            command,
            cwd=self.folder,
            env=variables(self.folder),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        try:
            output, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # with the processes that its tests started
            process.communicate()
            return None, ""
        failed = [line for line in output.splitlines() if line.startswith(("FAILED", "ERROR"))]
        return process.returncode, (failed[0] if failed else output.strip()[-400:])[:400]


def _named(tests: list[str]) -> str:
    """Tests for a report, which need not list a thousand."""
    return " ".join(tests) if len(tests) <= FEW else f"{len(tests)} tests, the quickest {tests[0]}"


def reaching_stages(mutant: Mutant, source: bytes, reached: Reached, seconds: float) -> list[list[str]] | None:
    """Return the tests that execute a mutant's lines, in portions, then others of their files; None where none does.

    Lines of a module or a class are executed at import: they are tried with all tests that execute any of the file, and
    with those that mirror it or name it. Of the emulator's compiled functions nothing is recorded: they are tried with
    its tests that launch, those named like it first, then with its folder's. Nor is it of processes that tests start.
    """
    if not reached.knows(mutant.file, source):
        return None
    lines = lines_of(mutant, source)
    tests, is_compiled = reached.tests(mutant.file, lines), False
    if not tests and mutant.file.startswith("emulate/"):
        names = Path(mutant.file).stem, Path(mutant.file).parent.name
        launching = [test for test in reached.tests(LAUNCH, ()) if test.startswith("tests/emulate/")]
        tests = sorted(launching, key=lambda test: not any(name in test.partition("::")[0] for name in names))
        is_compiled = True
    if not tests:
        return None
    chosen = reached.portions(tests, seconds)
    around = reached.within(reached.around(chosen[0]), seconds)
    near = stages_of(mutant.file, ROOT) if is_compiled else [] if lines else stages_of(mutant.file, ROOT)[:-1]
    return [stage for stage in (*chosen, around, *near) if stage]


def lines_of(mutant: Mutant, source: bytes) -> set[int]:
    """Return the lines of what is changed, and the first of its statement, by which Python may count them.

    A default is made at import: it has the lines of the function's body. What is outside of functions has none.
    """
    place, innermost = source[: mutant.begin].count(b"\n") + 1, None
    inside = False
    for node in ast.walk(ast.parse(source)):  # from the outside to the inside
        if isinstance(node, ast.stmt) and node.lineno <= place <= (node.end_lineno or node.lineno):
            inside = inside or isinstance(innermost, ast.FunctionDef | ast.AsyncFunctionDef)
            innermost = node
    assert innermost is not None
    if isinstance(innermost, ast.FunctionDef | ast.AsyncFunctionDef):
        return {each.lineno for each in innermost.body}
    last = source[: mutant.end].count(b"\n") + 1
    return {innermost.lineno, *range(place, last + 1)} if inside else set()


def stages_of(file: str, folder: Path) -> list[list[str]]:
    """Return which tests are run for a source, in stages: its mirror, those that name its module, its folder's.

    ``file`` is relative to the package, ``folder`` holds the repository.
    """
    parts, stem = Path(file).parts, Path(file).stem
    tests = Path("tests", *parts[:-1])
    mirror = tests / f"test_{stem}.py"
    module = f"tilewright.{'.'.join(Path(file).with_suffix('').parts)}".removesuffix(".__init__")
    naming = [
        str(path.relative_to(folder))
        for path in sorted((folder / "tests").rglob("test_*.py"))
        if path.relative_to(folder) != mirror and _names(path, module, stem)
    ]
    stages = [[str(mirror)]] if (folder / mirror).exists() else []
    stages += [naming] if naming else []
    while not (folder / tests).is_dir():
        tests = tests.parent
    return [*stages, [str(tests)]] if tests != Path("tests") else stages


def _names(path: Path, module: str, stem: str) -> bool:
    text, (package, _, _) = path.read_text(encoding="utf-8"), module.rpartition(".")
    if package == "tilewright.call" and f"tilewright.{stem}(" in text and "gpu" not in path.parts:
        return True  # a public function
    lines = [line for line in text.splitlines() if line.lstrip().startswith(("from ", "import "))]
    return any(f"{module} " in f"{line} " or f"from {package} import {stem}" in line for line in lines)
