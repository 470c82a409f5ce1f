#include <cuda_runtime.h>

// Yığın (batch) matris çarpımı, sabit adımlı:
//    C_p = alpha * A_p * B_p + beta * C_p,    p = 0 .. gridDim.z - 1
// A_p: M x K, B_p: K x N, C_p: M x N, satır öncelikli ve sıkışık.
// Matrisler arası uzaklıklar adimA, adimB, adimC (eleman sayısı olarak) ile verilir.
//
// blok: (32, 4); her blok 16 satır x 32 sütunluk bir karo hesaplar
// ızgara: (ceil(N/32), ceil(M/16), yığın sayısı)

#define KS 16   // karodaki satır
#define KC 32   // karodaki sütun
#define KD 32   // k derinliği
#define BY 4
#define RPT (KS / BY)

__global__ void yiginGemm(int M, int N, int K, float alpha,
                          const float *A, long long adimA,
                          const float *B, long long adimB,
                          float beta, float *C, long long adimC)
{
    __shared__ float aKaro[KS][KD];
    __shared__ float bKaro[KD][KC];

    const int p = blockIdx.z;
    const float *Ap = A + p * adimA;
    const float *Bp = B + p * adimA;
    float *Cp = C + p * adimC;

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int satir0 = blockIdx.y * KS;
    const int sutun = blockIdx.x * KC + tx;

    float top[RPT];
#pragma unroll
    for (int r = 0; r < RPT; ++r) top[r] = 0.0f;

    for (int k0 = 0; k0 < K; k0 += KD) {
#pragma unroll
        for (int r = 0; r < RPT; ++r) {
            const int y = ty + r * BY;
            aKaro[y][tx] = (satir0 + y < M && k0 + tx < K)
                               ? Ap[(satir0 + y) * K + k0 + tx] : 0.0f;
        }
#pragma unroll
        for (int r = 0; r < KD / BY; ++r) {
            const int y = ty + r * BY;
            bKaro[y][tx] = (k0 + y < K && sutun < N) ? Bp[(k0 + y) * N + sutun] : 0.0f;
        }
        __syncthreads();

#pragma unroll 8
        for (int k = 0; k < KD; ++k) {
            const float b = bKaro[k][tx];
#pragma unroll
            for (int r = 0; r < RPT; ++r)
                top[r] += aKaro[ty + r * BY][k] * b;
        }
        __syncthreads();
    }

    if (sutun >= N) return;
#pragma unroll
    for (int r = 0; r < RPT; ++r) {
        const int i = satir0 + ty + r * BY;
        if (i < M) {
            const float eski = Cp[i * N + sutun];
            Cp[i * N + sutun] = alpha * top[r] + beta * eski;
        }
    }
}
