"""Tiles whose tensor map and descriptor have different swizzles are found with both lines; the same ones are not."""

from __future__ import annotations

import numpy as np
import pytest

from tests.emulate.hopper_sources import DEVICE
from tests.emulate.running import TensorOf, ptx_of
from tilewright.emulate import Emulator
from tilewright.emulate.observers import SwizzleObserver

FLOAT16 = 6
SOURCE = (
    DEVICE
    + r"""
__device__ unsigned long long descriptor(const void* tile, unsigned long long swizzle, unsigned long long base)
{
    return at(tile) >> 4 | 1ull << 16 | 64ull << 32 | base << 49 | swizzle << 62;
}
extern "C" __global__ void kernel(const __grid_constant__ Map map, const __half_raw*, float* out, int first,
                                  unsigned long long swizzle, unsigned long long base, int rewrites) {
    extern __shared__ __align__(1024) char tiles[];
    __shared__ Barrier full;
    char* tile = tiles + first;
    if (threadIdx.x == 0) {
        init(&full, 1);
        expect(&full, 8192);
        load_box(tile, &map, &full, 0, 0);
    }
    __syncthreads();
    wait(&full, 0);
    for (int i = threadIdx.x; rewrites && i < 8192; i += 128)
        tile[i] = 0;
    __syncthreads();
    float d[4] = {};
    unsigned long long of_tile = descriptor(tile, swizzle, base);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %4, 1, 1, 1, 0, 0;" // product
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(of_tile));
    asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
    for (int i = 0; i < 4; ++i)
        out[4 * threadIdx.x + i] = d[i];
}
"""
).replace("const __half_raw*", "const unsigned short*")
LINES = SOURCE.splitlines()
COPY, PRODUCT = (
    next(n for n, text in enumerate(LINES, 1) if word in text)
    for word in ("cp.async.bulk.tensor.2d.shared", "// product")
)


def findings(of_map: int, of_descriptor: int, *, first: int = 0, base: int = 0, rewrites: int = 0):
    """Return what is found of a product of two tiles. of_map: a CUtensorMapSwizzle; the other is wgmma's number."""
    machine, observer = Emulator(workers=1), SwizzleObserver()
    x = machine.allocate(8192, "x")
    x.write(np.arange(4096, dtype=np.uint16) % 512)
    out = machine.allocate(2048, "out")
    box = (64 if of_map == 3 else 32 if of_map == 2 else 16, 64)
    tensor_map = TensorOf(1, FLOAT16, (64, 64), (128,), box, swizzle=of_map).encode(x)
    text = ptx_of(SOURCE.replace("8192", str(128 * box[0])))
    machine.launch(
        machine.load(text), "kernel", grid=1, block=128, dynamic_shared_bytes=16384, observers=[observer],
        arguments=[tensor_map, x, out, first, of_descriptor, base, rewrites],
    )  # fmt: skip
    return observer.findings


@pytest.mark.parametrize(("of_map", "of_descriptor"), [(3, 1), (2, 2), (1, 3), (0, 0)])
def test_the_same_swizzle_is_right(of_map, of_descriptor):
    """Of 128, 64 and 32 bytes, or none."""
    assert findings(of_map, of_descriptor) == []


@pytest.mark.parametrize(
    ("of_map", "of_descriptor", "read", "written"),
    [
        (3, 2, "a swizzle of 64 bytes", "a swizzle of 128 bytes"),
        (3, 0, "no swizzle", "a swizzle of 128 bytes"),
        (2, 1, "a swizzle of 128 bytes", "a swizzle of 64 bytes"),
        (0, 1, "a swizzle of 128 bytes", "no swizzle"),
    ],
)
def test_another_swizzle_is_found(of_map, of_descriptor, read, written):
    """With the line of the product and that of the copy."""
    (found,) = findings(of_map, of_descriptor)

    assert (found.kind, found.severity) == ("wrong swizzle", "error")
    assert (found.place[1], found.other) == (PRODUCT, (found.place[0], COPY))
    assert f"by a descriptor with {read}, and the copy at test.cu:{COPY} wrote it with {written}." in found.message


def test_tiles_between_the_repetitions_of_a_swizzle():
    """A tile need not begin where the swizzle repeats; a base offset is wrong, as the copy engine knows none."""
    assert findings(3, 1, first=256) == []
    (found,) = findings(3, 1, first=256, base=2)

    assert "a swizzle of 128 bytes and the base offset 2" in found.message


def test_what_threads_have_written_is_not_judged():
    """They may have put it into any order."""
    assert findings(3, 2, rewrites=1) == []
