#include <cuda_runtime.h>

/* y = x^T A.  A ina safu mlalo m na safu wima n (mlalo kwa mlalo), x ina m, y ina n.
   Kila bloku huchukua safu wima 128 na mlalo 64; majumlisho huunganishwa kwa atomicAdd. */

#define UPANA 128
#define KIMO  64

__global__ void zidisha(const float *A, const float *x, float *y, int m, int n)
{
    __shared__ float kipande[KIMO];
    const int r0 = blockIdx.y * KIMO;
    const int idadi = min(KIMO, m - r0);

    for (int i = threadIdx.x; i < idadi; i += UPANA)
        kipande[i] = x[r0 + i];
    __syncthreads();

    const int c = blockIdx.x * UPANA + threadIdx.x;
    if (c >= n) return;

    const float *a = A + (size_t)r0 * n + c;
    float jumla = 0.f;
    for (int i = 0; i < idadi; ++i, a += n)
        jumla = fmaf(kipande[i], *a, jumla);
    atomicAdd(y + c, jumla);
}

/* A, x na y ziko kwenye GPU; m na n ni namba chanya yoyote. */
void vekta_mara_matriki(const float *A, const float *x, float *y, int m, int n, cudaStream_t mkondo)
{
    cudaMemsetAsync(y, 0, sizeof(float) * n, mkondo);
    dim3 gridi((n + UPANA - 1) / UPANA, (n + KIMO - 1) / KIMO);
    zidisha<<<gridi, UPANA, 0, mkondo>>>(A, x, y, m, n);
}
