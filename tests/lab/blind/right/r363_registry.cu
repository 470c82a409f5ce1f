// Лабораторная работа №5. Умножение матриц с блокированием по регистрам.
// C (M x N) = A (M x K) * B (K x N), хранение по строкам, размеры любые (>= 1, M <= 4194240).
// Блок из 256 нитей считает квадрат 64 x 64, каждая нить - 4 x 4 элемента.
//
// Запуск:
//   dim3 setka((N + 63) / 64, (M + 63) / 64);
//   umnozhenie_4x4<<<setka, 256>>>(dA, dB, dC, M, N, K);
#include <cuda_runtime.h>

constexpr int BM = 64;   // строк результата на блок
constexpr int BN = 64;   // столбцов результата на блок
constexpr int BK = 16;   // глубина полосы
constexpr int TM = 4;
constexpr int TN = 4;
constexpr int NITEY = (BM / TM) * (BN / TN);   // 256

__global__ void __launch_bounds__(NITEY)
umnozhenie_4x4(const float* __restrict__ A, const float* __restrict__ B,
               float* __restrict__ C, int M, int N, int K)
{
    __shared__ float sA[BK][BM + 1];   // полоса A, транспонированная
    __shared__ float sB[BK][BN];

    const int nit = threadIdx.x;
    const int nx = nit % (BN / TN);
    const int ny = nit / (BN / TN);
    const int stroka0 = blockIdx.y * BM;
    const int stolb0  = blockIdx.x * BN;

    float summa[TM][TN] = {};
    float a[TM], b[TN];

    for (int k0 = 0; k0 < K; k0 += BK) {
        // загрузка полосы A: BM x BK
        for (int e = nit; e < BM * BK; e += NITEY) {
            const int r = e / BK;
            const int k = e % BK;
            float v = 0.0f;
            if (stroka0 + r < M && k0 + k < K)
                v = A[(size_t)(stroka0 + r) * K + k0 + k];
            sA[k][r] = v;
        }
        // загрузка полосы B: BK x BN
        for (int e = nit; e < BK * BN; e += NITEY) {
            const int k = e / BN;
            const int c = e % BN;
            float v = 0.0f;
            if (k0 + k < K && stolb0 + c < N)
                v = B[(size_t)(k0 + k) * N + stolb0 + c];
            sB[k][c] = v;
        }
        __syncthreads();

#pragma unroll
        for (int k = 0; k < BK; ++k) {
#pragma unroll
            for (int i = 0; i < TM; ++i) a[i] = sA[k][ny * TM + i];
#pragma unroll
            for (int j = 0; j < TN; ++j) b[j] = sB[k][nx * TN + j];
#pragma unroll
            for (int i = 0; i < TM; ++i)
#pragma unroll
                for (int j = 0; j < TN; ++j)
                    summa[i][j] += a[i] * b[j];
        }
        __syncthreads();   // полосы больше не нужны
    }

    for (int i = 0; i < TM; ++i) {
        const int r = stroka0 + ny * TM + i;
        if (r >= M) break;
        for (int j = 0; j < TN; ++j) {
            const int c = stolb0 + nx * TN + j;
            if (c < N)
                C[(size_t)r * N + c] = summa[i][j];
        }
    }
}
