"""A small program on the emulator in a process of its own, with a cache of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import numpy as np
from tilewright.emulate import Emulator
text = '''.version 8.5
.target sm_90
.address_size 64
.visible .entry kernel(.param .u64 y) {
    .reg .b32 %r<3>; .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [y]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2;
    popc.b32 %r2, %r1; st.global.u32 [%rd1], %r2; ret;
}'''
emulator = Emulator(workers=1)
y = emulator.allocate(128, name="y")
emulator.launch(emulator.load(text), "kernel", grid=(1, 1, 1), block=(32, 1, 1), arguments=[y])
print(*y.read(np.int32, (32,)))
"""
COUNTED = [lane.bit_count() for lane in range(32)]


def started(cache: Path, folder: Path | None = None) -> subprocess.Popen[str]:
    """Start the program. folder: holds a copy of the package, to be used instead of this one."""
    environment = os.environ | {"TILEWRIGHT_CACHE": str(cache)}
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        env=environment if folder is None else environment | {"PYTHONPATH": str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
    )


def answers(process: subprocess.Popen[str]) -> tuple[list[int], str]:
    """Wait for the program; return what it counted, and what it said on its error output."""
    output, errors = process.communicate()
    assert process.returncode == 0, errors
    return [int(word) for word in output.split()], errors


def is_right(cache: Path) -> bool:
    """Whether the program ends in the right result on that cache."""
    return answers(started(cache))[0] == COUNTED
