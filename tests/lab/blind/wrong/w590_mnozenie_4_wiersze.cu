// Laboratorium 5: mnozenie macierzy, cztery wiersze na watek
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

const int KAFEL = 32;
const int WYS   = 8;             // blok 32 x 8
const int NA_WATEK = KAFEL / WYS;

__global__ void mnoz(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float a[KAFEL][KAFEL];
    __shared__ float b[KAFEL][KAFEL];

    int tx = threadIdx.x, ty = threadIdx.y;
    int wiersz0 = blockIdx.y * KAFEL;
    int kol     = blockIdx.x * KAFEL + tx;

    float suma[NA_WATEK] = {0};

    for (int k0 = 0; k0 < K; k0 += KAFEL) {
        for (int r = ty; r < KAFEL; r += WYS) {
            int w = wiersz0 + r;
            a[r][tx] = (w < M && k0 + tx < K) ? A[(size_t)w * K + k0 + tx] : 0.0f;
            b[r][tx] = (k0 + r < K && kol < N) ? B[(size_t)(k0 + r) * N + kol] : 0.0f;
        }
        __syncthreads();

        for (int k = 0; k < KAFEL; k++) {
            float bk = b[k][tx];
            for (int i = 0; i < NA_WATEK; i++)
                suma[i] += a[ty + i * WYS][k] * bk;
        }
        __syncthreads();
    }

    for (int i = 0; i < NA_WATEK; i++) {
        int w = wiersz0 + ty + i * WYS;
        if (w < M && kol < N)
            C[(size_t)w * N + kol] = suma[i];
    }
}

int main(int argc, char **argv)
{
    // uzycie: ./mnoz M N K
    int M = argc > 1 ? atoi(argv[1]) : 512;
    int N = argc > 2 ? atoi(argv[2]) : 512;
    int K = argc > 3 ? atoi(argv[3]) : 300;

    size_t bA = (size_t)M * K * sizeof(float);
    size_t bB = (size_t)K * N * sizeof(float);
    size_t bC = (size_t)M * N * sizeof(float);
    float *hA = (float *)malloc(bA), *hB = (float *)malloc(bB), *hC = (float *)malloc(bC);
    for (size_t i = 0; i < (size_t)M * K; i++) hA[i] = (rand() % 10) * 0.1f;
    for (size_t i = 0; i < (size_t)K * N; i++) hB[i] = (rand() % 10) * 0.1f;

    float *dA, *dB, *dC;
    cudaMalloc(&dA, bA); cudaMalloc(&dB, bB); cudaMalloc(&dC, bC);
    cudaMemcpy(dA, hA, bA, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, hB, bB, cudaMemcpyHostToDevice);

    dim3 blok(KAFEL, WYS);
    dim3 siatka((M + KAFEL - 1) / KAFEL, (N + KAFEL - 1) / KAFEL);
    mnoz<<<siatka, blok>>>(dA, dB, dC, M, N, K);
    cudaMemcpy(hC, dC, bC, cudaMemcpyDeviceToHost);

    int zle = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            double s = 0;
            for (int k = 0; k < K; k++) s += (double)hA[(size_t)i * K + k] * hB[(size_t)k * N + j];
            if (fabs(s - hC[(size_t)i * N + j]) > 1e-2) zle++;
        }
    printf("bledow: %d\n", zle);

    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(hA); free(hB); free(hC);
    return 0;
}
