// Домашнее задание 3: C = A * B^T
// A: m x k, B: n x k, C: m x n, всё по строкам
#include <iostream>
#include <vector>
#include <cstdlib>
#include <cuda_runtime.h>

const int P = 16;

__global__ void abt(const float* A, const float* B, float* C, int m, int n, int k)
{
    __shared__ float As[P][P], Bs[P][P + 1];
    int tx = threadIdx.x, ty = threadIdx.y;
    int i = blockIdx.y * P + ty;       // строка A и C
    int j = blockIdx.x * P + tx;       // строка B, столбец C
    int jb = blockIdx.x * P + ty;      // какую строку B грузим

    float s = 0;
    for (int t = 0; t < (k + P - 1) / P; ++t)
    {
        int l = t * P + tx;
        As[ty][tx] = i < m && l < k ? A[i * k + l] : 0;
        Bs[ty][tx] = jb < n && l < k ? B[jb * k + l] : 0;
        __syncthreads();
        for (int q = 0; q < P; ++q)
            s += As[ty][q] * Bs[tx][q];
        __syncthreads();
    }
    if (i < m && j < n) C[i * n + j] = s;
}

int main(int argc, char** argv)
{
    int m = 128, n = 128, k = 60;
    if (argc > 3) { m = atoi(argv[1]); n = atoi(argv[2]); k = atoi(argv[3]); }
    if (m < 1 || n < 1 || k < 1 || m > 3000 || n > 3000 || k > 3000) {
        std::cout << "размеры от 1 до 3000\n";
        return 1;
    }
    std::vector<float> A(m * k), B(n * k), C(m * n);
    for (auto& v : A) v = rand() % 5;
    for (auto& v : B) v = rand() % 5;

    float *dA, *dB, *dC;
    cudaMalloc(&dA, A.size() * sizeof(float));
    cudaMalloc(&dB, B.size() * sizeof(float));
    cudaMalloc(&dC, C.size() * sizeof(float));
    cudaMemcpy(dA, &A[0], A.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, &B[0], B.size() * sizeof(float), cudaMemcpyHostToDevice);

    dim3 threads(P, P);
    dim3 blocks((m + P - 1) / P, (n + P - 1) / P);
    abt<<<blocks, threads>>>(dA, dB, dC, m, n, k);
    cudaMemcpy(&C[0], dC, C.size() * sizeof(float), cudaMemcpyDeviceToHost);

    int errors = 0;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            float s = 0;
            for (int l = 0; l < k; ++l) s += A[i * k + l] * B[j * k + l];
            if (s != C[i * n + j]) ++errors;
        }
    std::cout << "ошибок: " << errors << std::endl;
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
}
