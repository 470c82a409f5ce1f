// Reduziertes Matrixprodukt in drei Schritten:
//   1. S = Summen benachbarter Zeilen von A      (m/2 x k)
//   2. U = Summen benachbarter Spalten von B     (k x n/2)
//   3. R = S * U                                 (m/2 x n/2)
// m und n sind gerade, k beliebig.
#include <cuda_runtime.h>
#include <stdexcept>
#include <string>

#define PRUEFE(aufruf) pruefeFehler((aufruf), __LINE__)

static void pruefeFehler(cudaError_t f, int zeile)
{
    if (f != cudaSuccess)
        throw std::runtime_error("Zeile " + std::to_string(zeile) + ": " + cudaGetErrorString(f));
}

__global__ void zeilenPaare(const float *A, float *S, int halbM, int k)
{
    size_t anzahl = (size_t)halbM * k;
    for (size_t e = blockIdx.x * (size_t)blockDim.x + threadIdx.x; e < anzahl;
         e += (size_t)gridDim.x * blockDim.x) {
        size_t i = e / k, p = e % k;
        S[e] = A[2 * i * k + p] + A[(2 * i + 1) * k + p];
    }
}

__global__ void spaltenPaare(const float *B, float *U, int k, int halbN)
{
    size_t anzahl = (size_t)k * halbN;
    for (size_t e = blockIdx.x * (size_t)blockDim.x + threadIdx.x; e < anzahl;
         e += (size_t)gridDim.x * blockDim.x) {
        // Zeile p, Spaltenpaar j liegt ab Element 2 * (p * halbN + j)
        U[e] = B[2 * e] + B[2 * e + 1];
    }
}

constexpr int BX = 32, BY = 8;

// Jeder Block: 8 Zeilen mal 32 Spalten von R, Tiefe 32 pro Durchgang
__global__ void kleinesProdukt(const float *S, const float *U, float *R, int halbM, int k, int halbN)
{
    __shared__ float s[BY][BX];
    __shared__ float u[BX][BX];
    const int i = blockIdx.y * BY + threadIdx.y;
    const int j = blockIdx.x * BX + threadIdx.x;
    float summe = 0.0f;
    for (int p0 = 0; p0 < k; p0 += BX) {
        const int ps = p0 + threadIdx.x;
        s[threadIdx.y][threadIdx.x] = (i < halbM && ps < k) ? S[(size_t)i * k + ps] : 0.0f;
        for (int r = threadIdx.y; r < BX; r += BY)
            u[r][threadIdx.x] = (p0 + r < k && j < halbN) ? U[(size_t)(p0 + r) * halbN + j] : 0.0f;
        __syncthreads();
        for (int p = 0; p < BX; ++p)
            summe += s[threadIdx.y][p] * u[p][threadIdx.x];
        __syncthreads();
    }
    if (i < halbM && j < halbN)
        R[(size_t)i * halbN + j] = summe;
}

// dA, dB, dR liegen auf der GPU
void reduziertesProdukt(const float *dA, const float *dB, float *dR, int m, int k, int n)
{
    if (m < 2 || n < 2 || k < 1 || m % 2 || n % 2)
        throw std::invalid_argument("m und n muessen gerade sein");
    const int hm = m / 2, hn = n / 2;
    float *dS, *dU;
    PRUEFE(cudaMalloc(&dS, sizeof(float) * hm * k));
    PRUEFE(cudaMalloc(&dU, sizeof(float) * k * hn));
    zeilenPaare<<<64, 256>>>(dA, dS, hm, k);
    PRUEFE(cudaGetLastError());
    spaltenPaare<<<64, 256>>>(dB, dU, k, hn);
    PRUEFE(cudaGetLastError());
    dim3 gitter((hn + BX - 1) / BX, (hm + BY - 1) / BY);
    kleinesProdukt<<<gitter, dim3(BX, BY)>>>(dS, dU, dR, hm, k, hn);
    PRUEFE(cudaGetLastError());
    PRUEFE(cudaDeviceSynchronize());
    PRUEFE(cudaFree(dS));
    PRUEFE(cudaFree(dU));
}
