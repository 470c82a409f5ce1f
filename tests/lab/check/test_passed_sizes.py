"""Launches that pass a size for another one."""

from __future__ import annotations

import pytest

from tests.lab.check.test_products import checked

BY_COLUMNS = """
__global__ void mm(const float *A, int lda, const float *B, int ldb, float *C, int ldc, int m, int n, int k)
{
    int i = blockIdx.x * 16 + threadIdx.x, j = blockIdx.y * 16 + threadIdx.y;
    if (i >= m || j >= n) return;
    float s = 0.f;
    for (int q = 0; q < k; ++q) s += A[i + q * lda] * B[q + j * ldb];
    C[i + j * ldc] = s;
}
void run(const float *A, const float *B, float *C, int m, int n, int k)
{
    mm<<<dim3((m + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(A, LDA, B, k, C, m, m, n, k);
}
"""
IN_STRUCTS = """
struct View { const float *p; int ld; };
__global__ void mm(View A, View B, float *C, int m, int n, int k)
{
    int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
    if (i >= m || j >= n) return;
    float s = 0.f;
    for (int q = 0; q < k; ++q) s += A.p[i * A.ld + q] * B.p[q * B.ld + j];
    C[i * n + j] = s;
}
void run(const float *A, const float *B, float *C, int m, int n, int k)
{
    const View a{A, k};
    const View b{B, LDB};
    mm<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(a, b, C, m, n, k);
}
"""


@pytest.mark.long
@pytest.mark.parametrize(
    ("source", "name", "right", "other", "line", "what"),
    [(BY_COLUMNS, "LDA", "m", "k", 12, "k"), (IN_STRUCTS, "LDB", "n", "k", 14, "b.ld")],
)
def test_length_of_another_side(tmp_path, source, name, right, other, line, what):
    """The kernel is right with what it needs, and the host passes another side: once in a call, once in a struct."""
    assert checked(tmp_path, source.replace(name, right)).is_well()
    result = checked(tmp_path, source.replace(name, other))

    (slip,) = [each for each in result.findings if each.severity == "error"]
    assert (slip.kind, slip.place[1]) == ("host code", line)
    assert slip.message.startswith(f"{what} is passed for")
    assert f"needs {right}: with that" in slip.message
