#include <cuda_runtime.h>
#define W 16

/* C = A*B in double. Two tiles in flight: the next one is stored while the
   present one is multiplied, so one barrier per tile is enough.
   launch:  dim3 b(W, W);  dim3 g((n + W-1)/W, (m + W-1)/W);               */
__global__ void dgemm_pp(int m, int n, int k, const double *A, const double *B, double *C)
{
    __shared__ double a[2][W][W];
    __shared__ double bt[2][W][W + 1];      // bt[column][depth]

    int tx = threadIdx.x, ty = threadIdx.y;
    int i = blockIdx.y * W + ty;
    int j = blockIdx.x * W + tx;
    int tiles = (k + W - 1) / W;
    double sum = 0.0;
    int now = 0;

    a[0][ty][tx]  = (i < m && tx < k) ? A[i * k + tx] : 0.0;
    bt[0][tx][ty] = (ty < k && j < n) ? B[ty * n + j] : 0.0;
    __syncthreads();

    for (int t = 0; t < tiles; t++) {
        int nxt = now ^ 1;
        if (t + 1 < tiles) {
            int d = (t + 1) * W;
            a[nxt][ty][tx]  = (i < m && d + tx < k) ? A[i * k + d + tx] : 0.0;
            bt[nxt][tx][ty] = (d + ty < k && j < n) ? B[(d + ty) * n + j] : 0.0;
        }
        for (int s = 0; s < W; s++)
            sum += a[now][ty][s] * bt[now][tx][s];
        __syncthreads();
        now = nxt;
    }

    if (i < m && j < n)
        C[i * n + j] = sum;
}
