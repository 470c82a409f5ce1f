// Ödev 2 - toplu (batched) matris çarpımı
// Her z bloğu bir matris çiftini çarpar: C_b = A_b * B_b
// A_b: M x K, B_b: K x N, C_b: M x N (satır öncelikli), adimlar eleman cinsinden.
#include <cuda_runtime.h>
#include <stdexcept>
#include <string>

template <typename T>
struct TopluMatris {
    T*        veri;
    long long adim;   // bir matristen sonrakine
};

template <typename T, int KARE>
__global__ void topluCarp(TopluMatris<const T> A, TopluMatris<const T> B, TopluMatris<T> C,
                          int M, int N, int K)
{
    __shared__ T as[KARE][KARE];
    __shared__ T bs[KARE][KARE];

    const T* a = A.veri + blockIdx.z * A.adim;
    const T* b = B.veri + blockIdx.z * B.adim;
    T*       c = C.veri + blockIdx.z * C.adim;

    int satir = blockIdx.y * KARE + threadIdx.y;
    int sutun = blockIdx.x * KARE + threadIdx.x;

    T toplam = T(0);
    for (int adim = 0; adim < (K + KARE - 1) / KARE; ++adim) {
        int ka = adim * KARE + threadIdx.x;
        int kb = adim * KARE + threadIdx.y;
        as[threadIdx.y][threadIdx.x] = (satir < M && ka < K) ? a[(long long)satir * K + ka] : T(0);
        bs[threadIdx.y][threadIdx.x] = (kb < K && sutun < N) ? b[(long long)kb * N + sutun] : T(0);
        __syncthreads();

        #pragma unroll
        for (int i = 0; i < KARE; ++i)
            toplam += as[threadIdx.y][i] * bs[i][threadIdx.x];
        __syncthreads();
    }

    if (satir < M && sutun < N)
        c[(long long)satir * N + sutun] = toplam;
}

// Cihaz göstericileri ile çağrılır; matrisler arka arkaya durur.
template <typename T>
void topluMatmul(const T* dA, const T* dB, T* dC, int M, int N, int K, int adet)
{
    if (M <= 0 || N <= 0 || K <= 0 || adet <= 0)
        throw std::invalid_argument("boyutlar pozitif olmali");
    if (adet > 65535)   // gridDim.z siniri
        throw std::invalid_argument("en fazla 65535 matris");

    constexpr int KARE = 8;    // kucuk matrisler icin 8x8 yeterli
    TopluMatris<const T> A{dA, (long long)M * K};
    TopluMatris<const T> B{dB, (long long)K * N};
    TopluMatris<T>       C{dC, (long long)M * N};

    dim3 blok(KARE, KARE);
    dim3 izgara((N + KARE - 1) / KARE, (M + KARE - 1) / KARE, adet);
    topluCarp<T, KARE><<<izgara, blok>>>(A, B, C, M, N, K);

    cudaError_t hata = cudaGetLastError();
    if (hata != cudaSuccess) throw std::runtime_error(cudaGetErrorString(hata));
}

template void topluMatmul<float>(const float*, const float*, float*, int, int, int, int);
template void topluMatmul<int>(const int*, const int*, int*, int, int, int, int);
