"""A host that reads what a kernel writes: whether anything waits for the kernel in between."""

from types import SimpleNamespace
from typing import Any

import pytest

from tilewright.lab.check.find.kernel_file import KernelFile, open_file
from tilewright.lab.check.judge.host_waits import unwaited_reads
from tilewright.lab.check.judge.judging import check_file
from tilewright.lab.check.options import Options
from tilewright.lab.source.launches import launches
from tilewright.lab.source.syntax import Syntax

MANAGED = """
#define CHECK(call) do { if ((call) != cudaSuccess) exit(1); } while (0)
#define LAST() CHECK(cudaGetLastError()); CHECK(cudaDeviceSynchronize())
__global__ void copied(const float *x, float *y, int n)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i < n) y[i] = x[i];
}
static bool same(const float *x, const float *y, int n)
{
    for (int i = 0; i < n; ++i) if (x[i] != y[i]) return false;
    return true;
}
static void finish() { CHECK(cudaDeviceSynchronize()); }
int main()
{
    int n = 1000;
    float *x, *y;
    CHECK(cudaMallocManaged(&x, n * sizeof(float)));
    CHECK(cudaMallocManaged((void **)&y, n * sizeof(float)));
    for (int i = 0; i < n; ++i) x[i] = i;
    copied<<<(n + 127) / 128, 128>>>(x, y, n);
    CHECK(cudaGetLastError());
    /* HERE */
    printf("%f", y[0]);
    CHECK(cudaDeviceSynchronize());
    cudaFree(y);
}
"""
WRAPPED = """
__global__ void copied(const float *x, float *y, int n);
void copy(const float *from, float *to, int n)
{
    copied<<<(n + 127) / 128, 128>>>(from, to, n);
    /* HERE */
}
float *numbers(size_t n) { float *p; cudaMallocManaged(&p, n * 4); return p; }
int main()
{
    float *x = numbers(1000), *y = numbers(1000);
    copy(x, y, 1000);
    /* THERE */
    std::cout << *y << std::endl;
}
"""
PINNED = """
__global__ void copied(const float *x, float *y, int n);
void copy(const float *x, float *y, int n, cudaStream_t stream)
{
    float *host;
    cudaMallocHost(&host, n * sizeof(float));
    copied<<<(n + 127) / 128, 128, 0, stream>>>(x, y, n);
    cudaMemcpyAsync(host, y, n * sizeof(float), cudaMemcpyDeviceToHost, stream);
    /* HERE */
    float sum = 0;
    for (int i = 0; i < n; ++i) sum += host[i];
}
"""


def reads(text):
    """The lines of the launches and of the reads; C is the launch's second argument."""
    none = SimpleNamespace(file=SimpleNamespace(text=text), part=SimpleNamespace(launches=[]), kernels=[])
    kernel: Any = SimpleNamespace(sites=launches(Syntax(text)), opened=none)
    found: Any = SimpleNamespace(roles=SimpleNamespace(arguments=("A", "C", "inner")))
    return [(site.line, line) for site, line in unwaited_reads(kernel, found)]


@pytest.mark.parametrize(("waits", "is_early"), [("", True), ("cudaDeviceSynchronize();", False)])
def test_what_another_kernel_leaves_is_waited_for(tmp_path, waits, is_early):
    """The result of the first is no array of the host's, that of the second is."""
    path = tmp_path / "kernel.cu"
    path.write_text(f"""
__global__ void parts(const float *x, float *y, int n) {{ y[blockIdx.x] = x[n]; }}
__global__ void total(const float *y, float *sum, int n) {{ *sum = y[n]; }}
void run(const float *x, int n) {{
    float *y, *sum;
    cudaMalloc(&y, n);
    cudaMallocManaged(&sum, 4);
    parts<<<n, 1>>>(x, y, n);
    total<<<1, 1>>>(y, sum, n);
    {waits}
    printf("%f", *sum);
}}
""")
    opened = open_file(path)
    found: Any = SimpleNamespace(roles=SimpleNamespace(arguments=("A", "C", "inner")))
    early = [line for _, line in unwaited_reads(KernelFile(opened, opened.kernels[0], Options()), found)]
    assert early == ([11] if is_early else [])


