"""The function around a launch that is right alone, run at sizes beyond the constants that it names."""

from __future__ import annotations

import pytest

from tests.lab.check.test_products import checked

PANELS = """
__global__ void part(const float *A, const float *B, float *C, int m, int n, int k, int lda, int ldb, int ldc,
                     float alpha, float beta)
{
    int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 8 + threadIdx.x;
    if (row >= m || col >= n) return;
    float sum = 0;
    for (int l = 0; l < k; ++l) sum += A[row * lda + l] * B[l * ldb + col];
    C[row * ldc + col] = alpha * sum + beta * C[row * ldc + col];
}
void product(const float *A, const float *B, float *C, int m, int n, int k, float alpha, float beta)
{
    const dim3 block(8, 8), grid((n + 7) / 8, (m + 7) / 8);
    for (int first = 0; first < k; first += 200) {
        int deep = k - first < 200 ? k - first : 200;
        part<<<grid, block>>>(A + first, B + (size_t)first * n, C, m, n, deep, k, n, n, alpha, BETA);
    }
}
"""


@pytest.mark.long
@pytest.mark.parametrize(("beta", "is_right"), [("first == 0 ? beta : 1.0f", True), ("beta", False)])
def test_parts_that_do_not_add_up(tmp_path, beta, is_right):
    """Of two parts of k the second one forgets the first."""
    result = checked(tmp_path, PANELS.replace("BETA", beta))

    errors = [finding for finding in result.findings if finding.severity == "error"]
    assert result.is_well() == is_right
    if not is_right:
        assert [(each.kind, each.place[1]) for each in errors] == [("host code", 16)]
        assert "`product` is called with" in errors[0].message
        assert "2 launches" in errors[0].message
