// Reduced matrix product, C is m x n, A is 2m x K, B is K x 2n:
//   C[i][j] = sum_k (A[2i][k] + A[2i+1][k]) * (B[k][2j] + B[k][2j+1])
// Square blocks of 16 x 16 threads, one thread for one element of C.
#define DIM 16

__global__ void reducedTiled(const float *A, const float *B, float *C, int m, int n, int K)
{
    __shared__ float rowSums[DIM][DIM];
    __shared__ float colSums[DIM][DIM];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int i = blockIdx.y * DIM + ty;
    const int j = blockIdx.x * DIM + tx;
    float result = 0.0f;

    for (int start = 0; start < K; start += DIM) {
        const int ka = start + tx;
        const int kb = start + ty;
        if (i < m && ka < K) {
            rowSums[ty][tx] = A[2 * i * K + ka] + A[(2 * i + 1) * K + ka];
        }
        if (kb < K && j < n) {
            colSums[ty][tx] = B[kb * 2 * n + 2 * j] + B[kb * 2 * n + 2 * j + 1];
        }
        __syncthreads();

        for (int k = 0; k < DIM; ++k)
            result += rowSums[ty][k] * colSums[k][tx];
        __syncthreads();
    }

    if (i < m && j < n)
        C[i * n + j] = result;
}
