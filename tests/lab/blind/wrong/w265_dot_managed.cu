// My first dot product on the GPU!
#include <iostream>
#include <cuda_runtime.h>

#define N 50000
#define THREADS 128

__global__ void dotProduct(int *a, int *b, int *c, int n)
{
    __shared__ int products[THREADS];
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        products[threadIdx.x] = a[i] * b[i];
    else
        products[threadIdx.x] = 0;

    __syncthreads();

    // the first thread of the block adds all of them
    if (threadIdx.x == 0) {
        int sum = 0;
        for (int t = 0; t < THREADS; t++)
            sum += products[t];
        *c += sum;
    }
}

int main()
{
    int *a, *b, *c;

    cudaMallocManaged(&a, N * sizeof(int));
    cudaMallocManaged(&b, N * sizeof(int));
    cudaMallocManaged(&c, sizeof(int));

    for (int i = 0; i < N; i++) {
        a[i] = i % 3;
        b[i] = i % 5;
    }
    *c = 0;

    int blocks = (N + THREADS - 1) / THREADS;
    dotProduct<<<blocks, THREADS>>>(a, b, c, N);
    cudaDeviceSynchronize();

    int check = 0;
    for (int i = 0; i < N; i++)
        check += a[i] * b[i];

    std::cout << "GPU: " << *c << std::endl;
    std::cout << "CPU: " << check << std::endl;

    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    return 0;
}
