"""Many files, each checked in a process of its own: one that crashes or hangs leaves the others alone."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Lock, Thread
from typing import IO, Any

from .child import ANSWER, FOR_GPU, REQUEST
from .on_gpu import Card, run_on_gpu
from .options import Options
from .processes import last_words, start, stop
from .records import result_of
from .result import CheckResult

Progress = Callable[[int, int], None]
COMMAND = (sys.executable, "-P", "-m", "tilewright.lab.check.child")  # -P: not what lies beside the submissions


@dataclass(frozen=True)
class FileLimits:
    """What the check of one file may take: seconds on the clock, bytes of address space (where that can be limited)."""

    seconds: float = 300.0
    memory_bytes: int = 8 << 30


def check_files(
    paths: Sequence[Path],
    options: Options,
    *,
    arrays: Mapping[str, Any] | None = None,
    limits: FileLimits | None = None,
    card: Card | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
) -> list[list[CheckResult]]:
    """Check each file in a child process; return the results of each, in the order of the files.

    arrays: what `check_other` takes for a kernel that is no product, by name. card: the GPU on which the kernels are
    run, too. jobs: files at a time. progress: is told how many files of how many are done; of a single file, how many
    of its problems.

    A file whose check crashes, hangs or needs too much memory has one result with that as its refusal.
    """
    limits = limits or FileLimits()
    done, counting = 0, Lock()
    whole = progress if len(paths) == 1 else None

    def check(path: Path) -> list[CheckResult]:
        nonlocal done
        results = _check_in_child(path, options, arrays, limits, card, whole)
        with counting:
            done += 1
            if progress is not None and whole is None:
                progress(done, len(paths))
        return results

    if jobs == 1 or len(paths) == 1:
        return [check(path) for path in paths]
    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(check, paths))


def _check_in_child(
    path: Path,
    options: Options,
    arrays: Mapping[str, Any] | None,
    limits: FileLimits,
    card: Card | None,
    progress: Progress | None,
) -> list[CheckResult]:
    request = {
        "path": str(path),
        "options": asdict(options),
        "arrays": arrays,
        "gpu_architecture": "" if card is None else card.architecture,
        "cpu_seconds": 4 * int(limits.seconds) + 10,  # of all its threads: the clock ends it before
        "memory_bytes": limits.memory_bytes,
    }
    with tempfile.TemporaryDirectory(prefix="tilewright-check-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        (folder / REQUEST).write_text(json.dumps(request), encoding="utf-8")
        status, said = _run(folder, limits.seconds, progress)
        answer = _read_answer(folder / ANSWER)
        if status != 0 or answer is None:
            return [_refused(path, _ending(status, said, limits))]
        results = [result_of(record) for record in answer["results"]]
        if card is not None:
            results = run_on_gpu(results, folder / FOR_GPU, card)
    return results or [_refused(path, "the file has no kernel")]


def _run(folder: Path, seconds: float, progress: Progress | None) -> tuple[int | None, str]:
    """Run the child; return its status (None: it was stopped) and the end of what it said on its error output."""
    with (folder / "said").open("w+b") as said:
        child = start(COMMAND, folder, said)
        assert child.stdout is not None
        reader = Thread(target=_follow, args=(child.stdout, progress), daemon=True)
        reader.start()
        try:
            status: int | None = child.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            stop(child)
            reader.join(timeout=5)
        return status, last_words(said)


def _follow(output: IO[bytes], progress: Progress | None) -> None:
    """Pass on the child's progress, lines of two numbers, until its output ends."""
    with output:
        for line in output:
            words = line.split()
            if progress is not None and len(words) == 2 and words[0].isdigit() and words[1].isdigit():
                progress(int(words[0]), int(words[1]))


def _read_answer(path: Path) -> dict[str, Any] | None:
    try:
        answer = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return answer if isinstance(answer, dict) else None


def _refused(path: Path, sentence: str) -> CheckResult:
    return CheckResult(str(path), "", refusal=sentence)


def _ending(status: int | None, said: str, limits: FileLimits) -> str:
    """Say in words why there is no answer."""
    memory = f"{limits.memory_bytes / (1 << 20):.0f} MiB"
    if status is None or status in (-getattr(signal, "SIGXCPU", 0), -getattr(signal, "SIGKILL", 0)):
        return f"the check did not end within {limits.seconds:g} seconds"
    if "MemoryError" in said or "bad_alloc" in said or "out of memory" in said.lower():
        return f"the check needs more than {memory} of memory"
    last = said.rpartition("\n")[2]
    if status < 0:
        return f"the check crashed ({signal.Signals(-status).name}; it may use {memory} of memory)"
    return f"the check broke off (status {status}{f': {last}' if last else ''})"
