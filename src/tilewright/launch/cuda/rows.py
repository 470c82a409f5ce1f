"""Rows that the copy engine moves: between pinned memory of the host and a GPU, or from one GPU to another."""

from __future__ import annotations

from typing import NamedTuple

from .device import CudaDevice


class Rows(NamedTuple):
    """Where rows lie: the first one's address, and how many bytes apart they begin."""

    address: int
    pitch: int
    on_host: bool = False


def copy_rows(device: CudaDevice, source: Rows, target: Rows, row_bytes: int, count: int, stream: int) -> None:
    """Queue a copy of so many rows, within `CudaDevice.entered`. Raises MachineError."""
    kinds, copy = device.driver.CUmemorytype, device.driver.CUDA_MEMCPY2D()
    for end, rows in (("src", source), ("dst", target)):
        setattr(copy, f"{end}MemoryType", kinds.CU_MEMORYTYPE_HOST if rows.on_host else kinds.CU_MEMORYTYPE_DEVICE)
        setattr(copy, f"{end}{'Host' if rows.on_host else 'Device'}", rows.address)
        setattr(copy, f"{end}Pitch", max(rows.pitch, row_bytes))
    copy.WidthInBytes, copy.Height = row_bytes, count
    device.call("cuMemcpy2DAsync", copy, stream)
