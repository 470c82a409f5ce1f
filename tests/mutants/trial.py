"""A mutant on trial: its file in a copy of the repository, the tests nearest to it first, within a time limit."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from .mutations import Mutant

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = Path("src/tilewright")
COPIED = ("src", "tests", "benchmarks", "docs", "pyproject.toml", "README.md", "CHANGELOG.md", "ARCHITECTURE.md")
LEFT_BEHIND = shutil.ignore_patterns("__pycache__", "_build", ".pytest_cache", ".hypothesis")
NO_TESTS = 5
"""pytest's status where none was collected."""


@dataclass
class Trial:
    """What became of a mutant, by which tests, and in how many seconds.

    "killed", "survived", "killed by time", or "untold" where the tests take as long without it.
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
        for name in COPIED:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, folder / name, ignore=LEFT_BEHIND)
            elif source.exists():
                shutil.copy2(source, folder / name)

    def source(self, file: str) -> bytes:
        """Return a source as it stands in the working tree."""
        return (ROOT / PACKAGE / file).read_bytes()

    def tried(self, mutant: Mutant, stages: list[list[str]], seconds: float, marks: str) -> Trial:
        """Run stages of tests until one fails; each has so many seconds, and more than them is death, too."""
        trial, began = Trial(mutant), time.monotonic()
        path, original = self.folder / PACKAGE / mutant.file, self.source(mutant.file)
        path.write_bytes(mutant.applied(original))
        try:
            for tests in stages:
                trial.ran.append(" ".join(tests))
                status, said = self.run(tests, seconds, marks)
                if status is None:
                    path.write_bytes(original)
                    outcome = "untold" if self._are_too_long(tests, seconds, marks) else "killed by time"
                    trial.outcome, trial.by = outcome, tests[0]
                elif status not in {0, NO_TESTS}:
                    trial.outcome, trial.by = "killed", said
                if trial.outcome != "survived":
                    break
        finally:
            path.write_bytes(original)
        trial.seconds = time.monotonic() - began
        return trial

    def _are_too_long(self, tests: list[str], seconds: float, marks: str) -> bool:
        """Whether tests take more than half of the time without any mutant, so that one tells nothing by its time."""
        name = " ".join(tests)
        if name not in self._too_long:
            self._too_long[name] = self.run(tests, seconds / 2, marks)[0] is None
        return self._too_long[name]

    def run(self, tests: list[str], seconds: float, marks: str) -> tuple[int | None, str]:
        """Return pytest's status and the first test that failed; None for the status if the time is over."""
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-m", marks, *tests]
        paths = os.pathsep.join([str(self.folder / "src"), str(self.folder)])
        environment = {**os.environ, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"}
        process = subprocess.Popen(
            command,
            cwd=self.folder,
            env=environment,
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
        return process.returncode, (failed[0] if failed else output.strip()[-200:])[:200]


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
