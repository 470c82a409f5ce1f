"""Child processes that may crash or hang: they end when nobody waits for them, and can always be stopped."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO

OTHER_ENVIRONMENT = {"PYTHONUNBUFFERED": "1", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
"""One thread: BLAS reserves memory for each thread, which counts towards the limit, and the matrices are small."""
MOST_SAID_BYTES = 2000


def environment() -> dict[str, str]:
    """Return the environment of a child process, which imports what this process would."""
    return {**os.environ, **OTHER_ENVIRONMENT, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}


def start(command: Sequence[str], folder: Path, said: IO[bytes]) -> subprocess.Popen[bytes]:
    """Start a command on a folder. said: takes its error output. Its standard input ends when this process does."""
    return subprocess.Popen(  # noqa: S603  (our own modules)
        [*command, str(folder)],
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=said,
        start_new_session=True,
    )


def stop(child: subprocess.Popen[bytes]) -> None:
    """End the child and what it started."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(OSError):
            os.killpg(child.pid, signal.SIGKILL)
    if child.poll() is None:
        child.kill()
        child.wait()
    if child.stdin is not None:
        child.stdin.close()


def last_words(said: IO[bytes]) -> str:
    """Return the end of what a child said."""
    said.seek(0, os.SEEK_END)
    said.seek(max(0, said.tell() - MOST_SAID_BYTES))
    return said.read().decode(errors="replace").strip()
