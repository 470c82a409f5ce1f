// Toplu (batch) matris çarpımı: C[b] = A[b] * B[b]
// A[b]: M x K, B[b]: K x N, C[b]: M x N (satır öncelikli)
#include <cuda_runtime.h>
#include <stdexcept>
#include <string>

template <int KARO>
__global__ void topluCarpim(const double* A, const double* B, double* C, int M, int N, int K)
{
    __shared__ double karoA[KARO][KARO];
    __shared__ double karoB[KARO][KARO];

    const double* a = A + (size_t)blockIdx.z * M * K;
    const double* b = B + (size_t)blockIdx.z * K * N;
    double* c = C + (size_t)blockIdx.z * M * N;

    const int satir = blockIdx.y * KARO + threadIdx.y;
    const int sutun = blockIdx.x * KARO + threadIdx.x;

    double toplam = 0.0;
    for (int k0 = 0; k0 < K; k0 += KARO) {
        const int ka = k0 + threadIdx.x;
        const int kb = k0 + threadIdx.y;
        karoA[threadIdx.y][threadIdx.x] = (satir < M && ka < K) ? a[satir * K + ka] : 0.0;
        karoB[threadIdx.y][threadIdx.x] = (kb < K && sutun < N) ? b[kb * N + sutun] : 0.0;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < KARO; ++i)
            toplam += karoA[threadIdx.y][i] * karoB[i][threadIdx.x];
        __syncthreads();
    }
    if (satir < M && sutun < N)
        c[satir * N + sutun] = toplam;
}

static void kontrol(cudaError_t e)
{
    if (e != cudaSuccess) throw std::runtime_error(std::string("CUDA: ") + cudaGetErrorString(e));
}

// Ana bellekteki matrisler için; bütün boyutlar > 0
void topluMatmul(const double* hA, const double* hB, double* hC, int adet, int M, int N, int K)
{
    constexpr int KARO = 8;
    const size_t boyA = sizeof(double) * adet * M * K;
    const size_t boyB = sizeof(double) * adet * K * N;
    const size_t boyC = sizeof(double) * adet * M * N;
    double *dA, *dB, *dC;
    kontrol(cudaMalloc(&dA, boyA));
    kontrol(cudaMalloc(&dB, boyB));
    kontrol(cudaMalloc(&dC, boyC));
    kontrol(cudaMemcpy(dA, hA, boyA, cudaMemcpyHostToDevice));
    kontrol(cudaMemcpy(dB, hB, boyB, cudaMemcpyHostToDevice));

    dim3 blok(KARO, KARO);
    dim3 izgara((M + KARO - 1) / KARO, (N + KARO - 1) / KARO, adet);
    topluCarpim<KARO><<<izgara, blok>>>(dA, dB, dC, M, N, K);
    kontrol(cudaGetLastError());

    kontrol(cudaMemcpy(hC, dC, boyC, cudaMemcpyDeviceToHost));
    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
}
