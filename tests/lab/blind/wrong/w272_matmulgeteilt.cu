// Praktikum HPC, Blatt 2, Aufgabe 1b
#include <iostream>
#include <vector>
#include <cmath>
#include <cuda_runtime.h>
using namespace std;

const int TB = 16;

__global__ void matmulGeteilt(float *C, const float *A, const float *B, int M, int N, int K)
{
    __shared__ float sA[TB][TB];
    __shared__ float sB[TB][TB];

    int zeile = blockIdx.y * TB + threadIdx.y;
    int spalte = blockIdx.x * TB + threadIdx.x;
    float wert = 0;

    for (int p = 0; p < (K + TB - 1) / TB; p++)
    {
        // nur gültige Elemente laden
        if (zeile < M && p * TB + threadIdx.x < K)
            sA[threadIdx.y][threadIdx.x] = A[zeile * K + p * TB + threadIdx.x];
        if (spalte < N && p * TB + threadIdx.y < K)
            sB[threadIdx.y][threadIdx.x] = B[(p * TB + threadIdx.y) * N + spalte];
        __syncthreads();

        for (int k = 0; k < TB; k++)
            wert += sA[threadIdx.y][k] * sB[k][threadIdx.x];
        __syncthreads();
    }

    if (zeile < M && spalte < N)
        C[zeile * N + spalte] = wert;
}

int main()
{
    const int M = 90, N = 75, K = 100;
    vector<float> a(M * K), b(K * N), c(M * N);
    for (int i = 0; i < M * K; i++) a[i] = 1.0f + i % 4;
    for (int i = 0; i < K * N; i++) b[i] = 0.5f * (1 + i % 3);

    float *dA, *dB, *dC;
    cudaMalloc(&dA, a.size() * sizeof(float));
    cudaMalloc(&dB, b.size() * sizeof(float));
    cudaMalloc(&dC, c.size() * sizeof(float));
    cudaMemcpy(dA, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice);

    dim3 block(TB, TB);
    dim3 grid((N + TB - 1) / TB, (M + TB - 1) / TB);
    matmulGeteilt<<<grid, block>>>(dC, dA, dB, M, N, K);

    cudaMemcpy(c.data(), dC, c.size() * sizeof(float), cudaMemcpyDeviceToHost);
    cout << cudaGetErrorString(cudaGetLastError()) << endl;

    bool richtig = true;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++)
        {
            float s = 0;
            for (int k = 0; k < K; k++) s += a[i * K + k] * b[k * N + j];
            if (fabs(s - c[i * N + j]) > 1e-2) richtig = false;
        }
    cout << (richtig ? "richtig" : "falsch") << endl;
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
}
