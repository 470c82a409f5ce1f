#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

constexpr unsigned ALL = 0xffffffffu;

__device__ __forceinline__ double warp_total(double v)
{
    v += __shfl_down_sync(ALL, v, 16);
    v += __shfl_down_sync(ALL, v, 8);
    v += __shfl_down_sync(ALL, v, 4);
    v += __shfl_down_sync(ALL, v, 2);
    v += __shfl_down_sync(ALL, v, 1);
    return v;
}

// float vectors, sum in double; *result has to be zero before the launch,
// the block size has to be a multiple of 32
__global__ void dot(const float* __restrict__ u, const float* __restrict__ v, size_t n, double* result)
{
    double mine = 0.0;
    size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        mine += (double)u[i] * v[i];
    mine = warp_total(mine);
    if (threadIdx.x % 32 == 0)
        atomicAdd(result, mine);
}

int main()
{
    for (size_t n : {1, 31, 1000, 4099}) {
        std::vector<float> u(n), v(n);
        double ref = 0;
        for (size_t i = 0; i < n; i++) {
            u[i] = (i % 9) * 0.5f - 1;
            v[i] = (i % 5) - 2.0f;
            ref += (double)u[i] * v[i];
        }
        float *du, *dv;
        double *dr, r;
        cudaMalloc(&du, n * sizeof(float));
        cudaMalloc(&dv, n * sizeof(float));
        cudaMalloc(&dr, sizeof(double));
        cudaMemcpy(du, u.data(), n * sizeof(float), cudaMemcpyHostToDevice);
        cudaMemcpy(dv, v.data(), n * sizeof(float), cudaMemcpyHostToDevice);
        cudaMemset(dr, 0, sizeof(double));
        dot<<<6, 96>>>(du, dv, n, dr);
        cudaMemcpy(&r, dr, sizeof r, cudaMemcpyDeviceToHost);
        cudaFree(du); cudaFree(dv); cudaFree(dr);
        if (!(fabs(r - ref) < 1e-6)) { printf("n = %zu: %f instead of %f\n", n, r, ref); return 1; }
    }
    printf("ok\n");
    return 0;
}
