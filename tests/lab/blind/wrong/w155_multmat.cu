// Trabalho 1 - Computação Paralela
// Multiplicação de matrizes quadradas com memória compartilhada
#include <iostream>
#include <vector>
#include <cmath>

constexpr int LADO = 32;

__global__ void multMat(const float* __restrict__ A,
                        const float* __restrict__ B,
                        float* __restrict__ C,
                        const int n)
{
    __shared__ float blocoA[LADO][LADO];
    __shared__ float blocoB[LADO][LADO];

    const int lin = blockIdx.y * LADO + threadIdx.y;
    const int col = blockIdx.x * LADO + threadIdx.x;

    float soma = 0.0f;

    // percorre os blocos ao longo da dimensão comum
    for (int b = 0; b < n / LADO; b++) {
        const int ca = b * LADO + threadIdx.x;
        const int lb = b * LADO + threadIdx.y;

        if (lin < n && ca < n)
            blocoA[threadIdx.y][threadIdx.x] = A[lin * n + ca];
        else
            blocoA[threadIdx.y][threadIdx.x] = 0.0f;

        if (lb < n && col < n)
            blocoB[threadIdx.y][threadIdx.x] = B[lb * n + col];
        else
            blocoB[threadIdx.y][threadIdx.x] = 0.0f;

        __syncthreads();

        #pragma unroll
        for (int k = 0; k < LADO; k++)
            soma += blocoA[threadIdx.y][k] * blocoB[k][threadIdx.x];

        __syncthreads();
    }

    if (lin < n && col < n)
        C[lin * n + col] = soma;
}

int main()
{
    const int n = 1024;
    std::vector<float> A(n * n), B(n * n), C(n * n);
    for (int i = 0; i < n * n; i++) {
        A[i] = (i % 13) * 0.5f;
        B[i] = (i % 11) * 0.25f;
    }

    float *dA, *dB, *dC;
    cudaMalloc(&dA, A.size() * sizeof(float));
    cudaMalloc(&dB, B.size() * sizeof(float));
    cudaMalloc(&dC, C.size() * sizeof(float));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice);

    dim3 threads(LADO, LADO);
    dim3 blocos((n + LADO - 1) / LADO, (n + LADO - 1) / LADO);
    multMat<<<blocos, threads>>>(dA, dB, dC, n);
    cudaMemcpy(C.data(), dC, C.size() * sizeof(float), cudaMemcpyDeviceToHost);

    // confere algumas linhas
    double pior = 0.0;
    for (int i = 0; i < n; i += 97)
        for (int j = 0; j < n; j++) {
            double ref = 0.0;
            for (int k = 0; k < n; k++)
                ref += (double)A[i * n + k] * B[k * n + j];
            pior = std::fmax(pior, std::fabs(ref - C[i * n + j]));
        }
    std::cout << "maior erro: " << pior << std::endl;

    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
    return 0;
}
