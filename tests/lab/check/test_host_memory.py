"""Memory of the host given to a kernel or taken for the device's, and results copied into another type."""

import pytest
from numpy import dtype

from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.kernel_file import KernelFile, open_file
from tilewright.lab.check.find.launches import FormulaLaunch
from tilewright.lab.check.find.roles import Roles
from tilewright.lab.check.judge.host_memory import wrong_memory
from tilewright.lab.check.options import Options
from tilewright.lab.source.macros import code_only

KERNEL = """
__global__ void dot(const float *x, const float *y, float *sum, int n) { atomicAdd(sum, x[0] * y[0]); }
"""
HOST = """
void run(const std::vector<float> &given, int n) {{
    std::vector<float> x(std::max(n, 1)), y((size_t)n * 2, 1.0f);
    std::vector<float, Managed<float>> shared(n);
    thrust::device_vector<float> kept(n);
    float *own = (float *)malloc(4 * n), *made = new float[n], *dx, *dy, *sum, h;
    cudaMalloc(&dx, 4 * n); cudaMalloc(&dy, 4 * n); cudaMalloc(&sum, 4);
    {}
}}
"""
LAUNCH = "dot<<<1, 32>>>({}, {}, sum, n);"
COPY = "cudaMemcpy({}, {}, 4 * n, cudaMemcpyDeviceToDevice);"


def said(tmp_path, line, host=HOST):
    """What is said of a host with a line."""
    path = tmp_path / "kernel.cu"
    path.write_text(KERNEL + host.format(line))
    opened = open_file(path)
    roles = Roles("dot", ("A", "B", "C", "inner"))
    found = Found(roles, FormulaLaunch("32", "1"), 32, {"C": dtype("float32")}, fits=True, how="")
    kernel = KernelFile(opened, opened.kernels[0], Options())
    return [what for _, what in wrong_memory(kernel, found, code_only(opened.file.text))]


@pytest.mark.parametrize("array", ["x.data()", "given.data()", "own", "made", "y.data()"])
def test_a_kernel_is_given_an_array_of_the_host(tmp_path, array):
    """However it is made."""
    assert said(tmp_path, LAUNCH.format("dx", array)) == [
        f"{array} is memory of the host, and this kernel runs on the device."
    ]


@pytest.mark.parametrize("array", ["dy", "shared.data()", "kept.data().get()", "n"])
def test_a_kernel_is_given_what_may_be_the_device_s(tmp_path, array):
    """An allocator of its own may take managed memory, and a size is no array."""
    assert said(tmp_path, LAUNCH.format("dx", array)) == []


def test_a_copy_of_the_host_s_memory_as_the_device_s(tmp_path):
    """From it, and into it."""
    assert len(said(tmp_path, COPY.format("dx", "x.data()") + LAUNCH.format("dx", "dy"))) == 1
    assert len(said(tmp_path, COPY.format("own", "dy") + LAUNCH.format("dx", "dy"))) == 1
    assert said(tmp_path, COPY.format("dx", "dy") + LAUNCH.format("dx", "dy")) == []


@pytest.mark.parametrize(("declared", "is_another"), [("int h", True), ("double h = 0", True), ("float g, h", False)])
def test_a_result_copied_into_a_number_of_another_type(tmp_path, declared, is_another):
    """Its bytes are not converted."""
    back = f"{declared}; cudaMemcpy(&h, sum, 4, cudaMemcpyDeviceToHost);"
    host = HOST.replace("*sum, h;", "*sum;")
    assert bool(said(tmp_path, LAUNCH.format("dx", "dy") + back, host)) == is_another
