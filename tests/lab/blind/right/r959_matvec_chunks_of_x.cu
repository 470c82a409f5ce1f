#include <cuda_runtime.h>

// y = A x. One thread per row. The columns are taken in strips: a strip of A comes in
// by coalesced reads into shared memory, then each thread walks along its own row.
// launch: <<<(rows + P - 1) / P, P>>>
#define P 64
#define STRIP 32

__global__ void matvec(const double* A, const double* x, double* y, int rows, int cols)
{
    __shared__ double block[P][STRIP + 1];
    __shared__ double piece[STRIP];

    int t = threadIdx.x;
    int top = blockIdx.x * P;
    double dot = 0;

    for (int c0 = 0; c0 < cols; c0 += STRIP) {
        int wide = cols - c0 < STRIP ? cols - c0 : STRIP;
        int tall = rows - top < P ? rows - top : P;

        if (t < wide)
            piece[t] = x[c0 + t];
        for (int e = t; e < tall * STRIP; e += P) {
            int r = e / STRIP, c = e % STRIP;
            if (c < wide)
                block[r][c] = A[(size_t)(top + r) * cols + c0 + c];
        }
        __syncthreads();

        if (t < tall)
            for (int c = 0; c < wide; ++c)
                dot += block[t][c] * piece[c];
        __syncthreads();
    }
    if (top + t < rows)
        y[top + t] = dot;
}
