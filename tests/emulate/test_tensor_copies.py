"""Copies of boxes of tensors: numbers of dimensions, swizzles and edges, compared with NumPy; and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from tests.emulate.hopper_sources import DEVICE
from tests.emulate.running import TensorOf, launch, line_of
from tests.emulate.tensor_boxes import (
    CASES,
    FLOAT16,
    FLOAT32,
    INTERLEAVED,
    LOAD,
    SHARED_BYTES,
    UINT16,
    UINT32,
    loading,
    loading_of_slices,
    places_of,
    with_rank,
)
from tilewright.emulate import MemoryFault
from tilewright.emulate.observers import RaceObserver, UninitialisedObserver

STORE = r"""
extern "C" __global__ void kernel(const char* in, char*, const __grid_constant__ Map map,
                                  int c0, int c1, int c2, int c3, int c4) {
    extern __shared__ __align__(1024) char box[];
    for (int i = threadIdx.x; i < 16384; i += 32)
        box[i] = in[i];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncwarp();
    if (threadIdx.x == 0) {
        asm volatile("cp.OPERATION.bulk.tensor.RANKd.global.shared::ctaREDUCTION.tile.bulk_group"
                     " [%1, {COORDINATES}], [%0];"
                     ::"r"(at(box)), "l"(&map), "r"(c0), "r"(c1), "r"(c2), "r"(c3), "r"(c4) : "memory");
        end_group();
        wait_for_groups();
    }
}
"""


def _source(text: str, rank: int, reduction: str = "") -> str:
    operation = "reduce.async" if reduction else "async"
    return with_rank(text, rank).replace("OPERATION", operation).replace("REDUCTION", reduction)


@pytest.mark.parametrize("name", [*CASES, *INTERLEAVED])
@pytest.mark.parametrize("completion", ["early", "late"])
def test_loads(name, completion):
    """A box lies in shared memory as the map says, with zeros for what is outside of the tensor."""
    load = loading(name) if name in CASES else loading_of_slices(name)
    out = np.zeros(SHARED_BYTES, np.uint8)
    launch(load.source, out, *load.arguments, block=32, dynamic_shared_bytes=SHARED_BYTES, completion=completion)
    assert np.array_equal(out, load.expected)


@pytest.mark.parametrize("name", [*CASES, *INTERLEAVED])
def test_stores(name):
    """What a box holds goes to the tensor, and nothing beyond it."""
    load = loading(name) if name in CASES else loading_of_slices(name)
    given = np.random.default_rng(6).integers(0, 256, SHARED_BYTES, np.uint8)
    whole = load.tensor.copy()
    part = whole.view(load.dtype)[..., : load.tensor_map.sizes[0]] if name in CASES else whole
    for place, index in load.places:
        if index:
            part[index] = given[place:].view(np.uint8)[: part[index].nbytes].view(part.dtype).reshape(part[index].shape)
    arguments = (given, load.tensor, load.tensor_map, *load.at, *[0] * (5 - len(load.at)))
    launch(_source(STORE, len(load.at)), *arguments, block=32, dynamic_shared_bytes=SHARED_BYTES)
    assert np.array_equal(load.tensor, whole)


@pytest.mark.parametrize(
    ("name", "dtype", "operation"),
    [
        ("two, 128", np.float16, "add"),
        ("two, 128", np.float16, "max"),
        ("three", np.float32, "add"),
        ("one", np.uint32, "add"),
        ("one", np.uint32, "max"),
    ],
)
def test_reductions(name, dtype, operation):
    """A box is added to the tensor, or compared with it, where it lies inside."""
    _, sizes, box, _, at, swizzle = CASES[name]
    data_type = {np.float16: FLOAT16, np.float32: FLOAT32, np.uint32: UINT32}[dtype]
    random = np.random.default_rng(2)
    tensor = (random.random((*reversed(sizes[1:]), -(-sizes[0] // 8) * 8)) * 900).astype(dtype)
    given = (random.random(SHARED_BYTES // tensor.itemsize) * 900).astype(dtype)
    expected = tensor.copy()
    for place, index in places_of(expected[..., : sizes[0]], box, (1,) * len(box), at, swizzle):
        if index:
            both = expected[index], given[place // tensor.itemsize]
            expected[index] = both[0] + both[1] if operation == "add" else max(both)
    tensor_map = TensorOf(1, data_type, sizes, tensor.strides[-2::-1], box, swizzle=swizzle)
    arguments = (given, tensor, tensor_map, *at, *[0] * (5 - len(at)))
    source = _source(STORE, len(sizes), f".{operation}")
    launch(source, *arguments, block=32, dynamic_shared_bytes=SHARED_BYTES)
    assert np.array_equal(tensor, expected)


def test_a_box_begins_at_16_bytes_of_a_row():
    """Elsewhere an H100 says that the instruction is illegal (tests/gpu/test_boxes_on_gpu.py)."""
    load = loading("two")
    arguments = (np.zeros(SHARED_BYTES, np.uint8), *load.arguments[:3], 3, *load.arguments[4:])
    with pytest.raises(MemoryFault, match="begins 6 bytes into a tensor's row, which is no multiple of 16"):
        launch(load.source, *arguments, block=32, dynamic_shared_bytes=SHARED_BYTES)


def test_fill_with_nan():
    """A map may ask for NaN outside of the tensor; which one was read from an H100."""
    load = loading("three", fill=1)
    out = np.zeros(SHARED_BYTES, np.uint8)
    launch(load.source, out, *load.arguments, block=32, dynamic_shared_bytes=SHARED_BYTES)
    loaded, expected = out[: load.nbytes].view(np.uint32), load.expected[: load.nbytes].view(np.uint32)
    is_outside = np.array([index is None for _, index in load.places])
    assert (loaded[is_outside] == 0x7FF77FF7).all()
    assert np.array_equal(loaded[~is_outside], expected[~is_outside])


def test_multicast():
    """Each block of a cluster loads a part of a box, which comes to all of them, and each barrier counts all bytes."""
    source = DEVICE + (
        r"""
