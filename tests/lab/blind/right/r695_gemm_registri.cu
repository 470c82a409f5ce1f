// Moltiplicazione di matrici con blocking nei registri.
// Ogni blocco calcola BM x BN elementi di C, ogni thread ne calcola TM x TN.
// Versione template: la funzione host in fondo sceglie i parametri.
#include <cuda_runtime.h>

template <int BM, int BN, int BK, int TM, int TN>
__global__ void gemm(const float *A, const float *B, float *C, int M, int N, int K,
                     float alfa, float beta)
{
    constexpr int NX = BN / TN;          // thread in x
    constexpr int NY = BM / TM;          // thread in y
    constexpr int NT = NX * NY;

    __shared__ float As[BK][BM];         // A trasposta
    __shared__ float Bs[BK][BN];

    const int tid = threadIdx.y * NX + threadIdx.x;
    const int riga0 = blockIdx.y * BM;
    const int col0  = blockIdx.x * BN;

    float acc[TM][TN] = {};

    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int e = tid; e < BM * BK; e += NT) {
            int i = e / BK, kk = e % BK;
            int gi = riga0 + i, gk = k0 + kk;
            As[kk][i] = (gi < M && gk < K) ? A[gi * K + gk] : 0.f;
        }
        for (int e = tid; e < BK * BN; e += NT) {
            int kk = e / BN, j = e % BN;
            int gk = k0 + kk, gj = col0 + j;
            Bs[kk][j] = (gk < K && gj < N) ? B[gk * N + gj] : 0.f;
        }
        __syncthreads();

        #pragma unroll
        for (int kk = 0; kk < BK; kk++) {
            float ra[TM], rb[TN];
            for (int i = 0; i < TM; i++) ra[i] = As[kk][threadIdx.y * TM + i];
            for (int j = 0; j < TN; j++) rb[j] = Bs[kk][threadIdx.x + j * NX];
            for (int i = 0; i < TM; i++)
                for (int j = 0; j < TN; j++)
                    acc[i][j] += ra[i] * rb[j];
        }
        __syncthreads();
    }

    for (int i = 0; i < TM; i++) {
        int gi = riga0 + threadIdx.y * TM + i;
        if (gi >= M) break;
        for (int j = 0; j < TN; j++) {
            int gj = col0 + threadIdx.x + j * NX;
            if (gj < N)
                C[gi * N + gj] = alfa * acc[i][j] + beta * C[gi * N + gj];
        }
    }
}

// dA, dB, dC sono gia' sul device e dC e' inizializzata; M, N, K da 1 a 4096
void moltiplica(const float *dA, const float *dB, float *dC, int M, int N, int K,
                float alfa, float beta)
{
    const int BM = 64, BN = 64, BK = 8, TM = 4, TN = 4;
    dim3 thread(BN / TN, BM / TM);
    dim3 griglia((N + BN - 1) / BN, (M + BM - 1) / BM);
    gemm<BM, BN, BK, TM, TN><<<griglia, thread>>>(dA, dB, dC, M, N, K, alfa, beta);
    cudaDeviceSynchronize();
}
