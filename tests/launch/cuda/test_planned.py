"""Running a GPU's plan, with a double in the place of the driver: what would be launched, with what, where.

Whether the kernels run on a real GPU is tested in tests/gpu.
"""

from __future__ import annotations

import struct
import threading
from dataclasses import replace

import pytest
from cuda.bindings import driver as bindings

from tests.launch import fake_driver
from tilewright.kernels.launch import Scalar
from tilewright.launch import DeviceUnavailableError, MachineError, OutOfMemoryError
from tilewright.launch.cuda.device import cuda_device as open_device
from tilewright.launch.cuda.planned import PlannedRun

from .launched_plan import ADDRESSES, PLAN, alone


def test_launches_run_in_order_with_their_shapes(fake):
    """Grid, block, shared memory, cluster and overlap are the plan's; the stream is the caller's."""
    PlannedRun(PLAN, open_device(0)).run(ADDRESSES, stream=77)

    first, second = fake.launches
    assert (first.entry, second.entry) == ("matmul_tiled", "matmul_naive")
    assert (first.grid, first.block, first.shared_bytes) == ((7, 6, 5), (16, 8, 2), 200_000)
    assert (second.grid, second.block, second.shared_bytes) == ((1, 1, 1), (32, 1, 1), 0)
    assert (first.stream, second.stream) == (77, 77)
    assert first.attributes == {"CLUSTER_DIMENSION": (2, 1, 1)}
    assert second.attributes == {"PROGRAMMATIC_STREAM_SERIALIZATION": 1}


@pytest.mark.parametrize(("capability", "version"), [((8, 9), 13_000), ((12, 0), 13_000), ((9, 0), 12_020)])
def test_launches_overlap_where_that_was_measured(fake, capability, version):
    """On other chips, and with drivers older than graphs of such launches, each waits for the one before."""
    fake.version = version
    device = open_device(0)
    device.facts = replace(device.facts, compute_capability=capability)
    PlannedRun(PLAN, device).run(ADDRESSES, stream=77)

    assert fake.launches[1].attributes == {}


def test_blocks_that_wait_for_each_other_are_launched_together(fake):
    """So that all of them are on the chip, in a cluster or not; a stream that is not named is the default one."""
    fake.kinds.clear()
    for cluster, more in (((1, 1, 1), {}), ((2, 1, 1), {"CLUSTER_DIMENSION": (2, 1, 1)})):
        PlannedRun(alone(waits_for_grid=True, cluster=cluster), open_device(0)).run(ADDRESSES)

        assert fake.launches[-1].attributes == {**more, "COOPERATIVE": 1}
        assert fake.launches[-1].stream == 0


@pytest.mark.parametrize(
    ("index", "status", "sentence"),
    [
        (1, 700, "Launching matmul_naive failed: CUDA_ERROR_ILLEGAL_ADDRESS."),
        (0, 1, "Launching matmul_tiled failed: CUDA_ERROR_INVALID_VALUE."),
        (-1, 1, "Describing an operand of matmul_tiled, matmul_naive to the copy engine failed: CUDA_ERROR_INVALID_"),
    ],
)
@pytest.mark.usefixtures("fake")
def test_what_the_extra_was_refused_is_said_as_here(index, status, sentence):
    """Which launch it was, or that a map was not encoded, and what the driver answered."""
    with pytest.raises(MachineError) as refused:
        PlannedRun(PLAN, open_device(0)).refused(index, status)

    assert str(refused.value).startswith(sentence)


def test_the_extra_is_told_where_arguments_lie(fake):
    """Launch by launch the offsets into one block, which has the numbers; of addresses and maps whose they are."""
    fake.cuKernelGetFunction = lambda kernel: (fake_driver.SUCCESS, ["matmul_tiled", "matmul_naive"].index(kernel))
    context, block, pointers, maps, launches = PlannedRun(PLAN, open_device(0)).as_numbers()

    assert context == fake_driver.PRIMARY
    assert [function for _, function, _ in launches] == [0, 1]
    assert pointers == [(1, 8), (5, 0), (2, 0), (3, 0), (4, 0)]
    assert [(buffer, place % 64) for buffer, place, *_ in maps] == [(0, 0), (1, 0)]
    of_first, of_second = (offsets for *_, offsets in launches)
    assert [*of_first[1:5:3], *of_second[:3]] == [0, 8, 16, 24, 32]
    assert [of_first[2], of_second[3]] == [place for _, place, *_ in maps]
    for at, kind, number in ((0, "<i", -3), (3, "<f", 0.5), (5, "<q", 2**40), (6, "<I", 2**32 - 1), (7, "<d", 0.1)):
        assert struct.unpack_from(kind, block, of_first[at]) == (number,)
    assert len(block) >= max(place for _, place, *_ in maps) + 128


def test_arguments_are_passed_in_the_order_of_the_parameters(fake):
    """Each by its C type; addresses with their offsets, maps of the address that they are of."""
    PlannedRun(PLAN, open_device(0)).run(ADDRESSES, stream=0)

    first, second = (launched.arguments for launched in fake.launches)
    assert first[:2] == [-3, 0xB008]
    assert first[3:] == [0.5, 0xF000, 2**40, 2**32 - 1, 0.1]
    assert second[:3] == [0xC000, 0xD000, 0xE000]
    assert struct.unpack_from("<13Q", first[2]) == (0xA020, 9, 2, 64, 48, 128, 64, 32, 1, 1, 0, 3, 2)
    assert struct.unpack_from("<Q", second[3]) == (0xB000,)


