"""Running a GPU's plan, with a double in the place of the driver: what would be launched, with what, where.

Whether the kernels run on a real GPU is tested in tests/gpu.
"""

from __future__ import annotations

import ctypes
import struct
import threading
from contextlib import nullcontext
from dataclasses import replace

import pytest
from cuda.bindings import driver as bindings

from tests.launch import fake_driver
from tilewright.choose import tuned_file
from tilewright.compile.kept_code import Code
from tilewright.kernels.launch import KEPT, Launch, Launches, Pointer, Scalar, TensorMap
from tilewright.kernels.tuned import Tuned
from tilewright.launch import DeviceUnavailableError, DriverReport, MachineError, OutOfMemoryError
from tilewright.launch.cuda import device as cuda_device
from tilewright.launch.cuda import planned, tensor_maps
from tilewright.launch.cuda.device import cuda_device as open_device
from tilewright.launch.cuda.planned import MOST_MAPS_KEPT, PlannedRun
from tilewright.launch.cuda.tensor_maps import TensorMapEncoder


def by_order(*arguments):
    """Arguments whose names do not matter."""
    return {f"p{number}": argument for number, argument in enumerate(arguments)}


ADDRESSES = (0xA000, 0xB000, 0xC000, 0xD000, 0xE000, 0xF000)
MAP = TensorMap("A", "bfloat16", (64, 48), (128,), (64, 32), 128, offset_bytes=32)
FIRST = Launch(
    kernel="matmul/tiled",
    macros=(("ELEMENT", "float"), ("TILE", "16")),
    grid=(7, 6, 5),
    block=(16, 8, 2),
    arguments=by_order(
        Scalar("int", -3),
        Pointer("B", offset_bytes=8),
        MAP,
        Scalar("float", 0.5),
        Pointer("workspace"),
        Scalar("long long", 2**40),
        Scalar("unsigned", 2**32 - 1),
        Scalar("double", 0.1),
    ),
    cluster=(2, 1, 1),
    shared_bytes=200_000,
)
FIRST_KINDS = ["int", "pointer", "map", "float", "pointer", "long long", "unsigned", "double"]
SECOND = Launch(
    kernel="matmul/naive",
    macros=(("ELEMENT", "float"), ("TILE", "16")),
    grid=(1, 1, 1),
    block=(32, 1, 1),
    arguments=by_order(Pointer("C"), Pointer("c_operand"), Pointer("bias"), replace(MAP, buffer="B", offset_bytes=0)),
    overlaps_previous=True,
)
SECOND_KINDS = ["pointer", "pointer", "pointer", "map"]
PLAN = Launches((FIRST, SECOND), 1 << 20, ("Because.",))


@pytest.fixture
def fake(monkeypatch):
    """A driver that notes what it is asked."""
    driver = fake_driver.install(monkeypatch)
    monkeypatch.setattr(planned, "check_signature", lambda *_: None)  # PLAN passes what no such kernel takes
    driver.kinds = {"matmul_tiled": FIRST_KINDS, "matmul_naive": SECOND_KINDS}
    yield driver
    cuda_device.cuda_device.cache_clear()


def alone(*arguments, **changes):
    """A plan of one launch with these arguments."""
    return Launches((replace(FIRST, arguments=by_order(*arguments), **changes),), 0, ())


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


def test_a_float_too_large_is_infinite(fake):
    """As C converts it; an integer too large for its type is a mistake of the plan."""
    fake.kinds = {"matmul_tiled": ["float"]}
    PlannedRun(alone(Scalar("float", 1e300)), open_device(0)).run(ADDRESSES, stream=0)

    assert fake.launches[0].arguments == [float("inf")]
    with pytest.raises(struct.error):
        PlannedRun(alone(Scalar("int", 2**31)), open_device(0))


def test_shared_memory_and_large_clusters_are_asked_for(fake):
    """The most that any plan wants of a kernel; a second plan with less does not lower it."""
    device = open_device(0)
    PlannedRun(alone(), device)
    PlannedRun(alone(shared_bytes=100), device)
    PlannedRun(alone(shared_bytes=210_000, cluster=(16, 1, 1)), device)

    assert fake.function_attributes == [
        ("matmul_tiled", "CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES", 200_000),
        ("matmul_tiled", "CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES", 210_000),
        ("matmul_tiled", "CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED", 1),
    ]
    assert fake.steps.count("cuLibraryLoadData") == 1


