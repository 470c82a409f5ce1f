"""Partial sums that the host adds up in a narrower type than theirs."""

import re

import pytest

from tilewright.lab.check.judge.judging import check_file
from tilewright.lab.check.options import Options

DOT = """
template <typename T> struct Buffer {
    T *p; size_t n;
    explicit Buffer(size_t n) : n(n) { cudaMalloc(&p, n * sizeof(T)); }
    Buffer(const Buffer &) = delete;
    T *get() { return p; }
    std::vector<T> toHost() const;
    void download(std::vector<T> &to) const;
};
template <typename T> __global__ void dot(const T *x, const T *y, T *sums, int n) {
    __shared__ T part[64];
    T own = 0;
    for (int at = blockIdx.x * 64 + threadIdx.x; at < n; at += gridDim.x * 64) own += x[at] * y[at];
    part[threadIdx.x] = own;
    for (int half = 32; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}
TYPE run(const TYPE *x, const TYPE *y, int n, TYPE *own) {
    int blocks = (n + 63) / 64;
    Buffer<TYPE> sums(blocks);
    TYPE *dsums;
    cudaMalloc(&dsums, blocks * sizeof(TYPE));
    dot<TYPE><<<blocks, 64>>>(x, y, PASSED, n);
    HOST
}
"""
COPY = "std::vector<TYPE> h(blocks); cudaMemcpy(h.data(), dsums, blocks * sizeof(TYPE), cudaMemcpyDeviceToHost);\n"
TO_HOST, DOWNLOAD = "auto h = sums.toHost();\n", "std::vector<TYPE> h(blocks); sums.download(h);\n"
CUT = [
    ("double", "dsums", COPY + "return std::accumulate(h.begin(), h.end(), 0);"),
    ("float", "sums.get()", TO_HOST + "return std::accumulate(h.begin(), h.end(), 0);"),
    ("double", "sums.get()", DOWNLOAD + "return std::reduce(h.begin(), h.end(), 0.0f);"),
    ("long long", "sums.get()", TO_HOST + "return std::accumulate(h.cbegin(), h.cend(), 0);"),
    ("double", "sums.get()", TO_HOST + "int all = 0;\nfor (int i = 0; i < blocks; ++i) all += h[i]; return all;"),
    ("double", "sums.get()", TO_HOST + "float all = 0;\nfor (double each : h) all += each; return all;"),
]
WHOLE = [
    ("double", "dsums", COPY + "return std::accumulate(h.begin(), h.end(), 0.0);"),
    ("float", "sums.get()", TO_HOST + "return std::accumulate(h.begin(), h.end(), 0.0f);"),
    ("float", "sums.get()", TO_HOST + "double all = 0;\nfor (int i = 0; i < blocks; ++i) all += h[i]; return all;"),
    ("long long", "sums.get()", TO_HOST + "return std::accumulate(h.begin(), h.end(), 0LL);"),
    ("double", "sums.get()", TO_HOST + "return std::accumulate(h.begin(), h.end(), double(0));"),
    ("double", "sums.get()", TO_HOST + "int used = std::accumulate(y, y + n, 0);\nreturn h[0] + used;"),
]


def host_findings(tmp_path, element, passed, host):
    """The lines of what was found in the host's code."""
    path = tmp_path / "dot.cu"
    path.write_text(DOT.replace("HOST", host).replace("PASSED", passed).replace("TYPE", element))
    (result,) = check_file(path, Options())
    assert result.refusal == ""
    return [each.place[1] for each in result.findings if each.kind == "host code" and "adds them up" in each.message]


@pytest.mark.slow
@pytest.mark.parametrize(("element", "passed", "host"), CUT)
def test_a_narrower_sum(tmp_path, element, passed, host):
    """An error where it is added up, or where the call begins."""
    (line,) = (at for at, each in enumerate(host.split("\n")) if re.search(r"accumulate|reduce|\+=", each))
    first = DOT[: DOT.index("HOST")].count("\n") + 1
    assert host_findings(tmp_path, element, passed, host) == [first + line]


@pytest.mark.slow
@pytest.mark.parametrize(("element", "passed", "host"), WHOLE)
def test_a_sum_that_is_wide_enough(tmp_path, element, passed, host):
    """Nothing, be it the same type or a wider one, or a sum of something else."""
    assert not host_findings(tmp_path, element, passed, host)
