"""What a timer needs of a GPU, on one stream: two events, other data to read, a launch. torch has all of it."""

from __future__ import annotations

from typing import Protocol

LEAST_FLUSH_BYTES = 512 * 2**20
L2_SIZES_READ = 8


def flush_bytes(l2_bytes: int) -> int:
    """Return how much other data is read between two measurements, for an L2 cache of a size."""
    return max(LEAST_FLUSH_BYTES, L2_SIZES_READ * l2_bytes)


class Clock(Protocol):
    """A GPU's stream with two events. ``flush_bytes``: how much `read_other_data` reads."""

    flush_bytes: int

    def read_other_data(self) -> None:
        """Queue a read of other data through all of the L2 cache."""

    def launch(self) -> None:
        """Queue a launch of little work."""

    def start(self) -> None:
        """Queue the first event."""

    def end(self) -> None:
        """Queue the second event."""

    def has_started(self) -> bool:
        """Whether the GPU has reached the first event."""

    def us(self) -> float:
        """Wait for the second event; the time between the two."""

    def wait(self) -> None:
        """Wait for all that is queued."""


class TorchClock:
    """torch's current stream of the current GPU."""

    def __init__(self) -> None:
        import torch

        self._torch = torch
        self.flush_bytes = flush_bytes(torch.cuda.get_device_properties(torch.cuda.current_device()).L2_cache_size)
        self._flush = torch.zeros(self.flush_bytes // 4, dtype=torch.float32, device="cuda")
        self._sum = torch.zeros((), dtype=torch.float32, device="cuda")
        self._start, self._end = (torch.cuda.Event(enable_timing=True) for _ in range(2))

    def read_other_data(self) -> None:
        """Add up a long vector."""
        self._torch.sum(self._flush, dim=0, out=self._sum)

    def launch(self) -> None:
        """Clear a number."""
        self._sum.zero_()

    def start(self) -> None:
        """Record the first event."""
        self._start.record()

    def end(self) -> None:
        """Record the second event."""
        self._end.record()

    def has_started(self) -> bool:
        """Whether the GPU has reached the first event."""
        return bool(self._start.query())

    def us(self) -> float:
        """Wait for the second event; the time between the two."""
        self._end.synchronize()
        return 1e3 * float(self._start.elapsed_time(self._end))

    def wait(self) -> None:
        """Wait for the GPU."""
        self._torch.cuda.synchronize()
