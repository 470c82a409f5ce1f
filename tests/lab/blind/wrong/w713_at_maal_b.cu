// C = A^T * B   (A: K x M, B: K x N, C: M x N, alles rij voor rij)
// werkt voor alle M, N, K >= 1
#include <cuda_runtime.h>
#include <vector>

static const int BR = 32;   // breedte van de tegel
static const int HG = 4;    // elke draad doet BR / HG = 8 rijen

__global__ void atb(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float ta[BR][BR + 1];    // ta[k][m]
    __shared__ float tb[BR][BR + 1];    // tb[k][n]

    int m0 = blockIdx.y * BR;
    int n  = blockIdx.x * BR + threadIdx.x;
    float som[BR / HG];
    for (int q = 0; q < BR / HG; ++q) som[q] = 0.0f;

    for (int k0 = 0; k0 < K; k0 += BR) {
        for (int kk = threadIdx.y; kk < BR; kk += HG) {
            int k = k0 + kk;
            if (k < K && m0 + threadIdx.x < M)
                ta[kk][threadIdx.x] = A[k * M + m0 + threadIdx.x];
            if (k < K && n < N)
                tb[kk][threadIdx.x] = B[k * N + n];
        }
        __syncthreads();

        for (int kk = 0; kk < BR; ++kk) {
            float b = tb[kk][threadIdx.x];
            for (int q = 0; q < BR / HG; ++q)
                som[q] += ta[kk][threadIdx.y + q * HG] * b;
        }
        __syncthreads();
    }

    for (int q = 0; q < BR / HG; ++q) {
        int m = m0 + threadIdx.y + q * HG;
        if (m < M && n < N)
            C[m * N + n] = som[q];
    }
}

std::vector<float> vermenigvuldigATB(const std::vector<float>& A, const std::vector<float>& B,
                                     int M, int N, int K)
{
    float *dA, *dB, *dC;
    cudaMalloc(&dA, A.size() * sizeof(float));
    cudaMalloc(&dB, B.size() * sizeof(float));
    cudaMalloc(&dC, M * N * sizeof(float));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice);

    dim3 blok(BR, HG);
    dim3 rooster((N + BR - 1) / BR, (M + BR - 1) / BR);
    atb<<<rooster, blok>>>(dA, dB, dC, M, N, K);

    std::vector<float> C(M * N);
    cudaMemcpy(C.data(), dC, C.size() * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
    return C;
}
