// Prodotto "ridotto" (coarse graining di un fattore 2):
//   C[i][j] = somma_l (A[2i][l] + A[2i+1][l]) * (B[l][2j] + B[l][2j+1])
// A: M x K, B: K x N, C: M/2 x N/2, tutto per righe. M e N pari, K qualsiasi.
#include <iostream>
#include <vector>
#include <cmath>
#include <algorithm>

constexpr int LATO = 16;

__global__ void ridotto(const double* A, const double* B, double* C, int M, int N, int K)
{
    __shared__ double sa[LATO][LATO];
    __shared__ double sb[LATO][LATO];

    int mezzaM = M / 2, mezzaN = N / 2;
    int riga = blockIdx.y * LATO + threadIdx.y;
    int col  = blockIdx.x * LATO + threadIdx.x;

    double acc = 0;
    int passi = (K + LATO - 1) / LATO;
    for (int p = 0; p < passi; p++) {
        int ka = p * LATO + threadIdx.x;
        int kb = p * LATO + threadIdx.y;

        if (riga < mezzaM && ka < K)
            sa[threadIdx.y][threadIdx.x] = A[(size_t)(2 * riga) * K + ka] + A[(size_t)(2 * riga + 1) * K + ka];
        else
            sa[threadIdx.y][threadIdx.x] = 0;

        if (col < mezzaN && kb < K)
            sb[threadIdx.y][threadIdx.x] = B[(size_t)kb * N + 2 * col] + B[(size_t)kb * N + 2 * col + 1];
        else
            sb[threadIdx.y][threadIdx.x] = 0;

        __syncthreads();
        #pragma unroll
        for (int l = 0; l < LATO; l++)
            acc += sa[threadIdx.y][l] * sb[l][threadIdx.x];
        __syncthreads();
    }

    if (riga < mezzaM && col < mezzaN)
        C[(size_t)riga * mezzaN + col] = acc;
}

int main()
{
    int M = 70, N = 94, K = 45;
    std::vector<double> A(M * K), B(K * N), C((M / 2) * (N / 2));
    for (int i = 0; i < M * K; i++) A[i] = (i * 37 % 11) - 5;
    for (int i = 0; i < K * N; i++) B[i] = (i * 17 % 13) - 6;

    double *dA, *dB, *dC;
    cudaMalloc(&dA, A.size() * sizeof(double));
    cudaMalloc(&dB, B.size() * sizeof(double));
    cudaMalloc(&dC, C.size() * sizeof(double));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * sizeof(double), cudaMemcpyHostToDevice);

    dim3 blocco(LATO, LATO);
    dim3 griglia((N / 2 + LATO - 1) / LATO, (M / 2 + LATO - 1) / LATO);
    ridotto<<<griglia, blocco>>>(dA, dB, dC, M, N, K);
    cudaMemcpy(C.data(), dC, C.size() * sizeof(double), cudaMemcpyDeviceToHost);

    double diff = 0;
    for (int i = 0; i < M / 2; i++)
        for (int j = 0; j < N / 2; j++) {
            double s = 0;
            for (int l = 0; l < K; l++)
                s += (A[2 * i * K + l] + A[(2 * i + 1) * K + l]) * (B[l * N + 2 * j] + B[l * N + 2 * j + 1]);
            diff = std::max(diff, std::fabs(s - C[i * (N / 2) + j]));
        }
    std::cout << "differenza massima: " << diff << std::endl;
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return 0;
}
