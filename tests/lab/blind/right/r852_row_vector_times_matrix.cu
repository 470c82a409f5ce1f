/* r = x^T * M   (x: length R, M: R x C row major, r: length C)
 * Rows are cut into slabs of SLAB, one slab per blockIdx.y; the slabs meet in r by atomicAdd. */
#include <cuda_runtime.h>

enum { WIDTH = 128, SLAB = 96 };

__global__ void xtm_slab(const float *x, const float *M, float *r, int R, int C)
{
    __shared__ float xs[SLAB];

    int first = blockIdx.y * SLAB;
    int count = R - first;
    if (count > SLAB) count = SLAB;

    if (threadIdx.x < count) xs[threadIdx.x] = x[first + threadIdx.x];
    __syncthreads();

    int c = blockIdx.x * WIDTH + threadIdx.x;
    if (c < C) {
        const float *p = M + (size_t)first * C + c;
        float s = 0.0f;
        for (int q = 0; q < count; ++q, p += C)
            s += xs[q] * *p;
        atomicAdd(&r[c], s);
    }
}

int vec_mat(const float *x, const float *M, float *r, int R, int C)
{
    cudaMemset(r, 0, (size_t)C * sizeof *r);
    if (R > 0 && C > 0) {
        dim3 g((C + WIDTH - 1) / WIDTH, (R + SLAB - 1) / SLAB);
        xtm_slab<<<g, WIDTH>>>(x, M, r, R, C);
    }
    return cudaGetLastError() == cudaSuccess ? 0 : -1;
}
