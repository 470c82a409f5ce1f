"""The child's side of a task: reads the request, reports progress, asks questions, and writes the answer."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, BinaryIO

from .messages import Message, pack

if TYPE_CHECKING:
    from numpy.typing import NDArray

BEGUN, TOLD, ASKED, ANSWERED = "begun", "told", "asked", "answered"
"""The kind of a message to the parent, its first word."""


class Parent:
    """A task's connection to its parent."""

    def __init__(self, hear: Callable[[], Message | None], writing: BinaryIO) -> None:
        self._hear, self._writing = hear, writing

    def tell(self, what: object) -> None:
        """Send a report that needs no answer, such as progress."""
        self.say(TOLD, what)

    def ask(self, what: object, arrays: Mapping[str, NDArray[Any]]) -> Message:
        """Return the parent's answer to a question."""
        self.say(ASKED, what, arrays)
        return self.listen()

    def say(self, kind: str, what: object, arrays: Mapping[str, NDArray[Any]] | None = None) -> None:
        """Send one message."""
        self._writing.write(pack([kind, what], arrays))
        self._writing.flush()

    def listen(self) -> Message:
        """Return the parent's next message; end the process if the parent is gone."""
        message = self._hear()
        if message is None:
            os._exit(1)
        return message


Task = Callable[[Message, Parent], object]


def work(task: str, parent: Parent) -> None:
    """Do one task. task: `module:function`, which takes the request and the parent, and returns what JSON has."""
    parent.say(BEGUN, None)
    request = parent.listen()
    module, _, function = task.partition(":")
    do: Task = getattr(import_module(module), function)
    parent.say(ANSWERED, do(request, parent))
