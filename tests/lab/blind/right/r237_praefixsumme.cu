#include <cstdio>
#include <cuda_runtime.h>

#define NT 256

// inclusive scan inside each block; totals[b] = sum of block b
__global__ void scanBlock(const int *in, int *out, int *totals, int n)
{
    __shared__ int buf[2][NT];
    int t = threadIdx.x;
    int i = blockIdx.x * NT + t;
    int cur = 0;
    buf[0][t] = i < n ? in[i] : 0;
    __syncthreads();

    for (int d = 1; d < NT; d *= 2) {
        int next = 1 - cur;
        buf[next][t] = buf[cur][t] + (t >= d ? buf[cur][t - d] : 0);
        __syncthreads();
        cur = next;
    }
    if (i < n) out[i] = buf[cur][t];
    if (t == NT - 1) totals[blockIdx.x] = buf[cur][t];
}

// every block adds the totals of all blocks before it
__global__ void addOffsets(int *out, const int *totals, int n)
{
    __shared__ int offset;
    if (threadIdx.x == 0) {
        int s = 0;
        for (int b = 0; b < blockIdx.x; ++b) s += totals[b];
        offset = s;
    }
    __syncthreads();
    int i = blockIdx.x * NT + threadIdx.x;
    if (i < n) out[i] += offset;
}

int main()
{
    int n = 3000, blocks = (n + NT - 1) / NT;
    int *in, *out, *tot;
    cudaMallocManaged(&in, n * sizeof(int));
    cudaMallocManaged(&out, n * sizeof(int));
    cudaMallocManaged(&tot, blocks * sizeof(int));
    for (int i = 0; i < n; ++i) in[i] = i % 3;
    scanBlock<<<blocks, NT>>>(in, out, tot, n);
    addOffsets<<<blocks, NT>>>(out, tot, n);
    cudaDeviceSynchronize();
    printf("%d\n", out[n - 1]);
    return 0;
}
