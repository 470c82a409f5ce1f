#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

// integer dot product: one atomicAdd for each warp
__global__ void idot(const int *u, const int *v, int *acc, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int p = i < n ? u[i] * v[i] : 0;
    for (int d = 16; d; d >>= 1)
        p += __shfl_xor_sync(0xffffffffu, p, d);
    if ((threadIdx.x & 31) == 0)
        atomicAdd(acc, p);
}

int main()
{
    const int n = 3001;
    const int reps = 5;
    std::vector<int> u(n), v(n);
    int want = 0;
    for (int i = 0; i < n; i++) {
        u[i] = i % 10;
        v[i] = i % 6 - 1;
        want += u[i] * v[i];
    }

    int *du, *dv, *dacc;
    cudaMalloc((void **)&du, n * sizeof(int));
    cudaMalloc((void **)&dv, n * sizeof(int));
    cudaMalloc((void **)&dacc, sizeof(int));
    cudaMemcpy(du, u.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dv, v.data(), n * sizeof(int), cudaMemcpyHostToDevice);

    const int threads = 256;
    const int blocks = (n + threads - 1) / threads;
    cudaMemset(dacc, 0, sizeof(int));
    for (int r = 0; r < reps; r++)      // repeated, so that it can be timed
        idot<<<blocks, threads>>>(du, dv, dacc, n);
    cudaDeviceSynchronize();

    int got = 0;
    cudaMemcpy(&got, dacc, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%s: %d (CPU %d)\n", got == want ? "ok" : "different", got, want);
    cudaFree(du);
    cudaFree(dv);
    cudaFree(dacc);
    return got != want;
}
