// Zredukowane mnozenie macierzy z pamiecia dzielona o rozmiarze podanym przy starcie.
// R (m/2 x n/2): suma kwadratow 2x2 iloczynu A (m x k) i B (k x n); m, n parzyste.
#include <cstdio>
#include <cuda_runtime.h>

#define T 16

__global__ void zredukowane(const float *A, const float *B, float *R, int m, int k, int n)
{
    extern __shared__ float pamiec[];
    float *pa = pamiec;                 // 2T x T
    float *pb = pamiec + 2 * T * T;     // T x 2T

    int tx = threadIdx.x, ty = threadIdx.y;
    int r0 = blockIdx.y * 2 * T;
    int c0 = blockIdx.x * 2 * T;
    float s = 0.0f;

    for (int q0 = 0; q0 < k; q0 += T) {
        for (int h = 0; h < 2 * T; h += T) {
            int wiersz = r0 + ty + h, kol = c0 + tx + h;
            pa[(ty + h) * T + tx] = (wiersz < m && q0 + tx < k) ? A[(size_t)wiersz * k + q0 + tx] : 0.0f;
            pb[ty * 2 * T + tx + h] = (q0 + ty < k && kol < n) ? B[(size_t)(q0 + ty) * n + kol] : 0.0f;
        }
        __syncthreads();
        for (int q = 0; q < T; q++) {
            float a = pa[2 * ty * T + q] + pa[(2 * ty + 1) * T + q];
            float b = pb[q * 2 * T + 2 * tx] + pb[q * 2 * T + 2 * tx + 1];
            s += a * b;
        }
        __syncthreads();
    }

    int i = blockIdx.y * T + ty, j = blockIdx.x * T + tx;
    if (i < m / 2 && j < n / 2)
        R[(size_t)i * (n / 2) + j] = s;
}

int policz(const float *hA, const float *hB, float *hR, int m, int k, int n)
{
    float *dA, *dB, *dR;
    size_t bA = (size_t)m * k * sizeof(float), bB = (size_t)k * n * sizeof(float);
    size_t bR = (size_t)(m / 2) * (n / 2) * sizeof(float);
    cudaMalloc(&dA, bA);
    cudaMalloc(&dB, bB);
    cudaMalloc(&dR, bR);
    cudaMemcpy(dA, hA, bA, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, hB, bB, cudaMemcpyHostToDevice);

    dim3 watki(T, T);
    dim3 bloki((n / 2 + T - 1) / T, (m / 2 + T - 1) / T);
    size_t dzielona = 2 * T * T * sizeof(float);
    zredukowane<<<bloki, watki, dzielona>>>(dA, dB, dR, m, k, n);

    cudaError_t e = cudaMemcpy(hR, dR, bR, cudaMemcpyDeviceToHost);
    if (e != cudaSuccess)
        std::fprintf(stderr, "blad CUDA: %s\n", cudaGetErrorString(e));
    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dR);
    return e == cudaSuccess ? 0 : -1;
}
