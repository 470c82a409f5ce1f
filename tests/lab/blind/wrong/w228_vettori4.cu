#include <cuda_runtime.h>
#include <cstdio>

#define TPB 128

// Prodotto scalare con float4, n qualsiasi
__global__ void scalare4(const float *a, const float *b, float *somma, int n)
{
    __shared__ float s[TPB];
    const float4 *va = reinterpret_cast<const float4 *>(a);
    const float4 *vb = reinterpret_cast<const float4 *>(b);
    const int quanti = n / 4;

    float t = 0.0f;
    for (int i = blockIdx.x * TPB + threadIdx.x; i < quanti; i += gridDim.x * TPB) {
        const float4 p = va[i];
        const float4 q = vb[i];
        t += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
    }
    s[threadIdx.x] = t;
    __syncthreads();

    for (int d = TPB / 2; d; d >>= 1) {
        if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(somma, s[0]);
}

int main()
{
    const int n = 1003;
    float *a, *b, *somma;
    cudaMallocManaged(&a, n * sizeof(float));
    cudaMallocManaged(&b, n * sizeof(float));
    cudaMallocManaged(&somma, sizeof(float));
    for (int i = 0; i < n; i++) { a[i] = 2.0f; b[i] = 1.0f; }
    *somma = 0.0f;
    scalare4<<<3, TPB>>>(a, b, somma, n);
    cudaDeviceSynchronize();
    printf("%f\n", *somma);
    return 0;
}
