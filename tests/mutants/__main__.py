"""Change the sources in small ways, one at a time, and see whether a test notices.

    python -m tests.mutants [--modules choose call ...] [--seed 1] [--count 60] [--seconds 120] [--reached FOLDER]
                            [--all] [--out FILE]

Mutants are drawn by the seed from the files of the modules (folders or files of src/tilewright). Each is tried in a
copy of the repository until a test fails: with --reached by the tests that execute its line, which are recorded into
that folder at the first use; else, and for code that is compiled, by those that mirror its file, those that import it,
and its folder's. A test that fails without the mutant, too, tells nothing. The report, written after each mutant, lists
those that no test noticed; who judges one equivalent writes its key and why into equivalent.toml. --repeat tries the
survivors of a report again.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue
from typing import Any

from .mutations import Mutant, mutants_of
from .reached import Reached, hash_of
from .trial import PACKAGE, ROOT, Copy, Trial, reaching_stages, stages_of

MODULES = ("arrays", "call", "choose", "compile", "emulate", "launch", "lab/check")
SEEING_MUCH = ("cli", "lab/source", "nets")
"""Folders of tests that see much of all modules: recorded with those of the modules that are asked for."""
EQUIVALENT = Path(__file__).with_name("equivalent.toml")
REPORT = Path(".fuzz/mutants.json")
REQUIRED = 0.9
"""The share that tests are to kill, of those that are not equivalent."""


def files_of(modules: Iterable[str]) -> list[str]:
    """Return the sources of folders or files of the package, relative to it.

    Raises:
        SystemExit: there is no such folder or file.
    """
    package, found = ROOT / PACKAGE, []
    for module in modules:
        path = package / module
        several = sorted(path.rglob("*.py")) if path.is_dir() else [path.with_suffix(".py")]
        if not all(each.exists() for each in several):
            raise SystemExit(f"There is no {module} in {PACKAGE}.")
        found += [str(each.relative_to(package)) for each in several]
    return found


def drawn(files: Iterable[str], seed: int, count: int) -> list[Mutant]:
    """Return mutants of files, the same for a seed as long as the files are the same."""
    every = [mutant for file in files for mutant in mutants_of(file, (ROOT / PACKAGE / file).read_bytes())]
    return random.Random(seed).sample(every, min(count, len(every)))


def reasons() -> dict[str, str]:
    """Return why mutants are equivalent, by their keys."""
    rows = tomllib.loads(EQUIVALENT.read_text(encoding="utf-8")).get("mutant", [])
    return {row["key"]: row["reason"] for row in rows}


def tried(
    mutants: list[Mutant], seconds: float, marks: str, workers: int, reached: Reached | None = None
) -> Iterator[Trial]:
    """Try mutants, several at a time, each in a copy of its own, with the tests that reach it where that is known."""
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copies: Queue[Copy] = Queue()
        for number in range(workers):
            copy = Copy(Path(folder) / str(number))
            copy.units.compile(ROOT)  # or the first test that launches would, within its time
            copies.put(copy)

        def one(mutant: Mutant) -> Trial:
            copy = copies.get()
            try:
                stages = None
                if reached is not None:
                    stages = reaching_stages(mutant, copy.source(mutant.file), reached, seconds / 2)
                if stages is None:
                    stages = stages_of(mutant.file, copy.folder)
                trial = copy.tried(mutant, stages, seconds, marks)
            finally:
                copies.put(copy)
            return trial

        with ThreadPoolExecutor(workers) as pool:
            yield from pool.map(one, mutants)


def recorded(folder: Path, marks: str, modules: Iterable[str], workers: int) -> Reached:
    """Return what each test of the modules executes; files of tests that are new or changed are recorded.

    Where a source has changed, too, its mutants are tried with the tests of its folder until FOLDER is emptied.
    """
    known = Reached(folder).files
    missing = [
        file
        for path in sorted(path for name in _tested(modules) for path in (ROOT / "tests" / name).rglob("test_*.py"))
        if known.get(file := str(path.relative_to(ROOT))) != hash_of(path.read_bytes())
    ]
    if missing:
        first = 1 + max((int(path.name) for path in folder.glob("*") if path.name.isdecimal()), default=0)
        with tempfile.TemporaryDirectory(prefix="recorded-") as copied, ThreadPoolExecutor(workers) as pool:
            copy = Copy(Path(copied) / "copy")
            copy.units.compile(ROOT)
            for number in range(min(workers, len(missing))):
                pool.submit(copy.record, folder / str(first + number), marks, missing[number::workers])
            pool.shutdown()
    return Reached(folder)


def _tested(modules: Iterable[str]) -> set[str]:
    """The folders of tests that are recorded for modules; a module that is a file has its folder's."""
    package = ROOT / PACKAGE
    return {str(name if (package / name).is_dir() else Path(name).parent) for name in modules} | {*SEEING_MUCH}


