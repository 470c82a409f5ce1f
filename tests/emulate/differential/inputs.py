"""What the registers of a random program hold when it begins."""

from __future__ import annotations

from random import Random

import numpy as np
from numpy.typing import NDArray

from tests.emulate.instructions.values import POOLS

from .program_text import BLOCKS, PREDICATES, REGISTERS, SLOT_BYTES, THREADS

KINDS = {16: ("u16", "f16", "bf16"), 32: ("u32", "f32"), 64: ("u64", "f64")}


def inputs(number: int) -> NDArray[np.uint64]:
    """Return 64 bits for each register of each thread: edges of its types, and bits drawn at random."""
    random, columns, threads = Random(f"inputs of {number}"), [], range(BLOCKS * THREADS)
    for bits, count in REGISTERS.items():
        for _ in range(count):
            pool = POOLS[random.choice(KINDS[bits])]
            columns.append(
                [random.choice(pool) if random.random() < 0.4 else random.getrandbits(bits) for _ in threads]
            )
    columns += [[random.getrandbits(1) for _ in threads] for _ in range(PREDICATES)]
    result = np.array(columns, np.uint64).T.copy()
    assert result.nbytes == SLOT_BYTES * BLOCKS * THREADS
    return result
