#include <cuda_runtime.h>

// y = x^T A : A ina safu m na nguzo n (row-major), y ina urefu n.
// Kila uzi hushughulikia nguzo moja; safu zimegawanywa kwa blockIdx.y.
#define NYUZI 256
#define SEHEMU 128

__global__ void vektaMaraMatriki(const float *x, const float *A, float *y, int m, int n)
{
    __shared__ float xs[SEHEMU];
    int mwanzo = blockIdx.y * SEHEMU;
    int idadi = min(SEHEMU, m - mwanzo);

    for (int i = threadIdx.x; i < idadi; i += NYUZI)
        xs[i] = x[mwanzo + i];
    __syncthreads();

    int j = blockIdx.x * NYUZI + threadIdx.x;
    if (j < n) {
        const float *a = A + (size_t)mwanzo * n + j;
        float jumla = 0.0f;
        for (int i = 0; i < idadi; i++, a += n)
            jumla += xs[i] * *a;
        y[j] += jumla;
    }
}

void piga(const float *x, const float *A, float *y, int m, int n)
{
    dim3 gridi((n + NYUZI - 1) / NYUZI, (m + SEHEMU - 1) / SEHEMU);
    cudaMemset(y, 0, n * sizeof(float));
    vektaMaraMatriki<<<gridi, NYUZI>>>(x, A, y, m, n);
}
