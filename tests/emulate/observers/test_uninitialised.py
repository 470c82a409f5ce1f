"""Reads of memory that nobody has written, and none where somebody has."""

from __future__ import annotations

import numpy as np
import pytest

from tests.emulate.observers.watched import watch
from tests.emulate.running import line_of, ptx_of
from tilewright.emulate import Emulator
from tilewright.emulate.observers import UninitialisedObserver

EDGE = """extern "C" __global__ void kernel(const float *A, float *C, int n) {
    __shared__ float tile[4][32];
    int x = threadIdx.x, i = blockIdx.x * 32 + x;
    if (i < n) tile[2][x] = A[i];
    ELSE
    __syncthreads();
    C[i] = tile[2][31 - x]; // read
}"""


def look(source, arguments, **options):
    """Watch one launch; return its findings."""
    observer = UninitialisedObserver()
    watch(source, arguments, [observer], **options)
    return observer.findings


def vectors(n=64):
    """Two of n."""
    return {"A": np.ones(n, np.float32), "C": np.ones(n, np.float32)}


def test_shared_tile_at_the_boundary():
    """The block at the edge leaves part of its tile as it was, and reads it: thread, element and line are named."""
    shapes = {"tile": (np.float32, (4, 32))}
    (finding,) = look(EDGE.replace("ELSE", ""), {**vectors(), "n": 50}, grid=2, shared_arrays=shapes)
    assert (finding.kind, finding.severity) == ("uninitialised read", "error")
    assert finding.place == ("test.cu", line_of(EDGE, "// read"))
    assert finding.address == "tile[2][31]"
    assert finding.threads == (((1, 0, 0), (0, 0, 0)),)
    assert finding.times == 14
    assert look(EDGE.replace("ELSE", "else tile[2][x] = 0;"), {**vectors(), "n": 50}, grid=2) == []


def test_each_block_starts_anew():
    """What one block leaves in shared memory is nothing to the next one in its place."""
    source = """extern "C" __global__ void kernel(float *C) {
        __shared__ float own[32];
        if (blockIdx.x % 2 == 0) own[threadIdx.x] = 1;
        __syncthreads();
        C[threadIdx.x] = own[threadIdx.x];
    }"""
    (finding,) = look(source, {"C": np.ones(32, np.float32)}, grid=64)
    assert finding.times == 32 * 32
    assert finding.threads[0][0] == (1, 0, 0)


def test_global_memory_that_nobody_wrote():
    """`C +=` on a C that the host has not filled; filled, it is fine."""
    source = """extern "C" __global__ void kernel(const float *A, float *C) {
        C[threadIdx.x] += A[threadIdx.x]; // add
    }"""
    (finding,) = look(source, vectors(), unwritten=["C"])
    assert finding.place[1] == line_of(source, "// add")
    assert finding.address == "C[0]"
    assert finding.times == 32
    assert look(source, vectors()) == []


def test_stores_of_the_launch_and_of_earlier_ones_count():
    """What a kernel wrote may be read, in the same launch and in the next, watched or not."""
    fill = 'extern "C" __global__ void kernel(float *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 1; }'
    read = 'extern "C" __global__ void kernel(float *x, float *y) { y[threadIdx.x] = x[threadIdx.x]; }'
    for is_watched in (False, True):
        emulator = Emulator(workers=1)
        x, y = emulator.allocate(128, "x", dtype=np.float32, shape=(32,)), emulator.allocate(128, "y")
        observer = UninitialisedObserver()
        watching = [observer] if is_watched else []
        emulator.launch(emulator.load(ptx_of(fill)), "kernel", grid=1, block=32, arguments=[x, 20], observers=watching)
        assert observer.findings == []
        module = emulator.load(ptx_of(read))
        emulator.launch(module, "kernel", grid=1, block=32, arguments=[x, y], observers=[observer])
        # Unwatched, nobody knows which part it was.
        assert [finding.address for finding in observer.findings] == (["x[20]"] if is_watched else [])


def test_part_of_an_array_from_the_host():
    """Bytes that the host wrote are known one by one; a float of which a byte is missing is not."""
    source = 'extern "C" __global__ void kernel(const float *x, float *y) { y[threadIdx.x] = x[threadIdx.x]; }'
    emulator = Emulator(workers=1)
    x, y = emulator.allocate(128, "x", dtype=np.float32, shape=(32,)), emulator.allocate(128, "y")
    x.write(np.ones(43, np.uint8))
    observer = UninitialisedObserver()
    emulator.launch(emulator.load(ptx_of(source)), "kernel", grid=1, block=32, arguments=[x, y], observers=[observer])
    (finding,) = observer.findings
    assert (finding.address, finding.times) == ("x[10]", 22)