def test_the_next_run_has_its_own_addresses(fake):
    """What the run before left is overwritten, tensor maps too."""
    run = PlannedRun(PLAN, open_device(0))
    run.run(ADDRESSES, stream=1)
    run.run([address + 0x100 for address in ADDRESSES], stream=2)

    third, fourth = fake.launches[2:]
    assert (third.stream, fourth.stream) == (2, 2)
    assert third.arguments[:2] == [-3, 0xB108]
    assert fourth.arguments[:3] == [0xC100, 0xD100, 0xE100]
    assert struct.unpack_from("<Q", third.arguments[2]) == (0xA120,)


def test_a_float_too_large_is_infinite(fake):
    """As C converts it; an integer too large for its type is a mistake of the plan."""
    fake.kinds = {"matmul_tiled": ["float"]}
    PlannedRun(alone(Scalar("float", 1e300)), open_device(0)).run(ADDRESSES, stream=0)

    assert fake.launches[0].arguments == [float("inf")]
    with pytest.raises(struct.error):
        PlannedRun(alone(Scalar("int", 2**31)), open_device(0))


def test_the_threads_own_context_comes_back(fake):
    """The caller's current context is left as it was, also after a failure; one that is right is not touched."""
    run = PlannedRun(PLAN, open_device(0))
    run.run(ADDRESSES, stream=0)
    assert fake.current == fake_driver.OTHER
    assert len(fake.launches) == 2
    fake.fail["cuLaunchKernelEx"] = bindings.CUresult.CUDA_ERROR_INVALID_VALUE
    with pytest.raises(MachineError, match="Launching matmul_tiled failed: CUDA_ERROR_INVALID_VALUE"):
        run.run(ADDRESSES, stream=0)

    assert fake.current == fake_driver.OTHER
    fake.fail.clear()
    fake.current = fake_driver.PRIMARY
    before = fake.steps.count("push")
    run.run(ADDRESSES, stream=0)
    assert fake.steps.count("push") == before


def test_a_handle_that_is_wrong_in_every_context(fake):
    """The driver answers as it does where another context is current; it is asked once and believed."""
    run = PlannedRun(PLAN, open_device(0))
    fake.current = fake_driver.PRIMARY
    fake.fail["cuLaunchKernelEx"] = bindings.CUresult.CUDA_ERROR_INVALID_HANDLE

    with pytest.raises(MachineError, match="Launching matmul_tiled failed: CUDA_ERROR_INVALID_HANDLE"):
        run.run(ADDRESSES, stream=5)
    assert fake.steps.count("push") == fake.steps.count("pop")
    fake.fail.clear()
    run.run(ADDRESSES, stream=5)
    assert [launch.stream for launch in fake.launches[-2:]] == [5, 5]


def test_a_run_only_launches(fake):
    """No allocation, no query, no wait: it returns at once and can be captured into a graph."""
    run = PlannedRun(PLAN, open_device(0))
    run.run(ADDRESSES, stream=0)
    del fake.steps[:]
    fake.current = fake_driver.PRIMARY
    run.run(ADDRESSES, stream=0)

    assert fake.steps == ["cuLaunchKernelEx", "cuLaunchKernelEx"]


def test_threads_do_not_mix_their_arguments(fake):
    """Eight threads with addresses of their own: every launch has those of one thread."""
    run = PlannedRun(PLAN, open_device(0))
    fake.current = fake_driver.PRIMARY

    def launch_often(base):
        for _ in range(50):
            run.run([base + offset for offset in range(6)], stream=base)

    threads = [threading.Thread(target=launch_often, args=(0x1000 * number,)) for number in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(fake.launches) == 2 * 8 * 50
    for first, second in zip(fake.launches[::2], fake.launches[1::2], strict=True):
        assert first.arguments[1] == first.stream + 1 + 8
        assert first.arguments[4] == first.stream + 5
        assert second.stream == first.stream
        assert second.arguments[:3] == [first.stream + 2, first.stream + 3, first.stream + 4]


def test_a_forked_child_is_told_to_spawn(fake):
    """In words, before the driver is asked anything."""
    run = PlannedRun(PLAN, open_device(0))
    fake_driver.fork()
    del fake.steps[:]

    with pytest.raises(DeviceUnavailableError, match="spawn"):
        run.run(ADDRESSES, stream=0)
    assert fake.steps == []


@pytest.mark.parametrize(
    ("step", "status", "kind", "sentence"),
    [
        ("cuDevicePrimaryCtxRetain", "CUDA_ERROR_OUT_OF_MEMORY", OutOfMemoryError, "Opening GPU 0 failed.*free memory"),
        ("cuDeviceGet", "CUDA_ERROR_INVALID_DEVICE", MachineError, "Opening GPU 0 failed: CUDA_ERROR_INVALID_DEVICE"),
        ("cuLibraryLoadData", "CUDA_ERROR_NO_BINARY_FOR_GPU", MachineError, "Loading matmul_tiled on GPU 0 failed"),
        ("cuFuncSetAttribute", "CUDA_ERROR_INVALID_VALUE", MachineError, "Loading matmul_tiled on GPU 0 failed"),
    ],
)
def test_every_answer_is_looked_at(fake, step, status, kind, sentence):
    """What was being done, and what the driver said."""
    fake.fail[step] = getattr(bindings.CUresult, status)

    with pytest.raises(kind, match=sentence):
        PlannedRun(PLAN, open_device(0))
