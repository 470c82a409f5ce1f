// Dot product with timing. The first launch warms the device up, the second
// one is measured.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>

#define THREADS 256

__global__ void dotKernel(const float* a, const float* b, float* result, int n)
{
    __shared__ float cache[THREADS];
    int tid = threadIdx.x;
    float temp = 0.0f;

    for (int i = blockIdx.x * blockDim.x + tid; i < n; i += blockDim.x * gridDim.x)
        temp += a[i] * b[i];
    cache[tid] = temp;
    __syncthreads();

    for (int s = THREADS / 2; s > 0; s >>= 1) {
        if (tid < s)
            cache[tid] += cache[tid + s];
        __syncthreads();
    }

    if (tid == 0)
        atomicAdd(result, cache[0]);
}

int main()
{
    const int n = 1 << 18;
    std::vector<float> a(n), b(n);
    double expected = 0.0;
    for (int i = 0; i < n; ++i) {
        a[i] = (i % 8) * 0.25f;
        b[i] = (i % 4) * 0.5f;
        expected += (double)a[i] * b[i];
    }

    float *da, *db, *dResult;
    cudaMalloc(&da, n * sizeof(float));
    cudaMalloc(&db, n * sizeof(float));
    cudaMalloc(&dResult, sizeof(float));
    cudaMemcpy(da, a.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(dResult, 0, sizeof(float));

    dotKernel<<<64, THREADS>>>(da, db, dResult, n);

    cudaEvent_t start, stop;
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    cudaEventRecord(start);
    dotKernel<<<64, THREADS>>>(da, db, dResult, n);
    cudaEventRecord(stop);
    cudaEventSynchronize(stop);
    float ms = 0.0f;
    cudaEventElapsedTime(&ms, start, stop);

    float result = 0.0f;
    cudaMemcpy(&result, dResult, sizeof(float), cudaMemcpyDeviceToHost);
    std::printf("dot = %f, expected %f, %f ms\n", result, expected, ms);

    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    cudaFree(da);
    cudaFree(db);
    cudaFree(dResult);
    return std::fabs(result - expected) > 1e-3 * expected;
}
