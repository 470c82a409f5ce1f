// Lab 3 - "reduced" matrix multiplication, straightforward version.
//
// Let P = A * B with A, B square, n x n, row-major, n even (2 <= n <= 46340).
// The kernel writes R, (n/2) x (n/2), where
//     R[i][j] = P[2i][2j] + P[2i][2j+1] + P[2i+1][2j] + P[2i+1][2j+1]
// One thread computes one element of R.
#include <cuda_runtime.h>

__device__ float row_times_column(const float* A, const float* B,
                                  int row, int col, int n)
{
    float s = 0.0f;
    for (int k = 0; k < n; ++k)
        s += A[row * n + k] * B[k * n + col];
    return s;
}

__global__ void reduced_mm(const float* A, const float* B, float* R, int n)
{
    const int half = n / 2;
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    const int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= half || j >= half)
        return;

    float total = 0.0f;
    for (int di = 0; di < 2; ++di)
        for (int dj = 0; dj < 2; ++dj)
            total += row_times_column(A, B, 2 * i + di, 2 * j + dj, n);

    R[i * half + j] = total;
}

// Host side: a, b hold n*n floats, r receives (n/2)*(n/2) floats.
// Returns cudaErrorInvalidValue when n is odd or out of range.
cudaError_t reduced_multiply(const float* a, const float* b, float* r, int n)
{
    if (n < 2 || n > 46340 || n % 2 != 0)
        return cudaErrorInvalidValue;

    const int half = n / 2;
    const size_t in_bytes  = (size_t)n * n * sizeof(float);
    const size_t out_bytes = (size_t)half * half * sizeof(float);

    float *da = nullptr, *db = nullptr, *dr = nullptr;
    cudaError_t e;
    if ((e = cudaMalloc(&da, in_bytes)) != cudaSuccess) goto done;
    if ((e = cudaMalloc(&db, in_bytes)) != cudaSuccess) goto done;
    if ((e = cudaMalloc(&dr, out_bytes)) != cudaSuccess) goto done;
    if ((e = cudaMemcpy(da, a, in_bytes, cudaMemcpyHostToDevice)) != cudaSuccess) goto done;
    if ((e = cudaMemcpy(db, b, in_bytes, cudaMemcpyHostToDevice)) != cudaSuccess) goto done;

    {
        dim3 block(32, 8);
        dim3 grid((half + block.x - 1) / block.x, (half + block.y - 1) / block.y);
        reduced_mm<<<grid, block>>>(da, db, dr, n);
    }
    if ((e = cudaGetLastError()) != cudaSuccess) goto done;
    e = cudaMemcpy(r, dr, out_bytes, cudaMemcpyDeviceToHost);

done:
    cudaFree(da);
    cudaFree(db);
    cudaFree(dr);
    return e;
}
