// RMM com memória partilhada para m e n pares quaisquer e k qualquer.
#include <iostream>
#include <vector>
#include <cuda_runtime.h>

constexpr int L = 16;

__global__ void rmmPartilhada(const int* A, const int* B, int* C, int m, int k, int n)
{
    __shared__ int linhas[L][L];    // somas de duas linhas de A
    __shared__ int colunas[L][L];   // somas de duas colunas de B

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int i = blockIdx.y * L + ty;
    const int j = blockIdx.x * L + tx;
    const int metM = m / 2, metN = n / 2;
    int acc = 0;

    for (int base = 0; base < k; base += L) {
        if (i < metM && base + tx < k)
            linhas[ty][tx] = A[2 * i * k + base + tx] + A[(2 * i + 1) * k + base + tx];
        if (j < metN && base + ty < k)
            colunas[ty][tx] = B[(base + ty) * n + 2 * j] + B[(base + ty) * n + 2 * j + 1];
        __syncthreads();

        for (int p = 0; p < L; ++p)
            acc += linhas[ty][p] * colunas[p][tx];
        __syncthreads();
    }

    if (i < metM && j < metN)
        C[i * metN + j] = acc;
}

int main()
{
    const int m = 100, k = 75, n = 60;
    std::vector<int> A(m * k), B(k * n), C(m / 2 * (n / 2));
    for (int t = 0; t < m * k; ++t) A[t] = t % 12 - 3;
    for (int t = 0; t < k * n; ++t) B[t] = t % 8 - 2;

    int *dA, *dB, *dC;
    cudaMalloc(&dA, A.size() * sizeof(int));
    cudaMalloc(&dB, B.size() * sizeof(int));
    cudaMalloc(&dC, C.size() * sizeof(int));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * sizeof(int), cudaMemcpyHostToDevice);

    dim3 bloco(L, L);
    dim3 grelha((n / 2 + L - 1) / L, (m / 2 + L - 1) / L);
    rmmPartilhada<<<grelha, bloco>>>(dA, dB, dC, m, k, n);
    cudaMemcpy(C.data(), dC, C.size() * sizeof(int), cudaMemcpyDeviceToHost);

    int diferentes = 0;
    for (int i = 0; i < m / 2; ++i)
        for (int j = 0; j < n / 2; ++j) {
            int s = 0;
            for (int p = 0; p < k; ++p)
                s += (A[2 * i * k + p] + A[(2 * i + 1) * k + p])
                   * (B[p * n + 2 * j] + B[p * n + 2 * j + 1]);
            if (s != C[i * (n / 2) + j]) ++diferentes;
        }
    std::cout << "diferentes: " << diferentes << std::endl;

    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return diferentes ? 1 : 0;
}
