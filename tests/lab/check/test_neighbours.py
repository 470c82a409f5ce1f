"""Stencils, filters, prefix sums and softmax: right ones are judged as what they compute, others are asked about."""

import numpy
import pytest

from tests.repeats import cause_seconds
from tilewright.lab.check import kinds
from tilewright.lab.check.judge.judging import check_file
from tilewright.lab.check.kind import ALPHA
from tilewright.lab.check.kinds import KINDS
from tilewright.lab.check.options import Options

PLANE = """
// a step of diffusion, five points
__global__ void paso(const float *u, float *v, int h, int w, float c)
{
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x >= w || y >= h) return;
    float f = u[y * w + x];
    if (x > 0 && x < w - 1 && y > 0 && y < h - 1)
        f += c * (u[y * w + x - 1] + u[y * w + x + 1] + u[(y - 1) * w + x] + u[(y + 1) * w + x] - 4 * f);
    v[y * w + x] = f;
}
void run(const float *u, float *v, int h, int w, float c)
{
    paso<<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16)>>>(u, v, h, w, c);
}
"""
LINE = """
// smooth: the mean of three, with zeros outside
__global__ void smooth(const float *x, float *y, int n)
{
    __shared__ float s[66];
    int i = blockIdx.x * 64 + threadIdx.x, t = threadIdx.x + 1;
    s[t] = i < n ? x[i] : 0;
    if (threadIdx.x == 0) s[0] = i > 0 ? x[i - 1] : 0;
    if (threadIdx.x == 63) s[65] = i + 1 < n ? x[i + 1] : 0;
    __syncthreads();
    if (i < n) y[i] = (s[t - 1] + s[t] + s[t + 1]) / 3;
}
void run(const float *x, float *y, int n)
{
    smooth<<<(n + 63) / 64, 64>>>(x, y, n);
}
"""
ROWS = """
// softmax of each row
__global__ void softmax(const float *x, float *y, int rows, int cols)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float most = x[r * cols], sum = 0;
    for (int j = 1; j < cols; ++j) most = fmaxf(most, x[r * cols + j]);
    for (int j = 0; j < cols; ++j) sum += expf(x[r * cols + j] - most);
    for (int j = 0; j < cols; ++j) y[r * cols + j] = expf(x[r * cols + j] - most) / sum;
}
void run(const float *x, float *y, int rows, int cols)
{
    softmax<<<(rows + 63) / 64, 64>>>(x, y, rows, cols);
}
"""
SUMS = """
// prefix sums, each thread its own
__global__ void prefix(const int *x, int *y, int n)
{
    int i = blockIdx.x * 64 + threadIdx.x, sum = 0;
    if (i >= n) return;
    for (int j = 0; j < i; ++j) sum += x[j];
    y[i] = sum;
}
void run(const int *x, int *y, int n)
{
    prefix<<<(n + 63) / 64, 64>>>(x, y, n);
}
"""
RIGHT = {
    "plane_step_edges_copied": PLANE,
    "mean_of_three": LINE,
    "row_softmax": ROWS,
    "exclusive_prefix_sums": SUMS,
    "prefix_sums": SUMS.replace("j < i", "j <= i"),
}


def judged(tmp_path, text, **options):
    """The result of a file's only kernel."""
    path = tmp_path / "kernel.cu"
    path.write_text(text)
    (result,) = check_file(path, Options(**options))
    return result


@pytest.mark.parametrize("name", [pytest.param("mean_of_three"), *(
    pytest.param(name, marks=pytest.mark.slow) for name in RIGHT if name != "mean_of_three"
)])  # fmt: skip
def test_a_right_kernel_is_judged_as_what_it_computes(tmp_path, name):
    """No option is needed."""
    result = judged(tmp_path, RIGHT[name])

    assert result.is_well(), [result.refusal, *((f.kind, f.message) for f in result.findings)]
    assert f"--operation {name} " in result.arguments


@pytest.mark.slow
def test_another_border_is_a_question(tmp_path):
    """A filter whose border is mirrored is near one that repeats its edge, and no wrong one."""
    text = LINE.replace("i > 0 ? x[i - 1] : 0", "i > 0 ? x[i - 1] : x[1]")
    result = judged(tmp_path, text, cause_seconds=cause_seconds())

    assert result.refusal
    assert not result.findings


def test_the_results_are_those_of_loops():
    """Each border of a step, and the softmax, as written out."""
    a = numpy.arange(12.0).reshape(3, 4) ** 2
    step = KINDS["plane_step_edges_copied"].result(a, a)
    zeros, repeated = (KINDS[name].result(a, a) for name in ("mean_of_five", "mean_of_five_edges_repeated"))

    assert step[1, 1] == a[1, 1] + ALPHA * (a[0, 1] + a[2, 1] + a[1, 0] + a[1, 2] - 4 * a[1, 1])
    assert (step[0] == a[0]).all()
    assert (step[:, 3] == a[:, 3]).all()
    assert zeros[0, 0] == pytest.approx((a[0, 0] + a[0, 1] + a[1, 0]) / 5)
    assert repeated[0, 0] == pytest.approx((3 * a[0, 0] + a[0, 1] + a[1, 0]) / 5)
    assert KINDS["mean_of_five_inside"].result(a, a)[0, 0] == pytest.approx((a[0, 0] + a[0, 1] + a[1, 0]) / 3)
    assert KINDS["row_softmax"].result(a, a).sum(1) == pytest.approx(1)
    assert KINDS["exclusive_prefix_sums"].result(a[0], a).tolist() == [0, 0, 1, 5]


@pytest.mark.parametrize("name", ["correlate_plane", "convolve_plane_edges_repeated"])
def test_large_filters_are_exact(name, monkeypatch):
    """Sums by Fourier transforms, of quarters, are those that are added up one by one."""
    generator = numpy.random.default_rng(3)
    a, b = (generator.integers(-48, 46, shape) / 4 for shape in ((20, 30), (7, 7)))
    expected = KINDS[name].result(a, b)
    monkeypatch.setattr(kinds, "MOST_WEIGHTS", 0)

    assert (KINDS[name].result(a, b) == expected).all()
