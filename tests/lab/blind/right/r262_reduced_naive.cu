// Multiply two matrices and shrink the product by 2 in both directions:
// R[i][j] = P[2i][2j] + P[2i][2j+1] + P[2i+1][2j] + P[2i+1][2j+1],  P = A*B
// (m and n have to be even)
#include <stdio.h>
#include <cuda_runtime.h>

__global__ void mulShrink(const int *A, const int *B, long long *R, int m, int k, int n)
{
    int rows = m / 2;
    int cols = n / 2;
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= rows || j >= cols) return;

    const int *a0 = A + (size_t)(2 * i) * k;
    const int *a1 = a0 + k;
    long long s00 = 0, s01 = 0, s10 = 0, s11 = 0;

    for (int p = 0; p < k; p++)
    {
        long long x0 = a0[p];
        long long x1 = a1[p];
        long long y0 = B[(size_t)p * n + 2 * j];
        long long y1 = B[(size_t)p * n + 2 * j + 1];
        s00 += x0 * y0;
        s01 += x0 * y1;
        s10 += x1 * y0;
        s11 += x1 * y1;
    }
    R[(size_t)i * cols + j] = s00 + s01 + s10 + s11;
}

int main()
{
    int m = 90, k = 33, n = 142;
    int *A, *B;
    long long *R;

    cudaMallocManaged(&A, m * k * sizeof(int));
    cudaMallocManaged(&B, k * n * sizeof(int));
    cudaMallocManaged(&R, (m / 2) * (n / 2) * sizeof(long long));

    for (int i = 0; i < m * k; i++) A[i] = i % 9 - 4;
    for (int i = 0; i < k * n; i++) B[i] = i % 6 - 1;

    dim3 threads(16, 8);
    dim3 blocks((n / 2 + threads.x - 1) / threads.x,
                (m / 2 + threads.y - 1) / threads.y);
    mulShrink<<<blocks, threads>>>(A, B, R, m, k, n);
    cudaError_t e = cudaDeviceSynchronize();
    if (e != cudaSuccess) { printf("%s\n", cudaGetErrorString(e)); return 1; }

    int bad = 0;
    for (int i = 0; i < m / 2; i++)
        for (int j = 0; j < n / 2; j++) {
            long long want = 0;
            for (int di = 0; di < 2; di++)
                for (int dj = 0; dj < 2; dj++)
                    for (int p = 0; p < k; p++)
                        want += A[(2 * i + di) * k + p] * B[p * n + 2 * j + dj];
            if (want != R[i * (n / 2) + j]) bad++;
        }
    printf(bad ? "FAILED\n" : "PASSED\n");

    cudaFree(A);
    cudaFree(B);
    cudaFree(R);
    return 0;
}
