"""What the copy engine is told of rows: ends, addresses and pitches, between host and GPU and from GPU to GPU."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from cuda.bindings import driver as bindings

from tilewright.launch.cuda.rows import Rows, copy_rows

HOST, DEVICE = bindings.CUmemorytype.CU_MEMORYTYPE_HOST, bindings.CUmemorytype.CU_MEMORYTYPE_DEVICE


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (Rows(4096, 80, on_host=True), Rows(2**20, 24)),
        (Rows(2**20, 24), Rows(4096, 80, on_host=True)),
        (Rows(2**20, 24), Rows(2**21, 32)),
        (Rows(2**20, 0), Rows(2**21, 32)),  # one row has any stride
    ],
)
def test_a_copy_of_rows(source, target):
    """Each end has its kind of memory, and a pitch of a row at least."""
    told: list[Any] = []
    device: Any = SimpleNamespace(driver=bindings, call=lambda *given: told.append(given))

    copy_rows(device, source, target, 24, 7, 5)

    ((name, copy, stream),) = told
    assert (name, stream, copy.WidthInBytes, copy.Height) == ("cuMemcpy2DAsync", 5, 24, 7)
    for rows, kind, host, on_gpu, pitch in (
        (source, copy.srcMemoryType, copy.srcHost, copy.srcDevice, copy.srcPitch),
        (target, copy.dstMemoryType, copy.dstHost, copy.dstDevice, copy.dstPitch),
    ):
        assert kind == (HOST if rows.on_host else DEVICE)
        assert int(host if rows.on_host else on_gpu) == rows.address
        assert pitch == max(rows.pitch, 24)
