// y = A^T * x   (A: m rader, n kolumner, lagrad radvis; x: m tal; y: n tal)
// En tråd per kolumn, och raderna delas upp i bitar längs rutnätets y-axel.
// Varje bit adderas atomärt till y. Alla m och n från 1 till 100000.
#include <cuda_runtime.h>

enum { KOLUMNER = 64, RADER_PER_BIT = 50 };

__global__ void nollstall(float *y, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < n)
        y[j] = 0.0f;
}

__global__ void transponatVektor(const float *A, const float *x, float *y, int m, int n)
{
    const int j = blockIdx.x * KOLUMNER + threadIdx.x;
    const int forsta = blockIdx.y * RADER_PER_BIT;
    const int sista = forsta + RADER_PER_BIT;

    if (j < n) {
        float summa = 0.0f;
        for (int i = forsta; i < sista; i++)
            summa += A[(size_t)i * n + j] * x[i];
        atomicAdd(&y[j], summa);
    }
}

void kor(const float *A, const float *x, float *y, int m, int n)
{
    nollstall<<<(n + 255) / 256, 256>>>(y, n);

    dim3 rutnat((n + KOLUMNER - 1) / KOLUMNER,
                (m + RADER_PER_BIT - 1) / RADER_PER_BIT);
    transponatVektor<<<rutnat, KOLUMNER>>>(A, x, y, m, n);
}
