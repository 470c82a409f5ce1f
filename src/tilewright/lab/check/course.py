"""Many files, each checked in a process of its own: one that crashes or hangs leaves the others alone."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Thread
from typing import IO, Any

from .child import ANSWER, REQUEST
from .options import Options
from .records import result_of
from .result import CheckResult

Progress = Callable[[int, int], None]
COMMAND = (sys.executable, "-P", "-m", "tilewright.lab.check.child")  # -P: not what lies beside the submissions
OTHER_ENVIRONMENT = {"PYTHONUNBUFFERED": "1", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
"""BLAS sets memory aside for each of its threads, which counts towards the limit; the matrices are small."""


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
    jobs: int = 1,
    progress: Progress | None = None,
) -> list[list[CheckResult]]:
    """Check each file in a child process; return the results of each, in the order of the files.

    arrays: what `check_other` takes for a kernel that is no product, by name. jobs: files at a time. progress: is told
    how many files of how many are done; of a single file, how many of its problems.

    A file whose check crashes, hangs or needs too much memory has one result with that as its refusal.
    """
    limits = limits or FileLimits()
    done = 0
    whole = progress if len(paths) == 1 else None

    def check(path: Path) -> list[CheckResult]:
        nonlocal done
        results = _check_in_child(path, options, arrays, limits, whole)
        done += 1
        if progress is not None and whole is None:
            progress(done, len(paths))
        return results

    if jobs == 1 or len(paths) == 1:
        return [check(path) for path in paths]
    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(check, paths))


def _check_in_child(
    path: Path, options: Options, arrays: Mapping[str, Any] | None, limits: FileLimits, progress: Progress | None
) -> list[CheckResult]:
    request = {
        "path": str(path),
        "options": asdict(options),
        "arrays": arrays,
        "cpu_seconds": 4 * int(limits.seconds) + 10,  # of all its threads: the clock ends it before
        "memory_bytes": limits.memory_bytes,
    }
    with tempfile.TemporaryDirectory(prefix="tilewright-check-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        (folder / REQUEST).write_text(json.dumps(request), encoding="utf-8")
        status, said = _run(folder, limits.seconds, progress)
        answer = _read_answer(folder / ANSWER)
    if status == 0 and answer is not None:
        return [result_of(record) for record in answer["results"]] or [_refused(path, "the file has no kernel")]
    return [_refused(path, _ending(status, said, limits))]


def _run(folder: Path, seconds: float, progress: Progress | None) -> tuple[int | None, str]:
    """Run the child; return its status (None: it was stopped) and the end of what it said on its error output."""
    environment = {**os.environ, **OTHER_ENVIRONMENT, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    with (folder / "said").open("w+b") as said:
        child = subprocess.Popen(  # noqa: S603  (our own module)
            [*COMMAND, str(folder)],
            env=environment,
            stdin=subprocess.PIPE,  # its end tells the child that nobody waits any more
            stdout=subprocess.PIPE,
            stderr=said,
            start_new_session=True,
        )
        assert child.stdin is not None
        assert child.stdout is not None
        reader = Thread(target=_follow, args=(child.stdout, progress), daemon=True)
        reader.start()
        try:
            status: int | None = child.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            _stop(child)
            child.stdin.close()
            reader.join(timeout=5)
        said.seek(0, os.SEEK_END)
        said.seek(max(0, said.tell() - 2000))
        return status, said.read().decode(errors="replace").strip()


def _follow(output: IO[bytes], progress: Progress | None) -> None:
    """Pass on the child's progress, lines of two numbers, until its output ends."""
    with output:
        for line in output:
            words = line.split()
            if progress is not None and len(words) == 2 and words[0].isdigit() and words[1].isdigit():
                progress(int(words[0]), int(words[1]))


def _stop(child: subprocess.Popen[bytes]) -> None:
    """End the child and what it started."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(OSError):
            os.killpg(child.pid, signal.SIGKILL)
    if child.poll() is None:
        child.kill()
        child.wait()


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
