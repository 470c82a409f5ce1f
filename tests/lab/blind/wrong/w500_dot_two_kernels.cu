// Dot product: kernel 1 writes one partial per block, kernel 2 (one block) adds the partials.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define TPB 256

__global__ void dotPartials(const float *a, const float *b, float *part, int n)
{
    __shared__ float s[TPB];
    int tid = threadIdx.x;
    int i = blockIdx.x * (2 * TPB) + tid;

    float v = 0.0f;
    if (i < n) v = a[i] * b[i];
    if (i + TPB < n) v += a[i + TPB] * b[i + TPB];
    s[tid] = v;
    __syncthreads();

    for (int h = TPB / 2; h > 0; h >>= 1) {
        if (tid < h) s[tid] += s[tid + h];
        __syncthreads();
    }
    if (tid == 0) part[blockIdx.x] = s[0];
}

__global__ void addPartials(const float *part, int count, float *out)
{
    __shared__ float s[TPB];
    int tid = threadIdx.x;
    s[tid] = tid < count ? part[tid] : 0.0f;
    __syncthreads();

    for (int h = TPB / 2; h > 0; h >>= 1) {
        if (tid < h) s[tid] += s[tid + h];
        __syncthreads();
    }
    if (tid == 0) *out = s[0];
}

float dotGPU(const float *a, const float *b, int n)
{
    int blocks = (n + 2 * TPB - 1) / (2 * TPB);
    float *da, *db, *dp, *dr, r = 0.0f;
    cudaMalloc(&da, n * sizeof(float));
    cudaMalloc(&db, n * sizeof(float));
    cudaMalloc(&dp, blocks * sizeof(float));
    cudaMalloc(&dr, sizeof(float));
    cudaMemcpy(da, a, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b, n * sizeof(float), cudaMemcpyHostToDevice);
    dotPartials<<<blocks, TPB>>>(da, db, dp, n);
    addPartials<<<1, TPB>>>(dp, blocks, dr);
    cudaMemcpy(&r, dr, sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(da);
    cudaFree(db);
    cudaFree(dp);
    cudaFree(dr);
    return r;
}

int main()
{
    const int sizes[] = {1, 500, 4096, 100000, 1000000};
    for (int n : sizes) {
        float *a = (float *)malloc(n * sizeof(float));
        float *b = (float *)malloc(n * sizeof(float));
        double ref = 0.0;
        for (int i = 0; i < n; i++) {
            a[i] = (float)(rand() % 1000) / 1000.0f;
            b[i] = (float)(rand() % 1000) / 1000.0f;
            ref += (double)a[i] * b[i];
        }
        float got = dotGPU(a, b, n);
        printf("n = %7d  gpu = %12.4f  cpu = %12.4f  %s\n", n, got, ref,
               fabs(got - ref) <= 1e-4 * ref + 1e-6 ? "ok" : "different");
        free(a);
        free(b);
    }
    return 0;
}
