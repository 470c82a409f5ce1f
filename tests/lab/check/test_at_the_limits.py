"""Launches at the ends of what a file allows: the largest block, many blocks, the widest type, the largest sizes."""

import pytest

from tilewright.lab.check.judge.judging import check_file
from tilewright.lab.check.options import Options

WARPS = """// Launch: blockDim.x any multiple of 32 up to 1,024; *sum is 0 before.
__global__ void dot(const float *x, const float *y, float *sum, int n)
{
    __shared__ float of_warps[16];  // too few
    float v = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += x[i] * y[i];
    for (int d = 16; d; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
    if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x == 0)
        for (int w = 0; w < blockDim.x / 32; ++w) atomicAdd(sum, of_warps[w]);
}
"""
LAST = """
__global__ void dot(const float *x, const float *y, float *parts, unsigned *done, float *sum, int n)
{
    __shared__ float own[32];
    __shared__ bool is_last;
    float v = 0;
    for (int i = blockIdx.x * 32 + threadIdx.x; i < n; i += 32 * gridDim.x) v += x[i] * y[i];
    for (int d = 16; d; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = v;
        __threadfence();
        is_last = atomicAdd(done, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last) return;
    v = 0;
    for (int b = threadIdx.x; b < gridDim.x; b += 32)
        v = parts[b];  // of the last alone
    own[threadIdx.x] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int t = 1; t < 32; ++t) v += own[t];
        *sum = v;
        *done = 0;
    }
}
void run(const float *x, const float *y, float *parts, unsigned *done, float *sum, int n)
{
    dot<<<8, 32>>>(x, y, parts, done, sum, n);
}
"""
TYPES = """
template <typename T>
__global__ void product(const T *A, const T *B, T *C, int m, int n, int k)
{
    extern __shared__ unsigned char raw[];
    T *a = reinterpret_cast<T *>(raw), *b = a + 8 * 8;
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 8 + y, col = blockIdx.x * 8 + x;
    T sum = 0;
    for (int l = 0; l < k; l += 8) {
        a[y * 8 + x] = row < m && l + x < k ? A[row * k + l + x] : T(0);
        b[y * 8 + x] = l + y < k && col < n ? B[(l + y) * n + col] : T(0);
        __syncthreads();
        for (int i = 0; i < 8; ++i) sum += a[y * 8 + i] * b[i * 8 + x];
        __syncthreads();
    }
    if (row < m && col < n) C[row * n + col] = sum;
}
template <typename T>
void run(const T *A, const T *B, T *C, int m, int n, int k)
{
    size_t bytes = 2 * 8 * 8 * sizeof(float);  // too few
    product<T><<<dim3((n + 7) / 8, (m + 7) / 8), dim3(8, 8), bytes>>>(A, B, C, m, n, k);
}
template void run<float>(const float *, const float *, float *, int, int, int);
template void run<double>(const double *, const double *, double *, int, int, int);
"""
SIDED = TYPES.replace("template <typename T>\n__global__", "template <typename T, int SIDE>\n__global__")
SIDED = SIDED.replace("product<T><<<", "product<T, 8><<<").replace("b = a + 8 * 8", "b = a + SIDE * SIDE")
MANY = """
__global__ void product(const float *A, const float *B, float *C, int n)
{
    const int each = blockIdx.z;
    const int offset = each * n * n;  // of 32 bits
    int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 8 + threadIdx.x;
    float sum = 0;
    if (row >= n || col >= n) return;
    for (int l = 0; l < n; ++l) sum += A[offset + row * n + l] * B[offset + l * n + col];
    C[offset + row * n + col] = sum;
}
int run(const float *A, const float *B, float *C, int n, int batch)
{
    if (n > 1024 || batch > 4096) return 1;
    product<<<dim3((n + 7) / 8, (n + 7) / 8, batch), dim3(8, 8)>>>(A, B, C, n);
    return 0;
}
"""
FILES = {
    "the largest block": (WARPS, "// too few", "of_warps[16]", "of_warps[32]"),
    "more blocks than threads": (LAST, "// of the last alone", "v = parts[b]", "v += parts[b]"),
    "the wider type": (TYPES, "// too few", "sizeof(float)", "sizeof(T)"),
    "the wider type beside a number": (SIDED, "// too few", "sizeof(float)", "sizeof(T)"),
    "the largest sizes": (MANY, "// of 32 bits", "batch > 4096", "batch > 1024"),
}


@pytest.mark.long
@pytest.mark.parametrize("name", FILES)
def test_a_mistake_that_shows_there_alone(tmp_path, name):
    """It is found at its line, and not found where it is mended."""
    text, mark, wrong, right = FILES[name]
    path = tmp_path / "kernel.cu"
    path.write_text(text)
    (result,) = check_file(path, Options())
    (line,) = (number for number, each in enumerate(text.split("\n"), 1) if mark in each)
    assert result.findings[0].place[1] == line
    path.write_text(text.replace(wrong, right))
    (result,) = check_file(path, Options())
    assert result.is_well()
