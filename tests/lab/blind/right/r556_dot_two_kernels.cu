// Lab 4 - dot product in two passes
// usage: ./dot [n]      (1 <= n <= 2^30)
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define BLOCK 256

// First pass: every block handles 2*BLOCK elements.
__global__ void dotPartial(const float *a, const float *b, float *partial, int n)
{
    __shared__ float cache[BLOCK];
    int tid = threadIdx.x;
    int i = blockIdx.x * (2 * BLOCK) + tid;

    float s = 0.0f;
    if (i < n)
        s = a[i] * b[i];
    if (i + BLOCK < n)
        s += a[i + BLOCK] * b[i + BLOCK];
    cache[tid] = s;
    __syncthreads();

    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (tid < half)
            cache[tid] += cache[tid + half];
        __syncthreads();
    }
    if (tid == 0)
        partial[blockIdx.x] = cache[0];
}

// Second pass: one single block adds all the partial sums.
__global__ void sumPartial(const float *partial, float *result, int count)
{
    __shared__ float cache[BLOCK];
    int tid = threadIdx.x;

    float s = 0.0f;
    for (int i = tid; i < count; i += BLOCK)
        s += partial[i];
    cache[tid] = s;
    __syncthreads();

    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (tid < half)
            cache[tid] += cache[tid + half];
        __syncthreads();
    }
    if (tid == 0)
        *result = cache[0];
}

int main(int argc, char **argv)
{
    int n = (argc > 1) ? atoi(argv[1]) : 1000003;
    if (n < 1 || n > (1 << 30)) {
        printf("bad n\n");
        return 1;
    }
    int blocks = (n + 2 * BLOCK - 1) / (2 * BLOCK);
    size_t bytes = (size_t)n * sizeof(float);

    float *a = (float *)malloc(bytes), *b = (float *)malloc(bytes);
    double ref = 0.0;
    for (int i = 0; i < n; i++) {
        a[i] = (float)rand() / RAND_MAX;
        b[i] = (float)rand() / RAND_MAX;
        ref += (double)a[i] * b[i];
    }

    float *dA, *dB, *dPart, *dRes, res;
    cudaMalloc(&dA, bytes);
    cudaMalloc(&dB, bytes);
    cudaMalloc(&dPart, blocks * sizeof(float));
    cudaMalloc(&dRes, sizeof(float));
    cudaMemcpy(dA, a, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, b, bytes, cudaMemcpyHostToDevice);

    dotPartial<<<blocks, BLOCK>>>(dA, dB, dPart, n);
    sumPartial<<<1, BLOCK>>>(dPart, dRes, blocks);
    cudaMemcpy(&res, dRes, sizeof(float), cudaMemcpyDeviceToHost);

    double err = fabs(res - ref) / ref;
    printf("gpu %f cpu %f rel.err %g : %s\n", res, ref, err, err < 1e-4 ? "PASS" : "FAIL");

    cudaFree(dA); cudaFree(dB); cudaFree(dPart); cudaFree(dRes);
    free(a); free(b);
    return 0;
}
