#include <cuda_runtime.h>
#include <cassert>

// Stapel kleiner quadratischer Matrizen, zeilenweise gespeichert, n <= 32.
// Ein Block rechnet ein Produkt C_s = A_s * B_s, ein Faden ein Element.

__global__ void stapelProdukt(const float* A, const float* B, float* C, int n)
{
    extern __shared__ float puffer[];
    float* a = puffer;
    float* b = puffer + n * n;

    const int z = threadIdx.y;
    const int s = threadIdx.x;
    const size_t versatz = (size_t)blockIdx.x * n * n;

    a[z * n + s] = A[versatz + z * n + s];
    b[z * n + s] = B[versatz + z * n + s];
    __syncthreads();

    float wert = 0.0f;
    for (int k = 0; k < n; ++k)
        wert += a[z * n + k] * b[k * n + s];

    C[versatz + z * n + s] = wert;
}

void rechneStapel(const float* dA, const float* dB, float* dC,
                  int n, int anzahl, cudaStream_t strom)
{
    assert(n >= 1 && n <= 32 && anzahl >= 1);
    const dim3 faeden(n, n);
    const size_t bytes = (size_t)n * n * sizeof(float);
    stapelProdukt<<<anzahl, faeden, bytes, strom>>>(dA, dB, dC, n);
}
