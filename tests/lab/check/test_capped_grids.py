"""Dot products whose grid has an end: vectors with more elements than its threads."""

import pytest

from tilewright.lab.check.judge.judging import check_file
from tilewright.lab.check.options import Options

DOT = """
// SAID
__device__ float sums[ROOM];
__global__ void dot(const float *x, const float *y, float *out, int n)
{
    __shared__ float own[64];
    int t = threadIdx.x;
    float v = 0;
    int i = blockIdx.x * 64 + t;
    EACH v += x[i] * y[i];
    own[t] = v;
    __syncthreads();
    for (int s = 32; s > 0; s /= 2) {
        if (t < s) own[t] += own[t + s];
        __syncthreads();
    }
    if (t == 0) {
        sums[blockIdx.x] = own[0];
        atomicAdd(out, sums[blockIdx.x]);
    }
}
void run(const float *x, const float *y, float *out, int n)
{
    int blocks = (n + 63) / 64;
    if (blocks > 128) blocks = 128;
    cudaMemset(out, 0, sizeof(float));
    dot<<<blocks, 64>>>(x, y, out, n);
}
"""
ALL, ONE = "for (; i < n; i += 64 * gridDim.x)", "if (i < n)"


@pytest.mark.parametrize(
    ("said", "room", "each", "named"),
    [
        ("", 128, ALL, ""),
        ("", 128, ONE, "int i ="),
        ("n is at most 8192", 128, ONE, ""),
        ("", 64, ALL, "dot<<<"),
    ],
)
def test_elements_behind_the_last_block(tmp_path, said, room, each, named):
    """A thread that takes one leaves them, unless a comment says that there are none; sums need room for all blocks."""
    path = tmp_path / "dot.cu"
    text = DOT.replace("SAID", said).replace("ROOM", str(room)).replace("EACH", each)
    path.write_text(text)
    result = check_file(path, Options())[0]
    errors = [each.place[1] for each in result.findings if each.severity == "error"]
    assert errors == ([next(at for at, line in enumerate(text.split("\n"), 1) if named in line)] if named else [])
