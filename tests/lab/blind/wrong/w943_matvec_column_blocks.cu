#include <cuda_runtime.h>

// out = M * v. The matrix is cut into panels of PANEL columns: blockIdx.y picks the panel,
// each thread takes one row of it and adds its share to the output.
#define ROWS 64
#define PANEL 128

__global__ void panel_mv(const float *mat, const float *v, float *out, int nrows, int ncols)
{
    __shared__ float vs[PANEL];
    const int first = blockIdx.y * PANEL;
    const int row = blockIdx.x * ROWS + threadIdx.x;

    for (int c = threadIdx.x; c < PANEL; c += ROWS)
        vs[c] = first + c < ncols ? v[first + c] : 0.0f;
    __syncthreads();

    if (row >= nrows) return;

    const int width = min(PANEL, ncols - first);
    const float *p = mat + (size_t)row * ncols + first;
    float share = 0.0f;
    for (int c = 0; c < width; ++c)
        share += p[c] * vs[c];
    out[row] += share;
}

void matvec(const float *mat, const float *v, float *out, int nrows, int ncols)
{
    cudaMemset(out, 0, nrows * sizeof(float));
    dim3 grid((nrows + ROWS - 1) / ROWS, (ncols + PANEL - 1) / PANEL);
    panel_mv<<<grid, ROWS>>>(mat, v, out, nrows, ncols);
}
