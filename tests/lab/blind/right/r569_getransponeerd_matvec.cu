// Opdracht 2b: y = A^T * x  (A is m x n, rij voor rij opgeslagen)
// Elke thread neemt een kolom, elk blok een strook van STROOK rijen.
// De stroken worden met atomicAdd bij elkaar opgeteld, dus y moet vooraf op nul staan.
//
//   cudaMemset(y, 0, n * sizeof(float));
//   dim3 grid((n + 127) / 128, (m + STROOK - 1) / STROOK);
//   matvec_t<<<grid, 128>>>(A, x, y, m, n);
#include <cuda_runtime.h>

#define THREADS 128
#define STROOK  256

__global__ void matvec_t(const float *A, const float *x, float *y, int m, int n)
{
    __shared__ float xs[STROOK];

    int kolom = blockIdx.x * THREADS + threadIdx.x;
    int rij0  = blockIdx.y * STROOK;
    int aantal = min(STROOK, m - rij0);      // laatste strook kan korter zijn

    // x van deze strook delen alle threads
    for (int r = threadIdx.x; r < aantal; r += THREADS)
        xs[r] = x[rij0 + r];
    __syncthreads();

    if (kolom < n) {
        const float *a = A + (size_t)rij0 * n + kolom;
        float som = 0.0f;
        for (int r = 0; r < aantal; r++) {
            som += *a * xs[r];
            a += n;
        }
        atomicAdd(&y[kolom], som);
    }
}
