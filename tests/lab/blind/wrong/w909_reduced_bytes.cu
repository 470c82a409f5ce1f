#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

// 8 bit inputs over their whole range -128..127, 32 bit result.
// A: 2m x k, B: k x 2n. Rows / columns are paired when a tile is loaded.
#define N_T 16
typedef signed char i8;

__global__ void red8(const i8* A, const i8* B, int* C, int m, int n, int k)
{
    __shared__ i8 sA[N_T][N_T];
    __shared__ i8 sB[N_T][N_T];
    int tx = threadIdx.x, ty = threadIdx.y;
    int i = blockIdx.x * N_T + ty;
    int j = blockIdx.y * N_T + tx;
    int acc = 0;
    for (int t = 0; t < k; t += N_T) {
        int p = t + tx, q = t + ty;
        if (i < m && p < k) sA[ty][tx] = A[2 * i * k + p] + A[(2 * i + 1) * k + p];
        else                sA[ty][tx] = 0;
        if (j < n && q < k) sB[ty][tx] = B[q * 2 * n + 2 * j] + B[q * 2 * n + 2 * j + 1];
        else                sB[ty][tx] = 0;
        __syncthreads();
        for (int s = 0; s < N_T; ++s)
            acc += (int)sA[ty][s] * (int)sB[s][tx];
        __syncthreads();
    }
    if (i < m && j < n) C[i * n + j] = acc;
}

int main()
{
    const int m = 21, n = 35, k = 50;
    std::vector<i8> A(2 * m * k), B(2 * n * k);
    std::vector<int> C(m * n);
    for (i8& v : A) v = (i8)(rand() % 256 - 128);
    for (i8& v : B) v = (i8)(rand() % 256 - 128);
    i8 *dA, *dB; int* dC;
    cudaMalloc(&dA, A.size());
    cudaMalloc(&dB, B.size());
    cudaMalloc(&dC, C.size() * sizeof(int));
    cudaMemcpy(dA, A.data(), A.size(), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size(), cudaMemcpyHostToDevice);
    dim3 grid((m + N_T - 1) / N_T, (n + N_T - 1) / N_T);
    red8<<<grid, dim3(N_T, N_T)>>>(dA, dB, dC, m, n, k);
    cudaMemcpy(C.data(), dC, C.size() * sizeof(int), cudaMemcpyDeviceToHost);

    int bad = 0;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            int s = 0;
            for (int q = 0; q < k; ++q)
                s += (A[2 * i * k + q] + A[(2 * i + 1) * k + q]) * (B[q * 2 * n + 2 * j] + B[q * 2 * n + 2 * j + 1]);
            bad += s != C[i * n + j];
        }
    printf("%d of %d elements differ\n", bad, m * n);
    return bad > 0;
}
