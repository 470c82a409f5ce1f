// Laboration 4: reducerad matrisprodukt
// Varje element i C är summan av en 2x2-ruta i A*B.
// M, N och K får vara udda; en saknad rad eller kolumn räknas som nollor.
// C är ceil(M/2) x ceil(N/2).
#include <iostream>
#include <vector>
#include <cmath>
#include <cuda_runtime.h>

constexpr int RUTA = 16;

__host__ __device__ constexpr int uppdelat(int a, int b) { return (a + b - 1) / b; }

__global__ void reducerad(const double* A, const double* B, double* C, int M, int N, int K)
{
    __shared__ double delA[RUTA][RUTA];
    __shared__ double delB[RUTA][RUTA];

    const int rad   = blockIdx.y * RUTA + threadIdx.y;
    const int kolumn = blockIdx.x * RUTA + threadIdx.x;
    const int r = 2 * rad;
    const int c = 2 * kolumn;
    double summa = 0.0;

    for (int steg = 0; steg < uppdelat(K, RUTA); ++steg) {
        const int ka = steg * RUTA + threadIdx.x;
        const int kb = steg * RUTA + threadIdx.y;

        double a = 0.0;
        if (r < M && ka < K)     a  = A[r * K + ka];
        if (r + 1 < M && ka < K) a += A[(r + 1) * K + ka];

        double b = 0.0;
        if (c < N && kb < K)
            b = B[kb * N + c] + B[kb * N + c + 1];

        delA[threadIdx.y][threadIdx.x] = a;
        delB[threadIdx.y][threadIdx.x] = b;
        __syncthreads();

        for (int t = 0; t < RUTA; ++t)
            summa += delA[threadIdx.y][t] * delB[t][threadIdx.x];
        __syncthreads();
    }

    if (r < M && c < N)
        C[rad * uppdelat(N, 2) + kolumn] = summa;
}

int main(int argc, char** argv)
{
    int M = 64, N = 96, K = 50;
    if (argc > 3) {
        M = std::stoi(argv[1]);
        N = std::stoi(argv[2]);
        K = std::stoi(argv[3]);
    }
    std::vector<double> A(M * K), B(K * N), C(uppdelat(M, 2) * uppdelat(N, 2));
    for (size_t i = 0; i < A.size(); ++i) A[i] = (i * 7 % 11) * 0.25;
    for (size_t i = 0; i < B.size(); ++i) B[i] = (i * 5 % 13) * 0.5;

    double *dA, *dB, *dC;
    cudaMalloc(&dA, A.size() * sizeof(double));
    cudaMalloc(&dB, B.size() * sizeof(double));
    cudaMalloc(&dC, C.size() * sizeof(double));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * sizeof(double), cudaMemcpyHostToDevice);

    dim3 tradar(RUTA, RUTA);
    dim3 block(uppdelat(uppdelat(N, 2), RUTA), uppdelat(uppdelat(M, 2), RUTA));
    reducerad<<<block, tradar>>>(dA, dB, dC, M, N, K);
    cudaMemcpy(C.data(), dC, C.size() * sizeof(double), cudaMemcpyDeviceToHost);

    double total = 0.0;
    for (double v : C) total += v;
    std::cout << "summa av C: " << total << std::endl;

    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
}
