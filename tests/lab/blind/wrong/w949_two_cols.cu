#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>

#define TY 16
#define TX 16
// every thread computes C(row, col) and C(row, col + TX)

__global__ void mul2(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[TY][TX];
    __shared__ float Bs[TX][2 * TX];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TY + ty;
    int col = blockIdx.x * 2 * TX + tx;
    float c0 = 0, c1 = 0;

    for (int k0 = 0; k0 < K; k0 += TX) {
        As[ty][tx] = row < M && k0 + tx < K ? A[row * K + k0 + tx] : 0;
        int kb = k0 + ty;
        Bs[ty][tx]      = kb < K && col < N ? B[kb * N + col] : 0;
        Bs[ty][tx + TX] = kb < K && col < N ? B[kb * N + col + TX] : 0;
        __syncthreads();
        for (int q = 0; q < TX; q++) {
            c0 += As[ty][q] * Bs[q][tx];
            c1 += As[ty][q] * Bs[q][tx + TX];
        }
        __syncthreads();
    }
    if (row < M && col < N)      C[row * N + col] = c0;
    if (row < M && col + TX < N) C[row * N + col + TX] = c1;
}

int main(int argc, char** argv)
{
    int M = argc > 3 ? atoi(argv[1]) : 70;
    int N = argc > 3 ? atoi(argv[2]) : 64;
    int K = argc > 3 ? atoi(argv[3]) : 45;
    std::vector<float> a(M * K), b(K * N), c(M * N);
    for (auto& v : a) v = rand() % 9 - 4;
    for (auto& v : b) v = rand() % 9 - 4;
    float *da, *db, *dc;
    cudaMalloc(&da, sizeof(float) * M * K);
    cudaMalloc(&db, sizeof(float) * K * N);
    cudaMalloc(&dc, sizeof(float) * M * N);
    cudaMemcpy(da, a.data(), sizeof(float) * M * K, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), sizeof(float) * K * N, cudaMemcpyHostToDevice);
    dim3 grid((N + 2 * TX - 1) / (2 * TX), (M + TY - 1) / TY);
    mul2<<<grid, dim3(TX, TY)>>>(da, db, dc, M, N, K);
    cudaMemcpy(c.data(), dc, sizeof(float) * M * N, cudaMemcpyDeviceToHost);
    double worst = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            double s = 0;
            for (int k = 0; k < K; k++) s += a[i * K + k] * b[k * N + j];
            worst = fmax(worst, fabs(s - c[i * N + j]));
        }
    printf("largest difference %g\n", worst);
    return worst > 1e-3;
}
