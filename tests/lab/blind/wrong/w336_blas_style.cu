// Column-major product with leading dimensions, as BLAS stores it:
//   C(i,j) = sum_p A(i,p) * B(p,j)
//   A is m x k with lda >= m, B is k x n with ldb >= k, C is m x n with ldc >= m.
//
// Launch:
//   dim3 block(16, 16);
//   dim3 grid((m + 15) / 16, (n + 15) / 16);
//   matmul_cm<<<grid, block>>>(m, n, k, A, lda, B, ldb, C, ldc);

#define TB 16
#define AT(i, j, ld) ((size_t)(j) * (ld) + (i))

__global__ void matmul_cm(int m, int n, int k,
                          const float *A, int lda,
                          const float *B, int ldb,
                          float *C, int ldc)
{
    __shared__ float tileA[TB][TB + 1];   // tileA[p][i]
    __shared__ float tileB[TB][TB + 1];   // tileB[j][p]

    int tx = threadIdx.x, ty = threadIdx.y;
    int i = blockIdx.x * TB + tx;
    int j = blockIdx.y * TB + ty;
    float acc = 0.0f;

    for (int p0 = 0; p0 < k; p0 += TB) {
        int pa = p0 + ty;
        int pb = p0 + tx;
        tileA[ty][tx] = (i < m && pa < k) ? A[AT(i, pa, lda)] : 0.0f;
        tileB[ty][tx] = (pb < k && j < n) ? B[AT(pb, j, lda)] : 0.0f;
        __syncthreads();

#pragma unroll
        for (int p = 0; p < TB; ++p)
            acc += tileA[p][tx] * tileB[ty][p];
        __syncthreads();
    }

    if (i < m && j < n)
        C[AT(i, j, ldc)] = acc;
}
