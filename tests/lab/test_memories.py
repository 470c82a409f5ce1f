"""Seed 001's table, for kernels as they were compiled."""

import pytest

from tilewright.compile import CompilerMissingError, compile_source
from tilewright.compile.cubin import KernelResources
from tilewright.kernels import TAUGHT
from tilewright.lab.compiled_memories import file_memories, kernel_memories
from tilewright.lab.declared_variables import declared_by_name
from tilewright.lab.memories import memories_of
from tilewright.lab.source import SourceError

SEED_001 = """
__device__ int GlobalVar;
__device__ __constant__ int ConstantVar;

extern "C" __global__ void variables(const int* ptr, int* out, int at)
{
    __shared__ int SharedVar;
    int LocalVar[20];
    int automatic = ptr[at];
    for (int i = 0; i < 20; ++i)
        LocalVar[i] = ptr[i];
    if (threadIdx.x == 0)
        SharedVar = automatic + ConstantVar;
    __syncthreads();
    out[threadIdx.x] = SharedVar + LocalVar[at];
    GlobalVar = at;
}
"""


def memories_in(source, name, resources=None):
    """Of a kernel in a source."""
    ptx = compile_source(source, "x.cu", architecture="compute_90")
    assert isinstance(ptx, str)
    declared = declared_by_name(source, name)
    return memories_of(ptx, name, declared=declared, sources={"x.cu": source}, resources=resources)


@pytest.mark.parametrize(
    ("name", "memory", "scope", "lifetime"),
    [
        ("LocalVar", "local", "thread", "thread"),
        ("SharedVar", "shared", "block", "block"),
        ("GlobalVar", "global", "grid", "application"),
        ("ConstantVar", "constant", "grid", "application"),
        ("automatic, i", "register", "thread", "thread"),
    ],
)
def test_the_seeds_table(name, memory, scope, lifetime):
    """Its four rows, and automatic variables, which reside in a register except arrays."""
    found = memories_in(SEED_001, "variables").find(name)

    assert (found.memory.name, found.scope, found.lifetime) == (memory, scope, lifetime)


def test_declarations_sizes_and_accesses():
    """Each as the source has it and as the code uses it."""
    found = {each.name: each for each in memories_in(SEED_001, "variables").variables}

    assert found["LocalVar"].declaration == "int LocalVar[20]"
    assert found["LocalVar"].nbytes == 80
    assert found["SharedVar"].declaration == "__shared__ int SharedVar"
    assert found["ConstantVar"].declaration == "__device__ __constant__ int ConstantVar"
    accesses = {name: found[name].access for name in ("*ptr", "*out", "GlobalVar", "ConstantVar", "SharedVar")}
    assert accesses == {
        "*ptr": "read",
        "*out": "write",
        "GlobalVar": "write",
        "ConstantVar": "read",
        "SharedVar": "read and write",
    }
    assert found["at"].memory.name == "constant"
    assert (found["at"].nbytes, found["at"].lifetime) == (4, "launch")


def test_an_array_may_be_in_registers():
    """With every index known when compiling, no memory is needed."""
    source = """
    extern "C" __global__ void sums(const float* A, float* C)
    {
        float four[4];
        for (int i = 0; i < 4; ++i) four[i] = A[i];
        C[0] = four[0] * four[1] + four[2] * four[3];
    }
    """
    assert memories_in(source, "sums").find("four").memory.name == "register"


def test_two_arrays_are_told_apart_by_their_lines():
    """Objects in local memory have no names: the lines that access them do."""
    source = """
    extern "C" __global__ void two(const float* A, float* C, int at)
    {
        float small[8];
        float large[24];
        for (int i = 0; i < 8; ++i)
            small[i] = A[i];
        for (int i = 0; i < 24; ++i)
            large[i] = A[i + 8];
        C[0] = small[at];
        C[1] = large[at];
    }
    """
    found = memories_in(source, "two")

    assert (found.find("small").nbytes, found.find("large").nbytes) == (32, 96)


def test_dynamic_shared_memory_structures_and_printing():
    """What has no size, a parameter that is copied to be indexed, and what the compiler adds."""
    source = """
    struct Limits { int count; float of[3]; };
    extern "C" __global__ void mixed(float* C, Limits limits, int at)
    {
        extern __shared__ float kept[];
        kept[threadIdx.x] = limits.of[at];
        C[at] = kept[0];
        printf("%d", at);
    }
    """
    found = memories_in(source, "mixed")

    assert (found.find("kept").nbytes, found.find("kept").memory.name) == (None, "shared")
    assert {each.memory.name for each in found.variables if each.name == "limits"} == {"constant", "local"}
    assert found.find("printf's arguments").memory.name == "local"
    assert found.find("$str").note == "the compiler's own"


