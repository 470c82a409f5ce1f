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
PACKAGE = f"{os.sep}src{os.sep}tilewright{os.sep}"


class Reached:
    """What a recorded run knows: which of its tests, all of them passed, execute which lines, and their seconds."""

    def __init__(self, folder: Path) -> None:
        from coverage import CoverageData

        found = json.loads((folder / SECONDS).read_text(encoding="utf-8"))
        self.seconds: dict[str, float] = found["seconds"]
        self._sources: dict[str, str] = found["sources"]
        self._data = CoverageData(str(folder / LINES))
        self._data.read()
        self._paths = {path.rpartition(PACKAGE)[2]: path for path in self._data.measured_files()}

    def knows(self, file: str, source: bytes) -> bool:
        """Whether the source is as it was when it was recorded."""
        return self._sources.get(file) == _hash_of(source)

    def tests(self, file: str, lines: Iterable[int]) -> list[str]:
        """Return the tests that execute one of the lines of a source; of no line, any. The quickest come first."""
        path = self._paths.get(file)
        if path is None:
            return []
        of_line = self._data.contexts_by_lineno(path)
        wanted = list(lines) or list(of_line)
        return self._sorted({test for line in wanted for test in of_line.get(line, ())})

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

    def _sorted(self, tests: set[str]) -> list[str]:
        return sorted(tests & self.seconds.keys(), key=lambda test: (self.seconds[test], test))


class _Recorder:
    def __init__(self, folder: Path) -> None:
        from coverage import Coverage

        self._folder, self._package = folder, Path.cwd() / "src" / "tilewright"
        self._seconds: dict[str, float] = defaultdict(float)
        self._untold: set[str] = set()
        lines = str(folder / LINES)
        self._coverage = Coverage(data_file=lines, source=[str(self._package)], config_file=False)
        self._coverage.start()

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
        files = self._package.rglob("*.py")
        sources = {str(path.relative_to(self._package)): _hash_of(path.read_bytes()) for path in files}
        found = json.dumps({"sources": sources, "seconds": seconds}, indent=0)
        (self._folder / SECONDS).write_text(found, encoding="utf-8")


def _hash_of(source: bytes) -> str:
    return hashlib.sha256(source).hexdigest()[:16]


def pytest_configure(config: pytest.Config) -> None:
    """Record, where a folder is named for it."""
    folder = os.environ.get(VARIABLE)
    if folder:
        config.pluginmanager.register(_Recorder(Path(folder)))
