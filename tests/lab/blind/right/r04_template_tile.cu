#include <iostream>
#include <vector>
#include <cmath>
#include <cuda_runtime.h>

template <int TILE>
__global__ void gemm_tiled(const float* __restrict__ a, const float* __restrict__ b,
                           float* __restrict__ c, unsigned int m, unsigned int n, unsigned int k)
{
    __shared__ float as[TILE][TILE];
    __shared__ float bs[TILE][TILE];

    const unsigned int tx = threadIdx.x, ty = threadIdx.y;
    const unsigned int row = blockIdx.y * TILE + ty;
    const unsigned int col = blockIdx.x * TILE + tx;

    float value = 0.f;
    for (unsigned int base = 0; base < k; base += TILE) {
        as[ty][tx] = (row < m && base + tx < k) ? a[row * k + base + tx] : 0.f;
        bs[ty][tx] = (col < n && base + ty < k) ? b[(base + ty) * n + col] : 0.f;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE; ++i)
            value += as[ty][i] * bs[i][tx];
        __syncthreads();
    }
    if (row < m && col < n)
        c[row * n + col] = value;
}

static unsigned div_up(unsigned a, unsigned b) { return (a + b - 1) / b; }

template <int TILE>
bool run(const std::vector<float>& a, const std::vector<float>& b, const std::vector<float>& ref,
         unsigned m, unsigned n, unsigned k)
{
    float *da, *db, *dc;
    cudaMalloc(&da, a.size() * sizeof(float));
    cudaMalloc(&db, b.size() * sizeof(float));
    cudaMalloc(&dc, ref.size() * sizeof(float));
    cudaMemcpy(da, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice);

    dim3 threads(TILE, TILE);
    dim3 blocks(div_up(n, TILE), div_up(m, TILE));
    gemm_tiled<TILE><<<blocks, threads>>>(da, db, dc, m, n, k);

    std::vector<float> c(ref.size());
    cudaMemcpy(c.data(), dc, c.size() * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(da); cudaFree(db); cudaFree(dc);

    for (size_t i = 0; i < c.size(); ++i)
        if (!(std::fabs(c[i] - ref[i]) <= 1e-3f * (1.f + std::fabs(ref[i])))) return false;
    return true;
}

int main()
{
    const unsigned m = 130, n = 97, k = 211;
    std::vector<float> a(m * k), b(k * n), ref(m * n);
    for (size_t i = 0; i < a.size(); ++i) a[i] = float(i % 13) - 6.f;
    for (size_t i = 0; i < b.size(); ++i) b[i] = 0.1f * float(i % 7);
    for (unsigned i = 0; i < m; ++i)
        for (unsigned j = 0; j < n; ++j) {
            float s = 0;
            for (unsigned l = 0; l < k; ++l) s += a[i * k + l] * b[l * n + j];
            ref[i * n + j] = s;
        }

    bool ok = run<8>(a, b, ref, m, n, k);
    ok = run<16>(a, b, ref, m, n, k) && ok;
    ok = run<32>(a, b, ref, m, n, k) && ok;
    std::cout << (ok ? "OK" : "BAD") << std::endl;
    return ok ? 0 : 1;
}
