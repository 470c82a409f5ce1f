"""A process that does one task, on systems where a fork is not safe.

`python -P -m tilewright.lab.limited.started MODULE...` imports these modules, and then reads from its standard input
which task there is, its limits and the request, as messages; it answers on its standard output. It ends when the other
end of its input is closed.
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
    os.dup2(2, 1)  # kernels' output is kept apart from the answer
    # A stream of Python's own has a lock, and Python aborts where a thread holds it to the end: hence no buffer.
    questions = os.fdopen(os.dup(0), "rb", buffering=0)
    heard: queue.SimpleQueue[Message] = queue.SimpleQueue()
    Thread(target=_hear, args=(questions, heard), daemon=True).start()
    with suppress(Exception):  # the task that needs it reports what cannot be imported
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
    """Pass on the parent's messages; end the process when its end of the pipe is closed."""
    with suppress(MessageError):
        while (message := read(questions)) is not None:
            heard.put(message)
    end_group()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
