// Reduced product  C(i,j) = (A[2i] + A[2i+1]) . (B[:,2j] + B[:,2j+1])
//   A: 2m x k,  B: k x 2n,  C: m x n
// block (32, 4); a block makes 4 rows x 32 columns of C
#include <cuda_runtime.h>

enum { NX = 32, NY = 4, NK = 32 };

__global__ void reduced(const double* A, const double* B, double* C, int m, int n, int k)
{
    __shared__ double u[NY][NK];
    __shared__ double v[NK][NX];

    int i = blockIdx.y * NY + threadIdx.y;
    int j = blockIdx.x * NX + threadIdx.x;
    const double* top = A + (size_t)2 * i * k;
    double dot = 0.0;

    for (int k0 = 0; k0 < k; k0 += NK) {
        int ka = k0 + threadIdx.x;
        if (i < m && ka < k)
            u[threadIdx.y][threadIdx.x] = top[ka] + top[k + ka];
        else
            u[threadIdx.y][threadIdx.x] = 0.0;

        for (int r = threadIdx.y; r < NK; r += NY) {
            double w = 0.0;
            if (j < n && k0 + r < k) {
                const double* p = B + (size_t)(k0 + r) * n + 2 * j;
                w = p[0] + p[1];
            }
            v[r][threadIdx.x] = w;
        }
        __syncthreads();
        for (int r = 0; r < NK; ++r)
            dot += u[threadIdx.y][r] * v[r][threadIdx.x];
        __syncthreads();
    }
    if (i < m && j < n)
        C[(size_t)i * n + j] = dot;
}

void reducedProduct(const double* A, const double* B, double* C, int m, int n, int k)
{
    reduced<<<dim3((n + NX - 1) / NX, (m + NY - 1) / NY), dim3(NX, NY)>>>(A, B, C, m, n, k);
}
