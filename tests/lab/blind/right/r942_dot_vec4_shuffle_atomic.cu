#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define NTHREADS 192
#define NWARPS (NTHREADS / 32)

__inline__ __device__ float warp_total(float x)
{
    for (int o = 16; o > 0; o /= 2)
        x += __shfl_down_sync(0xffffffff, x, o);
    return x;
}

__global__ void dot4(const float *a, const float *b, float *sum, int n)
{
    __shared__ float w[NWARPS];
    const float4 *a4 = reinterpret_cast<const float4 *>(a);
    const float4 *b4 = reinterpret_cast<const float4 *>(b);
    int g = blockIdx.x * NTHREADS + threadIdx.x;
    int quads = n / 4;

    float s = 0.f;
    for (int i = g; i < quads; i += NTHREADS * gridDim.x) {
        float4 p = a4[i], q = b4[i];
        s += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
    }
    if (g < n % 4)                       // the last one to three elements
        s += a[4 * quads + g] * b[4 * quads + g];

    s = warp_total(s);
    if (threadIdx.x % 32 == 0) w[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x == 0) {
        float t = 0.f;
        for (int i = 0; i < NWARPS; i++) t += w[i];
        atomicAdd(sum, t);
    }
}

int main()
{
    const int n = 10007;
    std::vector<float> a(n), b(n);
    double ref = 0;
    for (int i = 0; i < n; i++) {
        a[i] = (i % 17) * 0.25f;
        b[i] = (i % 5) - 1.5f;
        ref += (double)a[i] * b[i];
    }
    float *da, *db, *ds, got;
    cudaMalloc(&da, n * sizeof(float));
    cudaMalloc(&db, n * sizeof(float));
    cudaMalloc(&ds, sizeof(float));
    cudaMemcpy(da, a.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(ds, 0, sizeof(float));
    dot4<<<7, NTHREADS>>>(da, db, ds, n);
    cudaMemcpy(&got, ds, sizeof(float), cudaMemcpyDeviceToHost);
    printf("gpu %f cpu %f\n", got, ref);
    cudaFree(da); cudaFree(db); cudaFree(ds);
    return std::fabs(got - ref) > 1e-3 * std::fabs(ref);
}
