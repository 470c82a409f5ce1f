"""The first start after an install: two processes share the compilation of the units.

Numba compiles under Python's lock, so that a second thread would not help.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable
from contextlib import suppress
from importlib import import_module

from tilewright.emulate.compiled import Unit


def compile_missing(units: Iterable[Unit]) -> None:
    """Compile the units that are not on disk; a second process begins at the last of them.

    What the second process does not compile, this one does.
    """
    missing = [unit for unit in units if not unit.is_kept]
    second = None
    if len(missing) > 1 and (os.cpu_count() or 1) > 1 and all(unit.can_be_kept for unit in missing):
        with suppress(OSError):
            second = _second_process(missing)
        for unit in missing:
            unit.compile_unless_begun()
    for unit in missing:
        _ = unit.compiled  # waits for the other process where that has begun
    if second is not None:
        second.kill()  # everything is compiled: it has nothing left to do
        second.wait()


def _second_process(units: list[Unit]) -> subprocess.Popen[bytes]:
    names = [f"{unit.function.__module__}:{unit.function.__name__}" for unit in reversed(units)]
    return subprocess.Popen(  # noqa: S603  (this interpreter, and names of our own)
        [sys.executable, "-P", "-m", __name__, *names],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def compile_named(names: Iterable[str]) -> None:
    """Compile the units named as ``module:function`` that no other process has begun."""
    for name in names:
        module, _, function = name.partition(":")
        unit = getattr(import_module(module), function)
        if isinstance(unit, Unit):
            unit.compile_unless_begun()


if __name__ == "__main__":
    compile_named(sys.argv[1:])
