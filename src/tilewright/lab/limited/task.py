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
KNOWN = {
    "CheckError": "tilewright.lab.check.options",
    "CompilerMissingError": "tilewright.compile",
    "DtypeError": "tilewright.arrays.errors",
    "FileError": "tilewright.call.files.errors",
    "LaunchError": "tilewright.lab.check.find.launches",
    "PlanError": "tilewright.choose",
    "RolesError": "tilewright.lab.check.find.roles",
    "SourceError": "tilewright.lab.source.cuda_file",
    "TraceError": "tilewright.lab.trace.subject",
}
"""Errors made of one sentence, and their modules."""
OF_EMULATOR = {"EmulationError": "CheckError"}
"""The errors that callers see for the emulator's, which they need not import."""


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


def with_refusals(work: Callable[[], object]) -> dict[str, Any]:
    """Return the work's result, or the error of ours that it raises, as JSON data."""
    from tilewright.compile.nvrtc import CompileError

    try:
        return {"done": work()}
    except CompileError as error:
        about = {"file": error.file, "line": error.line, "message": error.message, "log": error.log}
        return {"compile_error": about, "errors": error.errors}
    except Exception as error:
        names = [OF_EMULATOR.get(each.__name__, each.__name__) for each in type(error).__mro__]
        name = next((name for name in names if name in KNOWN), None)
        if name is None:
            raise
        return {"refused": name, "why": str(error)}


def done_or_raised(answer: Any) -> Any:
    """Return the result, or raise the work's error; ValueError for an answer that is neither."""
    if not isinstance(answer, dict):
        raise ValueError("it is neither a result nor an error")  # noqa: TRY004  (as for any other answer)
    if "done" in answer:
        return answer["done"]
    if "compile_error" in answer:
        from tilewright.compile.nvrtc import CompileError

        raise CompileError(**answer["compile_error"], errors=int(answer["errors"]))
    name = answer["refused"]
    raise getattr(import_module(KNOWN[name]), name)(str(answer["why"]))
