// Tiled reduced matrix multiplication: C (m/2, n/2), C[i, j] = sum over p of
// (A[2i, p] + A[2i+1, p]) * (B[p, 2j] + B[p, 2j+1]); m and n are even.
// The guard of B is that of a full product: j < n instead of j < n / 2.

#define TILE 16

extern "C" __global__ void reduced_matmul(const float* A, const float* B, float* C, int m, int n, int k)
{
    __shared__ float blockA[TILE][TILE];
    __shared__ float blockB[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int i = blockIdx.y * TILE + ty;
    int j = blockIdx.x * TILE + tx;

    float sum = 0;
    for (int t = 0; t < (k + TILE - 1) / TILE; ++t) {
        int p = t * TILE + tx;
        blockA[ty][tx] = i < m / 2 && p < k ? A[2 * i * k + p] + A[(2 * i + 1) * k + p] : 0;
        p = t * TILE + ty;
        blockB[ty][tx] = p < k && j < n ? B[p * n + 2 * j] + B[p * n + 2 * j + 1] : 0;  // planted: out of bounds
        __syncthreads();

        for (int q = 0; q < TILE; ++q)
            sum += blockA[ty][q] * blockB[q][tx];
        __syncthreads();
    }
    if (i < m / 2 && j < n / 2)
        C[i * (n / 2) + j] = sum;
}
