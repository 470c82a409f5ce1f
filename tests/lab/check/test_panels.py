"""Launches in a loop over panels of the summed dimension, and pitches in bytes."""

from __future__ import annotations

import pytest

from tests.lab.check.test_products import checked

PANELS = """
__constant__ float part[1024];
__global__ void add(const float *A, int lda, float *y, int rows, int count)
{
    int r = blockIdx.x * 64 + threadIdx.x;
    if (r >= rows) return;
    float s = 0;
    for (int c = 0; c < count; ++c) s += A[(size_t)r * lda + c] * part[c];
    y[r] += s;
}
void times(const float *dA, const float *x, float *y, int rows, int cols)
{
    cudaMemset(y, 0, rows * sizeof(float));
    for (int first = 0; first < cols; first += 1024) {
        int count = cols - first < 1024 ? cols - first : 1024;
        cudaMemcpyToSymbol(part, SOURCE, count * sizeof(float));
        add<<<(rows + 63) / 64, 64>>>(MATRIX, cols, y, rows, count);
    }
}
"""
PITCH = """
__global__ void matvec(const float *A, size_t pitch, const float *x, float *y, int rows, int cols)
{
    int r = blockIdx.x * 64 + threadIdx.x;
    if (r >= rows) return;
    const float *row = ROW;
    float s = 0;
    for (int c = 0; c < cols; ++c) s += row[c] * x[c];
    y[r] = s;
}
void times(const float *x, float *y, int rows, int cols)
{
    float *A;
    size_t pitch;
    cudaMallocPitch(&A, &pitch, cols * sizeof(float), rows);
    matvec<<<(rows + 63) / 64, 64>>>(A, pitch, x, y, rows, cols);
}
"""


@pytest.mark.long
@pytest.mark.parametrize(
    ("source", "matrix", "lines"),
    [("x + first", "dA + first", []), ("x", "dA + first", [16]), ("x + first", "dA", [17])],
)
def test_both_operands_move_on(tmp_path, source, matrix, lines):
    """The line of the one that stays, whatever else is known of the kernel."""
    result = checked(tmp_path, PANELS.replace("SOURCE", source).replace("MATRIX", matrix))

    assert [each.place[1] for each in result.findings if each.severity == "error"] == lines


@pytest.mark.long
@pytest.mark.parametrize(
    ("row", "lines"), [("(const float *)((const char *)A + r * pitch)", []), ("A + r * pitch", [(16, 6)])]
)
def test_a_pitch_is_in_bytes(tmp_path, row, lines):
    """Where elements are counted by it, the launch that passes it is named, and then its first use."""
    assert _both(checked(tmp_path, PITCH.replace("ROW", row))) == lines


def _both(result):
    return [(each.place[1], each.other and each.other[1]) for each in result.findings if each.severity == "error"]
