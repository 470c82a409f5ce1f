"""A child forked by a template: the request for it, its messages and its end."""

from __future__ import annotations

import atexit
import json
import os
import select
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import contextmanager, suppress
from threading import Lock
from typing import TYPE_CHECKING, Any, Self

from .endings import NO_TEMPLATE, Ending
from .limits import Limits
from .messages import Message, pack, read
from .starting import environment

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    from numpy.typing import NDArray

COMMAND = (sys.executable, "-P", "-m", "tilewright.lab.limited.template")  # -P: not what lies beside the user's files
_ENDING_SECONDS = 5.0


class TemplateProcess:
    """A template of this process. modules: the only ones that it imports; none for all that a check needs."""

    def __init__(self, modules: Sequence[str] = ()) -> None:
        self.control, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with other:
            self.process = subprocess.Popen(  # noqa: S603  (our own module)
                [*COMMAND, *modules],
                stdin=other.fileno(),
                stdout=subprocess.DEVNULL,
                env=environment(),
                start_new_session=True,
            )

    def say(self, request: Mapping[str, object], descriptors: tuple[int, ...] = ()) -> None:
        """Send a request."""
        data = [json.dumps(request).encode()]
        socket.send_fds(self.control, data, list(descriptors), socket.MSG_NOSIGNAL)

    def end(self) -> None:
        """End it and with it its children; it has no more folders to remove."""
        self.process.kill()
        self.process.wait()
        self.control.close()


_CURRENT: dict[tuple[str, ...], TemplateProcess] = {}
_STARTING = Lock()


def prepare_template(modules: tuple[str, ...] = ()) -> TemplateProcess:
    """Return this process's template with these modules; start it where there is none, or none any more."""
    with _STARTING:
        if modules in _CURRENT and _CURRENT[modules].process.poll() is not None:
            _CURRENT.pop(modules).control.close()
        if modules not in _CURRENT:
            _CURRENT[modules] = TemplateProcess(modules)
        return _CURRENT[modules]


def _leave_to_parent() -> None:
    """Forget the templates in a forked process: they belong to the parent, and end with that."""
    global _STARTING  # noqa: PLW0603  (a thread of the parent may have held it)
    _STARTING = Lock()
    while _CURRENT:
        _, template = _CURRENT.popitem()
        template.control.close()
        template.process.returncode = 0  # not this process's to wait for


def end_templates() -> None:
    """End the templates of this process, and their children."""
    with _STARTING:
        while _CURRENT:
            _CURRENT.popitem()[1].end()


os.register_at_fork(after_in_child=_leave_to_parent)
atexit.register(end_templates)


class ForkedChild:
    """A task in a child of a template's. modules: of that template."""

    def __init__(self, task: str, limits: Limits, modules: tuple[str, ...] = ()) -> None:
        self._modules = modules
        self._connection, others = socket.socketpair()
        self._ended, ending = os.pipe()
        self._stream = self._connection.makefile("rb")
        request = {"task": task, "folder": _folder(), "seconds": limits.seconds, "memory_bytes": limits.memory_bytes}
        try:
            self._ask(request, (others.fileno(), ending))
        except BaseException:
            self._close()
            raise
        finally:
            others.close()
            os.close(ending)

    def _ask(self, request: Mapping[str, object], descriptors: tuple[int, int]) -> None:
        try:
            prepare_template(self._modules).say(request, descriptors)
        except OSError:  # it ended while it was asked
            prepare_template(self._modules).process.wait()
            prepare_template(self._modules).say(request, descriptors)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def _close(self) -> None:
        self._stream.close()
        self._connection.close()
        if self._ended >= 0:
            os.close(self._ended)  # the template ends the child, if that has not ended
            self._ended = -1

    def say(self, value: object, arrays: Mapping[str, NDArray[Any]] | None = None) -> None:
        """Send a message."""
        data = memoryview(pack(value, arrays))
        self._connection.settimeout(None)
        with suppress(OSError):  # it has ended; the next read will show it
            while data:
                data = data[self._connection.send(data, socket.MSG_NOSIGNAL) :]

    def hear(self, seconds: float) -> Message | None:
        """Return the next message; None where there is none any more."""
        self._connection.settimeout(max(seconds, 1e-3))
        try:
            return read(self._stream)
        except TimeoutError:
            raise
        except OSError:  # the connection was reset
            return None

    def ending(self) -> Ending:
        """Return how the child ended."""
        until = time.monotonic() + _ENDING_SECONDS
        data = b""
        while select.select([self._ended], [], [], max(0.0, until - time.monotonic()))[0]:
            part = os.read(self._ended, 1 << 16)
            if not part:
                break
            data += part
        try:
            return Ending(**json.loads(data))
        except (TypeError, ValueError):
            return NO_TEMPLATE


def _folder() -> str:
    try:
        return os.getcwd()  # noqa: PTH109  (a text for a message)
    except OSError:  # it was removed
        return "/"


@contextmanager
def in_care_of_template(folder: str) -> Iterator[None]:
    """Let the template remove a folder, if this process ends within the block and cannot."""
    template = prepare_template()
    template.say({"keep": folder})
    try:
        yield
    finally:
        with suppress(OSError):
            template.say({"let_go": folder})
