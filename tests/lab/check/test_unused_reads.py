"""Reads of shared elements that nobody wrote: a note where no result depends on them, an error where one may."""

from __future__ import annotations

import pytest

from tests.lab.check.test_products import checked

PRODUCT = """
__global__ void mm(const TYPE *A, const TYPE *B, TYPE *C, int m, int n, int k)
{
    __shared__ TYPE a[16][16], b[16][16];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
    TYPE sum = 0;
    for (int p = 0; p < k; p += 16) {
        int rest = min(16, k - p);
        if (row < m && x < rest) a[y][x] = A[row * k + p + x];
        if (col < n && y < rest) b[y][x] = B[(p + y) * n + col];
        __syncthreads();
        for (int i = 0; i < END; ++i) sum += a[y][i] * b[i][x];
        __syncthreads();
    }
    if (row < m && col < n) C[row * n + col] = sum;
}
void run(const TYPE *A, const TYPE *B, TYPE *C, int m, int n, int k)
{
    mm<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(A, B, C, m, n, k);
}
"""


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["float", "int"])
@pytest.mark.parametrize(("end", "severity"), [("rest", "note"), ("16", "error")])
def test_sums_that_are_not_stored(tmp_path, kind, end, severity):
    """Threads outside of C read rows and columns that no thread loads: harmless, unless the inner side is too long."""
    result = checked(tmp_path, PRODUCT.replace("TYPE", kind).replace("END", end))

    reads = [each for each in result.findings if each.kind == "uninitialised read"]
    assert {each.severity for each in reads} == {severity}
    assert result.is_well() == (severity == "note")
