// Split-K GEMM: useful if K is huge and M, N are small. Each z-slice of the grid
// handles its own interval of k and adds its part with atomicAdd.
#include <cstdio>
#include <cmath>
#include <vector>

namespace {
constexpr int kTile = 16;

__global__ void splitKGemm(const float* __restrict__ a, const float* __restrict__ b,
                           float* __restrict__ c, int m, int n, int k, int kPerSlice)
{
    __shared__ float sA[kTile][kTile + 1];
    __shared__ float sB[kTile][kTile + 1];

    const int row = blockIdx.x * kTile + threadIdx.y;   // note: x of the grid = rows
    const int col = blockIdx.y * kTile + threadIdx.x;
    const int kBegin = blockIdx.z * kPerSlice;
    const int kEnd = min(kBegin + kPerSlice, k);

    float partial = 0.0f;
    for (int kk = kBegin; kk < kEnd; kk += kTile) {
        const int ka = kk + threadIdx.x;
        const int kb = kk + threadIdx.y;
        sA[threadIdx.y][threadIdx.x] = (row < m && ka < kEnd) ? a[row * k + ka] : 0.0f;
        sB[threadIdx.y][threadIdx.x] = (col < n && kb < kEnd) ? b[kb * n + col] : 0.0f;
        __syncthreads();
        #pragma unroll
        for (int q = 0; q < kTile; ++q)
            partial += sA[threadIdx.y][q] * sB[q][threadIdx.x];
        __syncthreads();
    }

    if (row < m && col < n)
        atomicAdd(&c[row * n + col], partial);
}

void gemm(const float* a, const float* b, float* c, int m, int n, int k, int slices)
{
    cudaMemset(c, 0, sizeof(float) * m * n);            // c must start at zero
    const int kPerSlice = (k + slices - 1) / slices;
    dim3 block(kTile, kTile);
    dim3 grid((m + kTile - 1) / kTile, (n + kTile - 1) / kTile, slices);
    splitKGemm<<<grid, block>>>(a, b, c, m, n, k, kPerSlice);
}
}  // namespace

int main()
{
    const int m = 20, n = 37, k = 1003;
    std::vector<float> a(m * k), b(k * n), c(m * n);
    for (int i = 0; i < m * k; ++i) a[i] = static_cast<float>(i % 4);
    for (int i = 0; i < k * n; ++i) b[i] = static_cast<float>(i % 5) - 2.0f;

    float *dA = nullptr, *dB = nullptr, *dC = nullptr;
    cudaMalloc(&dA, a.size() * sizeof(float));
    cudaMalloc(&dB, b.size() * sizeof(float));
    cudaMalloc(&dC, c.size() * sizeof(float));
    cudaMemcpy(dA, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice);
    gemm(dA, dB, dC, m, n, k, 6);
    cudaMemcpy(c.data(), dC, c.size() * sizeof(float), cudaMemcpyDeviceToHost);

    int wrong = 0;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            double s = 0;
            for (int q = 0; q < k; ++q) s += double(a[i * k + q]) * b[q * n + j];
            wrong += std::fabs(s - c[i * n + j]) > 1e-2;
        }
    std::printf("%d wrong\n", wrong);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return wrong != 0;
}
