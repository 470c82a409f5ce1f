// Trabalho 3 - GEMM com K dividido ("split-K"), armazenamento por colunas igual ao cuBLAS.
//
//   C = alfa * A * B + beta * C
//   A(i,k) = A[i + k*lda],  B(k,j) = B[k + j*ldb],  C(i,j) = C[i + j*ldc]
//
// Primeiro um kernel pequeno aplica o beta; depois cada fatia de K soma a sua
// contribuição com atomicAdd. Qualquer m, n, k >= 1 (n até 65535*16; no máximo 65535 fatias).
#include <iostream>
#include <vector>
#include <cmath>
#include <cstdlib>
#include <algorithm>
#include <cuda_runtime.h>

constexpr int T = 16;

__global__ void aplicaBeta(float *C, int m, int n, int ldc, float beta)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < m && j < n) {
        size_t p = i + (size_t)j * ldc;
        C[p] = (beta == 0.0f) ? 0.0f : beta * C[p];
    }
}

__global__ void gemmFatia(int m, int n, int k, int tamFatia, float alfa,
                          const float *A, int lda, const float *B, int ldb,
                          float *C, int ldc)
{
    __shared__ float sA[T][T + 1];   // sA[kk][i]
    __shared__ float sB[T][T + 1];   // sB[j][kk]

    int li = threadIdx.x, lj = threadIdx.y;
    int i = blockIdx.x * T + li;
    int j = blockIdx.y * T + lj;

    int kIni = blockIdx.z * tamFatia;
    int kFim = min(k, kIni + tamFatia);

    float acum = 0.0f;
    for (int k0 = kIni; k0 < kFim; k0 += T) {
        int ka = k0 + lj;
        int kb = k0 + li;
        sA[lj][li] = (i < m && ka < kFim) ? A[i + (size_t)ka * lda] : 0.0f;
        sB[lj][li] = (j < n && kb < kFim) ? B[kb + (size_t)j * ldb] : 0.0f;
        __syncthreads();
        for (int kk = 0; kk < T; kk++)
            acum += sA[kk][li] * sB[lj][kk];
        __syncthreads();
    }

    if (i < m && j < n)
        atomicAdd(&C[i + (size_t)j * ldc], alfa * acum);
}

void gemm(int m, int n, int k, float alfa, const float *A, int lda,
          const float *B, int ldb, float beta, float *C, int ldc, int fatias)
{
    fatias = std::max(1, std::min(fatias, k));
    int tam = (k + fatias - 1) / fatias;
    fatias = (k + tam - 1) / tam;          // nenhuma fatia vazia
    dim3 bloco(T, T);
    dim3 grade((m + T - 1) / T, (n + T - 1) / T);
    aplicaBeta<<<grade, bloco>>>(C, m, n, ldc, beta);
    grade.z = fatias;
    gemmFatia<<<grade, bloco>>>(m, n, k, tam, alfa, A, lda, B, ldb, C, ldc);
}

int main(int argc, char **argv)
{
    int m = argc > 1 ? atoi(argv[1]) : 50, n = argc > 2 ? atoi(argv[2]) : 33,
        k = argc > 3 ? atoi(argv[3]) : 777, fatias = argc > 4 ? atoi(argv[4]) : 6;
    int lda = m + 3, ldb = k + 1, ldc = m + 5;
    float alfa = 0.5f, beta = -2.0f;
    std::vector<float> A((size_t)lda * k), B((size_t)ldb * n), C((size_t)ldc * n), D;
    for (size_t p = 0; p < A.size(); p++) A[p] = float(int(p * 7 % 13) - 6) / 6;
    for (size_t p = 0; p < B.size(); p++) B[p] = float(int(p * 5 % 11) - 5) / 5;
    for (size_t p = 0; p < C.size(); p++) C[p] = float(p % 9);

    float *dA, *dB, *dC;
    cudaMalloc(&dA, A.size() * sizeof(float));
    cudaMalloc(&dB, B.size() * sizeof(float));
    cudaMalloc(&dC, C.size() * sizeof(float));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dC, C.data(), C.size() * sizeof(float), cudaMemcpyHostToDevice);
    gemm(m, n, k, alfa, dA, lda, dB, ldb, beta, dC, ldc, fatias);
    D.resize(C.size());
    cudaMemcpy(D.data(), dC, D.size() * sizeof(float), cudaMemcpyDeviceToHost);

    double erro = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            double s = 0;
            for (int p = 0; p < k; p++)
                s += (double)A[i + (size_t)p * lda] * B[p + (size_t)j * ldb];
            s = alfa * s + beta * C[i + (size_t)j * ldc];
            erro = std::max(erro, std::fabs(s - D[i + (size_t)j * ldc]));
        }
    double limite = 1e-6 * k + 1e-4;
    std::cout << "erro = " << erro << (erro < limite ? "  certo" : "  ERRADO") << std::endl;
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return erro < limite ? 0 : 1;
}
