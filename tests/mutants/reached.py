"""Which tests execute a line: recorded once, by coverage.py, so that a mutant is tried with the tests that can see it.

This is a plugin of pytest's, too: with `-p tests.mutants.reached` and a folder in $TILEWRIGHT_REACHED, a run of tests
leaves there what each test executed and how long it took. It is run in one process.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter, defaultdict
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import Any

import pytest

VARIABLE = "TILEWRIGHT_REACHED"
LINES, SECONDS = "lines.coverage", "tests.json"
MOST = 150
"""Tests of a stage: pytest takes long to find many by name."""
MOST_PORTIONS = 4
NETS = "tests/nets/"
PACKAGE = f"{os.sep}src{os.sep}tilewright{os.sep}"


class Reached:
    """What the recorded runs of a folder know: which tests, all of them passed, execute which lines, their seconds.

    A file of tests counts as its last run has it.
    """

    def __init__(self, folder: Path) -> None:
        runs = sorted((_Run(path.parent) for path in folder.rglob(SECONDS)), key=lambda run: run.number)
        self.files = {file: hashed for run in runs for file, hashed in run.files.items()}
        self.seconds: dict[str, float] = {}
        self._runs = runs
        for run in runs:
            kept = {test: each for test, each in self.seconds.items() if test.partition("::")[0] not in run.files}
            self.seconds = kept | run.seconds

    def knows(self, file: str, source: bytes) -> bool:
        """Whether the source is in all runs as it was when they were recorded."""
        return bool(self._runs) and all(run.sources.get(file) == hash_of(source) for run in self._runs)

    def tests(self, file: str, lines: Iterable[int]) -> list[str]:
        """Return the tests that execute one of the lines of a source; of no line, any. The quickest come first."""
        wanted = list(lines)
        return self._sorted({test for run in self._runs for test in run.tests(file, wanted)})

    def around(self, tests: Iterable[str]) -> list[str]:
        """Return the other tests of these tests' files, which may use what a fixture or a cache kept of a line."""
        chosen = set(tests)
        files = {test.partition("::")[0] for test in chosen}
        return self._sorted({test for test in self.seconds if test.partition("::")[0] in files} - chosen)

    def within(self, tests: Iterable[str], seconds: float) -> list[str]:
        """Return some of these tests, for so many seconds: one of each function first, and one at least."""
        turns: Counter[str] = Counter()
        ranked = []
        for place, test in enumerate(tests):
            function = test.partition("[")[0]
            turns[function] += 1
            ranked.append((turns[function], place, test))
        found: list[str] = []
        left = seconds
        for _, _, test in sorted(ranked)[:MOST]:
            left -= self.seconds[test]
            if found and left < 0:
                break
            found.append(test)
        return found

    def portions(self, tests: Iterable[str], seconds: float) -> list[list[str]]:
        """Return these tests in portions for so many seconds each; the nets, which see much, before the second."""
        left = list(tests)
        found: list[list[str]] = []
        while left and len(found) < MOST_PORTIONS:
            found.append(self.within(left, seconds))
            left = [test for test in left if test not in found[-1]]
            nets = [test for test in left if test.startswith(NETS)]
            found += [nets] if nets else []
            left = [test for test in left if test not in nets]
        return found

    def _sorted(self, tests: set[str]) -> list[str]:
        return sorted(tests & self.seconds.keys(), key=lambda test: (self.seconds[test], test))


class _Run:
    def __init__(self, folder: Path) -> None:
        from coverage import CoverageData

        found = json.loads((folder / SECONDS).read_text(encoding="utf-8"))
        self.number = int(folder.name) if folder.name.isdecimal() else 0
        self.seconds: dict[str, float] = found["seconds"]
        self.files: dict[str, str] = found["files"]
        self.sources: dict[str, str] = found["sources"]
        self._data = CoverageData(str(folder / LINES))
        self._data.read()
        self._paths = {path.rpartition(PACKAGE)[2]: path for path in self._data.measured_files()}

    def tests(self, file: str, lines: list[int]) -> set[str]:
        path = self._paths.get(file)
        if path is None:
            return set()
        of_line = self._data.contexts_by_lineno(path)
        return {test for line in lines or of_line for test in of_line.get(line, ())}


class _Recorder:
    def __init__(self, folder: Path) -> None:
        from coverage import Coverage

        self._folder, self._package = folder, Path.cwd() / "src" / "tilewright"
        self._seconds: dict[str, float] = defaultdict(float)
        self._untold: set[str] = set()
        self._files: set[str] = set()
        lines = str(folder / LINES)
        self._coverage = Coverage(data_file=lines, source=[str(self._package)], config_file=False)
        self._coverage.start()

    def pytest_itemcollected(self, item: pytest.Item) -> None:
        self._files.add(item.nodeid.partition("::")[0])

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        self._coverage.switch_context(item.nodeid)
        result = yield
        self._coverage.switch_context("")
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._seconds[report.nodeid] += report.duration
        if report.failed or report.skipped:  # neither tells anything of a mutant
            self._untold.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        self._coverage.stop()
        self._coverage.save()
        seconds = {test: round(each, 4) for test, each in self._seconds.items() if test not in self._untold}
        package, here = self._package, Path.cwd()
        sources = {str(path.relative_to(package)): hash_of(path.read_bytes()) for path in package.rglob("*.py")}
        files = {file: hash_of((here / file).read_bytes()) for file in sorted(self._files)}
        found = json.dumps({"sources": sources, "files": files, "seconds": seconds}, indent=0)
        (self._folder / SECONDS).write_text(found, encoding="utf-8")


def hash_of(source: bytes) -> str:
    """Return what tells one content of a file from another."""
    return hashlib.sha256(source).hexdigest()[:16]


def pytest_configure(config: pytest.Config) -> None:
    """Record, where a folder is named for it."""
    folder = os.environ.get(VARIABLE)
    if folder:
        config.pluginmanager.register(_Recorder(Path(folder)))
