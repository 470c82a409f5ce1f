"""Maps of operands for the copy engine: encoded once for an address, in a context where the driver asks for one."""

from __future__ import annotations

import ctypes
import struct
from dataclasses import replace

import pytest

from tilewright.kernels.launch import KEPT, Pointer
from tilewright.launch import MachineError
from tilewright.launch.cuda import tensor_maps
from tilewright.launch.cuda.device import cuda_device as open_device
from tilewright.launch.cuda.planned import MOST_MAPS_KEPT, PlannedRun
from tilewright.launch.cuda.tensor_maps import TensorMapEncoder

from .launched_plan import ADDRESSES, MAP, PLAN, alone


def test_tensor_maps_are_encoded_once_for_an_address(fake):
    """Two maps for a new address, none for one seen before, and never more than so many kept."""
    run = PlannedRun(PLAN, open_device(0))
    for address in (0x100, 0x200, 0x100, 0x200):
        run.run([address] * 6, stream=0)

    assert fake.steps.count("encode") == 4
    assert [struct.unpack_from("<Q", launched.arguments[2])[0] for launched in fake.launches[::2]] == [
        0x120,
        0x220,
        0x120,
        0x220,
    ]
    for number in range(2 * MOST_MAPS_KEPT):
        run.run([0x1000 * number] * 6, stream=0)
    assert all(len(kept) <= MOST_MAPS_KEPT for _, _, _, kept in run._arguments._maps)


def test_what_is_kept_stays_where_it_is(fake):
    """Its address and map are those that the plan was loaded with, whatever a run brings; its map is encoded once."""
    fake.kinds["matmul_tiled"] = ["pointer", "pointer", "map"]
    plan = alone(Pointer("A"), Pointer(KEPT, offset_bytes=16), replace(MAP, buffer=KEPT))
    run = PlannedRun(plan, open_device(0), kept=0x7_0000_0000)
    for step in range(2):
        run.run([address + 0x100 * step for address in ADDRESSES], stream=0)

    assert [launched.arguments[:2] for launched in fake.launches] == [[0xA000, 0x7_0000_0010], [0xA100, 0x7_0000_0010]]
    assert [struct.unpack_from("<Q", launched.arguments[2])[0] for launched in fake.launches] == [0x7_0000_0020] * 2
    assert fake.steps.count("encode") == 1
    template, pointers, maps = run._arguments.as_numbers()
    assert (len(pointers), maps) == (1, [])
    assert struct.pack("<Q", 0x7_0000_0010) in template


def test_a_map_is_encoded_in_a_context_where_the_driver_asks_for_one(fake):
    """In a thread that has used no GPU yet; the thread's own context comes back."""
    fake.kinds["matmul_tiled"] = ["map"]
    before = fake.current
    run = PlannedRun(alone(replace(MAP, dtype="tfloat32")), open_device(0))
    run.run(ADDRESSES, stream=0)

    assert fake.steps.count("encode") == 2
    assert struct.unpack_from("<Q", fake.launches[0].arguments[0])[0] == ADDRESSES[0] + 32
    assert fake.current == before


def test_a_map_is_the_drivers_to_refuse(fake):
    """The sentence says which buffer, and what the driver answered."""
    fake.fail["encode"] = 1
    run = PlannedRun(PLAN, open_device(0))

    with pytest.raises(MachineError, match=r"Describing A \(64, 48\) bfloat16 to the copy engine failed: CUDA error 1"):
        run.run(ADDRESSES, stream=0)
    assert fake.launches == []


def test_the_extra_is_told_of_a_map_what_the_driver_is(fake):
    """All but the address and the target: lists as addresses, the rest as numbers."""
    encoder = TensorMapEncoder(MAP, open_device(0))
    more, kind, rank, *rest = encoder.as_numbers()

    assert (more, kind, rank) == (32, tensor_maps.DATA_TYPES["bfloat16"], 2)
    assert rest[4:] == [
        tensor_maps.NO_INTERLEAVE,
        tensor_maps.SWIZZLES[128],
        tensor_maps.PROMOTE_TO_128_BYTES,
        tensor_maps.ZERO_OUTSIDE,
    ]
    lists = [
        (ctypes.c_uint64, (64, 48)),
        (ctypes.c_uint64, (128,)),
        (ctypes.c_uint32, (64, 32)),
        (ctypes.c_uint32, (1, 1)),
    ]
    for address, (kind_of_number, numbers) in zip(rest, lists, strict=False):
        assert tuple((kind_of_number * len(numbers)).from_address(address)) == numbers
    assert fake.steps.count("encode") == 0
