// Reduced matmul, exercise sheet 7
//   A: m x k, B: k x n, both row-major;  m and n even, any k
//   C: (m/2) x (n/2)
//   C(i,j) = sum_p (A(2i,p) + A(2i+1,p)) * (B(p,2j) + B(p,2j+1))
//
// <<< dim3((n/2 + 7) / 8, (m/2 + 7) / 8), dim3(8, 8) >>>
#include <cuda_runtime.h>

#define W 8

__global__ void reduced_mm(const float* a, const float* b, float* c, int m, int n, int k)
{
    __shared__ float ta[W][W];
    __shared__ float tb[W][W];

    const int hm = m >> 1;
    const int hn = n >> 1;
    const int y = threadIdx.y, x = threadIdx.x;
    const int i = blockIdx.y * W + y;
    const int j = blockIdx.x * W + x;

    float r = 0.0f;
    const int steps = (k + W - 1) / W;
    for (int s = 0; s < steps; ++s)
    {
        const int pa = s * W + x;
        const int pb = s * W + y;

        // never read outside of A or B
        if (i < hm && pa < k)
            ta[y][x] = a[(2 * i) * k + pa] + a[(2 * i + 1) * k + pa];
        if (pb < k && j < hn)
            tb[y][x] = b[pb * n + 2 * j] + b[pb * n + 2 * j + 1];
        __syncthreads();

        #pragma unroll
        for (int p = 0; p < W; ++p)
            r += ta[y][p] * tb[p][x];
        __syncthreads();
    }

    if (i < hm && j < hn)
        c[i * hn + j] = r;
}