@pytest.mark.parametrize("kind", ["char", "short", "float", "double", "float4"])
@pytest.mark.parametrize("missing", [False, True])
def test_every_width(kind, missing):
    """One lane's element is not written: that one is reported, whatever its size."""
    source = """extern "C" __global__ void kernel(const TYPE *in, TYPE *out, int left_out) {
        __shared__ TYPE own[32];
        if (threadIdx.x != left_out) own[threadIdx.x] = in[threadIdx.x];
        __syncthreads();
        out[threadIdx.x] = own[threadIdx.x ^ 1];
    }"""
    size = {"char": 1, "short": 2, "float": 4, "double": 8, "float4": 16}[kind]
    arrays = {"in": np.ones(32 * size, np.uint8), "out": np.ones(32 * size, np.uint8)}
    findings = look(source.replace("TYPE", kind), {**arrays, "left_out": 9 if missing else 40})
    assert [(finding.address, finding.times) for finding in findings] == (
        [(f"own+{9 * size} bytes", 1)] if missing else []
    )


def test_atomics_read_what_they_change():
    """A count that starts with nothing is reported once; set to 0 it is fine."""
    source = """extern "C" __global__ void kernel(int *out) {
        __shared__ int count;
        CLEAR
        __syncthreads();
        atomicAdd(&count, 1); // count
        __syncthreads();
        out[threadIdx.x] = count;
    }"""
    arrays = {"out": np.ones(32, np.int32)}
    assert [f.place[1] for f in look(source.replace("CLEAR", ""), arrays)] == [line_of(source, "// count")]
    assert look(source.replace("CLEAR", "if (threadIdx.x == 0) count = 0;"), arrays) == []


def test_local_arrays():
    """An array of a thread of which it reads an element that it has not written."""
    source = """extern "C" __global__ void kernel(const int *index, float *out) {
        float own[8];
        for (int i = 0; i < LAST; ++i) own[index[i]] = i;
        out[threadIdx.x] = own[index[threadIdx.x % 8]]; // read
    }"""
    arrays = {"index": np.arange(8, dtype=np.int32), "out": np.ones(32, np.float32)}
    (finding,) = look(source.replace("LAST", "7"), arrays)
    assert finding.place[1] == line_of(source, "// read")
    assert "the thread has not written" in finding.message
    assert finding.times == 4
    assert look(source.replace("LAST", "8"), arrays) == []


def test_variables_of_the_module_start_as_zero():
    """What CUDA C++ gives no value is 0, and dynamic shared memory is nothing at all."""
    source = """__device__ float zeros[32];
    extern __shared__ float dynamic[];
    extern "C" __global__ void kernel(float *out) {
        out[threadIdx.x] = zeros[threadIdx.x] + dynamic[threadIdx.x];
    }"""
    (finding,) = look(source, {"out": np.ones(32, np.float32)}, dynamic_shared_bytes=128)
    assert finding.address == "dynamic+0 bytes"


def test_variable_without_a_value():
    """A sum in a register that starts with nothing, in a loop that was run."""
    source = """extern "C" __global__ void kernel(const float *in, float *out, int n) {
        float sumSTART;
        for (int i = 0; i < n; ++i)
            sum += in[i]; // add
        out[threadIdx.x] = sum;
    }"""
    arrays = {"in": np.ones(8, np.float32), "out": np.ones(32, np.float32)}
    (finding,) = look(source.replace("START", ""), {**arrays, "n": 8})
    assert (finding.kind, finding.place[1]) == ("uninitialised variable", line_of(source, "// add"))
    assert look(source.replace("START", " = 0"), {**arrays, "n": 8}) == []


AHEAD = """extern "C" __global__ void kernel(const float *in, float *out, int n) {
    __shared__ float next[2][32];
    float ahead[2], sum = 0;
    next[0][threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    for (int t = 0; t < n; ++t) {
        bool more = t + 1 < n;
        if (more)
            for (int i = 0; i < 2; ++i) ahead[i] = in[32 * (t + 1) + 16 * i + threadIdx.x % 16];
        for (int i = 0; i < 32; ++i) sum += next[t & 1][i];
        if (STORES)
            for (int i = 0; i < 2; ++i) next[~t & 1][16 * i + threadIdx.x % 16] = ahead[i];
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}"""


def test_what_a_condition_loads_the_same_condition_stores():
    """The next tile is loaded ahead into registers where there is one; without the condition there is an error."""
    arrays = {"in": np.ones(96, np.float32), "out": np.ones(32, np.float32), "n": 3}
    assert look(AHEAD.replace("STORES", "more"), arrays) == []
    assert {each.kind for each in look(AHEAD.replace("STORES", "true"), arrays)} == {"uninitialised variable"}
    assert "uninitialised variable" in {each.kind for each in look(AHEAD.replace("STORES", "!more"), arrays)}
