#include <cuda_runtime.h>
#include <cstdio>

constexpr int M = 24, N = 40, K = 31;     // M to N wa guusuu

// shukushou seki, ookisa wa constexpr
__global__ void shukushouSeki(const float (*a)[K], const float (*b)[N], float (*c)[N / 2])
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    const int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= M / 2 || j >= N / 2) return;

    float wa = 0.0f;
    for (int k = 0; k < K; ++k) {
        const float a0 = a[2 * i][k];
        const float a1 = a[2 * i + 1][k];
        const float b0 = b[k][2 * j];
        const float b1 = b[k][2 * j + 1];
        wa += (a0 + a1) * b0 + b1;
    }
    c[i][j] = wa;
}

int main()
{
    float (*a)[K], (*b)[N], (*c)[N / 2];
    cudaMallocManaged(&a, sizeof(float) * M * K);
    cudaMallocManaged(&b, sizeof(float) * K * N);
    cudaMallocManaged(&c, sizeof(float) * (M / 2) * (N / 2));
    for (int i = 0; i < M; ++i)
        for (int k = 0; k < K; ++k) a[i][k] = (i + k) % 5;
    for (int k = 0; k < K; ++k)
        for (int j = 0; j < N; ++j) b[k][j] = (k * j) % 7;
    dim3 blk(8, 8);
    dim3 grd((N / 2 + 7) / 8, (M / 2 + 7) / 8);
    shukushouSeki<<<grd, blk>>>(a, b, c);
    cudaDeviceSynchronize();
    printf("%f\n", c[3][3]);
    return 0;
}
