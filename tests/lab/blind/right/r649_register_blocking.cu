// SGEMM with register blocking: 256 threads compute a 64x64 patch, 4x4 per thread.
// Rows/columns of one thread are 16 apart so that the global stores coalesce.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CUDA_CHECK(x)                                                        \
    do {                                                                     \
        cudaError_t e_ = (x);                                                \
        if (e_ != cudaSuccess) {                                             \
            fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); \
            exit(2);                                                         \
        }                                                                    \
    } while (0)

constexpr int PATCH = 64, DEPTH = 8, LANES = 16, PER = PATCH / LANES;

__global__ __launch_bounds__(LANES * LANES)
void sgemm_4x4(int m, int n, int k, const float* __restrict__ A,
               const float* __restrict__ B, float* __restrict__ C)
{
    __shared__ float As[DEPTH][PATCH + 1];
    __shared__ float Bs[DEPTH][PATCH];
    const int tx = threadIdx.x % LANES, ty = threadIdx.x / LANES;
    const int row0 = blockIdx.y * PATCH, col0 = blockIdx.x * PATCH;
    float acc[PER][PER] = {};

    for (int k0 = 0; k0 < k; k0 += DEPTH) {
        for (int e = threadIdx.x; e < PATCH * DEPTH; e += blockDim.x) {
            const int ar = e / DEPTH, ak = e % DEPTH;
            As[ak][ar] = (row0 + ar < m && k0 + ak < k)
                             ? A[(size_t)(row0 + ar) * k + k0 + ak] : 0.0f;
            const int bk = e / PATCH, bc = e % PATCH;
            Bs[bk][bc] = (k0 + bk < k && col0 + bc < n)
                             ? B[(size_t)(k0 + bk) * n + col0 + bc] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int p = 0; p < DEPTH; ++p) {
            float ra[PER], rb[PER];
            for (int u = 0; u < PER; ++u) {
                ra[u] = As[p][ty + u * LANES];
                rb[u] = Bs[p][tx + u * LANES];
            }
            for (int u = 0; u < PER; ++u)
                for (int v = 0; v < PER; ++v) acc[u][v] += ra[u] * rb[v];
        }
        __syncthreads();
    }

    for (int u = 0; u < PER; ++u)
        for (int v = 0; v < PER; ++v) {
            const int r = row0 + ty + u * LANES, c = col0 + tx + v * LANES;
            if (r < m && c < n) C[(size_t)r * n + c] = acc[u][v];
        }
}

int main()
{
    const int m = 300, n = 130, k = 45;
    std::vector<float> a(m * k), b(k * n), c(m * n);
    for (int i = 0; i < m * k; ++i) a[i] = (i * 13 % 11) - 5;
    for (int i = 0; i < k * n; ++i) b[i] = (i * 7 % 17) - 8;
    float *da, *db, *dc;
    CUDA_CHECK(cudaMalloc(&da, a.size() * sizeof(float)));
    CUDA_CHECK(cudaMalloc(&db, b.size() * sizeof(float)));
    CUDA_CHECK(cudaMalloc(&dc, c.size() * sizeof(float)));
    CUDA_CHECK(cudaMemcpy(da, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(db, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice));
    dim3 grid((n + PATCH - 1) / PATCH, (m + PATCH - 1) / PATCH);
    sgemm_4x4<<<grid, LANES * LANES>>>(m, n, k, da, db, dc);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(c.data(), dc, c.size() * sizeof(float), cudaMemcpyDeviceToHost));
    long bad = 0;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            float ref = 0;
            for (int p = 0; p < k; ++p) ref += a[i * k + p] * b[p * n + j];
            bad += ref != c[i * n + j];
        }
    printf("mismatches: %ld\n", bad);
    CUDA_CHECK(cudaFree(da)); CUDA_CHECK(cudaFree(db)); CUDA_CHECK(cudaFree(dc));
    return bad != 0;
}
