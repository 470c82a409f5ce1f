#include <cuda_runtime.h>
#include <stddef.h>

// Batched product, one matrix pair per blockIdx.z (batches up to 65535).
// The tile edge is blockDim.x == blockDim.y; shared memory is sized at launch:
// 2 * edge * edge floats.

extern __shared__ float pool[];

__device__ float dot_row_col(const float *row, const float *col, int edge)
{
    float s = 0.0f;
    for (int i = 0; i < edge; i++)
        s += row[i] * col[i * edge];
    return s;
}

__global__ void batched_mm(const float *a, const float *b, float *c,
                           int m, int k, int n)
{
    const int edge = blockDim.x;
    float *ta = pool;
    float *tb = pool + edge * edge;

    a += (size_t)blockIdx.z * m * k;
    b += (size_t)blockIdx.z * k * n;
    c += (size_t)blockIdx.z * m * n;

    const int lx = threadIdx.x;
    const int ly = threadIdx.y;
    const int r = blockIdx.y * edge + ly;
    const int s = blockIdx.x * edge + lx;

    float out = 0.0f;
    for (int base = 0; base < k; base += edge) {
        ta[ly * edge + lx] = 0.0f;
        tb[ly * edge + lx] = 0.0f;
        if (r < m && base + lx < k)
            ta[ly * edge + lx] = a[(size_t)r * k + base + lx];
        if (s < n && base + ly < k)
            tb[ly * edge + lx] = b[(size_t)(base + ly) * n + s];
        __syncthreads();
        out += dot_row_col(ta + ly * edge, tb + lx, edge);
        __syncthreads();
    }
    if (r < m && s < n)
        c[(size_t)r * n + s] = out;
}

cudaError_t batched(const float *a, const float *b, float *c,
                    int m, int k, int n, int count, int edge)
{
    if (edge < 1 || edge > 32 || count > 65535) return cudaErrorInvalidValue;
    dim3 blk(edge, edge);
    dim3 grd((n + edge - 1) / edge, (m + edge - 1) / edge, count);
    size_t bytes = 2 * (size_t)edge * edge * sizeof(float);
    batched_mm<<<grd, blk, bytes>>>(a, b, c, m, k, n);
    return cudaGetLastError();
}