def test_a_program_that_is_forgotten_is_loaded_anew(fake):
    """With its variables as they were at first; other programs stay loaded."""
    device, codes = open_device(0), [Code(fake_driver.CUBIN + name) for name in (b"one", b"other")]
    for code in codes:
        device.function(code, "matmul_tiled", shared_bytes=50_000)
    device.forget(codes[0])
    for code in codes:
        device.function(code, "matmul_tiled", shared_bytes=50_000)

    assert fake.steps.count("cuLibraryLoadData") == 3
    assert len(fake.function_attributes) == 3
    device.forget(Code(b"never loaded"))


def test_where_a_variable_lies(fake):
    """Its address and its bytes; a name that the program lacks is the driver's to refuse."""
    device, code = open_device(0), Code(fake_driver.CUBIN)
    assert device.variable(code, "limit") == (0x7000, 5)
    fake.fail["cuLibraryGetGlobal"] = bindings.CUresult.CUDA_ERROR_NOT_FOUND
    with pytest.raises(MachineError, match=r"^Looking for lost on GPU 0 failed: CUDA_ERROR_NOT_FOUND\.$"):
        device.variable(code, "lost")


@pytest.mark.parametrize(("blocks", "is_asked"), [(8, False), (9, True)])
def test_clusters_larger_than_any_chip_takes_are_asked_for(fake, blocks, is_asked):
    """From nine blocks on."""
    open_device(0).function(Code(fake_driver.CUBIN), "matmul_tiled", cluster_blocks=blocks)

    assert bool(fake.function_attributes) == is_asked


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


@pytest.mark.usefixtures("fake")
def test_a_forked_child_waits_for_no_lock_of_its_parent():
    """Which a thread that is not in the child may have held for ever."""
    device = open_device(0)
    fake_driver.fork()
    with device._lock, pytest.raises(DeviceUnavailableError, match="spawn"):
        device.function(Code(b"cubin"), "matmul_tiled")


@pytest.mark.usefixtures("fake")
def test_the_facts_are_the_drivers():
    """Limits as reported, with what the table of chips knows of every chip of this architecture."""
    facts = open_device(0).facts

    assert (facts.name, facts.compute_capability, facts.sm_count) == ("NVIDIA H200", (9, 0), 132)
    assert facts.shared_bytes_per_block_optin == 227 * 1024
    assert facts.register_unit is not None
    assert facts.driver == "13.0"


@pytest.mark.usefixtures("fake")
def test_the_facts_hold_what_was_tuned_on_such_a_card(tmp_path, monkeypatch):
    """Of the chip, the driver's CUDA and this version; on another one there is a warning, and nothing."""
    monkeypatch.setenv("TILEWRIGHT_CACHE", str(tmp_path))
    monkeypatch.delenv("TILEWRIGHT_TUNED")
    tuned_file._read_once.cache_clear()
    known = open_device(0).facts
    assert known.tuned is None
    tuned = Tuned(factors={"wgmma": 1.5})
    path = tuned_file.file_of(known.name, known.sm_count)
    assert path is not None
    for driver, expected in (("13.0", tuned), ("12.8", None)):
        tuned_file.write_tuned(path, replace(known, driver=driver), tuned)
        tuned_file._read_once.cache_clear()
        open_device.cache_clear()
        with (
            nullcontext() if expected else pytest.warns(RuntimeWarning, match=r"CUDA 12\.8 .*, and this is .* CUDA 13")
        ):
            assert open_device(0).facts.tuned == expected
    tuned_file._read_once.cache_clear()


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


def test_without_a_gpu_the_reason_is_given(monkeypatch):
    """As for the GPU machine."""
    monkeypatch.setattr(cuda_device, "driver_report", lambda: DriverReport(problem="no NVIDIA driver was found"))

    with pytest.raises(DeviceUnavailableError, match=r"no NVIDIA driver was found.*tilewright\[cuda13\]"):
        cuda_device.CudaDevice(0)
