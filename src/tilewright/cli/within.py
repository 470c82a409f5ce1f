"""`--time-limit` and `--memory-limit`: what they take, and a command that runs again in a process that has them."""

from __future__ import annotations

import io
import re
import shutil
import sys
from contextlib import redirect_stderr, redirect_stdout
from os import environ
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import run
from .refusals import Refusal

if TYPE_CHECKING:
    from tilewright.lab.limited import Limits
    from tilewright.lab.limited.messages import Message
    from tilewright.lab.limited.task import Parent

TimeLimit = Annotated[
    float | None,
    typer.Option(min=1, max=1e6, metavar="SECONDS", help="Then it is stopped. A file without it: 300."),
]
MemoryLimit = Annotated[
    str | None,
    typer.Option(metavar="SIZE", help="Such as 2G or 512M. A file without it: a quarter of the machine's memory."),
]
TASK = "tilewright.cli.within:do_within"
NO_MEMORY_LIMIT = 1 << 60
_inside: list[str] = []


def limits_of(seconds: float | None, memory: str | None, at_once: int = 1) -> Limits:
    """Return the limits of a file's process, of which so many run at once; refuse what is no size of memory."""
    from tilewright.lab.limited import Limits, default_memory_bytes

    size = default_memory_bytes(at_once) if memory is None else _size(memory)
    return Limits(Limits.seconds if seconds is None else seconds, size)


def _size(text: str) -> int:
    from tilewright.lab.limited.limits import LEAST_MEMORY_BYTES

    match = re.fullmatch(r"(\d{1,12})([MG])(?:iB|B)?", text, re.IGNORECASE | re.ASCII)
    size = int(match[1]) << {"M": 20, "G": 30}[match[2].upper()] if match else 0
    if not LEAST_MEMORY_BYTES <= size < NO_MEMORY_LIMIT:
        least = LEAST_MEMORY_BYTES >> 20
        raise Refusal(f"--memory-limit takes a size such as 2G or 512M, of {least}M or more, not {text!r}.")
    return size


def status_within(what: str, seconds: float | None, memory: str | None) -> int | None:
    """Run the command again in a process with limits, print what it prints, and return its status.

    None where no limit is given, and in that process. what: the command in words, `the sweep`.
    """
    if _inside or (seconds is None and memory is None):
        return None
    from tilewright.lab.limited import Conversation, LimitedError, Limits, run_limited

    class Heard(Conversation):
        """Passes on what the command says on standard error when it says it: that it compiles, and waits."""

        def told(self, what: Any) -> None:
            sys.stderr.write(str(what))
            sys.stderr.flush()

    limits = Limits(1e6 if seconds is None else seconds, NO_MEMORY_LIMIT if memory is None else _size(memory))
    request = {"arguments": sys.argv[1:], "columns": shutil.get_terminal_size().columns if sys.stdout.isatty() else 0}
    try:
        status, out = run_limited(TASK, request, what=what, limits=limits, conversation=Heard())
    except LimitedError as error:
        raise Refusal(f"{error}.") from error
    sys.stdout.write(out)
    return int(status)


class _Telling(io.TextIOBase):
    """A stream whose lines the parent shows, each when it is written."""

    def __init__(self, parent: Parent) -> None:
        self._parent = parent

    def write(self, text: str) -> int:
        if text:
            self._parent.tell(text)
        return len(text)


def do_within(request: Message, parent: Parent) -> list[Any]:
    """Run a command in this process; return its status and what it printed. What it says of itself is told at once."""
    asked = request.value
    _inside.append("a process with limits")
    sys.argv[1:] = asked["arguments"]
    if asked["columns"]:
        environ["COLUMNS"] = str(asked["columns"])
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(_Telling(parent)):
        status = run(asked["arguments"])
    return [status, out.getvalue()]
