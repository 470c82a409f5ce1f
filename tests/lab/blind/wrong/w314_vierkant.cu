// Opdracht 2: vierkante matrices vermenigvuldigen
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define BLOK 16

#define TEST(e) { if ((e) != cudaSuccess) { printf("CUDA-fout op regel %d\n", __LINE__); exit(1); } }

__global__ void matrixMaal(const float *links, const float *rechts, float *uit, int n)
{
    __shared__ float tl[BLOK][BLOK];
    __shared__ float tr[BLOK][BLOK];

    int rij = blockIdx.y * BLOK + threadIdx.y;
    int kolom = blockIdx.x * BLOK + threadIdx.x;
    float som = 0.0f;

    for (int t = 0; t < n; t += BLOK) {
        int kl = t + threadIdx.x;
        int rr = t + threadIdx.y;
        tl[threadIdx.y][threadIdx.x] = (rij < n && kl < n) ? links[rij * n + kl] : 0.0f;
        tr[threadIdx.y][threadIdx.x] = (rr < n && kolom < n) ? rechts[rr * n + kolom] : 0.0f;
        __syncthreads();
        for (int k = 0; k < BLOK; k++)
            som += tl[threadIdx.y][k] * tr[k][threadIdx.x];
        __syncthreads();
    }
    if (rij < n && kolom < n)
        uit[rij * n + kolom] = som;
}

int main(int argc, char **argv)
{
    int n = 250;
    if (argc > 1) n = atoi(argv[1]);
    size_t grootte = (size_t)n * n * sizeof(float);

    float *a, *b, *c;
    TEST(cudaMallocManaged(&a, grootte));
    TEST(cudaMallocManaged(&b, grootte));
    TEST(cudaMallocManaged(&c, grootte));
    for (int i = 0; i < n * n; i++) {
        a[i] = (float)((i * 5) % 9);
        b[i] = (float)((i * 7) % 8) + 1.0f;
        c[i] = -1.0f;
    }

    int aantal = (int)ceil(n / BLOK);   // naar boven afronden
    dim3 rooster(aantal, aantal);
    dim3 blok(BLOK, BLOK);
    matrixMaal<<<rooster, blok>>>(a, b, c, n);
    TEST(cudaGetLastError());
    TEST(cudaDeviceSynchronize());

    int fouten = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float s = 0.0f;
            for (int k = 0; k < n; k++) s += a[i * n + k] * b[k * n + j];
            if (fabsf(s - c[i * n + j]) > 0.1f) fouten++;
        }
    printf("aantal fouten: %d\n", fouten);
    cudaFree(a); cudaFree(b); cudaFree(c);
    return 0;
}
