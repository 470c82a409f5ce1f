"""Boxes of tensors as NumPy has them: which bytes a copy of one brings to shared memory, and the kernel that copies it.

The reference for the emulator's copies, and beside a GPU's (tests/gpu/test_boxes_on_gpu.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from tests.emulate.hopper_sources import DEVICE
from tests.emulate.running import TensorOf

UINT8, UINT16, UINT32, FLOAT16, FLOAT32, BFLOAT16 = 0, 1, 2, 6, 7, 9
SHARED_BYTES, UNTOUCHED = 16384, 0x55

LOAD = r"""
extern "C" __global__ void kernel(char* out, const char*, const __grid_constant__ Map map, int bytes,
                                  int c0, int c1, int c2, int c3, int c4) {
    extern __shared__ __align__(1024) char box[];
    __shared__ Barrier full;
    for (int i = threadIdx.x; i < 16384; i += 32)
        box[i] = 0x55;
    if (threadIdx.x == 0) {
        init(&full, 1);
        expect(&full, bytes);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        asm volatile("cp.async.bulk.tensor.RANKd.shared::cluster.global.mbarrier::complete_tx::bytes" // load
                     " [%0], [%1, {COORDINATES}], [%7];"
                     ::"r"(at(box)), "l"(&map), "r"(c0), "r"(c1), "r"(c2), "r"(c3), "r"(c4), "r"(at(&full)) : "memory");
    }
    __syncwarp();
    wait(&full, 0);
    for (int i = threadIdx.x; i < 16384; i += 32)
        out[i] = box[i];
}
"""

CASES: dict[str, Any] = {
    "one": (UINT32, (100,), (32,), None, (80,), 0),
    "two": (UINT16, (24, 20), (64, 8), None, (8, 5), 0),
    "two, 128": (UINT16, (104, 60), (64, 32), None, (48, 40), 3),
    "two, 64": (UINT16, (104, 60), (32, 24), None, (-8, -3), 2),
    "two, 32": (UINT8, (64, 16), (32, 20), None, (48, 2), 1),
    "narrow box, 128": (UINT16, (64, 16), (16, 16), None, (8, 0), 3),
    "narrower box, 128": (UINT16, (64, 16), (8, 16), None, (8, 0), 3),
    "narrow box, 64": (UINT16, (64, 4, 4), (16, 2, 3), None, (8, 0, 0), 2),
    "narrow box, 32": (UINT16, (64, 16), (8, 16), None, (8, 0), 1),
    "outside": (UINT16, (64, 16), (16, 16), None, (64, 0), 0),
    "three": (FLOAT32, (8, 7, 6), (4, 3, 5), None, (4, -1, 3), 0),
    "four, 128": (BFLOAT16, (64, 5, 4, 3), (64, 4, 1, 2), None, (16, 2, 3, 2), 3),
    "five": (UINT8, (32, 3, 3, 3, 3), (16, 2, 2, 2, 3), None, (-16, 1, -1, 2, 0), 0),
    "steps": (UINT16, (16, 30, 9), (8, 12, 7), (1, 3, 2), (8, 5, 1), 0),
}
"""Data type, sizes, box, steps, coordinates and swizzle. A box begins at a multiple of 16 bytes of a row."""
INTERLEAVED: dict[str, Any] = {
    "16": (UINT16, (10, 6, 3, 2), (8, 3, 2, 1), None, (8, -1, 1, 1), 1, 0),
    "16, steps and 128": (FLOAT32, (20, 9, 4), (8, 5, 2), (3, 2, 1), (5, 3, 1), 1, 3),
    "16 and 64, five": (FLOAT16, (16, 4, 3, 5, 2), (8, 3, 2, 24, 2), (2, 1, 2, 2, 1), (-1, -1, 1, -1, 0), 1, 2),
    "32": (UINT8, (7, 4, 3), (16, 2, 3), None, (3, 3, -1), 2, 1),
    "32, four": (BFLOAT16, (64, 8, 4, 3), (16, 3, 33, 2), None, (62, 5, 1, 0), 2, 1),
}
"""Data type, sizes, box, steps, coordinates, interleave and swizzle. Sizes count slices of 16 or 32 bytes, and so does
the box; the dimension before the last has one slice in it, whatever the box says."""


@dataclass(frozen=True)
class Loading:
    """A copy to shared memory: of a tensor, by a map, from coordinates on; what is in shared memory afterwards.

    places: for each 16 bytes or element of the box where it begins, and its index in the tensor or None.
    """

    tensor: Any
    tensor_map: TensorOf
    at: tuple[int, ...]
    nbytes: int
    expected: Any
    places: tuple[tuple[int, Any], ...]
    dtype: Any

    @property
    def source(self) -> str:
        """The kernel, with the numbers of a rank."""
        return with_rank(LOAD, len(self.at))

    @property
    def arguments(self) -> tuple[Any, ...]:
        """What the kernel takes behind its output."""
        return self.tensor, self.tensor_map, self.nbytes, *self.at, *[0] * (5 - len(self.at))


def with_rank(text: str, rank: int) -> str:
    """Return a kernel's source for tensors of so many dimensions."""
    coordinates = ", ".join(f"%{2 + number}" for number in range(rank))
    return DEVICE + text.replace("RANK", str(rank)).replace("COORDINATES", coordinates)


