// GEMM in doppelter Genauigkeit, zwei Stufen im dynamischen Shared Memory (Ping-Pong)
// C = A * B, zeilenweise, beliebige Größen (Ränder werden mit 0 aufgefüllt)
#include <cuda_runtime.h>
#include <cstdio>

template <int KM, int KN, int KK>
struct Kachel {
    static constexpr int groesseA = KK * KM;
    static constexpr int groesseB = KK * KN;
    static constexpr int stufe = groesseA + groesseB;   // doubles pro Stufe
};

template <int KM, int KN, int KK>
__device__ void ladeKachel(double *ziel, const double *A, const double *B, int M, int N, int K,
                           int zeile0, int spalte0, int k0)
{
    double *a = ziel, *b = ziel + Kachel<KM, KN, KK>::groesseA;
    for (int e = threadIdx.x; e < KM * KK; e += blockDim.x) {
        const int i = e / KK, k = e % KK;
        a[k * KM + i] = (zeile0 + i < M && k0 + k < K) ? A[(size_t)(zeile0 + i) * K + k0 + k] : 0.0;
    }
    for (int e = threadIdx.x; e < KK * KN; e += blockDim.x) {
        const int k = e / KN, j = e % KN;
        b[k * KN + j] = (k0 + k < K && spalte0 + j < N) ? B[(size_t)(k0 + k) * N + spalte0 + j] : 0.0;
    }
}

template <int KM, int KN, int KK>
__global__ void dgemmPingPong(const double *A, const double *B, double *C, int M, int N, int K)
{
    extern __shared__ double speicher[];    // Stufe 0, danach Stufe 1
    constexpr int S = Kachel<KM, KN, KK>::stufe;

    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    const int zeile0 = blockIdx.y * KM, spalte0 = blockIdx.x * KN;
    double acc[KM / 16][KN / 16] = {};

    ladeKachel<KM, KN, KK>(speicher, A, B, M, N, K, zeile0, spalte0, 0);
    __syncthreads();

    int st = 0;
    for (int k0 = 0; k0 < K; k0 += KK, st ^= 1) {
        if (k0 + KK < K)
            ladeKachel<KM, KN, KK>(speicher + (st ^ 1) * S, A, B, M, N, K, zeile0, spalte0, k0 + KK);
        const double *a = speicher + st * S;
        const double *b = a + Kachel<KM, KN, KK>::groesseA;
#pragma unroll
        for (int k = 0; k < KK; ++k)
            for (int i = 0; i < KM / 16; ++i)
                for (int j = 0; j < KN / 16; ++j)
                    acc[i][j] += a[k * KM + ty + 16 * i] * b[k * KN + tx + 16 * j];
        __syncthreads();
    }

    for (int i = 0; i < KM / 16; ++i)
        for (int j = 0; j < KN / 16; ++j) {
            const int z = zeile0 + ty + 16 * i, s = spalte0 + tx + 16 * j;
            if (z < M && s < N) C[(size_t)z * N + s] = acc[i][j];
        }
}

// A, B, C sind Zeiger auf dem Gerät
cudaError_t dgemm(const double *A, const double *B, double *C, int M, int N, int K)
{
    constexpr int KM = 64, KN = 48, KK = 16;
    if (M < 1 || N < 1 || K < 1) return cudaErrorInvalidValue;
    const size_t bytes = Kachel<KM, KN, KK>::stufe * sizeof(double);
    const dim3 gitter((N + KN - 1) / KN, (M + KM - 1) / KM);
    dgemmPingPong<KM, KN, KK><<<gitter, 256, bytes>>>(A, B, C, M, N, K);
    return cudaDeviceSynchronize();
}
