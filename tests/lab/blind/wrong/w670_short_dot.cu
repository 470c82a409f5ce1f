// Dot product of two signals of 16-bit samples (the full range of short may occur).
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define BLOCK 256
#define PER_THREAD 8

__global__ void dotShort(const short *a, const short *b, int n, unsigned long long *total)
{
    __shared__ long long part[BLOCK];

    int first = blockIdx.x * BLOCK * PER_THREAD + threadIdx.x;
    int s = 0;
    for (int q = 0; q < PER_THREAD; q++) {
        int i = first + q * BLOCK;
        if (i < n)
            s += a[i] * b[i];
    }
    part[threadIdx.x] = s;
    __syncthreads();

    for (int w = BLOCK / 2; w >= 1; w /= 2) {
        if (threadIdx.x < w)
            part[threadIdx.x] += part[threadIdx.x + w];
        __syncthreads();
    }
    // two's complement: adding as unsigned gives the signed sum
    if (threadIdx.x == 0)
        atomicAdd(total, (unsigned long long)part[0]);
}

int main()
{
    const int n = 50000;
    short *ha = (short *)malloc(n * sizeof(short));
    short *hb = (short *)malloc(n * sizeof(short));
    for (int i = 0; i < n; i++) {
        ha[i] = (short)(rand() % 65536 - 32768);
        hb[i] = ha[i];                       // energy of the signal
    }

    short *da, *db;
    unsigned long long *dt;
    long long t;
    cudaMalloc(&da, n * sizeof(short));
    cudaMalloc(&db, n * sizeof(short));
    cudaMalloc(&dt, sizeof(unsigned long long));
    cudaMemcpy(da, ha, n * sizeof(short), cudaMemcpyHostToDevice);
    cudaMemcpy(db, hb, n * sizeof(short), cudaMemcpyHostToDevice);
    cudaMemset(dt, 0, sizeof(unsigned long long));

    int blocks = (n + BLOCK * PER_THREAD - 1) / (BLOCK * PER_THREAD);
    dotShort<<<blocks, BLOCK>>>(da, db, n, dt);
    cudaMemcpy(&t, dt, sizeof(t), cudaMemcpyDeviceToHost);

    long long ref = 0;
    for (int i = 0; i < n; i++) ref += (long long)ha[i] * hb[i];
    printf("gpu %lld cpu %lld\n", t, ref);
    cudaFree(da); cudaFree(db); cudaFree(dt);
    free(ha); free(hb);
    return 0;
}
