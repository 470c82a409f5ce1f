// dot product, warp shuffle version
#include <cstdio>
#include <vector>

constexpr int BLOCK = 256;   // multiple of 32

__inline__ __device__ float warpSum(float v)
{
    for (int offset = warpSize / 4; offset > 0; offset /= 2)
        v += __shfl_down_sync(0xffffffff, v, offset);
    return v;
}

__global__ void dotShuffle(const float *x, const float *y, float *result, int n)
{
    float v = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        v += x[i] * y[i];

    v = warpSum(v);

    if ((threadIdx.x & 31) == 0)
        atomicAdd(result, v);
}

int main()
{
    const int n = 10007;
    std::vector<float> x(n), y(n);
    double expected = 0;
    for (int i = 0; i < n; i++) {
        x[i] = float(i % 5);
        y[i] = 0.5f;
        expected += x[i] * y[i];
    }

    float *dx, *dy, *dr, r = 0;
    cudaMalloc(&dx, n * sizeof(float));
    cudaMalloc(&dy, n * sizeof(float));
    cudaMalloc(&dr, sizeof(float));
    cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dr, &r, sizeof(float), cudaMemcpyHostToDevice);

    int grid = (n + BLOCK - 1) / BLOCK;
    if (grid > 32) grid = 32;
    dotShuffle<<<grid, BLOCK>>>(dx, dy, dr, n);

    cudaMemcpy(&r, dr, sizeof(float), cudaMemcpyDeviceToHost);
    std::printf("dot = %g, expected %g\n", r, expected);
    cudaFree(dx); cudaFree(dy); cudaFree(dr);
    return 0;
}
