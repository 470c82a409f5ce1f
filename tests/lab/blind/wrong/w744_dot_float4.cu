// Dot product with float4 loads. Works for every n > 0: the whole groups of
// four are read as float4, the remaining 0 to 3 elements one by one.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

static const int BLOCK = 128;

__inline__ __device__ float warpSum(float v)
{
    for (int o = 16; o > 0; o >>= 1)
        v += __shfl_xor_sync(0xffffffffu, v, o);
    return v;
}

__global__ void dot_vec4(const float *x, const float *y, int n, float *result)
{
    __shared__ float warpSums[BLOCK / 32];

    const float4 *x4 = reinterpret_cast<const float4 *>(x);
    const float4 *y4 = reinterpret_cast<const float4 *>(y);
    const int groups = n / 4;
    const int gid = blockIdx.x * blockDim.x + threadIdx.x;
    const int stride = gridDim.x * blockDim.x;

    float sum = 0.f;
    for (int g = gid; g < groups; g += stride) {
        float4 a = x4[g];
        float4 b = y4[g];
        sum += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    }

    // leftover elements
    if (gid == 0) {
        for (int i = groups; i < n; ++i)
            sum += x[i] * y[i];
    }

    sum = warpSum(sum);
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;
    if (lane == 0)
        warpSums[warp] = sum;
    __syncthreads();

    if (threadIdx.x == 0) {
        float s = 0.f;
        for (int w = 0; w < BLOCK / 32; ++w)
            s += warpSums[w];
        atomicAdd(result, s);
    }
}

int main()
{
    auto check = [](cudaError_t e) {
        if (e != cudaSuccess) {
            printf("CUDA: %s\n", cudaGetErrorString(e));
            exit(1);
        }
    };

    const int n = 262147;
    std::vector<float> x(n), y(n);
    double ref = 0;
    for (int i = 0; i < n; ++i) {
        x[i] = (float)(i % 4);
        y[i] = (float)(i % 3);
        ref += (double)x[i] * y[i];
    }

    float *dx, *dy, *dr, r = 0;
    check(cudaMalloc(&dx, n * sizeof(float)));
    check(cudaMalloc(&dy, n * sizeof(float)));
    check(cudaMalloc(&dr, sizeof(float)));
    check(cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    check(cudaMemcpy(dy, y.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    check(cudaMemset(dr, 0, sizeof(float)));

    dot_vec4<<<64, BLOCK>>>(dx, dy, n, dr);
    check(cudaGetLastError());
    check(cudaMemcpy(&r, dr, sizeof(float), cudaMemcpyDeviceToHost));

    bool ok = fabs(r - ref) <= 1e-4 * fabs(ref);
    printf("gpu %.3f cpu %.3f %s\n", r, ref, ok ? "PASS" : "FAIL");

    check(cudaFree(dx));
    check(cudaFree(dy));
    check(cudaFree(dr));
    return ok ? 0 : 1;
}
