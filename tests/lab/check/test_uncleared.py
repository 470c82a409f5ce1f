"""Sums that begin with what an earlier launch left, or with nothing, before the host reads them."""

import pytest

from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.kernel_file import KernelFile, open_file
from tilewright.lab.check.find.launches import FormulaLaunch
from tilewright.lab.check.find.roles import Roles
from tilewright.lab.check.judge.uncleared import uncleared
from tilewright.lab.check.options import Options
from tilewright.lab.source.macros import code_only

KERNEL = """
__global__ void dot(const float *x, const float *y, float *sum, int n) {
    for (int i = threadIdx.x; i < n; i += 256) atomicAdd(sum, x[i] * y[i]);
}
"""
WRAPPED = """
void launch(const float *x, const float *y, float *out, int n) {
    dot<<<1, 256>>>(x, y, out, n);
}
"""
HOST = """
void run(const float *dx, const float *dy, float *own, int n) {{
    float *d;
    CHECK(cudaMalloc((void **)&d, sizeof(float)));
{}
    cudaFree(d);
}}
"""
CLEAR, READ = "cudaMemset(d, 0, sizeof(float));", "cudaMemcpy(own, d, sizeof(float), cudaMemcpyDeviceToHost);"
CALL, DIRECT = "launch(dx, dy, d, n);", "dot<<<1, 256>>>(dx, dy, d, n);"
LOOP, OF_PARTS = f"for (int i = 0; i < 9; ++i) {CALL}", "for (int i = 0; i < 9; ++i) launch(dx + i, dy + i, d, 1);"
MORE = "cudaMemcpy(dx, own + n, n * sizeof(float), cudaMemcpyHostToDevice);"


def marked(tmp_path, lines, kernel=KERNEL + WRAPPED):
    """Which of a host's lines are named, from 0."""
    text = kernel + HOST.format("\n".join(lines))
    path = tmp_path / "kernel.cu"
    path.write_text(text)
    opened = open_file(path)
    roles = Roles("dot", ("A", "B", "C", "inner"))
    found = Found(roles, FormulaLaunch("256", "1"), 256, {}, fits=True, how="")
    code = code_only(text)
    first = (kernel + HOST.partition("{}")[0]).count("\n")
    named = list(uncleared(KernelFile(opened, opened.kernels[0], Options()), found, code))
    launch = code[: code.index("dot<<<")].count("\n") + 1
    assert all(line == (None if code.startswith(("dot", "cuda"), at) else launch) for at, _, line in named)
    return [code.count("\n", 0, at) - first for at, _, _ in named]


@pytest.mark.parametrize(
    ("lines", "named"),
    [
        ([CALL, READ], [0]),
        ([CLEAR, CALL, CALL, READ], [2]),
        ([CLEAR, DIRECT, DIRECT, READ], [2]),
        ([CALL, CLEAR, LOOP, READ], [2]),
        ([CLEAR, CALL, "cudaDeviceSynchronize();", LOOP, READ], [3]),
        ([CLEAR, LOOP, 'printf("%f", *d);'], [1]),
        ([CLEAR, CALL, READ, CALL, READ], [3]),
        ([CLEAR.replace("0", "1"), DIRECT, READ], [0]),
    ],
)  # fmt: skip
def test_a_sum_that_begins_with_another_or_with_nothing(tmp_path, lines, named):
    """The call that is one too many is named, or the first."""
    assert marked(tmp_path, lines) == named


@pytest.mark.parametrize(
    "lines",
    [
        [CLEAR, CALL, READ],
        [CALL, CLEAR, CALL, READ],
        [CALL, READ.replace("own, d", "d, own").replace("DeviceToHost", "HostToDevice"), CALL, READ],
        [CLEAR, LOOP, CLEAR, CALL, READ],
        [f"for (int i = 0; i < 9; ++i) {{ {CLEAR} {CALL} }}", READ],
        [CLEAR, OF_PARTS, READ],
        [CLEAR, "launch(dx, dy, d, 8);", "launch(dx + 8, dy + 8, d, n - 8);", READ],
        ["zero(d);", CALL, READ],
        [CALL, CALL],
        [CLEAR, "if (n % 2 == 0)", DIRECT, "else", DIRECT, READ],
        [CLEAR, CALL, MORE, CALL, READ],
        [CLEAR, f"for (int i = 0; i < n; i += 8) {{ {MORE} {CALL} }}", READ],
        [CLEAR, CALL, "zero<<<1, 1>>>(d);", CALL, READ],
        [CLEAR, LOOP, 'printf("%f", *d / 9);'],
    ],
)
def test_a_sum_that_begins_at_0(tmp_path, lines):
    """Before each, or before the parts of one; or nobody reads it, or only one of two is done, or a mean is taken."""
    assert marked(tmp_path, lines) == []


FORTH = "cudaMemcpy(dx, own, n * sizeof(float), cudaMemcpyHostToDevice);"


@pytest.mark.parametrize(
    ("before", "inside", "named"),
    [
        (CLEAR, [FORTH, DIRECT, READ], [2]),
        ("", [FORTH, CLEAR, DIRECT, READ], []),
        (CLEAR, [FORTH, DIRECT, READ, "zero(d);"], []),
        (CLEAR, [FORTH, "*d = 0;", DIRECT, READ], []),
        (CLEAR, [MORE.replace("own + n", "next"), DIRECT, READ], []),
    ],
)
def test_a_loop_that_goes_on_with_its_sum(tmp_path, before, inside, named):
    """Its next turn begins with what the host was given, so that the sum of all turns is not meant; else it may be."""
    first, *others = inside
    lines = [before, f"for (int i = 0; i < n; ++i) {{ {first}", *others, "}"]
    assert marked(tmp_path, lines) == named


def test_a_function_that_clears_it_itself(tmp_path):
    """So that it may be called as often as one likes."""
    kernel = KERNEL + WRAPPED.replace("    dot", "    cudaMemset(out, 0, 4);\n    dot")
    assert marked(tmp_path, [CALL, CALL, READ], kernel) == []


def test_a_kernel_that_sets_what_it_adds_to(tmp_path):
    """Each launch begins anew."""
    kernel = KERNEL.replace("    for", "    sum[0] = 0;\n    for")
    assert marked(tmp_path, [CLEAR, DIRECT, DIRECT, READ], kernel) == []
