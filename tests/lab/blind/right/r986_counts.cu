#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define FULL 0xffffffffu
#define NT   128            /* threads per block, whole warps */

typedef unsigned long long u64;

/* dot product of two int vectors, 64-bit total (two's complement, so adding
   as unsigned is fine) */
__global__ void idot(const int *a, const int *b, size_t n, u64 *total)
{
    __shared__ long long perWarp[NT / 32];
    size_t i = (size_t)blockIdx.x * NT + threadIdx.x;
    size_t step = (size_t)gridDim.x * NT;
    long long s = 0;

    for (; i < n; i += step)
        s += (long long)a[i] * b[i];

    for (int d = 1; d < 32; d <<= 1)
        s += __shfl_xor_sync(FULL, s, d);

    if ((threadIdx.x & 31) == 0) perWarp[threadIdx.x >> 5] = s;
    __syncthreads();

    if (threadIdx.x == 0) {
        long long all = 0;
        for (int w = 0; w < NT / 32; w++) all += perWarp[w];
        atomicAdd(total, (u64)all);
    }
}

int main(int argc, char **argv)
{
    size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 1003;
    if (n == 0) return 0;
    int *a = (int *)malloc(n * sizeof *a), *b = (int *)malloc(n * sizeof *b);
    long long want = 0, got = -1;
    for (size_t i = 0; i < n; i++) {
        a[i] = rand() % 200001 - 100000;
        b[i] = rand() % 200001 - 100000;
        want += (long long)a[i] * b[i];
    }

    int *da, *db;
    u64 *dt;
    cudaMalloc(&da, n * sizeof *da);
    cudaMalloc(&db, n * sizeof *db);
    cudaMalloc(&dt, sizeof *dt);
    cudaMemcpy(da, a, n * sizeof *a, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b, n * sizeof *b, cudaMemcpyHostToDevice);
    cudaMemset(dt, 0, sizeof *dt);

    size_t blocks = (n + NT - 1) / NT;
    if (blocks > 3) blocks = 3;
    idot<<<(int)blocks, NT>>>(da, db, n, dt);
    cudaMemcpy(&got, dt, sizeof got, cudaMemcpyDeviceToHost);

    printf("gpu %lld, cpu %lld: %s\n", got, want, got == want ? "equal" : "DIFFERENT");
    cudaFree(da); cudaFree(db); cudaFree(dt);
    free(a); free(b);
    return got != want;
}
