#include <cuda_runtime.h>

/*  Reduced product.
 *  A has 2m rows and k columns, B has k rows and 2n columns (row-major).
 *  C(i,j) is the sum of a 2 x 2 square of A*B, i.e. the dot product of the sum of
 *  rows 2i, 2i+1 of A with the sum of columns 2j, 2j+1 of B.
 */
#define BS 16

__device__ inline float row_pair(const float *A, int k, int i, int q)
{
    return A[2 * i * k + q] + A[(2 * i + 1) * k + q];
}

__device__ inline float col_pair(const float *B, int n, int q, int j)
{
    return B[q * n + 2 * j] + B[q * n + 2 * j + 1];
}

__global__ void pairs(const float *A, const float *B, float *C, int m, int k, int n)
{
    __shared__ float sa[BS][BS + 1], sb[BS][BS + 1];
    int i = blockIdx.x * BS + threadIdx.y;
    int j = blockIdx.y * BS + threadIdx.x;
    float c = 0;

    for (int q = 0; q < k; q += BS) {
        int qx = q + threadIdx.x, qy = q + threadIdx.y;
        sa[threadIdx.y][threadIdx.x] = i < m && qx < k ? row_pair(A, k, i, qx) : 0;
        sb[threadIdx.y][threadIdx.x] = j < n && qy < k ? col_pair(B, n, qy, j) : 0;
        __syncthreads();
        for (int t = 0; t < BS; t++)
            c += sa[threadIdx.y][t] * sb[t][threadIdx.x];
        __syncthreads();
    }
    if (i < m && j < n)
        C[i * n + j] = c;
}

void reduced_product(const float *A, const float *B, float *C, int m, int k, int n)
{
    dim3 block(BS, BS);
    dim3 grid((m + BS - 1) / BS, (n + BS - 1) / BS);
    pairs<<<grid, block>>>(A, B, C, m, k, n);
}
