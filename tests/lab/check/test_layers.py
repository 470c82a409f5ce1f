"""A product with a bias and an activation is recognized as a layer, and a mistake in it is named."""

from __future__ import annotations

from pathlib import Path

from tilewright.lab.check.judge.judging import check_file
from tilewright.lab.check.options import Options

LAYER = """
__global__ void dense(const float *x, const float *w, const float *b, float *y, int m, int k, int n) {
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= m || j >= n) return;
    float s = b[j];
    for (int p = 0; p < k; ++p) s += x[i * k + p] * w[p * n + j];
    y[i * n + j] = s > 0 ? s : 0;
}
void run(const float *x, const float *w, const float *b, float *y, int m, int k, int n) {
    dense<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(x, w, b, y, m, k, n);
}
"""


def test_a_layer(tmp_path: Path) -> None:
    """Which bias and activation it has follows from the results; without a guard, its line is the cause."""
    path = tmp_path / "layer.cu"
    path.write_text(LAYER, encoding="utf-8")
    (right,) = check_file(path, Options())
    assert right.is_well()
    assert right.operation == "matmul, a layer: A times B plus a bias of each column, ReLU of it"
    path.write_text(LAYER.replace("j >= n", "j > n"), encoding="utf-8")
    (wrong,) = check_file(path, Options())
    cause = next(finding for finding in wrong.findings if finding.severity == "error")
    assert cause.place == ("layer.cu", 4)
