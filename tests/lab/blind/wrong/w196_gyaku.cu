#include <cuda_runtime.h>
#include <cstdio>

// gyouretsu no kakezan (tairu), seihou gyouretsu n x n
namespace { constexpr int HABA = 16; }

__global__ void kakezan(const float *a, const float *b, float *c, int n)
{
    __shared__ float ta[HABA][HABA + 1];
    __shared__ float tb[HABA][HABA + 1];
    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const int gyou = blockIdx.y * HABA + y;
    const int retsu = blockIdx.x * HABA + x;

    float kotae = 0.0f;
    const int kaisuu = (n + HABA - 1) / HABA;
    for (int kai = 0; kai < kaisuu; ++kai) {
        const int p = kai * HABA + x;
        const int q = kai * HABA + y;
        ta[y][x] = (gyou < n && p < n) ? a[gyou * n + p] : 0.0f;
        tb[y][x] = (q < n && retsu < n) ? b[q * n + retsu] : 0.0f;
        __syncthreads();
        for (int k = 0; k < HABA; ++k)
            kotae += ta[y][k] * tb[x][k];
        __syncthreads();
    }
    if (gyou < n && retsu < n)
        c[gyou * n + retsu] = kotae;
}

int main()
{
    const int n = 60;
    float *a, *b, *c;
    cudaMallocManaged(&a, n * n * sizeof(float));
    cudaMallocManaged(&b, n * n * sizeof(float));
    cudaMallocManaged(&c, n * n * sizeof(float));
    for (int i = 0; i < n * n; ++i) { a[i] = i % 4; b[i] = i % 7; }
    dim3 blk(HABA, HABA), grd((n + HABA - 1) / HABA, (n + HABA - 1) / HABA);
    kakezan<<<grd, blk>>>(a, b, c, n);
    cudaDeviceSynchronize();
    printf("%f\n", c[n + 1]);
    return 0;
}