extern "C" __global__ void __cluster_dims__(2) kernel(short* out, const short*, const __grid_constant__ Map map) {
    __shared__ alignas(1024) short box[2][8][64];
    __shared__ Barrier full;
    if (threadIdx.x == 0) {
        init(&full, 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        expect(&full, 2048);
    }
    cluster_sync();
    unsigned rank = cluster_rank();
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
                     " [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(at(box[rank])), "l"(&map), "r"(0), "r"(8 * (int)rank),
                     "r"(at(&full)), "h"((short)3) : "memory");
    wait(&full, 0);
    for (int i = threadIdx.x; i < 1024; i += 32)
        out[1024 * blockIdx.x + i] = box[i / 512][i / 64 % 8][i % 64];
    cluster_sync();
}
"""
    )
    tensor = np.arange(1024, dtype=np.int16).reshape(16, 64)
    tensor_map = TensorOf(1, UINT16, (64, 16), (128,), (64, 8))
    for completion in ("early", "late", "random"):
        out = np.zeros((4, 16, 64), np.int16)
        launch(source, out, tensor, tensor_map, grid=4, block=32, completion=completion)
        assert (out == tensor).all()


def test_prefetches():
    """Prefetches change nothing, and their maps are looked at."""
    source = DEVICE + (
        r"""
extern "C" __global__ void kernel(const char* in, const __grid_constant__ Map map) {
    asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], 32;" ::"l"(in) : "memory");
    asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global [%0, {%1, %2}];" ::"l"(&map), "r"(0), "r"(0) : "memory");
}
"""
    )
    tensor = np.zeros((16, 64), np.int16)
    tensor_map = TensorOf(0, UINT16, (64, 16), (128,), (64, 8))
    assert launch(source, tensor, tensor_map, block=1).counts.bulk_copies == 2
    with pytest.raises(MemoryFault, match="which is no tensor map"):
        launch(source, tensor, bytes(128), block=1)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"sizes": (64, 17)}, "an asynchronous copy of 128 bytes at"),
        ({"sizes": (64, 16, 1), "strides_bytes": (128, 2048), "box": (64, 8, 1)}, "by a tensor map of 3 dimensions"),
        ({"box": (64, 256)}, "of the block's shared memory, which has"),
    ],
)
def test_refused(changes, said):
    """A tensor beyond its allocation, a map of other dimensions, a box beyond shared memory."""
    given = {"sizes": (64, 16), "strides_bytes": (128,), "box": (64, 8)} | changes
    tensor = np.zeros((16, 64), np.int16)
    source = with_rank(LOAD, 2)
    arguments = (np.zeros(SHARED_BYTES, np.uint8), tensor, TensorOf(1, UINT16, **given), 1024, 0, 12, 0, 0, 0)
    with pytest.raises(MemoryFault) as fault:
        launch(source, *arguments, block=32, dynamic_shared_bytes=SHARED_BYTES)
    assert said in str(fault.value)
    assert fault.value.line == line_of(source, "// load")


def test_refused_places():
    """A box lies at a multiple of 128 bytes."""
    tensor = np.zeros((16, 64), np.int16)
    out = np.zeros(SHARED_BYTES, np.uint8)
    source = with_rank(LOAD, 2).replace('"r"(at(box))', '"r"(at(box) + 64)')
    tensor_map = TensorOf(1, UINT16, (64, 16), (128,), (64, 8))
    with pytest.raises(MemoryFault, match=r"of a box at the shared address 0x\w+, which is no multiple of 128"):
        launch(source, out, tensor, tensor_map, 1024, 0, 0, 0, 0, 0, block=32, dynamic_shared_bytes=SHARED_BYTES)


def test_observed():
    """What a copy brings counts as written, also in another block; what it takes must have been written."""
    source = DEVICE + (
        r"""
extern "C" __global__ void kernel(char* out, const char*, const __grid_constant__ Map map) {
    __shared__ alignas(128) char box[1024], blank[16];
    __shared__ Barrier full;
    init(&full, 1);
    expect(&full, 1024);
    load_box(box, &map, &full, 0, 4);
    wait(&full, 0);
    for (int i = 0; i < 1024; ++i)
        out[i] = box[i];
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 16;" // takes what nobody wrote
                 ::"l"(out), "r"(at(blank)) : "memory");
    end_group();
    wait_for_groups();
}
"""
    )
    tensor = np.ones((16, 64), np.int16)
    observer = UninitialisedObserver()
    tensor_map = TensorOf(1, UINT16, (64, 16), (128,), (64, 8), swizzle=3)
    launch(source, np.zeros(1024, np.uint8), tensor, tensor_map, block=1, observers=[observer])
    (finding,) = observer.findings
    assert finding.place[1] == line_of(source, "// takes what nobody wrote")
    assert "reads blank+0 bytes" in finding.message


def test_no_races_are_made_up():
    """Threads that only an mbarrier orders are not accused; the observer says that it does not judge them."""
    tensor = np.arange(1024, dtype=np.int16).reshape(16, 64)
    observer = RaceObserver()
    arguments = (np.zeros(SHARED_BYTES, np.uint8), tensor, TensorOf(1, UINT16, (64, 16), (128,), (64, 8)), 1024)
    launch(
        with_rank(LOAD, 2), *arguments, 0, 0, 0, 0, 0, block=32, dynamic_shared_bytes=SHARED_BYTES, observers=[observer]
    )
    assert not observer.findings
    assert not observer.is_judged
