// Práctica 3: producto por lotes  C_l = alfa * A_l * B_l^T + beta * C_l
//   A_l: M x K,  B_l: N x K (se usa traspuesta),  C_l: M x N,  l = 0..lotes-1
#include <cuda_runtime.h>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <vector>
using namespace std;

const int T = 16;

__global__ void gemmLotes(const float* A, const float* B, float* C,
                          int M, int N, int K, float alfa, float beta)
{
    __shared__ float sa[T][T + 1];
    __shared__ float sb[T][T + 1];

    // cada capa z de la malla es un lote
    A += (size_t)blockIdx.z * M * K;
    B += (size_t)blockIdx.z * N * K;
    C += (size_t)blockIdx.z * M * N;

    int fila = blockIdx.y * T + threadIdx.y;
    int col  = blockIdx.x * T + threadIdx.x;
    int filaB = blockIdx.x * T + threadIdx.y;   // fila de B que carga este hilo

    float suma = 0;
    for (int k0 = 0; k0 < K; k0 += T) {
        int k = k0 + threadIdx.x;
        sa[threadIdx.y][threadIdx.x] = (fila < M && k < K) ? A[fila * K + k] : 0;
        sb[threadIdx.y][threadIdx.x] = (filaB < N && k < K) ? B[filaB * K + k] : 0;
        __syncthreads();
        for (int q = 0; q < T; q++)
            suma += sa[threadIdx.y][q] * sb[threadIdx.x][q];
        __syncthreads();
    }
    if (fila < M && col < N)
        C[fila * N + col] = alfa * suma + beta * C[fila * N + col];
}

int main()
{
    const int M = 45, N = 70, K = 33, lotes = 6;
    const float alfa = 1.5f, beta = -0.5f;

    vector<float> A(lotes * M * K), B(lotes * N * K), C(lotes * M * N), R;
    for (float& v : A) v = rand() / (float)RAND_MAX;
    for (float& v : B) v = rand() / (float)RAND_MAX;
    for (float& v : C) v = rand() / (float)RAND_MAX;
    R = C;

    float *dA, *dB, *dC;
    cudaMalloc(&dA, A.size() * sizeof(float));
    cudaMalloc(&dB, B.size() * sizeof(float));
    cudaMalloc(&dC, C.size() * sizeof(float));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dC, C.data(), C.size() * sizeof(float), cudaMemcpyHostToDevice);

    dim3 bloque(T, T);
    dim3 malla((N + T - 1) / T, (M + T - 1) / T, lotes);
    gemmLotes<<<malla, bloque>>>(dA, dB, dC, M, N, K, alfa, beta);
    cudaMemcpy(C.data(), dC, C.size() * sizeof(float), cudaMemcpyDeviceToHost);

    float maximo = 0;
    for (int l = 0; l < lotes; l++)
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++) {
                float s = 0;
                for (int k = 0; k < K; k++)
                    s += A[(l * M + i) * K + k] * B[(l * N + j) * K + k];
                int p = (l * M + i) * N + j;
                maximo = max(maximo, fabs(alfa * s + beta * R[p] - C[p]));
            }
    cout << "error maximo = " << maximo << (maximo < 1e-3f ? "  BIEN" : "  MAL") << endl;
    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
    return 0;
}
