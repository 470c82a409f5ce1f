// C = A * B^T with A (m x k) and B (n x k), both row major.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

template <typename T, int EDGE>
__global__ void gemm_nt(const T* A, const T* B, T* C, int m, int n, int k)
{
    __shared__ T as[EDGE][EDGE + 1];
    __shared__ T bs[EDGE][EDGE + 1];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int row = blockIdx.y * EDGE + ty;
    const int col = blockIdx.x * EDGE + tx;
    const int brow = blockIdx.x * EDGE + ty;

    T acc = T(0);
    for (int p = 0; p < k; p += EDGE) {
        as[ty][tx] = (row < m && p + tx < k) ? A[row * k + p + tx] : T(0);
        bs[ty][tx] = (brow < n && p + tx < k) ? B[brow * n + p + tx] : T(0);
        __syncthreads();
        for (int e = 0; e < EDGE; ++e)
            acc += as[ty][e] * bs[tx][e];
        __syncthreads();
    }

    if (row < m && col < n)
        C[row * n + col] = acc;
}

int main()
{
    const int m = 80, n = 48, k = 112;
    std::vector<int> a(m * k), b(n * k), c(m * n);
    for (auto& v : a) v = rand() % 100;
    for (auto& v : b) v = rand() % 100;

    int *da, *db, *dc;
    cudaMalloc(&da, a.size() * sizeof(int));
    cudaMalloc(&db, b.size() * sizeof(int));
    cudaMalloc(&dc, c.size() * sizeof(int));
    cudaMemcpy(da, a.data(), a.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), b.size() * sizeof(int), cudaMemcpyHostToDevice);

    constexpr int EDGE = 16;
    dim3 grid((n + EDGE - 1) / EDGE, (m + EDGE - 1) / EDGE);
    gemm_nt<int, EDGE><<<grid, dim3(EDGE, EDGE)>>>(da, db, dc, m, n, k);
    cudaMemcpy(c.data(), dc, c.size() * sizeof(int), cudaMemcpyDeviceToHost);

    int bad = 0;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            int s = 0;
            for (int p = 0; p < k; ++p) s += a[i * k + p] * b[j * k + p];
            bad += s != c[i * n + j];
        }
    printf("bad = %d\n", bad);
    cudaFree(da);
    cudaFree(db);
    cudaFree(dc);
    return bad != 0;
}
