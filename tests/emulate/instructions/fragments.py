"""Which lane holds which elements of the small matrices of `mma.sync`, by the layouts that the PTX manual gives."""

from __future__ import annotations

import numpy as np

LANE = np.arange(32)
GROUP, PLACE = LANE // 4, LANE % 4


def places_of_sums() -> tuple[np.ndarray, np.ndarray]:
    """Return rows and columns (lane, register) of 16 x 8 sums."""
    rows = np.stack([GROUP, GROUP, GROUP + 8, GROUP + 8], axis=1)
    return rows, np.stack([2 * PLACE, 2 * PLACE + 1, 2 * PLACE, 2 * PLACE + 1], axis=1)


def registers_of(lines: np.ndarray) -> np.ndarray:
    """Return the registers (lane, register) of rows of A or columns of B, each with its inner index contiguous.

    A register has 4 bytes of 8 lines: register 0 of the first 16 bytes of lines 0 to 7; then come lines 8 to 15, where
    there are that many; then the next 16 bytes.
    """
    words = np.ascontiguousarray(lines).view(np.uint32)
    registers = [
        words[GROUP + 8 * block, PLACE + 4 * part]
        for part in range(words.shape[1] // 4)
        for block in range(len(lines) // 8)
    ]
    return np.stack(registers, axis=1)
