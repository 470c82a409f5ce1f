#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

#define BS 128

// every block leaves one partial sum; the host adds them
__global__ void partial_dot(const double *x, const double *y, double *part, int n)
{
    __shared__ double cache[BS];
    int tid = threadIdx.x;
    double temp = 0.0;

    int i = blockIdx.x * BS + tid;
    while (i < n) {
        temp += x[i] * y[i];
        i += BS;
    }
    cache[tid] = temp;
    __syncthreads();

    for (int s = BS / 2; s > 0; s >>= 1) {
        if (tid < s) cache[tid] += cache[tid + s];
        __syncthreads();
    }
    if (tid == 0) part[blockIdx.x] = cache[0];
}

int main()
{
    const int n = 5000, blocks = 16;
    std::vector<double> x(n), y(n), part(blocks);
    double expected = 0.0;
    for (int i = 0; i < n; ++i) {
        x[i] = 1.0 + i % 3;
        y[i] = 2.0 - i % 4;
        expected += x[i] * y[i];
    }

    double *dx, *dy, *dpart;
    cudaMalloc(&dx, n * sizeof(double));
    cudaMalloc(&dy, n * sizeof(double));
    cudaMalloc(&dpart, blocks * sizeof(double));
    cudaMemcpy(dx, x.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y.data(), n * sizeof(double), cudaMemcpyHostToDevice);

    partial_dot<<<blocks, BS>>>(dx, dy, dpart, n);
    cudaMemcpy(part.data(), dpart, blocks * sizeof(double), cudaMemcpyDeviceToHost);

    double result = 0.0;
    for (double p : part) result += p;
    printf("dot = %.1f, expected %.1f\n", result, expected);

    cudaFree(dx); cudaFree(dy); cudaFree(dpart);
    return result == expected ? 0 : 1;
}
