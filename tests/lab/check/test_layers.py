"""A product with a bias and an activation is recognized as a layer, and a mistake in it is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilewright.lab.check.find.candidates import candidate_of
from tilewright.lab.check.find.kernel_file import KernelFile, open_file
from tilewright.lab.check.find.layers import shift_word
from tilewright.lab.check.find.roles import BIAS
from tilewright.lab.check.find.spare_arrays import SCRATCH
from tilewright.lab.check.judge.judging import check_file
from tilewright.lab.check.options import Options
from tilewright.lab.source import Parameter

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


def of_pointers(names: str) -> list[Parameter]:
    """Parameters that are arrays of floats."""
    return [Parameter(name, "float*", is_pointer=True, is_const=False, element_type="float") for name in names]


@pytest.mark.parametrize(
    ("names", "line", "place"),
    [
        ("xgby", "y[i * n + j] = (x[i * n + j] - mean) / sqrtf(v) * g[j] + b[j];", 2),
        ("xbgy", "y[i * n + j] = (x[i * n + j] - mean) / sqrtf(v) * g[j] + b[j];", 1),
        ("xgby", "y[i * n + j] = fmaf((x[i * n + j] - mean) / sqrtf(v), g[j], b[j]);", 2),
        ("xgby", "y[i * n + j] = (x[i * n + j] - mean) / v * g[j] + b[j];", None),
        ("xgbsy", "y[i * n + j] = (x[i * n + j] - mean) / sqrtf(v) * g[j] + b[j]; s[i * n] = v;", None),
        ("xgy", "y[i * n + j] = (x[i * n + j] - mean) / sqrtf(v) * g[j];", None),
    ],
)
def test_what_is_added_to_normalized_numbers(names: str, line: str, place: int | None) -> None:
    """Beside three other arrays, of which one holds factors; and only where something is divided by a root."""
    body = f"({', '.join(names)}) {{ {line} }}"
    assert shift_word(body, of_pointers(names), []) == ({} if place is None else {place: BIAS})


@pytest.mark.parametrize(("is_other", "word"), [(True, SCRATCH), (False, None)])
def test_totals_of_blocks_are_no_operand(is_other: bool, word: str | None) -> None:
    """Of a kernel that speaks of prefix sums, once it is taken for another kind than a product."""
    opened = open_file(Path(__file__).parent / "kinds" / "right" / "scan_of_blocks.cu")
    candidate = candidate_of(KernelFile(opened, opened.kernels[0], Options()), is_other=is_other)
    assert candidate.slots.said.get(2) == word
