#include <cuda_runtime.h>

#define W 8

// batch of independent products, C_z = A_z B_z
// A: batch x m x k, B: batch x k x n, C: batch x m x n, all dense row-major
__global__ void batchMul(const double *A, const double *B, double *C, int m, int n, int k)
{
    const double *a = A + blockIdx.z * m * n;
    const double *b = B + blockIdx.z * k * n;
    double *c = C + blockIdx.z * m * n;

    __shared__ double as[W][W], bs[W][W];
    int r = blockIdx.y * W + threadIdx.y, q = blockIdx.x * W + threadIdx.x;
    double x = 0.0;

    for (int p = 0; p < (k + W - 1) / W; ++p) {
        int ka = p * W + threadIdx.x, kb = p * W + threadIdx.y;
        as[threadIdx.y][threadIdx.x] = r < m && ka < k ? a[r * k + ka] : 0.0;
        bs[threadIdx.y][threadIdx.x] = kb < k && q < n ? b[kb * n + q] : 0.0;
        __syncthreads();
        for (int i = 0; i < W; ++i) x += as[threadIdx.y][i] * bs[i][threadIdx.x];
        __syncthreads();
    }
    if (r < m && q < n) c[r * n + q] = x;
}

void batchMulHost(const double *A, const double *B, double *C, int m, int n, int k, int batch)
{
    dim3 g((n + W - 1) / W, (m + W - 1) / W, batch), t(W, W);
    batchMul<<<g, t>>>(A, B, C, m, n, k);
}
