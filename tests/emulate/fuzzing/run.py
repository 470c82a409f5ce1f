"""Mutants of PTX, each in a child: a result, a stated fault or a refusal, and never a crash, a hang or a traceback.

    python -m tests.emulate.fuzzing.run --count 20000 --seed 1 [--first 5000] [--children 2]
    python -m tests.emulate.fuzzing.run --repeat FILE

Mutant i of a seed is always the same, so a run that was stopped goes on with --first. What fails is written to
--folder.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from queue import Empty, Queue
from random import Random
from threading import Lock, Thread

from .corpus import texts
from .mutants import mutant

GOOD = ("result", "fault", "refusal")
PLURALS = {kind: f"{kind}s" for kind in GOOD} | {"crash": "crashes", "hang": "hangs", "error": "other errors"}
LONGEST_SECONDS = 60.0
"""A mutant that takes longer hangs."""
LONGEST_START_SECONDS = 900.0
"""The emulator and its observers may have to be compiled."""
REPEAT_HEAD = "// tests.emulate.fuzzing.run --repeat: seed "


class Child:
    """A process that runs mutants, started again when it has died."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[str] | None = None
        self.lines: Queue[str] = Queue()

    def ask(self, text: str, seed: int) -> str:
        """Return what came of a mutant."""
        process = self.process or self._start()
        assert process.stdin is not None
        try:
            process.stdin.write(json.dumps({"text": text, "seed": seed}) + "\n")
            process.stdin.flush()
            line = self.lines.get(timeout=LONGEST_SECONDS)
        except Empty:
            self.stop()
            return f"hang: no answer within {LONGEST_SECONDS:g} seconds"
        except OSError:
            line = ""  # a broken pipe: the child has died
        if not line:
            status = process.wait()
            self.stop()
            return f"crash: status {status}"
        answer: str = json.loads(line)
        return answer

    def _start(self) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "tests.emulate.fuzzing.child"]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self.lines = Queue()
        self.reader = Thread(target=self._read, args=(self.process, self.lines), daemon=True)
        self.reader.start()
        said = self.lines.get(timeout=LONGEST_START_SECONDS)
        assert said == "ready\n", f"the child does not start: {said!r}"
        return self.process

    @staticmethod
    def _read(process: subprocess.Popen[str], lines: Queue[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            lines.put(line)
        lines.put("")

    def stop(self) -> None:
        """End the process."""
        if self.process is not None:
            self.process.kill()
            self.reader.join()  # it reads to the end of what is left
            with suppress(BrokenPipeError), self.process:
                pass  # closes the pipes and waits
            self.process = None


def mutant_of(seed: int, number: int) -> tuple[str, int]:
    """Return a mutant's text, and the seed of its launch."""
    random = Random(f"{seed}:{number}")
    corpus = texts()
    return mutant(random.choice(corpus), corpus, random), random.randrange(1 << 30)


def run(seed: int, first: int, count: int, children: int, folder: Path) -> tuple[Counter[str], list[str]]:
    """Run mutants `first` to before `first + count`; return how many ended how, and what failed."""
    texts()
    outcomes: Counter[str] = Counter()
    failures: list[str] = []
    lock, start = Lock(), time.monotonic()

    def work(share: int) -> None:
        child = Child()
        try:
            for number in range(first + share, first + count, children):
                text, launch_seed = mutant_of(seed, number)
                said = child.ask(text, launch_seed)
                with lock:
                    kind = said if said in GOOD else said.partition(":")[0] if said[:4] in ("hang", "cras") else "error"
                    outcomes[kind] += 1
                    if said not in GOOD:
                        failures.append(_keep(folder, seed, number, launch_seed, text, said))
                    done = outcomes.total()
                    if done % 500 == 0:
                        sys.stderr.write(f"{done} of {count}, {time.monotonic() - start:.0f} s: {dict(outcomes)}\n")
        finally:
            child.stop()

    with ThreadPoolExecutor(children) as pool:
        list(pool.map(work, range(children)))
    return outcomes, failures


def _keep(folder: Path, seed: int, number: int, launch_seed: int, text: str, said: str) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{seed}-{number}.ptx"
    last = said.strip().splitlines()[-1]
    path.write_text(f"{REPEAT_HEAD}{launch_seed}\n{text}", encoding="utf-8")
    path.with_suffix(".txt").write_text(said, encoding="utf-8")
    return f"{path}: {last}"


def repeat(path: Path) -> str:
    """Run a mutant that was kept; return what comes of it."""
    head, _, text = path.read_text(encoding="utf-8").partition("\n")
    child = Child()
    try:
        return child.ask(text, int(head.removeprefix(REPEAT_HEAD)))
    finally:
        child.stop()


def main() -> int:
    """Run from the command line; return 1 when a mutant failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--children", type=int, default=2)
    parser.add_argument("--folder", type=Path, default=Path(".fuzz/ptx"))
    parser.add_argument("--repeat", type=Path)
    given = parser.parse_args()
    if given.repeat:
        said = repeat(given.repeat)
        sys.stdout.write(said + "\n")
        return said not in GOOD
    outcomes, failures = run(given.seed, given.first, given.count, given.children, given.folder)
    ends = ", ".join(f"{outcomes[kind]} {plural}" for kind, plural in PLURALS.items())
    sys.stdout.write("\n".join([*failures, f"{given.count} mutants of seed {given.seed}: {ends}", ""]))
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
