#include <iostream>
#include <cmath>
#include <cstdlib>
#include <cuda_runtime.h>

#define N_THREADS 128
#define N_BLOCKS 16

__global__ void dot(const double *a, const double *b, double *c, int n)
{
    __shared__ double cache[N_THREADS];
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    int cacheIndex = threadIdx.x;

    double temp = 0;
    while (i < n) {
        temp += a[i] * b[i];
    }

    cache[cacheIndex] = temp;
    __syncthreads();

    int half = blockDim.x / 2;
    while (half != 0) {
        if (cacheIndex < half)
            cache[cacheIndex] += cache[cacheIndex + half];
        __syncthreads();
        half /= 2;
    }

    if (cacheIndex == 0)
        c[blockIdx.x] = cache[0];
}

int main(int argc, char **argv)
{
    int n = 33 * 1024;
    if (argc == 2) n = std::atoi(argv[1]);

    double *a = new double[n], *b = new double[n], *partial = new double[N_BLOCKS];
    for (int i = 0; i < n; i++) {
        a[i] = i % 100;
        b[i] = 2 * (i % 50);
    }

    double *dev_a, *dev_b, *dev_c;
    cudaMalloc((void **)&dev_a, n * sizeof(double));
    cudaMalloc((void **)&dev_b, n * sizeof(double));
    cudaMalloc((void **)&dev_c, N_BLOCKS * sizeof(double));
    cudaMemcpy(dev_a, a, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dev_b, b, n * sizeof(double), cudaMemcpyHostToDevice);

    dot<<<N_BLOCKS, N_THREADS>>>(dev_a, dev_b, dev_c, n);
    cudaMemcpy(partial, dev_c, N_BLOCKS * sizeof(double), cudaMemcpyDeviceToHost);

    double c = 0, ref = 0;
    for (int i = 0; i < N_BLOCKS; i++) c += partial[i];
    for (int i = 0; i < n; i++) ref += a[i] * b[i];
    std::cout << "Does GPU value " << c << " = " << ref << " ?" << std::endl;

    cudaFree(dev_a); cudaFree(dev_b); cudaFree(dev_c);
    delete[] a; delete[] b; delete[] partial;
    return 0;
}
