// dot product with a block-wise tree reduction, blocks are combined with atomicAdd
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define CHECK(call) do { cudaError_t e_ = (call); if (e_ != cudaSuccess) { \
    fprintf(stderr, "CUDA error %s at line %d\n", cudaGetErrorString(e_), __LINE__); exit(2); } } while (0)

const int threadsPerBlock = 256;

__global__ void dotKernel(const float* x, const float* y, float* result, int n)
{
    __shared__ float cache[threadsPerBlock];
    int tid = threadIdx.x + blockIdx.x * blockDim.x;
    int cacheIndex = threadIdx.x;

    float temp = 0;
    while (tid < n) {
        temp += x[tid] * y[tid];
        tid += blockDim.x * gridDim.x;
    }

    // set the cache values
    cache[cacheIndex] = temp;
    __syncthreads();

    // threadsPerBlock must be a power of 2 for this reduction
    int i = blockDim.x / 2;
    while (i != 0) {
        if (cacheIndex < i)
            cache[cacheIndex] += cache[cacheIndex + i];
        __syncthreads();
        i /= 2;
    }

    if (cacheIndex == 0)
        atomicAdd(result, cache[0]);
}

int main(int argc, char** argv)
{
    int n = 100003;
    if (argc > 1) n = atoi(argv[1]);

    float *x = (float*)malloc(n * sizeof(float));
    float *y = (float*)malloc(n * sizeof(float));
    for (int i = 0; i < n; i++) {
        x[i] = (i % 17) * 0.25f;
        y[i] = 1.0f - (i % 5) * 0.5f;
    }

    float *d_x, *d_y, *d_r;
    CHECK(cudaMalloc(&d_x, n * sizeof(float)));
    CHECK(cudaMalloc(&d_y, n * sizeof(float)));
    CHECK(cudaMalloc(&d_r, sizeof(float)));
    CHECK(cudaMemcpy(d_x, x, n * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_y, y, n * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(d_r, 0, sizeof(float)));   // important!!

    int blocks = (n + threadsPerBlock - 1) / threadsPerBlock;
    if (blocks > 64) blocks = 64;
    dotKernel<<<blocks, threadsPerBlock>>>(d_x, d_y, d_r, n);
    CHECK(cudaGetLastError());

    float got;
    CHECK(cudaMemcpy(&got, d_r, sizeof(float), cudaMemcpyDeviceToHost));

    double want = 0;
    for (int i = 0; i < n; i++) want += (double)x[i] * y[i];

    int ok = fabs(got - want) <= 1e-3 * (fabs(want) + 1.0);
    printf("gpu %f cpu %f\n", got, want);
    printf(ok ? "OK\n" : "BAD\n");
    cudaFree(d_x); cudaFree(d_y); cudaFree(d_r);
    free(x); free(y);
    return ok ? 0 : 1;
}
