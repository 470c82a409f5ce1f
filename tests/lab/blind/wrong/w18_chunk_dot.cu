#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define NB 8
#define NT 128

// every thread sums up a contiguous chunk, n is arbitrary
__global__ void chunkDot(const float *a, const float *b, float *result, int n)
{
    __shared__ float s[NT];
    int total = gridDim.x * blockDim.x;
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    int chunk = n / total;
    int begin = id * chunk;
    int end = begin + chunk;
    if (end > n) end = n;

    float sum = 0.0f;
    for (int i = begin; i < end; i++)
        sum += a[i] * b[i];
    s[threadIdx.x] = sum;
    __syncthreads();

    for (int d = NT / 2; d > 0; d >>= 1) {
        if (threadIdx.x < d)
            s[threadIdx.x] += s[threadIdx.x + d];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        atomicAdd(result, s[0]);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1000000;
    float *a = (float *)malloc(n * sizeof(float));
    float *b = (float *)malloc(n * sizeof(float));
    double want = 0;
    for (int i = 0; i < n; i++) {
        a[i] = (i % 10) * 0.1f;
        b[i] = 1.0f;
        want += a[i];
    }

    float *da, *db, *dr, got;
    cudaMalloc((void **)&da, n * sizeof(float));
    cudaMalloc((void **)&db, n * sizeof(float));
    cudaMalloc((void **)&dr, sizeof(float));
    cudaMemcpy(da, a, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(dr, 0, sizeof(float));

    chunkDot<<<NB, NT>>>(da, db, dr, n);
    cudaMemcpy(&got, dr, sizeof(float), cudaMemcpyDeviceToHost);

    printf("%s\n", fabs(got - want) < 1e-4 * want ? "pass" : "fail");
    cudaFree(da);
    cudaFree(db);
    cudaFree(dr);
    free(a);
    free(b);
    return 0;
}
