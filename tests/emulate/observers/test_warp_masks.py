"""Lanes that a mask leaves out: found where they take part in an exchange, and nothing is said where they do not."""

from __future__ import annotations

import numpy as np
import pytest

from tests.emulate.observers.watched import watch
from tests.emulate.running import line_of
from tilewright.emulate.observers import WarpMaskObserver

KERNEL = """extern "C" __global__ void kernel(float *x, int n) {
    int lane = threadIdx.x;
    float own = x[lane];
BODY
    x[lane] = own;
}"""


def look(body, n=20):
    """Watch one warp; return the source and the findings."""
    source = KERNEL.replace("BODY", body)
    observer = WarpMaskObserver()
    watch(source, {"x": np.ones(32, np.float32), "n": n}, [observer], grid=1, block=32)
    return source, observer.findings


def test_half_of_a_warp_in_the_mask():
    """All lanes shuffle with a mask of the first sixteen: one finding, however often the loop comes there."""
    source, (finding,) = look("""
    for (int step = 16; step > 0; step /= 2)
        own += __shfl_down_sync(0x0000ffffu, own, step); // half""")

    assert (finding.kind, finding.severity) == ("warp mask", "error")
    assert finding.place == ("test.cu", line_of(source, "// half"))
    assert "Lanes 16 to 31 of warp 0" in finding.message
    assert "0x0000ffff" in finding.message
    assert finding.threads[0] == ((0, 0, 0), (16, 0, 0))


@pytest.mark.parametrize(
    "body",
    [
        "own += __shfl_xor_sync(0xffffffffu, own, 1);",
        "if (lane < 16) own += __shfl_down_sync(0x0000ffffu, own, 8);",
        "unsigned mine = lane < 16 ? 0x0000ffffu : 0xffff0000u; own += __shfl_xor_sync(mine, own, 1);",
        "if (lane < n) own += __shfl_down_sync(__activemask(), own, 1);",
        "unsigned there = __ballot_sync(0xffffffffu, lane < n); if (lane < n) own += __shfl_sync(there, own, 0);",
    ],
)
def test_lanes_that_are_named(body):
    """Whole warps, halves in a branch or with masks of their own, and masks that the lanes make together."""
    assert look(body)[1] == []
