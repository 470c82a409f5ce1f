#include <cuda_runtime.h>
#include <cstdio>

// block (32, 8): a warp covers 32 columns of P and two of its rows.
// Every lane sums P[2i][c] + P[2i+1][c]; lane pairs are joined by a shuffle.
__global__ void reducedShfl(int m, int n, int p,
                            const float* A, const float* B, float* C)
{
    int c = blockIdx.x * 32 + threadIdx.x;
    int i = blockIdx.y * 8 + threadIdx.y;
    int m2 = m / 2, n2 = n / 2;

    float v = 0.0f;
    if (i < m2 && c < n) {
        const float* r0 = A + (2 * i) * p;
        const float* r1 = r0 + p;
        for (int k = 0; k < p; ++k)
            v += (r0[k] + r1[k]) * B[k * n + c];
    }
    float right = __shfl_down_sync(0xffffffff, v, 1);
    if ((threadIdx.x & 1) == 0 && i < m2 && c / 2 < n2)
        C[i * n2 + c / 2] = v + right;
}

int main()
{
    const int m = 26, n = 90, p = 18;
    float *A, *B, *C;
    cudaMallocManaged(&A, m * p * sizeof(float));
    cudaMallocManaged(&B, p * n * sizeof(float));
    cudaMallocManaged(&C, (m / 2) * (n / 2) * sizeof(float));
    for (int i = 0; i < m * p; ++i) A[i] = 1.0f;
    for (int i = 0; i < p * n; ++i) B[i] = 0.5f;
    dim3 grid((n + 31) / 32, (m / 2 + 7) / 8);
    reducedShfl<<<grid, dim3(32, 8)>>>(m, n, p, A, B, C);
    cudaDeviceSynchronize();
    printf("%f == %f\n", C[(m / 2) * (n / 2) - 1], 2.0f * p);
    return 0;
}
