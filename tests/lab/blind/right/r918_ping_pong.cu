#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define TS 16

// Two copies of each tile: while one is multiplied the next one is fetched,
// so one barrier per step is enough.
__global__ void matmul2buf(const float *A, const float *B, float *C, int m, int k, int n)
{
    __shared__ float sa[2][TS][TS];
    __shared__ float sb[2][TS][TS];
    int ty = threadIdx.y, tx = threadIdx.x;
    int row = blockIdx.y * TS + ty;
    int col = blockIdx.x * TS + tx;
    int steps = (k + TS - 1) / TS;

    auto fetch = [&](int s) {
        int ka = s * TS + tx, kb = s * TS + ty;
        sa[s & 1][ty][tx] = (row < m && ka < k) ? A[row * k + ka] : 0.f;
        sb[s & 1][ty][tx] = (kb < k && col < n) ? B[kb * n + col] : 0.f;
    };

    float c = 0.f;
    fetch(0);
    __syncthreads();
    for (int s = 0; s < steps; s++) {
        if (s + 1 < steps)
            fetch(s + 1);
#pragma unroll
        for (int i = 0; i < TS; i++)
            c += sa[s & 1][ty][i] * sb[s & 1][i][tx];
        __syncthreads();
    }
    if (row < m && col < n)
        C[row * n + col] = c;
}

int main(int argc, char **argv)
{
    int m = argc > 1 ? atoi(argv[1]) : 45;
    int k = argc > 2 ? atoi(argv[2]) : 67;
    int n = argc > 3 ? atoi(argv[3]) : 38;
    std::vector<float> A(m * k), B(k * n), C(m * n);
    for (auto &x : A) x = rand() % 11 - 5;
    for (auto &x : B) x = rand() % 11 - 5;

    float *dA, *dB, *dC;
    cudaMalloc(&dA, A.size() * sizeof(float));
    cudaMalloc(&dB, B.size() * sizeof(float));
    cudaMalloc(&dC, C.size() * sizeof(float));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice);

    matmul2buf<<<dim3((n + TS - 1) / TS, (m + TS - 1) / TS), dim3(TS, TS)>>>(dA, dB, dC, m, k, n);
    cudaMemcpy(C.data(), dC, C.size() * sizeof(float), cudaMemcpyDeviceToHost);

    int bad = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float s = 0;
            for (int l = 0; l < k; l++) s += A[i * k + l] * B[l * n + j];
            if (!(fabsf(s - C[i * n + j]) < 1e-3f)) bad++;
        }
    printf("%d wrong of %d\n", bad, m * n);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return bad != 0;
}