def test_functions_that_are_not_inlined_have_their_own_locals():
    """And what the cubin counts beyond them is spilled."""
    source = """
    __device__ __noinline__ float pick(const float* A, int at)
    {
        float kept[16];
        for (int i = 0; i < 16; ++i) kept[i] = A[i];
        return kept[at];
    }
    extern "C" __global__ void calls(const float* A, float* C, int at) { C[0] = pick(A, at); }
    """
    found = memories_in(source, "calls", KernelResources(registers_per_thread=10, local_bytes_per_thread=64 + 24))

    assert found.find("locals of pick()").nbytes == 64
    assert found.find("spilled registers").nbytes == 24
    assert found.find("*A").access == "read and write"  # handed on: the caller cannot know


def test_without_a_source_names_are_the_compilers():
    """The memories are the same."""
    ptx = compile_source(SEED_001, "x.cu", architecture="compute_90")
    assert isinstance(ptx, str)
    found = memories_of(ptx, "variables")
    names = {each.name: each.memory.name for each in found.variables}

    assert names["80 bytes"] == "local"
    assert names["parameter 2"] == "constant"
    assert (names["*parameter 0"], names["*parameter 1"]) == ("global", "global")
    assert "*parameter 2" not in names


@pytest.mark.parametrize("kernel", [kernel for kernel in TAUGHT if "gpu" in kernel.runs_on], ids=lambda k: k.name)
def test_every_kernel_of_the_catalogue(kernel):
    """A, B and C are global, what the catalogue calls shared is shared, and nothing is in local memory."""
    found = kernel_memories(kernel, "h200")
    shared = sum(each.nbytes or 0 for each in found.variables if each.memory.name == "shared")

    assert {name: found.find(name).access for name in ("*A", "*B", "*C")} == {"*A": "read", "*B": "read", "*C": "write"}
    assert shared == kernel.shared_bytes(None, "float32")
    assert not [each for each in found.variables if each.memory.name == "local"]
    assert found.resources is not None
    assert found.resources.local_bytes_per_thread == 0


def test_a_tile_in_a_declaration():
    """Macros are replaced by their values."""
    found = kernel_memories("matmul/tiled", "h200", tile=8, dtype="float64")

    assert found.find("tile_A").declaration == "__shared__ double tile_A[8][8]"
    assert found.find("tile_A").nbytes == 512


def test_a_chip_that_the_compiler_does_not_know():
    """All but the count is there, and why not."""
    found = kernel_memories("matmul/tiled", "g80")

    assert found.resources is None
    assert "not for sm_10" in found.counted_by


def test_without_a_compiler_the_packages_ptx_is_read(monkeypatch):
    """As on macOS: no register count, all else."""
    from tilewright.compile import nvrtc, planned

    def missing():
        raise CompilerMissingError("NVRTC is not installed.")

    monkeypatch.setattr(nvrtc, "_library", missing)
    monkeypatch.setattr(planned, "_codes", {})
    monkeypatch.setattr(planned, "read_code", lambda _: None)
    found = kernel_memories("matmul/tiled", "h200")

    assert (found.resources, found.counted_by) == (None, "NVRTC is not installed")
    assert found.find("tile_A").nbytes == 1024


FILE = """
#include <iostream>
using namespace std;
template <typename T, int N> __global__ void scale(T* A)
{
    __shared__ T kept[N];
    kept[threadIdx.x] = A[threadIdx.x];
    A[threadIdx.x] = 2 * kept[N - 1 - threadIdx.x];
}
__global__ void fill(float* A) { A[threadIdx.x] = VALUE; }
int main() { scale<float, 64><<<1, 64>>>(nullptr); cout << "done"; }
"""


@pytest.mark.slow
def test_a_file_as_it_is(tmp_path):
    """Host code and all; a template is compiled as the file launches it."""
    path = tmp_path / "mine.cu"
    path.write_text(FILE)
    found = dict(file_memories(path, "h200", defines={"VALUE": "1.0f"}))

    assert set(found) == {"scale", "fill"}
    assert found["scale"].find("kept").nbytes == 256
    assert found["scale"].resources is not None
    assert found["fill"].find("*A").access == "write"


@pytest.mark.slow
def test_one_kernel_of_a_file(tmp_path):
    """By its name; an unknown one is refused."""
    path = tmp_path / "mine.cu"
    path.write_text(FILE)

    ((name, _),) = file_memories(path, "h200", symbol="fill", defines={"VALUE": "2"})
    assert name == "fill"
    with pytest.raises(SourceError, match="no kernel called fil;"):
        file_memories(path, "h200", symbol="fil")
