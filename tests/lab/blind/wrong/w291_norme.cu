// Norme L2 d'un vecteur : réduction par warps puis atomicAdd.
#include <cstdio>
#include <cmath>
#include <cuda_runtime.h>

#define FULL_MASK 0xffffffffu
#define CUDA(x) { cudaError_t e = (x); if (e) { printf("%s\n", cudaGetErrorString(e)); return 1; } }

__device__ float reduitWarp(float v)
{
    for (int decalage = 16; decalage > 0; decalage /= 2)
        v += __shfl_down_sync(FULL_MASK, v, decalage, 16);
    return v;
}

__global__ void sommeCarres(const float *x, int n, float *total)
{
    __shared__ float parWarp[8];          // 256 threads = 8 warps

    float s = 0.f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        s += x[i] * x[i];

    s = reduitWarp(s);
    if (threadIdx.x % 32 == 0)
        parWarp[threadIdx.x / 32] = s;
    __syncthreads();

    if (threadIdx.x == 0) {
        float t = 0.f;
        for (int w = 0; w < 8; ++w) t += parWarp[w];
        atomicAdd(total, t);
    }
}

int main()
{
    const int n = 5000;
    float *x, *total;
    CUDA(cudaMallocManaged(&x, n * sizeof(float)));
    CUDA(cudaMallocManaged(&total, sizeof(float)));

    double ref = 0;
    for (int i = 0; i < n; ++i) {
        x[i] = 0.001f * i;
        ref += (double)x[i] * x[i];
    }
    *total = 0.f;

    sommeCarres<<<10, 256>>>(x, n, total);
    CUDA(cudaGetLastError());
    CUDA(cudaDeviceSynchronize());

    const double norme = std::sqrt((double)*total);
    printf("norme = %.6f, attendu %.6f\n", norme, std::sqrt(ref));
    const bool ok = std::fabs(norme - std::sqrt(ref)) < 1e-4 * std::sqrt(ref);
    cudaFree(x);
    cudaFree(total);
    return ok ? 0 : 1;
}
