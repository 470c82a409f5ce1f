#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
// Reduced matrix product in three launches: fold rows of A, fold columns of B, multiply.

__global__ void foldRows(const int* in, int* out, int m, int k)      // 2m x k -> m x k
{
    for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < m * k; p += gridDim.x * blockDim.x) {
        int r = p / k, c = p % k;
        out[p] = in[2 * r * k + c] + in[(2 * r + 1) * k + c];
    }
}

__global__ void foldCols(const int* in, int* out, int k, int n)      // k x 2n -> k x n
{
    // a row has an even number of elements, so pair p of the whole matrix is pair p of its row
    for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < k * n; p += gridDim.x * blockDim.x)
        out[p] = in[2 * p] + in[2 * p + 1];
}

__global__ void mul(const int* A, const int* B, int* C, int m, int n, int k)
{
    __shared__ int a[8][8], b[8][8];
    int x = threadIdx.x, y = threadIdx.y;
    int i = blockIdx.y * 8 + y, j = blockIdx.x * 8 + x, s = 0;
    for (int t = 0; t < k; t += 8) {
        a[y][x] = i < m && t + x < k ? A[i * k + t + x] : 0;
        b[y][x] = j < n && t + y < k ? B[(t + y) * n + j] : 0;
        __syncthreads();
        for (int q = 0; q < 8; q++) s += a[y][q] * b[q][x];
        __syncthreads();
    }
    if (i < m && j < n) C[i * n + j] = s;
}

int main(int argc, char** argv)
{
    int m = argc > 1 ? atoi(argv[1]) : 19, n = argc > 2 ? atoi(argv[2]) : 26, k = argc > 3 ? atoi(argv[3]) : 13;
    if (m < 1 || n < 1 || k < 1 || m > 2000 || n > 2000 || k > 2000) { puts("sizes 1..2000"); return 2; }
    int *A, *B, *C, *fa, *fb;
    cudaMallocManaged(&A, sizeof(int) * 2 * m * k);
    cudaMallocManaged(&B, sizeof(int) * 2 * n * k);
    cudaMallocManaged(&C, sizeof(int) * m * n);
    cudaMalloc(&fa, sizeof(int) * m * k);
    cudaMalloc(&fb, sizeof(int) * n * k);
    for (int i = 0; i < 2 * m * k; i++) A[i] = rand() % 19 - 9;
    for (int i = 0; i < 2 * n * k; i++) B[i] = rand() % 19 - 9;

    foldRows<<<20, 128>>>(A, fa, m, k);
    foldCols<<<20, 128>>>(B, fb, k, n);
    mul<<<dim3((n + 7) / 8, (m + 7) / 8), dim3(8, 8)>>>(fa, fb, C, m, n, k);
    cudaDeviceSynchronize();

    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            int want = 0;
            for (int r = 2 * i; r <= 2 * i + 1; r++)
                for (int c = 2 * j; c <= 2 * j + 1; c++)
                    for (int q = 0; q < k; q++) want += A[r * k + q] * B[q * 2 * n + c];
            if (want != C[i * n + j]) { printf("differs at %d %d\n", i, j); return 1; }
        }
    puts("same");
    return 0;
}
