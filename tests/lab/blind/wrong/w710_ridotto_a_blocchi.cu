// Prodotto ridotto a blocchi:
//   C[i][j] = somma su l di (A[2i][l]+A[2i+1][l]) * (B[l][2j]+B[l][2j+1])
// M e N pari, K qualsiasi.   uso: ./ridotto M N K
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define T 16

__global__ void ridotto(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float sA[T][T];
    __shared__ float sB[T][T];
    int x = threadIdx.x, y = threadIdx.y;
    int i = blockIdx.y * T + y;
    int j = blockIdx.x * T + x;

    if (i >= M / 2 || j >= N / 2)
        return;

    float acc = 0.f;
    for (int t = 0; t < (K + T - 1) / T; ++t) {
        int la = t * T + x;
        int lb = t * T + y;
        sA[y][x] = 0.f;
        sB[y][x] = 0.f;
        if (i < M / 2 && la < K)
            sA[y][x] = A[2 * i * K + la] + A[(2 * i + 1) * K + la];
        if (j < N / 2 && lb < K)
            sB[y][x] = B[lb * N + 2 * j] + B[lb * N + 2 * j + 1];
        __syncthreads();
        for (int l = 0; l < T; ++l)
            acc += sA[y][l] * sB[l][x];
        __syncthreads();
    }
    C[i * (N / 2) + j] = acc;
}

int main(int argc, char **argv)
{
    int M = 64, N = 96, K = 40;
    if (argc > 3) {
        M = atoi(argv[1]);
        N = atoi(argv[2]);
        K = atoi(argv[3]);
    }
    if (M % 2 || N % 2) {
        printf("M e N devono essere pari\n");
        return 1;
    }
    float *A = new float[M * K], *B = new float[K * N], *C = new float[(M / 2) * (N / 2)];
    for (int i = 0; i < M * K; ++i) A[i] = (float)rand() / RAND_MAX;
    for (int i = 0; i < K * N; ++i) B[i] = (float)rand() / RAND_MAX;

    float *dA, *dB, *dC;
    cudaMalloc(&dA, M * K * sizeof(float));
    cudaMalloc(&dB, K * N * sizeof(float));
    cudaMalloc(&dC, (M / 2) * (N / 2) * sizeof(float));
    cudaMemcpy(dA, A, M * K * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, K * N * sizeof(float), cudaMemcpyHostToDevice);

    dim3 blocchi((N / 2 + T - 1) / T, (M / 2 + T - 1) / T);
    ridotto<<<blocchi, dim3(T, T)>>>(dA, dB, dC, M, N, K);
    cudaMemcpy(C, dC, (M / 2) * (N / 2) * sizeof(float), cudaMemcpyDeviceToHost);

    float err = 0.f;
    for (int i = 0; i < M / 2; ++i)
        for (int j = 0; j < N / 2; ++j) {
            float s = 0.f;
            for (int l = 0; l < K; ++l)
                s += (A[2 * i * K + l] + A[(2 * i + 1) * K + l]) * (B[l * N + 2 * j] + B[l * N + 2 * j + 1]);
            err = fmaxf(err, fabsf(s - C[i * (N / 2) + j]));
        }
    printf("errore massimo: %g\n", err);

    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    delete[] A; delete[] B; delete[] C;
    return 0;
}
