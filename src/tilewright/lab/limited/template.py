"""The template: a process that has imported the emulator, has read no user's file, and forks a child per task.

`python -P -m tilewright.lab.limited.template [MODULE...]`, with one end of a socket as its standard input; with modules
it imports these alone, and not the emulator. A request comes with two descriptors: a connection between child and
caller, and a pipe that receives how the child ended. Closing the other end of that pipe ends the child. When the
socket's other end is closed, all children end, folders left in its care are removed, and the template ends.
"""

from __future__ import annotations

import gc
import json
import os
import select
import shutil
import signal
import socket
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from functools import partial
from importlib import import_module
from threading import Thread
from typing import Any, NoReturn

from . import lifetime
from .forking import ending_of, fork, mark_as_template
from .limits import Limits
from .messages import read
from .task import Parent, work

FIRST = ("tilewright.lab.check.judge.judging", "tilewright.compile.nvrtc")
LATER = ("tilewright.lab.check.judge.other_kinds", "tilewright.lab.watch.of_file", "tilewright.lab.compiled_memories")
"""Modules that tasks use, imported before the first task or while idle."""
MOST_REQUEST_BYTES = 1 << 16
_NEVER = -1
_REMOVING_SECONDS = 2.0


@dataclass(frozen=True)
class _Child:
    """A running task. said: a file with its output. ended: the pipe that receives how it ended."""

    process: int
    said: int
    ended: int


class Template:
    """The loop over requests and ended children."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._children: list[_Child] = []
        self._folders: set[str] = set()
        self._to_load: deque[Callable[[], object]] = deque()
        self._woken, self._wakes = os.pipe()
        for descriptor in (self._woken, self._wakes):
            os.set_blocking(descriptor, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._wakes, warn_on_full_buffer=False)

    def load(self, modules: Sequence[str]) -> None:
        """Load these modules or, without any, what every check needs; the task reports what cannot be loaded."""
        with suppress(Exception):
            for name in modules or FIRST:
                import_module(name)
            import_module("tilewright.compile.nvrtc").nvrtc_version()
        if not modules:
            self._load_emulator()
        gc.freeze()

    def _load_emulator(self) -> None:
        with suppress(Exception):
            import_module("tilewright.lab.check.run.rehearsal").parse()
        with suppress(Exception):
            _compile_emulator()
            for unit in _units(of_every_launch=True):
                _load_unit(unit)
        self._to_load.extend(partial(_load_unit, unit) for unit in _units(of_every_launch=False))
        self._to_load.extend(partial(import_module, name) for name in LATER)
        self._to_load.append(self._rehearse)

    def _rehearse(self) -> None:
        self._to_load.extend(import_module("tilewright.lab.check.run.rehearsal").compiles())

    def serve(self) -> None:
        """Fork children until the socket is closed."""
        while self._turn():
            pass
        for child in list(self._children):
            self._stop(child)
        _remove(self._folders)

    def _turn(self) -> bool:
        poll = select.poll()
        poll.register(self._control, select.POLLIN)
        poll.register(self._woken, select.POLLIN)
        for child in self._children:
            poll.register(child.ended, 0)  # an error: nobody reads it any more
        ready = dict(poll.poll(0 if self._to_load else _NEVER))
        if self._woken in ready:
            os.read(self._woken, 4096)
        self._reap({descriptor for descriptor in ready if descriptor not in (self._control.fileno(), self._woken)})
        if self._control.fileno() in ready:
            return self._answer()
        if not ready and self._to_load:
            with suppress(Exception):
                self._to_load.popleft()()
        return True

    def _answer(self) -> bool:
        try:
            data, descriptors, _, _ = socket.recv_fds(self._control, MOST_REQUEST_BYTES, 2)
        except OSError:
            return False
        if not data:
            return False
        request = json.loads(data)
        if "keep" in request:
            self._folders.add(request["keep"])
        elif "let_go" in request:
            self._folders.discard(request["let_go"])
        else:
            self._begin(request, *descriptors)
        return True

    def _begin(self, request: dict[str, str | float], conversation: int, ended: int) -> None:
        limits = Limits(float(request["seconds"]), int(request["memory_bytes"]))
        said = os.memfd_create("said")

        def do() -> None:
            os.setpgid(0, 0)
            os.chdir(str(request["folder"]))
            with socket.socket(fileno=conversation) as connection:
                hearing, saying = connection.makefile("rb"), connection.makefile("wb")
                work(str(request["task"]), Parent(partial(read, hearing), saying))

        process = fork(do, limits, said, keep=(conversation,))
        with suppress(OSError):
            os.setpgid(process, process)  # as the child does: whoever is first
        os.close(conversation)
        self._children.append(_Child(process, said, ended))

    def _reap(self, unwanted: set[int]) -> None:
        """Report the children that have ended, and end those that nobody waits for."""
        for child in list(self._children):
            if child.ended in unwanted:
                self._stop(child)
        with suppress(ChildProcessError):
            while ended := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                known = next((child for child in self._children if child.process == ended.si_pid), None)
                if known is None:
                    os.waitpid(ended.si_pid, 0)  # left behind by a child
                else:
                    self._tell(known)

    def _stop(self, child: _Child) -> None:
        _kill_group(child.process)
        self._tell(child)

    def _tell(self, child: _Child) -> None:
        _kill_group(child.process)  # it has ended, or is about to; what it started may not have
        ending = ending_of(child.process, child.said)
        with suppress(OSError):
            os.write(child.ended, json.dumps(asdict(ending)).encode())
        os.close(child.ended)
        os.close(child.said)
        self._children.remove(child)


def _kill_group(process: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process, signal.SIGKILL)


def _compile_emulator() -> None:
    """Compile what every launch needs, if this machine never did, with a message."""
    import_module("tilewright.emulate").Emulator.compile()


def _units(*, of_every_launch: bool) -> list[Any]:
    """Return the pieces of the emulator's code that every launch needs, or those that some need."""
    compiled = sys.modules.get("tilewright.emulate.compiled")
    return [] if compiled is None else [unit for unit in compiled.units() if unit.is_core == of_every_launch]


