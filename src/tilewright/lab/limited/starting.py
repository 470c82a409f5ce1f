"""Child processes that may crash or hang: they end when nobody waits for them, and can always be stopped.

Among them a child process started for one task, on systems that cannot fork.
"""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import IO, TYPE_CHECKING, Any, Self

from .endings import MOST_SAID_BYTES, Ending
from .limits import Limits
from .messages import Message, MessageError, pack, read

if TYPE_CHECKING:
    from types import TracebackType

    from numpy.typing import NDArray


OTHER_ENVIRONMENT = {"PYTHONUNBUFFERED": "1", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
"""One thread: BLAS reserves memory for each thread, which counts towards the limit, and the matrices are small."""
COMMAND = (sys.executable, "-P", "-m", "tilewright.lab.limited.started")
_ENDING_SECONDS = 5.0


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
        with suppress(OSError):
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


class StartedChild:
    """A process for one task; modules: what it imports while it waits for the request."""

    def __init__(self, task: str, limits: Limits, modules: Sequence[str]) -> None:
        self._process = subprocess.Popen(  # noqa: S603  (our own module)
            [*COMMAND, *modules],
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
        )
        self._job = _job_of(self._process, limits)
        self._heard: queue.SimpleQueue[Message | MessageError | None] = queue.SimpleQueue()
        self._said = bytearray()
        threads = ((self._hear, self._process.stdout), (self._listen, self._process.stderr))
        self._threads = [Thread(target=do, args=(stream,), daemon=True) for do, stream in threads]
        for thread in self._threads:
            thread.start()
        self.say(
            {
                "task": task,
                "folder": os.getcwd(),  # noqa: PTH109  (a text for a message)
                "cpu_seconds": limits.cpu_seconds,
                "memory_bytes": limits.memory_bytes,
            }
        )

    def _hear(self, stream: IO[bytes]) -> None:
        message: Message | MessageError | None = None
        while True:
            try:
                message = read(stream)  # type: ignore[arg-type]
            except MessageError as error:
                message = error
            except (OSError, ValueError):  # closed
                message = None
            self._heard.put(message)
            if not isinstance(message, Message):
                return

    def _listen(self, stream: IO[bytes]) -> None:
        with suppress(OSError, ValueError):
            while part := stream.read(4096):
                self._said = (self._said + part)[-MOST_SAID_BYTES:]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        stop(self._process)
        if self._job is not None:
            self._job.close()
        for thread in self._threads:
            thread.join(timeout=_ENDING_SECONDS)
        for stream in (self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()

    def say(self, value: object, arrays: Mapping[str, NDArray[Any]] | None = None) -> None:
        """Send a message."""
        assert self._process.stdin is not None
        data = memoryview(pack(value, arrays))
        with suppress(OSError), _BrokenPipesIgnored():  # it has ended; the next read will show it
            while data:
                data = data[os.write(self._process.stdin.fileno(), data[: 1 << 20]) :]

    def hear(self, seconds: float) -> Message | None:
        """Return the next message; None where there is none any more."""
        try:
            found = self._heard.get(timeout=max(seconds, 1e-3))
        except queue.Empty:
            raise TimeoutError from None
        if isinstance(found, MessageError):
            raise found
        return found

    def ending(self) -> Ending:
        """Return how the process ended."""
        try:
            status: int | None = self._process.wait(_ENDING_SECONDS)
        except subprocess.TimeoutExpired:
            status = None
        self._threads[1].join(timeout=_ENDING_SECONDS)
        return Ending(status, bytes(self._said).decode(errors="replace").strip())


class _BrokenPipesIgnored:
    """Ignores SIGPIPE, which the command line gives its default effect, so that it does not end this process."""

    def __enter__(self) -> None:
        self._before = None
        if hasattr(signal, "pthread_sigmask"):
            self._before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGPIPE})

    def __exit__(self, *_: object) -> None:
        if self._before is None:
            return
        if signal.SIGPIPE not in self._before and signal.SIGPIPE in signal.sigpending():
            signal.sigwait({signal.SIGPIPE})
        signal.pthread_sigmask(signal.SIG_SETMASK, self._before)


def _job_of(process: subprocess.Popen[bytes], limits: Limits) -> Any:
    """Put a process into a job on Windows; None elsewhere."""
    if os.name != "nt":
        return None
    from .windows_job import Job

    job = Job(limits.memory_bytes)
    job.add(int(process._handle))  # type: ignore[attr-defined]  # noqa: SLF001  (nothing else has it)
    return job
