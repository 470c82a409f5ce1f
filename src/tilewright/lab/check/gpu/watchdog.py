"""The watchdog over the child process with the GPU: it kills the process if a kernel does not end.

The child prints `opened`, then `started N` and `done N` for each problem, in lines; its answers are files.
"""

from __future__ import annotations

import queue
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import IO

from tilewright.lab.limited.starting import last_words, start, stop

COMMAND = (sys.executable, "-P", "-m", "tilewright.lab.check.gpu.child")


@dataclass(frozen=True)
class WatchLimits:
    """Wall-clock limits in seconds: to open the GPU, and for all launches of one problem.

    The emulator has already shown that a launch takes few instructions, so that a GPU needs milliseconds.
    """

    opening_seconds: float = 120.0
    problem_seconds: float = 20.0


@dataclass(frozen=True)
class Ending:
    """How the child ended early. problem: the one it was running, None if it had not opened the GPU yet.

    seconds: the limit that was exceeded, None if it ended by itself. said: how it ended, in words.
    """

    problem: int | None
    seconds: float | None
    said: str


def watch(folder: Path, limits: WatchLimits) -> Ending | None:
    """Run the problems of a folder in a child; return None if it ended normally."""
    with (folder / "said").open("w+b") as said:
        child = start(COMMAND, folder, said)
        assert child.stdout is not None
        lines: queue.Queue[str] = queue.Queue()
        reader = Thread(target=_read, args=(child.stdout, lines), daemon=True)
        reader.start()
        try:
            problem, seconds = _follow(lines, limits)
            if seconds is None:
                child.wait(timeout=limits.opening_seconds)
        except subprocess.TimeoutExpired:
            problem, seconds = None, limits.opening_seconds
        finally:
            stop(child)
            reader.join(timeout=5)
        if seconds is not None:
            return Ending(problem, seconds, "")
        return None if child.returncode == 0 else Ending(problem, None, _ending(child.returncode, last_words(said)))


def _follow(lines: queue.Queue[str], limits: WatchLimits) -> tuple[int | None, float | None]:
    """Read the child's lines to the end; return the problem it was running, and the limit if it exceeded one."""
    problem: int | None = None
    limit = limits.opening_seconds
    while True:
        try:
            line = lines.get(timeout=limit)
        except queue.Empty:
            return problem, limit
        if not line:
            return problem, None
        word, _, number = line.partition(" ")
        if word == "started":
            problem = int(number)
        limit = limits.problem_seconds


def _read(output: IO[bytes], lines: queue.Queue[str]) -> None:
    with output:
        for line in output:
            lines.put(line.decode(errors="replace").strip() or "-")
    lines.put("")


def _ending(status: int, said: str) -> str:
    last = said.rpartition("\n")[2]
    if status < 0:
        return f"its process crashed ({signal.Signals(-status).name})"
    return f"its process broke off (status {status}{f': {last}' if last else ''})"
