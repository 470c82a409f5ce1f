#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define BLOCKSIZE 192
#define NBLOCKS   56

__global__ void dot(const int *a, const int *b, unsigned long long *res, int n)
{
    __shared__ long long part[BLOCKSIZE];

    long long mine = 0;
    for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += blockDim.x * gridDim.x)
        mine += (long long)a[k] * b[k];
    part[threadIdx.x] = mine;
    __syncthreads();

    for (int h = blockDim.x / 2; h >= 1; h /= 2) {
        if (threadIdx.x < h)
            part[threadIdx.x] += part[threadIdx.x + h];
        __syncthreads();
    }

    if (threadIdx.x == 0)
        atomicAdd(res, (unsigned long long)part[0]);
}

int main(int argc, char **argv)
{
    int n = 1000000;
    if (argc == 2) n = atoi(argv[1]);
    if (n <= 0) n = 1;
    if (n > 200000000) n = 200000000;

    int *h1 = new int[n], *h2 = new int[n];
    long long correct = 0;
    for (int k = 0; k < n; k++) {
        h1[k] = rand() % 2001 - 1000;
        h2[k] = rand() % 2001 - 1000;
        correct += (long long)h1[k] * h2[k];
    }

    int *d1, *d2;
    unsigned long long *dr, hr = 0;
    cudaMalloc(&d1, sizeof(int) * n);
    cudaMalloc(&d2, sizeof(int) * n);
    cudaMalloc(&dr, sizeof(hr));
    cudaMemcpy(d1, h1, sizeof(int) * n, cudaMemcpyHostToDevice);
    cudaMemcpy(d2, h2, sizeof(int) * n, cudaMemcpyHostToDevice);
    cudaMemset(dr, 0, sizeof(hr));

    dot<<<NBLOCKS, BLOCKSIZE>>>(d1, d2, dr, n);

    cudaMemcpy(&hr, dr, sizeof(hr), cudaMemcpyDeviceToHost);
    if (cudaGetLastError() != cudaSuccess) {
        puts("cuda error");
        return 1;
    }
    printf("%lld (host: %lld)\n", (long long)hr, correct);

    cudaFree(d1); cudaFree(d2); cudaFree(dr);
    delete[] h1;
    delete[] h2;
    return (long long)hr == correct ? 0 : 1;
}
