#include <iostream>
#include <vector>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

constexpr int kThreads = 256;

__global__ void totalProduct(const float* a, const float* b, float* result, int n)
{
    __shared__ float sums[kThreads];
    const int i = blockIdx.x * kThreads + threadIdx.x;

    float p = 0.0f;
    if (i < n)
        p = a[i] * b[i];
    sums[threadIdx.x] = p;
    __syncthreads();

    for (int offset = kThreads / 2; offset > 0; offset /= 2) {
        if (threadIdx.x < offset)
            sums[threadIdx.x] += sums[threadIdx.x + offset];
        __syncthreads();
    }

    if (threadIdx.x == 0) {
        *result += sums[0];
    }
}

int main(int argc, char** argv)
{
    int n = argc > 1 ? std::atoi(argv[1]) : 65536;
    std::vector<float> a(n), b(n);
    double expected = 0.0;
    for (int i = 0; i < n; ++i) {
        a[i] = float(i % 9);
        b[i] = float(i % 4);
        expected += double(a[i]) * b[i];
    }

    float *da, *db, *dr;
    float zero = 0.0f, result = 0.0f;
    cudaMalloc(&da, n * sizeof(float));
    cudaMalloc(&db, n * sizeof(float));
    cudaMalloc(&dr, sizeof(float));
    cudaMemcpy(da, a.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dr, &zero, sizeof(float), cudaMemcpyHostToDevice);

    totalProduct<<<(n + kThreads - 1) / kThreads, kThreads>>>(da, db, dr, n);
    cudaMemcpy(&result, dr, sizeof(float), cudaMemcpyDeviceToHost);

    std::cout << "gpu " << result << "  cpu " << expected << std::endl;
    cudaFree(da);
    cudaFree(db);
    cudaFree(dr);
    return 0;
}
