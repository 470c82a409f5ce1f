// Practica 6: cada hilo calcula un bloque de 2 x 4 elementos de C.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>

#define TM 2
#define TN 4
#define BM 16
#define BN 64
#define BK 16

__global__ void gemmRegistros(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float sA[BM][BK];
    __shared__ float sB[BK][BN];

    int hx = threadIdx.x;               // 0..15
    int hy = threadIdx.y;               // 0..7
    int hilo = hy * 16 + hx;
    int fila0 = blockIdx.y * BM;
    int col0 = blockIdx.x * BN;

    float acc[TM][TN];
    for (int i = 0; i < TM; i++)
        for (int j = 0; j < TM; j++)
            acc[i][j] = 0.0f;

    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int e = hilo; e < BM * BK; e += 128) {
            int f = e / BK, k = e % BK;
            sA[f][k] = (fila0 + f < M && k0 + k < K) ? A[(fila0 + f) * K + k0 + k] : 0.0f;
        }
        for (int e = hilo; e < BK * BN; e += 128) {
            int k = e / BN, c = e % BN;
            sB[k][c] = (k0 + k < K && col0 + c < N) ? B[(k0 + k) * N + col0 + c] : 0.0f;
        }
        __syncthreads();

        for (int k = 0; k < BK; k++)
            for (int i = 0; i < TM; i++)
                for (int j = 0; j < TN; j++)
                    acc[i][j] += sA[hy * TM + i][k] * sB[k][hx * TN + j];
        __syncthreads();
    }

    for (int i = 0; i < TM; i++)
        for (int j = 0; j < TN; j++) {
            int f = fila0 + hy * TM + i;
            int c = col0 + hx * TN + j;
            if (f < M && c < N)
                C[f * N + c] = acc[i][j];
        }
}

int main()
{
    const int M = 60, N = 150, K = 70;
    std::vector<float> A(M * K), B(K * N), C(M * N);
    for (auto &v : A) v = rand() / (float)RAND_MAX;
    for (auto &v : B) v = rand() / (float)RAND_MAX;

    float *dA, *dB, *dC;
    cudaMalloc(&dA, M * K * sizeof(float));
    cudaMalloc(&dB, K * N * sizeof(float));
    cudaMalloc(&dC, M * N * sizeof(float));
    cudaMemcpy(dA, A.data(), M * K * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), K * N * sizeof(float), cudaMemcpyHostToDevice);

    dim3 hilos(BN / TN, BM / TM);
    dim3 bloques((N + BN - 1) / BN, (M + BM - 1) / BM);
    gemmRegistros<<<bloques, hilos>>>(dA, dB, dC, M, N, K);
    cudaMemcpy(C.data(), dC, M * N * sizeof(float), cudaMemcpyDeviceToHost);

    int malos = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float s = 0.0f;
            for (int k = 0; k < K; k++)
                s += A[i * K + k] * B[k * N + j];
            if (!(std::fabs(s - C[i * N + j]) < 1e-3f))
                malos++;
        }
    std::printf("elementos incorrectos: %d\n", malos);
    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
    return malos != 0;
}
