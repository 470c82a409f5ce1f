"""Accesses that leave their array, also for another one; and those that may go where they like."""

from __future__ import annotations

import numpy as np
import pytest

from tests.emulate.catalogue_runs import run_kernel
from tests.emulate.observers.watched import watch
from tests.emulate.running import line_of, ptx_of
from tilewright.emulate import Emulator
from tilewright.emulate.observers import BoundsObserver
from tilewright.kernels import TAUGHT

TILES = {"As": (np.float32, (16, 16)), "Bs": (np.float32, (16, 16))}
TILED = """extern "C" __global__ void kernel(const float *A, float *C) {
    __shared__ float As[16][16];
    __shared__ float Bs[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    As[y][x] = A[y * 16 + x];
    Bs[y][x] = A[x * 16 + y];
    __syncthreads();
    float sum = 0;
    for (int i = FIRST; i < LAST; ++i)
        sum += As[y][i] * Bs[i][x]; // inner
    C[y * 16 + x] = sum;
}"""


def look(source, arguments, **options):
    """Watch one launch; return the observer and the only finding, or None."""
    observer = BoundsObserver()
    options.setdefault("block", (16, 16))
    watch(source, arguments, [observer], may_fault=True, **options)
    assert len(observer.findings) <= 1
    return observer, observer.findings[0] if observer.findings else None


def matrices():
    """Two of 16 x 16."""
    return {"A": np.ones((16, 16), np.float32), "C": np.ones((16, 16), np.float32)}


def tiled(first, last):
    """The tiled product with other bounds of its inner loop."""
    return TILED.replace("FIRST", str(first)).replace("LAST", str(last))


def test_overflow_into_the_next_shared_array():
    """As[15][16] is Bs[0][0]: the block's memory holds it, and yet it is outside of As."""
    source = """extern "C" __global__ void kernel(const float *A, float *C) {
        __shared__ float As[16];
        __shared__ float Bs[16];
        int x = threadIdx.x;
        As[x] = A[x];
        Bs[x] = A[x + 16];
        __syncthreads();
        C[x] = As[x + N] + Bs[x]; // over
    }"""
    shapes = {"As": (np.float32, (16,)), "Bs": (np.float32, (16,))}
    arrays = matrices()
    observer, finding = look(source.replace("N", "1"), arrays, block=16, shared_arrays=shapes)
    assert finding is not None
    assert (finding.kind, finding.severity) == ("out of bounds", "error")
    assert finding.place == ("test.cu", line_of(source, "// over"))
    assert finding.address == "As[16]"
    assert "outside of As (64 bytes), where Bs[0] lies" in finding.message
    assert finding.threads == (((0, 0, 0), (15, 0, 0)),)
    assert finding.times == 1
    assert look(source.replace("N", "0"), arrays, block=16, shared_arrays=shapes)[1] is None
    assert observer.unchecked == []


def test_the_run_goes_on_to_the_fault():
    """Behind the last array the launch ends with a fault; the finding is there all the same."""
    _, finding = look(tiled(0, 17), matrices(), shared_arrays=TILES)
    assert finding is not None
    assert finding.place == ("test.cu", line_of(TILED, "// inner"))
    assert finding.address in ("As[16][0]", "Bs[16][0]")
    assert look(tiled(0, 16), matrices(), shared_arrays=TILES)[1] is None


def test_before_the_start():
    """A row before the first of Bs lies in As; before the first of As lies nothing."""
    _, finding = look(tiled(-1, 16), matrices(), shared_arrays=TILES)
    assert finding is not None
    assert finding.address in ("Bs[-1][0]", "As[0][-1]", "As[-1][15]")


def test_bytes_where_the_shape_is_not_known():
    """Without declarations the place is told in bytes."""
    _, finding = look(tiled(0, 17), matrices())
    assert finding is not None
    assert finding.address in ("As+1024 bytes", "Bs+1024 bytes")


