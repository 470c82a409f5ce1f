// C = A^T * B, both inputs row major.
//   A is  K x M   (so A^T is M x K)
//   B is  K x N
//   C is  M x N
// The nice thing: both tiles can be loaded coalesced, because k is the row of both.

#define TDIM 16

__device__ inline float load_or_zero(const float* p, int r, int c, int rows, int cols)
{
    return (r < rows && c < cols) ? p[r * cols + c] : 0.0f;
}

// blocks of TDIM x TDIM threads; x direction: columns of C; y direction: rows of C
__global__ void mult_AT_B(const float* A, const float* B, float* C, int K, int M, int N)
{
    __shared__ float At[TDIM][TDIM];   // At[k][i]
    __shared__ float Bt[TDIM][TDIM];   // Bt[k][j]

    const int i0 = blockIdx.y * TDIM;
    const int j0 = blockIdx.x * TDIM;
    const int tx = threadIdx.x, ty = threadIdx.y;

    float dot = 0.0f;
    for (int k0 = 0; k0 < K; k0 += TDIM) {
        At[ty][tx] = load_or_zero(A, k0 + ty, i0 + tx, K, M);
        Bt[ty][tx] = load_or_zero(B, k0 + ty, j0 + tx, K, N);
        __syncthreads();
        for (int k = 0; k < TDIM; ++k)
            dot += At[k][ty] * Bt[k][tx];
        __syncthreads();
    }

    if (i0 + ty < M && j0 + tx < N)
        C[(i0 + ty) * N + (j0 + tx)] = dot;
}
