// y = A x with A stored by columns (lda = rows), int. A block handles 32 rows;
// its blockDim.y layers take every blockDim.y-th column.
// blockDim = (32, L) with L = 1..16 (not only powers of two), gridDim = ceil(rows / 32)
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>

__global__ void mv_col(const int* A, const int* x, int* y, int rows, int cols)
{
    __shared__ int layer[16][32];
    int r = blockIdx.x * 32 + threadIdx.x;
    int s = 0;
    if (r < rows)
        for (int c = threadIdx.y; c < cols; c += blockDim.y)
            s += A[c * rows + r] * x[c];
    layer[threadIdx.y][threadIdx.x] = s;
    __syncthreads();
    if (threadIdx.y != 0 || r >= rows)
        return;
    for (int l = 1; l < blockDim.y; l++)
        s += layer[l][threadIdx.x];
    y[r] = s;
}

int main(int argc, char** argv)
{
    int rows = argc > 1 ? atoi(argv[1]) : 100, cols = argc > 2 ? atoi(argv[2]) : 77;
    int *A, *x, *y;
    cudaMallocManaged(&A, sizeof(int) * rows * cols);
    cudaMallocManaged(&x, sizeof(int) * cols);
    cudaMallocManaged(&y, sizeof(int) * rows);
    for (int i = 0; i < rows * cols; i++) A[i] = i % 19 - 9;
    for (int i = 0; i < cols; i++) x[i] = i % 4 + 1;
    mv_col<<<(rows + 31) / 32, dim3(32, 6)>>>(A, x, y, rows, cols);
    cudaDeviceSynchronize();
    for (int r = 0; r < rows; r++) {
        int want = 0;
        for (int c = 0; c < cols; c++) want += A[c * rows + r] * x[c];
        if (want != y[r]) { printf("row %d: %d instead of %d\n", r, y[r], want); return 1; }
    }
    puts("ok");
    return 0;
}
