"""Tiles whose tensor map and descriptor disagree are found with both lines; what agrees, or may be meant, is not."""

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
__device__ unsigned long long descriptor(const void* tile, unsigned long long swizzle, unsigned long long base,
                                         unsigned long long leading, unsigned long long stride)
{
    return at(tile) >> 4 | leading >> 4 << 16 | stride >> 4 << 32 | base << 49 | swizzle << 62;
}
extern "C" __global__ void kernel(const __grid_constant__ Map map, const __half_raw*, float* out, int first,
                                  unsigned long long swizzle, unsigned long long base, int rewrites, int begins,
                                  unsigned long long leading, unsigned long long stride) {
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
    unsigned long long of_tile = descriptor(tile + begins, swizzle, base, leading, stride);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 " // product
                 "{%0, %1, %2, %3}, %4, %4, 1, 1, 1, TURNED, 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(of_tile));
    asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
    for (int i = 0; i < 4; ++i)
        out[4 * threadIdx.x + i] = d[i];
}
"""
).replace("const __half_raw*", "const unsigned short*")
LINES = SOURCE.splitlines()
COPY, PRODUCT = (next(n for n, text in enumerate(LINES, 1) if word in text) for word in ("load_box(tile", "// product"))


def findings(
    of_map: int, of_descriptor: int, *, first: int = 0, base: int = 0, rewrites: int = 0, columns: int = 0,
    begins: int = 0, leading: int = 16, stride: int = 0, turned: int = 0,
):  # fmt: skip
    """Return what is found of a product of two tiles. of_map: a CUtensorMapSwizzle; the other is wgmma's number.

    columns: of the box, if not as many as the swizzle is wide, or 8; begins, leading, stride: of the descriptor, in
    bytes; stride: 8 rows if it is not given; turned: whether the rows of A are contiguous.
    """
    machine, observer = Emulator(workers=1), SwizzleObserver()
    x = machine.allocate(8192, "x")
    x.write(np.arange(4096, dtype=np.uint16) % 512)
    out = machine.allocate(2048, "out")
    box = (columns or 8 << of_map, 64)
    tensor_map = TensorOf(1, FLOAT16, (64, 64), (128,), box, swizzle=of_map).encode(x)
    text = ptx_of(SOURCE.replace("8192", str(128 * box[0])).replace("TURNED", str(turned)))
    machine.launch(
        machine.load(text), "kernel", grid=1, block=128, dynamic_shared_bytes=16384, observers=[observer],
        arguments=[tensor_map, x, out, first, of_descriptor, base, rewrites, begins, leading, stride or 16 * box[0]],
    )  # fmt: skip
    return observer.findings


@pytest.mark.parametrize(("of_map", "of_descriptor"), [(3, 1), (2, 2), (1, 3), (0, 0)])
def test_the_same_swizzle_is_right(of_map, of_descriptor):
    """Of 128, 64 and 32 bytes, or none."""
    assert findings(of_map, of_descriptor, leading=1024) == []


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
    assert found.message.startswith(f"By a descriptor with {read} wgmma reads tiles+")
    assert f", and the copy at test.cu:{COPY} wrote it with {written}." in found.message


def test_tiles_between_the_repetitions_of_a_swizzle():
    """A tile need not begin where the swizzle repeats; a base offset is wrong, as the copy engine knows none."""
    assert findings(3, 1, first=256) == []
    (found,) = findings(3, 1, first=256, base=2)

    assert "a swizzle of 128 bytes and the base offset 2" in found.message


def test_what_threads_have_written_is_not_judged():
    """They may have put it into any order."""
    assert findings(3, 2, rewrites=1) == []


@pytest.mark.parametrize(
    ("changed", "piece", "advice"),
    [
        ({"begins": 112}, "of A, bytes 16 to 31 along K,", "Check the major"),
        ({"begins": 32, "turned": 1}, "rows 48 to 55 of A at index 0 along K", "Check the major"),
        ({"stride": 512}, "of A, bytes 0 to 15 along K,", "Let the stride"),
        ({"stride": 128}, "of A, bytes 0 to 15 along K,", "Let the stride"),
        ({"stride": 16}, "of A, bytes 0 to 15 along K,", "Check the major"),
    ],
)
def test_rows_of_another_box_are_found(changed, piece, advice):
    """A line that runs over a row's end, and strides of other rows; both lines are named."""
    (found,) = findings(3, 1, **changed)

    assert (found.kind, found.place[1], found.other[1]) == ("wrong layout", PRODUCT, COPY)
    assert found.message.startswith("By its descriptor wgmma takes row")
    assert f"{piece} from tiles+" in found.message
    assert f"the copy at test.cu:{COPY} wrote has row " in found.message
    assert found.advice.startswith(advice)


@pytest.mark.parametrize(("columns", "leading", "stride"), [(64, 16, 1024), (16, 16, 256), (16, 128, 256)])
def test_wide_rows_without_a_swizzle_are_found(columns, leading, stride):
    """Lines of 16 bytes that follow each other are parts of one row there."""
    (found,) = findings(0, 0, columns=columns, leading=leading, stride=stride)

    assert (found.kind, found.place[1]) == ("wrong layout", PRODUCT)
    assert found.advice.startswith("Without a swizzle")


@pytest.mark.parametrize(
    "changed",
    [
        {"begins": 96},  # the last 16 indices along K
        {"begins": 384},  # rows from 3 on, as in a convolution
        {"stride": 1280},  # 8 rows of every 10
        {"stride": 2048, "begins": 32},  # every other 8 rows
        {"turned": 1, "begins": 2048},  # the next 16 indices along K
    ],
)
def test_layouts_that_may_be_meant(changed):
    """Lines that skip rows, or begin in any of them, are whole rows of the box."""
    assert findings(3, 1, **changed) == []


def test_packed_operands_are_not_judged():
    """Rows of 128 bytes may hold whole core matrices, which were packed before."""
    assert findings(0, 0, columns=64, leading=128, stride=256) == []