FAR = """extern "C" __global__ void kernel(const float *A, const float *B, float *C, int step) {
    int i = blockIdx.x * 32 + threadIdx.x;
    C[i] = A[i + step] + B[i]; // load
}"""


@pytest.mark.parametrize("lanes", [32, 7])
def test_from_one_allocation_into_another(lanes):
    """An index that reaches from A into B is no fault, and yet it is outside of A."""
    emulator = Emulator(workers=1)
    arrays = [emulator.allocate(256, name, dtype=np.float32, shape=(8, 8)) for name in "ABC"]
    for array in arrays:
        array.write(np.ones(64, np.float32))
    module = emulator.load(ptx_of(FAR))
    step = (arrays[1].address - arrays[0].address) // 4 + 32 - lanes
    observer = BoundsObserver()
    emulator.launch(module, "kernel", grid=1, block=32, arguments=[*arrays, step], observers=[observer])
    (finding,) = observer.findings
    assert finding.place == ("test.cu", line_of(FAR, "// load"))
    assert finding.address == f"A[{step // 8}][{step % 8}]"
    assert "outside of A (256 bytes), where B[" in finding.message
    emulator.launch(module, "kernel", grid=1, block=32, arguments=[*arrays, 0], observers=[observer])
    assert observer.findings == []


def test_padding_behind_the_last_shared_array():
    """Shared memory is handed out in 16 bytes: what lies behind 3 floats is nobody's."""
    source = """extern "C" __global__ void kernel(float *C) {
        __shared__ volatile float three[3];
        three[threadIdx.x] = 1; // store
        C[threadIdx.x] = three[threadIdx.x % 3];
    }"""
    _, finding = look(source, {"C": np.ones(4, np.float32)}, block=4)
    assert finding is not None
    assert (finding.place[1], finding.address) == (line_of(source, "// store"), "three+12 bytes")
    assert look(source, {"C": np.ones(4, np.float32)}, block=3)[1] is None


def test_dynamic_shared_memory():
    """Its extent is the launch's; the static array before it is another one."""
    source = """extern __shared__ float dynamic[];
    extern "C" __global__ void kernel(float *C, int n) {
        __shared__ float fixed[4];
        dynamic[threadIdx.x] = 1; // store
        fixed[threadIdx.x % 4] = 2;
        __syncthreads();
        C[threadIdx.x] = dynamic[threadIdx.x - n] + fixed[threadIdx.x % 4]; // load
    }"""
    arrays = {"C": np.ones(32, np.float32)}
    assert look(source, {**arrays, "n": 0}, block=32, dynamic_shared_bytes=128)[1] is None
    _, finding = look(source, {**arrays, "n": 1}, block=32, dynamic_shared_bytes=128)
    assert finding is not None
    assert (finding.place[1], finding.address) == (line_of(source, "// load"), "dynamic-4 bytes")
    _, finding = look(source, {**arrays, "n": 0}, block=32, dynamic_shared_bytes=64)
    assert finding is not None
    assert (finding.place[1], finding.address) == (line_of(source, "// store"), "dynamic+64 bytes")


def test_constant_memory():
    """An index that leaves a constant array ends in a fault, and the finding names the element."""
    source = """__constant__ float weights[4];
    extern "C" __global__ void kernel(float *C, int n) {
        C[threadIdx.x] = weights[threadIdx.x + n]; // weigh
    }"""
    arrays = {"C": np.ones(4, np.float32)}
    assert look(source, {**arrays, "n": 0}, block=4)[1] is None
    _, finding = look(source, {**arrays, "n": 1}, block=4)
    assert finding is not None
    assert (finding.place[1], finding.address) == (line_of(source, "// weigh"), "weights+16 bytes")
    assert finding.threads == (((0, 0, 0), (3, 0, 0)),)


