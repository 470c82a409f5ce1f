// y = A^T x for a row-major A (m rows, n columns): x has m elements, y has n.
// One thread per column of A so that loads are coalesced; the rows are split
// over blockIdx.y in chunks, and the chunks meet in y with atomicAdd.
//
// The caller must clear y first (cudaMemsetAsync(y, 0, n * sizeof(float))).
// Launch:
//     dim3 grid((n + COLS - 1) / COLS, (m + CHUNK - 1) / CHUNK);
//     gemvT<<<grid, COLS>>>(A, x, y, m, n);
// m may be up to 65535 * CHUNK.
#include <cuda_runtime.h>

const int COLS  = 128;   // threads per block
const int CHUNK = 256;   // rows per block

__global__ void gemvT(const float* A, const float* x, float* y, int m, int n)
{
    __shared__ float xs[CHUNK];

    const int firstRow = blockIdx.y * CHUNK;
    const int nRows = min(CHUNK, m - firstRow);

    // everyone helps, also threads whose column does not exist
    for (int r = threadIdx.x; r < nRows; r += COLS)
        xs[r] = x[firstRow + r];
    __syncthreads();

    const int col = blockIdx.x * COLS + threadIdx.x;
    if (col >= n) return;

    const float* p = A + (size_t)firstRow * n + col;
    float sum = 0.0f;
    for (int r = 0; r < nRows; ++r) {
        sum += *p * xs[r];
        p += n;
    }
    atomicAdd(&y[col], sum);
}