def swizzled(address: int, swizzle: int) -> int:
    """Return where a swizzle puts a byte."""
    return address ^ ((address >> 7) % (1 << swizzle)) << 4


def indices(shape: tuple[int, ...], extents: Any, at: Any, steps: Any) -> Iterator[tuple[int, ...] | None]:
    """Yield the index of each element of a box in a tensor, or None outside of it; all of them fastest first."""
    for place in product(*(range(extent) for extent in reversed(extents))):
        index = tuple(a + p * s for a, p, s in zip(reversed(at), place, reversed(steps), strict=True))
        yield index if all(0 <= i < size for i, size in zip(index, shape, strict=True)) else None


def places_of(tensor: Any, box: Any, steps: Any, at: Any, swizzle: int) -> tuple[tuple[int, Any], ...]:
    """Return for each element of a box its first byte in shared memory, and its index in the tensor or None."""
    extents = [box[0], *(-(-extent // step) for extent, step in zip(box[1:], steps[1:], strict=True))]
    row_bytes = box[0] * tensor.itemsize
    pitch = max(row_bytes, 16 << swizzle) if swizzle else row_bytes
    found = enumerate(indices(tensor.shape, extents, at, (1, *steps[1:])))
    addresses = ((number // box[0] * pitch + number % box[0] * tensor.itemsize, index) for number, index in found)
    return tuple((swizzled(address, swizzle), index) for address, index in addresses)


def tensor_of(data_type: int, sizes: tuple[int, ...]) -> Any:
    """Return a tensor of random bits, whose rows begin at multiples of 16 bytes; its base is all of it."""
    dtype = {UINT8: np.uint8, UINT16: np.uint16, UINT32: np.uint32, FLOAT32: np.uint32}.get(data_type, np.uint16)
    padded = np.zeros((*reversed(sizes[1:]), -(-sizes[0] * np.dtype(dtype).itemsize // 16) * 16), np.uint8)
    numbers = np.random.default_rng(5).integers(0, 256, padded.shape, np.uint8)
    return numbers.view(dtype)[..., : sizes[0]]


def loading(name: str, **more: Any) -> Loading:
    """Return the load of one of CASES. more: of the tensor map."""
    data_type, sizes, box, steps, at, swizzle = CASES[name]
    tensor = tensor_of(data_type, sizes)
    places = places_of(tensor, box, steps or (1,) * len(box), at, swizzle)
    expected = np.full(SHARED_BYTES, UNTOUCHED, np.uint8)
    for place, index in places:
        value = tensor[index] if index else tensor.dtype.type(0)
        expected[place : place + tensor.itemsize] = np.frombuffer(value.tobytes(), np.uint8)
    tensor_map = TensorOf(1, data_type, sizes, tensor.strides[-2::-1], box, steps, swizzle=swizzle, **more)
    return Loading(tensor.base, tensor_map, at, len(places) * tensor.itemsize, expected, places, tensor.dtype)


def loading_of_slices(name: str) -> Loading:
    """Return the load of one of INTERLEAVED."""
    data_type, sizes, box, steps, at, interleave, swizzle = INTERLEAVED[name]
    nbytes, steps = 16 * interleave, steps or (1,) * len(sizes)
    tensor = np.random.default_rng(8).integers(0, 256, (*reversed(sizes), nbytes), np.uint8)
    extents = [-(-extent // step) for extent, step in zip(box, steps, strict=True)]
    extents[-2] = 1
    expected, places = np.full(SHARED_BYTES, UNTOUCHED, np.uint8), []
    for number, index in enumerate(indices(tensor.shape[:-1], extents, at, steps)):
        for first in range(0, nbytes, 16):
            place, piece = swizzled(number * nbytes + first, swizzle), slice(first, first + 16)
            expected[place : place + 16] = tensor[index][piece] if index else 0
            places.append((place, (*index, piece) if index else None))
    strides = tensor.strides[-3::-1]
    tensor_map = TensorOf(1, data_type, sizes, strides, box, steps, swizzle=swizzle, interleave=interleave)
    return Loading(tensor, tensor_map, at, nbytes * int(np.prod(extents)), expected, tuple(places), tensor.dtype)
