#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>

#define BS 16

__global__ void reduced(const float *A, const float *B, float *C, int m, int n, int p)
{
    __shared__ float as[BS][BS + 1];
    __shared__ float bs[BS][BS];
    int m2 = m / 2, n2 = n / 2;
    int i = blockIdx.y * BS + threadIdx.y;
    int j = blockIdx.x * BS + threadIdx.x;
    float acc = 0.0f;
    for (int k0 = 0; k0 < p; k0 += BS) {
        int ka = k0 + threadIdx.x, kb = k0 + threadIdx.y;
        as[threadIdx.y][threadIdx.x] =
            (i < m2 && ka < p) ? A[2 * i * p + ka] + A[(2 * i + 1) * p + ka] : 0.0f;
        bs[threadIdx.y][threadIdx.x] =
            (j < n2 && kb < p) ? B[kb * n + 2 * j] + B[kb * n + 2 * j + 1] : 0.0f;
        __syncthreads();
        for (int k = 0; k < BS; ++k)
            acc += as[threadIdx.y][k] * bs[k][threadIdx.x];
        __syncthreads();
    }
    if (i < m2 && j < n2)
        C[i * n2 + j] = acc;
}

int main(int argc, char **argv)
{
    int m = argc > 1 ? atoi(argv[1]) : 100;
    int n = argc > 2 ? atoi(argv[2]) : 120;
    int p = argc > 3 ? atoi(argv[3]) : 70;
    float *A, *B, *C;
    cudaMallocManaged(&A, m * p * sizeof(float));
    cudaMallocManaged(&B, p * n * sizeof(float));
    cudaMallocManaged(&C, (m / 2) * (n / 2) * sizeof(float));
    for (int i = 0; i < m * p; ++i) A[i] = 1.0f;
    for (int i = 0; i < p * n; ++i) B[i] = 1.0f;
    dim3 block(BS, BS);
    dim3 grid(n / 2 / BS, m / 2 / BS);
    reduced<<<grid, block>>>(A, B, C, m, n, p);
    cudaDeviceSynchronize();
    printf("%f (%d)\n", C[(m / 2) * (n / 2) - 1], 4 * p);
    return 0;
}