def _load_unit(unit: Any) -> None:
    """Load a unit that is on disk; another is compiled by the launch that needs it."""
    if unit.is_kept:
        _ = unit.address


def _remove(folders: set[str]) -> None:
    """Remove folders; another process may still be about to end, and write."""
    until = time.monotonic() + _REMOVING_SECONDS
    for folder in folders:
        while os.path.exists(folder) and time.monotonic() < until:  # noqa: PTH110  (a text, and no more)
            shutil.rmtree(folder, ignore_errors=True)
            time.sleep(0.01)


@contextmanager
def _ending_with(control: socket.socket) -> Iterator[None]:
    """End this process and what it started, if the socket's other end is closed within the block, which may compile."""
    done, finish = os.pipe()

    def watch() -> None:
        poll = select.poll()
        poll.register(done, select.POLLIN)
        poll.register(control, 0)  # the end of the other end
        if any(descriptor == control.fileno() for descriptor, _ in poll.poll()):
            lifetime.end_group()

    watcher = Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        os.write(finish, b".")
        watcher.join()  # a process with two threads is not forked
        os.close(done)
        os.close(finish)


def main(modules: Sequence[str]) -> NoReturn:
    """Serve the socket that is the standard input."""
    lifetime.prepare()
    lifetime.adopt_orphans()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal's Ctrl-C is for the caller
    mark_as_template()
    control = socket.socket(fileno=0)
    template = Template(control)
    with _ending_with(control):
        template.load(modules)
    template.serve()
    os._exit(0)  # exiting without cleanup is faster


if __name__ == "__main__":
    main(sys.argv[1:])
