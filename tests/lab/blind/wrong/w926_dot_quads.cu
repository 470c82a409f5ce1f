#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

constexpr int BLOCK = 128;
constexpr int PER_THREAD = 4;

// A block treats BLOCK * PER_THREAD consecutive elements and writes one partial sum.
__global__ void partial_dot(const float *x, const float *y, float *sums, int n)
{
    __shared__ float sh[BLOCK];
    int base = blockIdx.x * BLOCK * PER_THREAD;
    float s = 0.0f;
    for (int e = 0; e < PER_THREAD; e++) {
        int i = base + e * BLOCK + threadIdx.x;
        if (i < n) s += x[i] * y[i];
    }
    sh[threadIdx.x] = s;
    for (int half = BLOCK / 2; half >= 1; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            sh[threadIdx.x] += sh[threadIdx.x + half];
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = sh[0];
}

// x and y are host vectors of any length
float dot(const std::vector<float> &x, const std::vector<float> &y)
{
    int n = (int)x.size();
    if (n == 0) return 0.0f;
    int quads = n / PER_THREAD > 0 ? n / PER_THREAD : 1;
    int blocks = (quads + BLOCK - 1) / BLOCK;
    float *dx, *dy, *ds;
    cudaMalloc(&dx, n * sizeof(float));
    cudaMalloc(&dy, n * sizeof(float));
    cudaMalloc(&ds, blocks * sizeof(float));
    cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    partial_dot<<<blocks, BLOCK>>>(dx, dy, ds, n);
    std::vector<float> sums(blocks);
    cudaMemcpy(sums.data(), ds, blocks * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(dx); cudaFree(dy); cudaFree(ds);
    float total = 0.0f;
    for (float s : sums) total += s;
    return total;
}

int main()
{
    const int sizes[] = {1, 7, 1000, 4096, 10003};
    for (int n : sizes) {
        std::vector<float> x(n), y(n);
        double ref = 0;
        for (int i = 0; i < n; i++) {
            x[i] = 1 + i % 3;
            y[i] = 1 + i % 4;
            ref += x[i] * y[i];
        }
        float d = dot(x, y);
        printf("n = %d: %s\n", n, std::fabs(d - ref) < 1e-3 * ref ? "ok" : "wrong");
    }
    return 0;
}
