"""A random program on the emulator."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tilewright.emulate import Emulator

from .inputs import inputs
from .program_text import BLOCKS, SCRATCH_BYTES, THREADS
from .programs import program

EMPTY = 0x5A


def emulated(
    number: int, statements: int | None = None, *, workers: int = 1, completion: str = "early"
) -> NDArray[np.uint64]:
    """Return 64 bits of each register of each thread when the program has ended."""
    given = inputs(number)
    emulator = Emulator(workers=workers)
    module = emulator.load(program(number, statements))
    buffers = [emulator.allocate(given.nbytes), emulator.allocate(given.nbytes), emulator.allocate(SCRATCH_BYTES)]
    buffers[0].write(given)
    buffers[1].write(np.full(given.nbytes, EMPTY, np.uint8))
    buffers[2].write(np.zeros(SCRATCH_BYTES, np.uint8))
    emulator.launch(
        module, "kernel", grid=(BLOCKS, 1, 1), block=(THREADS, 1, 1), arguments=buffers, completion=completion
    )
    return buffers[1].read(np.uint64, given.shape)
