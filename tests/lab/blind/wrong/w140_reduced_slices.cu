// Reduced product with shared tiles, any sizes:
//   C[i][j] = sum_k (A[2i][k] + A[2i+1][k]) * (B[k][2j] + B[k][2j+1])
//   A: 2*rows x depth, B: depth x 2*cols, C: rows x cols
// block (TILE, TILE), grid (ceil(cols / TILE), ceil(rows / TILE))

constexpr int TILE = 16;

__global__ void reduced_product(const float* A, const float* B, float* C,
                                int rows, int cols, int depth)
{
    __shared__ float sumA[TILE][TILE];
    __shared__ float sumB[TILE][TILE + 1];

    const int i = blockIdx.y * TILE + threadIdx.y;
    const int j = blockIdx.x * TILE + threadIdx.x;
    const int ldb = 2 * cols;
    float result = 0.0f;

    for (int k0 = 0; k0 < depth; k0 += 2 * TILE) {
        const int ka = k0 + threadIdx.x;
        const int kb = k0 + threadIdx.y;

        sumA[threadIdx.y][threadIdx.x] = 0.0f;
        if (i < rows && ka < depth)
            sumA[threadIdx.y][threadIdx.x] = A[2 * i * depth + ka] + A[(2 * i + 1) * depth + ka];

        sumB[threadIdx.y][threadIdx.x] = 0.0f;
        if (kb < depth && j < cols)
            sumB[threadIdx.y][threadIdx.x] = B[kb * ldb + 2 * j] + B[kb * ldb + 2 * j + 1];

        __syncthreads();
        for (int k = 0; k < TILE; ++k)
            result += sumA[threadIdx.y][k] * sumB[k][threadIdx.x];
        __syncthreads();
    }

    if (i < rows && j < cols)
        C[i * cols + j] = result;
}
