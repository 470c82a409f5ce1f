// Batched product, one matrix of the batch per blockIdx.z.
//
//   C_b = A_b * B_b,  b = 0 .. p.batch-1, row-major
//
// launch:  dim3 block(32, 8);
//          dim3 grid((p.n + 31) / 32, (p.m + 31) / 32, p.batch);
//          batchedGemm<<<grid, block>>>(A, B, C, p);
// strideA >= m*k, strideB >= k*n, strideC >= m*n  (elements between two matrices)

struct BatchParams {
    int m, n, k, batch;
    long long strideA, strideB, strideC;
};

#define T 32
#define ROWS 8

__global__ void batchedGemm(const float *A, const float *B, float *C, BatchParams p)
{
    __shared__ float at[T][T];
    __shared__ float bt[T][T];

    A += blockIdx.z * p.strideA;
    B += blockIdx.z * p.strideB;
    C += blockIdx.z * p.strideC;

    const int col = blockIdx.x * T + threadIdx.x;
    const int row0 = blockIdx.y * T + threadIdx.y;
    float acc[T / ROWS] = {0.0f};

    for (int k0 = 0; k0 < p.k; k0 += T) {
        for (int q = 0; q < T / ROWS; ++q) {
            int y = threadIdx.y + q * ROWS;
            int r = row0 + q * ROWS;
            at[y][threadIdx.x] = 0.0f;
            bt[y][threadIdx.x] = 0.0f;
            if (r < p.m && k0 + threadIdx.x < p.k)
                at[y][threadIdx.x] = A[r * p.k + k0 + threadIdx.x];
            if (k0 + y < p.k && col < p.n)
                bt[y][threadIdx.x] = B[(k0 + y) * p.n + col];
        }
        __syncthreads();

        for (int kk = 0; kk < T; ++kk) {
            float b = bt[kk][threadIdx.x];
            for (int q = 0; q < T / ROWS; ++q)
                acc[q] += at[threadIdx.y + q * ROWS][kk] * b;
        }
        __syncthreads();
    }

    for (int q = 0; q < T / ROWS; ++q) {
        int r = row0 + q * ROWS;
        if (r < p.m && col < p.n)
            C[r * p.n + col] = acc[q];
    }
}