def report(trials: list[Trial], about: dict[str, Any]) -> dict[str, Any]:
    """Return counts and rows; survivors first."""
    known = reasons()
    rows = [trial.as_row() for trial in trials]
    for row in rows:
        if row["outcome"] == "survived" and row["key"] in known:
            row |= {"outcome": "equivalent", "reason": known[str(row["key"])]}
    counts = {outcome: sum(row["outcome"] == outcome for row in rows) for outcome in dict.fromkeys(_outcomes(rows))}
    judged = len(rows) - counts.get("equivalent", 0) - counts.get("untold", 0)
    share = (judged - counts.get("survived", 0)) / judged if judged else 1.0
    return {**about, "counts": counts, "killed": round(share, 3), "mutants": sorted(rows, key=_survivors_first)}


def _outcomes(rows: list[dict[str, object]]) -> list[str]:
    return sorted(str(row["outcome"]) for row in rows)


def _survivors_first(row: dict[str, object]) -> tuple[bool, str]:
    return row["outcome"] != "survived", str(row["key"])


def survivors_of(path: Path) -> list[Mutant]:
    """Return a report's survivors that are still in the sources."""
    keys = {
        row["key"] for row in json.loads(path.read_text(encoding="utf-8"))["mutants"] if row["outcome"] == "survived"
    }
    files = {key.partition(" ")[0] for key in keys}
    found = {mutant.key: mutant for mutant in drawn(sorted(files), 0, sys.maxsize)}
    return [found[key] for key in sorted(keys) if key in found]


def main() -> int:
    """Draw, try, print and write; 1 where tests kill too few."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--modules", nargs="+", default=list(MODULES))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seconds", type=float, default=120, help="for each stage of tests; longer is death, too")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--reached", type=Path, help="a folder for what each test executes, recorded at its first use")
    parser.add_argument("--all", action="store_true", help="with slow tests")
    parser.add_argument("--repeat", type=Path, help="a report, whose survivors are tried again")
    parser.add_argument("--out", type=Path, default=REPORT)
    asked = parser.parse_args()
    if asked.repeat is not None:
        mutants = survivors_of(asked.repeat)
    else:
        mutants = drawn(files_of(asked.modules), asked.seed, asked.count)
    marks = "slow or not slow" if asked.all else "not slow"
    reached = None if asked.reached is None else recorded(asked.reached, marks, asked.modules, asked.workers)
    about = {"modules": asked.modules, "seed": asked.seed, "drawn": len(mutants), "tests": marks}
    found, trials = report([], about), []
    asked.out.parent.mkdir(parents=True, exist_ok=True)
    for trial in tried(mutants, asked.seconds, marks, asked.workers, reached):
        trials.append(trial)
        sys.stdout.write(f"{trial.outcome:14} {trial.seconds:5.0f} s  {trial.mutant.key[:150]}\n")
        sys.stdout.flush()
        found = report(trials, about)  # after each one, so that a run can be stopped
        asked.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    sys.stdout.write(f"{found['counts']}: {100 * found['killed']:.0f} % killed (required: 90); {asked.out}\n")
    for row in found["mutants"]:
        if row["outcome"] == "survived":
            sys.stdout.write(f"survived: {row['key']} (line {row['line']})\n")
    return int(found["killed"] < REQUIRED)


if __name__ == "__main__":
    sys.exit(main())
