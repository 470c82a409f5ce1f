"""A process that does one task: where a process cannot be forked safely.

`python -P -m tilewright.lab.limited.started MODULE...` imports these modules, and then reads from its standard input
which task there is, its limits and the request, as messages; it answers on its standard output. When nobody has the
other end of its input any more, it ends.
"""

from __future__ import annotations

import os
import queue
import sys
from contextlib import suppress
from importlib import import_module
from threading import Thread
from typing import BinaryIO

from .lifetime import end_group
from .limits import limit_process
from .messages import Message, MessageError, read
from .task import Parent, work


def main(modules: list[str]) -> int:
    """Do the task that is asked for."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what kernels print is no answer
    # A stream of Python's own has a lock, and Python aborts where a thread holds it to the end: hence no buffer.
    questions = os.fdopen(os.dup(0), "rb", buffering=0)
    heard: queue.SimpleQueue[Message] = queue.SimpleQueue()
    Thread(target=_hear, args=(questions, heard), daemon=True).start()
    with suppress(Exception):  # what cannot be imported is said by the task that needs it
        for name in modules:
            import_module(name)
    asked = heard.get().value
    os.chdir(asked["folder"])
    limit_process(asked["cpu_seconds"], asked["memory_bytes"])
    try:
        work(asked["task"], Parent(heard.get, answers))
    except MemoryError:
        sys.stderr.write("MemoryError\n")
        return 1
    return 0


def _hear(questions: BinaryIO, heard: queue.SimpleQueue[Message]) -> None:
    """Pass on what the parent says; end the process when nobody can say anything any more."""
    with suppress(MessageError):
        while (message := read(questions)) is not None:
            heard.put(message)
    end_group()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
