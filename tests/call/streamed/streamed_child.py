"""Run in a process of its own: a product that streams, which may be killed, or have little disk or memory.

    python -m tests.call.streamed.streamed_child A B C LIMIT [resume] [slow] [file=BYTES]

Prints the peak of the process's memory in bytes before the product and after it. "slow": each step takes longer, so
that a kill finds it at work. file=BYTES: the largest file that may be written, as a full disk.
"""

from __future__ import annotations

import resource
import signal
import sys
import time
from typing import Any

from tilewright.arrays.stores.opened import open_path
from tilewright.call.streamed.product import multiply_streamed


def peak() -> int:
    """The most memory that this process had, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def main() -> None:
    """Multiply what the arguments name."""
    a, b, c, limit, *words = sys.argv[1:]
    for word in words:
        if word.startswith("file="):
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            most = int(word[5:])
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    stores = open_path(a, "A"), open_path(b, "B"), open_path(c, "C", writable=True)

    def slowly(done: int, everything: int) -> None:
        sys.stdout.write(f"{done} of {everything}\n")
        sys.stdout.flush()
        time.sleep(0.02)

    how: dict[str, Any] = {
        "resume": "resume" in words,
        "progress": slowly if "slow" in words else False,
        "device": "host",
    }
    before = peak()
    multiply_streamed("matmul", *stores, memory_limit=limit, **how)
    sys.stdout.write(f"{before} {peak()}\n")


if __name__ == "__main__":
    main()
