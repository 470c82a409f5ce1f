"""The compiled extra launches what Python would: the same launches, arguments, maps, streams and errors."""

from __future__ import annotations

import ctypes
import struct
import threading
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from cuda.bindings import driver as bindings

from tests.call.compiled_calls import LaunchKernel, OneAddress, OneHandle
from tests.launch import fake_driver
from tests.launch.cuda.launched_plan import ADDRESSES, FIRST_KINDS, MAP, PLAN, SECOND_KINDS, alone
from tilewright.kernels.launch import Pointer
from tilewright.launch import MachineError
from tilewright.launch.cuda import device as cuda_device
from tilewright.launch.cuda import native, planned, tensor_maps
from tilewright.launch.cuda.device import cuda_device as open_device
from tilewright.launch.cuda.planned import PlannedRun

pytestmark = pytest.mark.slow  # make test-all builds the extra

EncodeTiled = ctypes.CFUNCTYPE(
    ctypes.c_int,
    *(ctypes.c_void_p, ctypes.c_int, ctypes.c_uint, ctypes.c_uint64),
    *(ctypes.POINTER(ctypes.c_uint64), ctypes.POINTER(ctypes.c_uint64)),
    *(ctypes.POINTER(ctypes.c_uint32), ctypes.POINTER(ctypes.c_uint32)),
    *[ctypes.c_int] * 4,
)


ATTRIBUTE_BYTES = 72
"""Of a CUlaunchAttribute: an int, four bytes, and a union of 64."""


class Handle(str):
    """A kernel by its name, and as the number that the driver's handles are."""

    __slots__ = ()
    known: tuple[str, ...] = ("", "matmul_tiled", "matmul_naive")

    def __int__(self) -> int:
        return self.known.index(self)


def read(found):
    """A CUlaunchConfig from memory: what `cuda.bindings` made of it would not have the attributes."""
    attributes = [
        bindings.CUlaunchAttribute(_ptr=found.attributes + ATTRIBUTE_BYTES * index)
        for index in range(found.attribute_count)
    ]
    names = ("gridDimX", "gridDimY", "gridDimZ", "blockDimX", "blockDimY", "blockDimZ")
    extents = dict(zip(names, found.extents, strict=True))
    more = {"hStream": found.stream, "attrs": attributes, "numAttrs": found.attribute_count}
    return SimpleNamespace(**extents, sharedMemBytes=found.shared_bytes, **more)


@pytest.fixture
def fake(monkeypatch):
    """The fake driver, as functions with addresses."""
    pytest.importorskip("tilewright_native", reason="the extra is not installed: make test-all builds it")
    monkeypatch.delenv(native.SWITCH, raising=False)
    native.extra.cache_clear()
    driver: Any = fake_driver.install(monkeypatch)
    monkeypatch.setattr(planned, "check_signature", lambda *_: None)  # PLAN passes what no such kernel takes
    driver.kinds = {"matmul_tiled": FIRST_KINDS, "matmul_naive": SECOND_KINDS}
    monkeypatch.setattr(driver, "cuKernelGetFunction", lambda name: (bindings.CUresult.CUDA_SUCCESS, Handle(name)))
    encode_in_python = tensor_maps._driver_call()

    @LaunchKernel
    def launch(configuration, function, parameters, _extra):
        address = ctypes.cast(parameters, ctypes.c_void_p).value
        return int(driver.cuLaunchKernelEx(read(configuration.contents), Handle(Handle.known[function]), address, 0)[0])

    @EncodeTiled
    def encode(target, data_type, rank, address, sizes, strides, box, steps, *rest):
        return encode_in_python(target, data_type, rank, address, sizes, strides, box, steps, *rest)

    @OneAddress
    def current(found):
        found[0] = driver.current
        return 0

    @OneHandle
    def push(context):
        return int(driver.cuCtxPushCurrent(context)[0])

    @OneAddress
    def pop(_):
        return int(driver.cuCtxPopCurrent()[0])

    functions = launch, encode, current, push, pop
    addresses = tuple(ctypes.cast(function, ctypes.c_void_p).value for function in functions)
    monkeypatch.setattr(native, "driver_addresses", lambda: addresses)
    driver.functions = functions  # kept
    yield driver
    cuda_device.cuda_device.cache_clear()


def seen(launches):
    """What was launched, but for where its arguments lay."""
    return [{**vars(launch), "parameters": None} for launch in launches]


def test_the_same_launches(fake):
    """Shapes, clusters, overlap, stream, every argument and map, with the addresses of each call."""
    run = PlannedRun(PLAN, open_device(0))
    compiled = native.compiled_launches(run)
    for addresses, stream in ((ADDRESSES, 0), (ADDRESSES, 77), (tuple(reversed(ADDRESSES)), 77)):
        del fake.launches[:]
        run.run(addresses, stream)
        compiled.run(addresses, stream)
        by_python, by_extra = seen(fake.launches[:2]), seen(fake.launches[2:])
        assert by_python == by_extra


