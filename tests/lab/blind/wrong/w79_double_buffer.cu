// Double buffered tiled GEMM, one barrier per tile
#include <cstdio>
#include <vector>
#include <cmath>
#include <algorithm>
#include <cuda_runtime.h>

#define DIM 16

__global__ void gemmDoubleBuffer(const float *A, const float *B, float *C,
                                 int M, int N, int K)
{
    __shared__ float bufA[2][DIM][DIM];
    __shared__ float bufB[2][DIM][DIM];

    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * DIM + ty;
    int col = blockIdx.x * DIM + tx;
    int steps = (K + DIM - 1) / DIM;
    int cur = 0;
    float acc = 0.0f;

    bufA[0][ty][tx] = (row < M && tx < K) ? A[row * K + tx] : 0.0f;
    bufB[0][ty][tx] = (ty < K && col < N) ? B[ty * N + col] : 0.0f;
    __syncthreads();

    for (int s = 0; s < steps; ++s) {
        if (s + 1 < steps) {
            int nxt = cur;
            int ka = (s + 1) * DIM + tx;
            int kb = (s + 1) * DIM + ty;
            bufA[nxt][ty][tx] = (row < M && ka < K) ? A[row * K + ka] : 0.0f;
            bufB[nxt][ty][tx] = (kb < K && col < N) ? B[kb * N + col] : 0.0f;
        }
        for (int k = 0; k < DIM; ++k)
            acc += bufA[cur][ty][k] * bufB[cur][k][tx];
        __syncthreads();
        cur = 1 - cur;
    }

    if (row < M && col < N)
        C[row * N + col] = acc;
}

int main()
{
    const int M = 90, N = 70, K = 100;
    std::vector<float> a(M * K), b(K * N), c(M * N);
    for (int i = 0; i < M * K; ++i) a[i] = float(i % 17) * 0.1f;
    for (int i = 0; i < K * N; ++i) b[i] = float(i % 19) * 0.1f;

    float *da, *db, *dc;
    cudaMalloc(&da, a.size() * sizeof(float));
    cudaMalloc(&db, b.size() * sizeof(float));
    cudaMalloc(&dc, c.size() * sizeof(float));
    cudaMemcpy(da, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice);

    dim3 block(DIM, DIM);
    dim3 grid((N + DIM - 1) / DIM, (M + DIM - 1) / DIM);
    gemmDoubleBuffer<<<grid, block>>>(da, db, dc, M, N, K);
    cudaMemcpy(c.data(), dc, c.size() * sizeof(float), cudaMemcpyDeviceToHost);

    float err = 0;
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j) {
            float s = 0;
            for (int k = 0; k < K; ++k) s += a[i * K + k] * b[k * N + j];
            err = std::max(err, std::fabs(s - c[i * N + j]));
        }
    printf("max error: %g\n", err);
    cudaFree(da); cudaFree(db); cudaFree(dc);
    return 0;
}
