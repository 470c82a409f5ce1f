// Inclusive prefix sum of up to BLOCK * BLOCK ints, three kernels:
//   1. scan every block and store the block totals
//   2. scan the totals (one block)
//   3. add what came before to every block
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

constexpr int BLOCK = 256;

// Hillis-Steele with two buffers
__device__ int scanInBlock(int v)
{
    __shared__ int buf[2][BLOCK];
    int src = 0;
    buf[src][threadIdx.x] = v;
    __syncthreads();
    for (int d = 1; d < BLOCK; d *= 2) {
        int s = buf[src][threadIdx.x];
        if (threadIdx.x >= d)
            s += buf[src][threadIdx.x - d];
        buf[1 - src][threadIdx.x] = s;
        src = 1 - src;
        __syncthreads();
    }
    return buf[src][threadIdx.x];
}

__global__ void scanBlocks(const int* in, int* out, int* totals, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    int v = scanInBlock(i < n ? in[i] : 0);
    if (i < n) out[i] = v;
    if (threadIdx.x == BLOCK - 1) totals[blockIdx.x] = v;
}

__global__ void scanTotals(int* totals, int count)
{
    int v = scanInBlock(threadIdx.x < count ? totals[threadIdx.x] : 0);
    if (threadIdx.x < count) totals[threadIdx.x] = v;
}

__global__ void addTotals(int* out, const int* totals, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (blockIdx.x > 0 && i < n)
        out[i] += totals[blockIdx.x];
}

int main(int argc, char** argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 200;
    if (n < 1 || n > BLOCK * BLOCK) {
        fprintf(stderr, "n must be in 1..%d\n", BLOCK * BLOCK);
        return 2;
    }
    int blocks = (n + BLOCK - 1) / BLOCK;

    std::vector<int> h(n), r(n);
    for (int i = 0; i < n; i++) h[i] = rand() % 10;

    int *dIn, *dOut, *dTot;
    cudaMalloc(&dIn, n * sizeof(int));
    cudaMalloc(&dOut, n * sizeof(int));
    cudaMalloc(&dTot, blocks * sizeof(int));
    cudaMemcpy(dIn, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);

    scanBlocks<<<blocks, BLOCK>>>(dIn, dOut, dTot, n);
    scanTotals<<<1, BLOCK>>>(dTot, blocks);
    addTotals<<<blocks, BLOCK>>>(dOut, dTot, n);
    cudaMemcpy(r.data(), dOut, n * sizeof(int), cudaMemcpyDeviceToHost);

    int run = 0, bad = 0;
    for (int i = 0; i < n; i++) {
        run += h[i];
        bad += (r[i] != run);
    }
    printf("n=%d: %d mismatches\n", n, bad);
    cudaFree(dIn); cudaFree(dOut); cudaFree(dTot);
    return bad != 0;
}