def test_maps_are_encoded_for_new_addresses_alone(fake):
    """The same address again costs nothing; one that the driver refuses is said, and asked for again."""
    compiled = native.compiled_launches(PlannedRun(PLAN, open_device(0)))
    compiled.run(ADDRESSES, 0)
    del fake.steps[:]
    compiled.run(ADDRESSES, 0)
    assert "encode" not in fake.steps
    moved = (0xA400, *ADDRESSES[1:])
    fake.fail["encode"] = 1
    with pytest.raises(MachineError, match=r"matmul_tiled, matmul_naive.*CUDA_ERROR_INVALID_VALUE"):
        compiled.run(moved, 0)
    fake.fail.clear()
    del fake.launches[:]
    compiled.run(moved, 0)
    assert fake.steps.count("encode") == 2
    assert len(fake.launches) == 2


def test_a_map_is_encoded_in_a_context_where_the_driver_asks_for_one(fake):
    """As in Python: in a thread that has used no GPU yet; the thread's own context comes back."""
    fake.kinds["matmul_tiled"] = ["map"]
    run = PlannedRun(alone(replace(MAP, dtype="tfloat32")), open_device(0))
    compiled, before = native.compiled_launches(run), fake.current
    del fake.steps[:]
    compiled.run(ADDRESSES, 0)

    assert fake.steps.count("encode") == 2
    assert struct.unpack_from("<Q", fake.launches[0].arguments[0])[0] == ADDRESSES[0] + 32
    assert fake.current == before


def test_the_context(fake):
    """Another's gives way for the launches and comes back; the right one is not touched."""
    compiled = native.compiled_launches(PlannedRun(PLAN, open_device(0)))
    compiled.run(ADDRESSES, 0)
    assert fake.current == fake_driver.OTHER
    assert len(fake.launches) == 2
    fake.current = fake_driver.PRIMARY
    del fake.steps[:]
    compiled.run(ADDRESSES, 0)
    assert fake.steps == ["cuLaunchKernelEx", "cuLaunchKernelEx"]


def test_what_the_driver_refuses(fake):
    """The kernel's name and the driver's word; nothing after it is launched, and the context comes back."""
    compiled = native.compiled_launches(PlannedRun(PLAN, open_device(0)))
    fake.fail["cuLaunchKernelEx"] = bindings.CUresult.CUDA_ERROR_INVALID_VALUE
    del fake.launches[:]
    with pytest.raises(MachineError, match="Launching matmul_tiled failed: CUDA_ERROR_INVALID_VALUE"):
        compiled.run(ADDRESSES, 0)
    assert fake.current == fake_driver.OTHER
    assert len(fake.launches) == 1


def test_a_context_that_cannot_be_entered(fake, monkeypatch):
    """Nothing is launched, and the caller's is not taken off in its place."""
    compiled = native.compiled_launches(PlannedRun(PLAN, open_device(0)))
    refused = (bindings.CUresult.CUDA_ERROR_CONTEXT_IS_DESTROYED,)
    monkeypatch.setattr(fake, "cuCtxPushCurrent", lambda _: refused)
    del fake.steps[:]
    with pytest.raises(MachineError, match="CUDA_ERROR_CONTEXT_IS_DESTROYED"):
        compiled.run(ADDRESSES, 0)
    assert "pop" not in fake.steps
    assert fake.launches == []
    assert fake.current == fake_driver.OTHER


def test_threads_do_not_mix_their_arguments(fake):
    """Each launches from its own copy."""
    compiled = native.compiled_launches(PlannedRun(alone(Pointer("A"), Pointer("C")), open_device(0)))
    fake.kinds["matmul_tiled"] = ["pointer", "pointer"]
    fake.current = fake_driver.PRIMARY

    def launch_often(base):
        for _ in range(50):
            compiled.run(tuple(base + offset for offset in range(6)), base)

    threads = [threading.Thread(target=launch_often, args=(0x1000 * number,)) for number in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(fake.launches) == 8 * 50
    assert all(launch.arguments == [launch.stream, launch.stream + 2] for launch in fake.launches)


@pytest.mark.usefixtures("fake")
def test_what_is_too_large_is_left_to_python():
    """Copies of the arguments are made on the stack, which has its limits."""
    many = alone(*[Pointer("A")] * 300)
    assert native.compiled_launches(PlannedRun(many, open_device(0))) is None


def test_it_can_be_switched_off(monkeypatch):
    """By the environment."""
    module = pytest.importorskip("tilewright_native", reason="the extra is not installed: make test-all builds it")
    monkeypatch.setenv(native.SWITCH, "0")
    native.extra.cache_clear()
    assert native.extra() is None
    monkeypatch.delenv(native.SWITCH)
    native.extra.cache_clear()
    assert native.extra() is module


def test_the_drivers_functions_are_handed_over_by_address(monkeypatch):
    """In the extra's order."""
    functions = {name: EncodeTiled(lambda *_: 0) for name in native.DRIVER_CALLS}
    monkeypatch.setattr(ctypes, "CDLL", lambda name: SimpleNamespace(**functions, name=name))
    native.driver_addresses.cache_clear()
    expected = [ctypes.cast(each, ctypes.c_void_p).value for each in functions.values()]

    assert [*native.driver_addresses()] == expected
    native.driver_addresses.cache_clear()
