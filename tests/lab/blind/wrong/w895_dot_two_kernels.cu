#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <algorithm>
#include <cuda_runtime.h>

// Skaliarinė sandauga dviem etapais, be atominių operacijų.

constexpr int GIJOS = 256;
constexpr int DAUGIAUSIA = 1024;   // daugiausia blokų pirmame etape

__device__ float bloko_suma(float v)
{
    __shared__ float s[GIJOS / 32];
    for (int d = 16; d; d >>= 1) v += __shfl_down_sync(0xffffffff, v, d);
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x < 32) {
        v = threadIdx.x < GIJOS / 32 ? s[threadIdx.x] : 0.f;
        for (int d = 4; d; d >>= 1) v += __shfl_down_sync(0xffffffff, v, d);
    }
    return v;
}

__global__ void etapas1(const float *a, const float *b, float *dalys, int n)
{
    float v = 0.f;
    for (int i = blockIdx.x * GIJOS + threadIdx.x; i < n; i += gridDim.x * GIJOS)
        v += a[i] * b[i];
    v = bloko_suma(v);
    if (threadIdx.x == 0) dalys[blockIdx.x] = v;
}

__global__ void etapas2(const float *dalys, float *ats, int kiek)
{
    float v = 0.f;
    if (threadIdx.x < kiek)
        v = dalys[threadIdx.x];
    v = bloko_suma(v);
    if (threadIdx.x == 0) *ats = v;
}

float sandauga(const float *a, const float *b, int n)
{
    const int blokai = std::min(DAUGIAUSIA, (n + GIJOS - 1) / GIJOS);
    float *dalys, ats;
    cudaMalloc(&dalys, (blokai + 1) * sizeof(float));
    etapas1<<<blokai, GIJOS>>>(a, b, dalys, n);
    etapas2<<<1, GIJOS>>>(dalys, dalys + blokai, blokai);
    cudaMemcpy(&ats, dalys + blokai, sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(dalys);
    return ats;
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 500000;
    float *a, *b;
    cudaMallocManaged(&a, n * sizeof(float));
    cudaMallocManaged(&b, n * sizeof(float));
    double tikras = 0;
    for (int i = 0; i < n; ++i) {
        a[i] = (rand() % 1000) * 1e-3f;
        b[i] = (rand() % 1000) * 1e-3f;
        tikras += (double)a[i] * b[i];
    }
    const float r = sandauga(a, b, n);
    printf("GPU %.3f  CPU %.3f\n", r, tikras);
    cudaFree(a);
    cudaFree(b);
    return std::fabs(r - tikras) > 1e-4 * tikras;
}
