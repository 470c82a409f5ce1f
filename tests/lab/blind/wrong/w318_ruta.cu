// Laboration 3: matrismultiplikation med delat minne
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define RUTA 16
#define KOLLA(u) do { cudaError_t fel = (u); if (fel != cudaSuccess) { \
    fprintf(stderr, "rad %d: %s\n", __LINE__, cudaGetErrorString(fel)); exit(1); } } while (0)

// A: M x K, B: K x N, C: M x N
__global__ void multiplicera(const float *A, const float *B, float *C, int M, int K, int N)
{
    __shared__ float ra[RUTA][RUTA];
    __shared__ float rb[RUTA][RUTA];
    int rad = blockIdx.y * RUTA + threadIdx.y;
    int kol = blockIdx.x * RUTA + threadIdx.x;
    float s = 0.0f;
    int antal = (K + RUTA - 1) / RUTA;
    for (int r = 0; r < antal; r++) {
        int ka = r * RUTA + threadIdx.x;
        int kb = r * RUTA + threadIdx.y;
        ra[threadIdx.y][threadIdx.x] = (rad < M && ka < K) ? A[rad * K + ka] : 0.0f;
        rb[threadIdx.y][threadIdx.x] = (kb < K && kol < N) ? B[kb * N + kol] : 0.0f;
        __syncthreads();
        for (int i = 0; i < RUTA; i++)
            s += ra[threadIdx.y][i] * rb[i][threadIdx.x];
        __syncthreads();
    }
    if (rad < M && kol < N)
        C[rad * N + kol] = s;
}

int main(void)
{
    int M = 90, K = 60, N = 140;
    float *A = (float *)malloc(M * K * sizeof(float));
    float *B = (float *)malloc(K * N * sizeof(float));
    float *C = (float *)malloc(M * N * sizeof(float));
    for (int i = 0; i < M * K; i++) A[i] = (float)(rand() % 100) * 0.01f;
    for (int i = 0; i < K * N; i++) B[i] = (float)(rand() % 100) * 0.01f;

    float *dA, *dB, *dC;
    KOLLA(cudaMalloc(&dA, M * K * sizeof(float)));
    KOLLA(cudaMalloc(&dB, K * N * sizeof(float)));
    KOLLA(cudaMalloc(&dC, M * N * sizeof(float)));
    KOLLA(cudaMemcpy(dA, A, M * K * sizeof(float), cudaMemcpyHostToDevice));
    KOLLA(cudaMemcpy(dB, B, K * N * sizeof(float), cudaMemcpyHostToDevice));

    dim3 block(RUTA, RUTA);
    dim3 grid((N + RUTA - 1) / RUTA, (M + RUTA - 1) / RUTA);
    multiplicera<<<grid, block>>>(dA, dB, dC, M, N, K);
    KOLLA(cudaGetLastError());
    KOLLA(cudaMemcpy(C, dC, M * N * sizeof(float), cudaMemcpyDeviceToHost));

    int fel = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float s = 0.0f;
            for (int k = 0; k < K; k++) s += A[i * K + k] * B[k * N + j];
            if (fabsf(s - C[i * N + j]) > 1e-2f) fel++;
        }
    printf("antal fel: %d\n", fel);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(A); free(B); free(C);
    return 0;
}