def line_of(text, mark):
    """The first line with a mark."""
    return next(number for number, each in enumerate(text.split("\n"), 1) if mark in each)


@pytest.mark.parametrize(
    ("text", "was", "now", "mark"),
    [
        (MANAGED, "", "", "y[0]"),
        (MANAGED, 'printf("%f", y[0]);', "if (!same(x, y, n)) return 1;", "!same"),
        (MANAGED, "/* HERE */", "cudaEventRecord(end);", "y[0]"),
        (MANAGED, "/* HERE */", "if (n > 5) { same(x, x, n); }", "y[0]"),
        (MANAGED, 'printf("%f", y[0]);', "float all = std::accumulate(y, y + n, 0.f);", "accumulate"),
        (WRAPPED, "", "", "*y <<"),
        (PINNED, "", "", "host[i]"),
    ],
)
def test_a_read_too_early(text, was, now, mark):
    """Whatever does not wait may stand in between, and the launch may be another function's."""
    text = text.replace(was, now) if was else text
    assert reads(text) == [(line_of(text, "<<<"), line_of(text, mark))]


@pytest.mark.parametrize(
    ("text", "was", "now"),
    [
        (MANAGED, "/* HERE */", "cudaDeviceSynchronize();"),
        (MANAGED, "/* HERE */", "CHECK(cudaStreamSynchronize(0));"),
        (MANAGED, "/* HERE */", "LAST();"),
        (MANAGED, "/* HERE */", "finish();"),
        (MANAGED, "/* HERE */", "cudaMemcpy(x, y, n * sizeof(float), cudaMemcpyDefault);"),
        (MANAGED, "/* HERE */", "timer.wait();"),
        (MANAGED, 'printf("%f", y[0]);', "if (seen_elsewhere(x, y, n)) return 1;"),
        (MANAGED, "/* HERE */", "if (same(x, x, n)) y[0] = 1;"),
        (MANAGED, "    copied<<<", "    if (n > 5) same(x, y, n); else copied<<<"),
        (MANAGED, "Managed((void **)&y", "((void **)&y"),
        (MANAGED, 'printf("%f", y[0]);', ""),
        (MANAGED, "int main", "struct Waits { ~Waits() { cudaDeviceSynchronize(); } };\nint main"),
        (WRAPPED, "/* HERE */", "cudaDeviceSynchronize();"),
        (WRAPPED, "/* THERE */", "cudaDeviceSynchronize();"),
        (WRAPPED, "cudaMallocManaged", "cudaMalloc"),
        (PINNED, "/* HERE */", "cudaStreamSynchronize(stream);"),
        (PINNED, "cudaMallocHost(&host, n * sizeof(float))", "host = (float *)malloc(n * sizeof(float))"),
        (PINNED, "cudaMemcpyAsync", "cudaMemcpy"),
    ],
)
def test_hosts_that_wait_or_may(text, was, now):
    """What waits is one of CUDA's calls, wherever it stands; memory that the host can't read needs none."""
    assert was in text
    if now.startswith("    if"):
        text = text.replace("    CHECK(cudaGetLastError());\n    /* HERE */\n", "    return 0;\n")
    assert reads(text.replace(was, now)) == []


@pytest.mark.slow
def test_a_file_whose_host_does_not_wait(tmp_path):
    """The launch is the error's place, the read its other one."""
    path = tmp_path / "copied.cu"
    path.write_text(MANAGED)
    (result,) = check_file(path, Options())
    (error,) = (each for each in result.findings if each.severity == "error")
    assert (error.kind, error.place, error.other) == (
        "host code",
        ("copied.cu", line_of(MANAGED, "<<<")),
        ("copied.cu", line_of(MANAGED, "y[0]")),
    )
