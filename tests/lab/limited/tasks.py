"""Tasks that do what a hostile file could make of a process. Each takes the request and the parent."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy

from tilewright.lab.check.options import CheckError
from tilewright.lab.limited.task import with_refusals


def echo(request, _):
    """Say what came, with the types and shapes of arrays."""
    described = {name: [array.dtype.str, array.tolist()] for name, array in request.arrays.items()}
    return {"value": request.value, "arrays": described, "folder": str(Path.cwd())}


def ask(request, parent):
    """Tell twice, ask once."""
    parent.tell([1, 2])
    answer = parent.ask({"n": 3}, {"x": numpy.arange(4.0)})
    parent.tell([2, 2])
    return [answer.value, answer.arrays["y"].tolist(), request.value]


def segfault(*_):
    """Crash."""
    os.kill(os.getpid(), signal.SIGSEGV)


def spend_processor_time(*_):
    """End as a process ends whose processor time is spent."""
    os.kill(os.getpid(), signal.SIGXCPU)


def be_killed(*_):
    """End as a process ends that the system kills."""
    os.kill(os.getpid(), signal.SIGKILL)


def fill_memory(*_):
    """Write to more memory than there may be."""
    return len([bytearray(1 << 24) for _ in range(1 << 20)])


def ask_for_memory(*_):
    """Ask for more memory than there may be, at once."""
    return len(bytearray(1 << 46))


def leave(*_):
    """End with a status and a last word."""
    sys.stderr.write("first\nlast word\n")
    sys.stderr.flush()
    os._exit(3)


def leave_well(*_):
    """End as if all were well, without an answer."""
    os._exit(0)


def fail(*_):
    """Raise what nobody foresees."""
    raise RuntimeError("a bug")


def refuse(*_):
    """Raise what is foreseen."""

    def work():
        raise CheckError("two orders fit")

    return with_refusals(work)


def hang(*_):
    """Never end."""
    time.sleep(600)


def hang_with_grandchild(request, _):
    """Never end, and start a process that does not either; its number goes into a file."""
    with Path(request.value).open("w") as file:
        process = subprocess.Popen(["sleep", "600"], start_new_session=False)
        file.write(str(process.pid))
    time.sleep(600)


def print_something(*_):
    """Print, as kernels may."""
    sys.stdout.write("kernels print\n")
    os.write(1, b"so do libraries\n")
    return 1


def _raw(data):
    """Write to the parent what is no message."""

    def do(_, parent):
        parent._writing.write(data)
        parent._writing.flush()
        os._exit(0)

    return do


half = _raw(bytes(7) + b"\x09" + bytes(8) + b"half")
huge = _raw(b"\xff" * 16)
no_json = _raw(bytes(7) + b"\x04" + bytes(8) + b"\x80\x04\x95.")
deep = _raw((200_000).to_bytes(8, "big") + bytes(8) + b"[" * 200_000)
other = _raw(bytes(7) + b"\x05" + bytes(8) + b"[1,2]")
objects = _raw((37).to_bytes(8, "big") + (8).to_bytes(8, "big") + b'[["answered",1],[["x","|O8",[1]]]]   ' + bytes(8))
