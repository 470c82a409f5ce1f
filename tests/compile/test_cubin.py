"""Registers and local memory, as the cubin states them."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.kernels.test_alone import find_nvcc
from tilewright.choose import EMULATOR_FACTS
from tilewright.compile import CompilerMissingError, compile_source, resource_usage
from tilewright.compile.cubin import CubinError, resources_in
from tilewright.compile.nvrtc import supported_architectures

SOURCE = """
extern "C" __global__ void none() {}
__device__ __noinline__ float pick(const float* values, int n) { return values[n]; }
extern "C" __global__ void arrays(const float* A, float* B, int n)
{
    float kept[40];
    for (int i = 0; i < 40; ++i) kept[i] = A[i];
    B[threadIdx.x] = pick(kept, n);
}
template <int N> __global__ void named(float* p) { p[threadIdx.x] = N; }
template __global__ void named<3>(float*);
"""


def cubin_of(architecture):
    """The source above, compiled."""
    cubin = compile_source(SOURCE, "x.cu", architecture=architecture)
    assert isinstance(cubin, bytes)
    return cubin


@pytest.mark.parametrize("architecture", ["sm_75", "sm_90", "sm_120"])
def test_kernels_of_a_cubin(architecture):
    """Every kernel by its linker's name, device functions not; an array that is indexed lies in local memory."""
    found = resources_in(cubin_of(architecture))

    assert set(found) == {"none", "arrays", "_Z5namedILi3EEvPf"}
    assert found["none"].local_bytes_per_thread == 0
    assert 160 <= found["arrays"].local_bytes_per_thread <= 256
    assert found["arrays"].registers_per_thread > found["none"].registers_per_thread


def test_what_is_no_cubin():
    """Text, nothing, and a file that ends too early."""
    cubin = cubin_of("sm_90")
    for wrong in (b"", b"// PTX", cubin[: len(cubin) // 2], cubin[:64]):
        with pytest.raises(CubinError):
            resources_in(wrong)


def test_a_kernel_of_the_catalogue():
    """By name, for a chip of the table."""
    usage = resource_usage("matmul/tiled", "h200", tile=16)

    assert 16 <= usage.registers_per_thread <= 64
    assert (usage.local_bytes_per_thread, usage.architecture) == (0, "sm_90")
    assert usage.compiler.startswith("NVRTC ")


@pytest.mark.parametrize("chip", ["g80", "fermi"])
def test_chips_that_the_compiler_no_longer_knows(chip):
    """The sentence says for which it compiles."""
    oldest = min(supported_architectures())
    with pytest.raises(CompilerMissingError, match=rf"compiles for sm_{oldest} to sm_\d+, not for sm_[12]0"):
        resource_usage("matmul/tiled", chip)


def test_facts_without_compute_capability():
    """An emulator has nothing to compile a cubin for."""
    with pytest.raises(CompilerMissingError, match="no compute capability"):
        resource_usage("matmul/tiled", EMULATOR_FACTS)


@pytest.mark.slow
@pytest.mark.parametrize("architecture", ["sm_75", "sm_90"])
def test_ptxas_says_the_same(architecture, tmp_path):
    """Its report of registers and stacks, for the same PTX."""
    nvcc = find_nvcc()
    assert nvcc, "test-all installs nvcc"
    source = tmp_path / "x.cu"
    source.write_text(SOURCE)
    cubin = tmp_path / "x.cubin"
    command = [nvcc, "-cubin", f"-arch={architecture}", "-Xptxas=-v", str(source), "-o", str(cubin)]
    report = subprocess.run(command, capture_output=True, text=True, check=True)
    said = {}
    for part in report.stderr.split("Compiling entry function '")[1:]:
        registers, stack = (
            re.search(pattern, part) for pattern in (r"Used (\d+) registers", r"(\d+) bytes cumulative stack size")
        )
        assert registers
        said[part.partition("'")[0]] = (int(registers[1]), int(stack[1]) if stack else 0)

    read = resources_in(Path(cubin).read_bytes())

    assert {name: (each.registers_per_thread, each.local_bytes_per_thread) for name, each in read.items()} == said
