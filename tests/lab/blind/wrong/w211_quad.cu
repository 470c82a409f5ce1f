#include <cuda_runtime.h>
#include <cstdio>

#define DIM 16

// 16 x 16 threads compute a tile of P = A * B, 8 x 8 threads reduce it
__global__ void reducedQuad(const float *A, const float *B, float *C, int m, int n, int p)
{
    __shared__ float prod[DIM][DIM];
    int r = blockIdx.y * DIM + threadIdx.y;
    int c = blockIdx.x * DIM + threadIdx.x;

    float v = 0.0f;
    if (r < m && c < n)
        for (int k = 0; k < p; ++k)
            v += A[r * p + k] * B[k * n + c];
    prod[threadIdx.y][threadIdx.x] = v;

    if (threadIdx.y < DIM / 2 && threadIdx.x < DIM / 2) {
        int y = 2 * threadIdx.y, x = 2 * threadIdx.x;
        int i = blockIdx.y * (DIM / 2) + threadIdx.y;
        int j = blockIdx.x * (DIM / 2) + threadIdx.x;
        if (i < m / 2 && j < n / 2)
            C[i * (n / 2) + j] = prod[y][x] + prod[y][x + 1] + prod[y + 1][x] + prod[y + 1][x + 1];
    }
}

int main()
{
    const int m = 48, n = 64, p = 37;
    float *A, *B, *C;
    cudaMallocManaged(&A, m * p * sizeof(float));
    cudaMallocManaged(&B, p * n * sizeof(float));
    cudaMallocManaged(&C, m / 2 * (n / 2) * sizeof(float));
    for (int i = 0; i < m * p; ++i) A[i] = i % 2;
    for (int i = 0; i < p * n; ++i) B[i] = i % 3;
    reducedQuad<<<dim3((n + DIM - 1) / DIM, (m + DIM - 1) / DIM), dim3(DIM, DIM)>>>(A, B, C, m, n, p);
    cudaDeviceSynchronize();
    printf("%f\n", C[0]);
    return 0;
}
