"""What each warp knows of what others did: times of events, by the warp (or the mbarrier's phase) that they belong to.

Three kinds of knowledge go together through every barrier: what was SEEN to have happened; what of it a proxy fence has
also handed over to the asynchronous proxy (FENCED); and which reads are known to be over to that proxy (RELEASED): by a
fence, or because the reader arrived at an mbarrier whose phase the warp has waited for.
"""

from __future__ import annotations

import numpy as np

from tilewright.emulate.state import Int64s

SEEN, FENCED, RELEASED, PLANES = range(4)
MOST_WARPS, MOST_BARRIERS = 1024, 512


class Knowledge:
    """Of the resident warps. Columns: the warps, the mbarriers, and one for `griddepcontrol.wait`."""

    def __init__(self, warps: int) -> None:
        self.warps, self.columns = warps, warps + MOST_BARRIERS + 1
        self.grid_column = self.columns - 1
        self.of: Int64s = np.zeros((warps, PLANES, self.columns), np.int64)

    def nothing(self) -> Int64s:
        """Return what somebody knows who knows nothing."""
        return np.zeros((PLANES, self.columns), np.int64)

    def forget(self, first: int, count: int) -> None:
        """Begin with new warps."""
        self.of[first : first + count] = 0

    def learn(self, warp: int, known: Int64s) -> None:
        """Let a warp know what is known elsewhere."""
        np.maximum(self.of[warp], known, out=self.of[warp])

    def tell(self, warp: int, known: Int64s) -> None:
        """Let it be known elsewhere what a warp knows."""
        np.maximum(known, self.of[warp], out=known)

    def fence(self, warp: int) -> None:
        """Hand over to the asynchronous proxy what a warp has seen."""
        mine = self.of[warp]
        np.maximum(mine[FENCED], mine[SEEN], out=mine[FENCED])
        np.maximum(mine[RELEASED], mine[SEEN], out=mine[RELEASED])

    def knows(self, warp: int, column: int, time: int, plane: int = SEEN) -> bool:
        """Return whether a warp knows what happened at a time."""
        return bool(self.of[warp, plane, column] >= time)