SILENT = {
    "one of two arrays": """extern "C" __global__ void kernel(const float *A, float *C) {
        __shared__ float first[32], second[32];
        float *own = A[0] > 0 ? first : second, *other = A[0] > 0 ? second : first;
        for (int i = 0; i < 4; ++i) {
            own[threadIdx.x] = A[threadIdx.x];
            other[threadIdx.x] = i;
            __syncthreads();
            C[threadIdx.x] = own[31 - threadIdx.x] + other[31 - threadIdx.x];
            __syncthreads();
            float *kept = own;
            own = other;
            other = kept;
        }
    }""",
    "a pointer behind the end, walked back": """extern "C" __global__ void kernel(const float *A, float *C) {
        const float *end = A + 256 - threadIdx.x;
        C[threadIdx.x] = *(end - 1);
    }""",
    "a difference of pointers": """extern "C" __global__ void kernel(const float *A, float *C) {
        const float *last = A + 255;
        long long steps = last - (A + threadIdx.x);
        C[steps] = *(last - steps);
    }""",
    "a function that is not inlined": """__device__ __noinline__ float at(const float *x, int i) { return x[i] + x[0]; }
    extern "C" __global__ void kernel(const float *A, float *C) {
        __shared__ float own[32];
        own[threadIdx.x] = A[threadIdx.x];
        __syncthreads();
        C[threadIdx.x] = at(A, threadIdx.x) + at(own, 31 - threadIdx.x);
    }""",
    "an atomic and a variable of the module": """__device__ int count[4];
    extern "C" __global__ void kernel(const float *A, float *C) {
        atomicAdd(&count[threadIdx.x % 4], 1);
        C[threadIdx.x] = A[threadIdx.x];
    }""",
    "vectors": """extern "C" __global__ void kernel(const float4 *A, float4 *C) {
        C[threadIdx.x] = A[threadIdx.x + 32];
    }""",
}


@pytest.mark.parametrize("name", SILENT)
def test_nothing_is_found_in_right_programs(name):
    """Pointers that are chosen, walked, subtracted and passed on stay in bounds."""
    observer, finding = look(SILENT[name], matrices(), block=32)
    assert finding is None
    assert observer.unchecked == []


@pytest.mark.parametrize("kernel", [k.name for k in TAUGHT if "emulator" in k.runs_on])
def test_every_access_of_the_catalogue_is_checked(kernel):
    """The origin of each address is known; nothing is passed over."""
    observer = BoundsObserver()
    run_kernel(kernel, *((1, 1, 100) if kernel.startswith("dot") else (16, 16, 16)), observers=[observer])
    assert (observer.findings, observer.unchecked) == ([], [])


def test_function_that_is_not_inlined_is_checked():
    """The callee's line is named, with all arrays that are passed to it."""
    source = SILENT["a function that is not inlined"].replace("at(own, 31", "at(own, 32")
    _, finding = look(source, matrices(), block=32, shared_arrays={"own": (np.float32, (32,))})
    assert finding is not None
    assert (finding.place[1], finding.address) == (1, "own[32]")


@pytest.mark.parametrize("warps", [1, 2])
def test_pointers_from_memory_are_not_checked(warps):
    """A pointer that is loaded may point anywhere: its line is said to be unchecked, however often it ran."""
    source = """extern "C" __global__ void kernel(float *const *rows, float *C) {
        C[threadIdx.x] = 1;
        rows[0][threadIdx.x] = 2; // unchecked
    }"""
    emulator = Emulator(workers=1)
    rows, c, target = (emulator.allocate(256, name) for name in ("rows", "C", "target"))
    rows.write(np.array([target.address], np.int64))
    observer = BoundsObserver()
    module = emulator.load(ptx_of(source))
    emulator.launch(module, "kernel", grid=1, block=32 * warps, arguments=[rows, c], observers=[observer])
    assert observer.findings == []
    assert observer.unchecked == [("test.cu", line_of(source, "// unchecked"))]
