// Laboratorium 7: C = A^T * B dla liczb całkowitych
// A: k x m, B: k x n, C: m x n (wierszami)
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

#define BOK 16

struct Rozmiary { int m, n, k; };

__global__ void iloczynAtB(Rozmiary r, const int *A, const int *B, long long *C)
{
    __shared__ int kafA[BOK][BOK];
    __shared__ int kafB[BOK][BOK];

    int x = threadIdx.x, y = threadIdx.y;
    int w0 = blockIdx.y * BOK;      // pierwszy wiersz kafelka C
    int k0 = blockIdx.x * BOK;      // pierwsza kolumna kafelka C
    long long suma = 0;

    for (int p = 0; p < r.k; p += BOK) {
        // oba odczyty sa ciagle w pamieci: x idzie wzdluz wiersza
        if (p + y < r.k && w0 + x < r.m)
            kafA[y][x] = A[(p + y) * r.m + w0 + x];
        else
            kafA[y][x] = 0;

        if (p + y < r.k && k0 + x < r.n)
            kafB[y][x] = B[(p + y) * r.n + k0 + x];
        else
            kafB[y][x] = 0;

        __syncthreads();
        for (int q = 0; q < BOK; q++)
            suma += (long long)kafA[q][y] * kafB[q][x];
        __syncthreads();
    }

    if (w0 + y < r.m && k0 + x < r.n)
        C[(w0 + y) * r.n + k0 + x] = suma;
}

int main()
{
    Rozmiary r = {37, 58, 90};
    std::vector<int> A(r.k * r.m), B(r.k * r.n);
    std::vector<long long> C(r.m * r.n);
    for (size_t i = 0; i < A.size(); i++) A[i] = (int)(i * 7919 % 2001) - 1000;
    for (size_t i = 0; i < B.size(); i++) B[i] = (int)(i * 104729 % 3001) - 1500;

    int *dA, *dB; long long *dC;
    cudaMalloc(&dA, A.size() * sizeof(int));
    cudaMalloc(&dB, B.size() * sizeof(int));
    cudaMalloc(&dC, C.size() * sizeof(long long));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * sizeof(int), cudaMemcpyHostToDevice);

    dim3 watki(BOK, BOK);
    dim3 siatka((r.n + BOK - 1) / BOK, (r.m + BOK - 1) / BOK);
    iloczynAtB<<<siatka, watki>>>(r, dA, dB, dC);
    cudaMemcpy(C.data(), dC, C.size() * sizeof(long long), cudaMemcpyDeviceToHost);

    int bledy = 0;
    for (int i = 0; i < r.m; i++)
        for (int j = 0; j < r.n; j++) {
            long long s = 0;
            for (int q = 0; q < r.k; q++) s += (long long)A[q * r.m + i] * B[q * r.n + j];
            if (s != C[i * r.n + j]) bledy++;
        }
    printf("bledy: %d\n", bledy);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return bledy != 0;
}
