// Násobení matic s rozdělením sumy (split-K) pro malé M, N a velké K.
// blockIdx.z určuje úsek K, částečné výsledky se sčítají atomicky,
// takže C musí být na začátku vynulované.
//    M, N <= 4096, K <= 4 000 000, A i B mají méně než 2^31 prvků
#include <cuda_runtime.h>

const int DL = 16;

__global__ void nasobSplitK(const float *A, const float *B, float *C,
                            int M, int N, int K, int usek)
{
    __shared__ float da[DL][DL];
    __shared__ float db[DL][DL];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int i = blockIdx.y * DL + ty;
    const int j = blockIdx.x * DL + tx;

    const int od = blockIdx.z * usek;
    const int po = min(K, od + usek);

    float s = 0.0f;
    for (int k0 = od; k0 < po; k0 += DL) {
        // poslední dlaždice úseku nesmí zasáhnout do dalšího úseku
        da[ty][tx] = (i < M && k0 + tx < po) ? A[i * K + k0 + tx] : 0.0f;
        db[ty][tx] = (j < N && k0 + ty < po) ? B[(k0 + ty) * N + j] : 0.0f;
        __syncthreads();

        #pragma unroll
        for (int l = 0; l < DL; l++)
            s += da[ty][l] * db[l][tx];
        __syncthreads();
    }

    if (i < M && j < N)
        atomicAdd(&C[i * N + j], s);
}

void nasob(const float *dA, const float *dB, float *dC, int M, int N, int K)
{
    int casti = (K + 1023) / 1024;     // asi 1024 sčítanců na blok
    if (casti > 64) casti = 64;
    if (casti < 1)  casti = 1;
    int usek = (K + casti - 1) / casti;

    cudaMemset(dC, 0, sizeof(float) * M * N);

    dim3 blok(DL, DL);
    dim3 mrizka((N + DL - 1) / DL, (M + DL - 1) / DL, casti);
    nasobSplitK<<<mrizka, blok>>>(dA, dB, dC, M, N, K, usek);
}
