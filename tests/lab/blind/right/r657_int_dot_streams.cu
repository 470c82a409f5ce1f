#include <cstdio>
#include <cuda_runtime.h>

typedef unsigned long long ull;

__global__ void dot_chunk(const int* a, const int* b, int len, ull* total)
{
    __shared__ long long warp_sum[32];
    int lane = threadIdx.x & 31, wid = threadIdx.x >> 5;
    int nwarps = blockDim.x >> 5;

    long long s = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < len; i += gridDim.x * blockDim.x)
        s += (long long)a[i] * b[i];

    for (int o = 16; o; o >>= 1) s += __shfl_down_sync(0xffffffff, s, o);
    if (lane == 0) warp_sum[wid] = s;
    __syncthreads();

    if (wid == 0) {
        s = lane < nwarps ? warp_sum[lane] : 0;
        for (int o = 16; o; o >>= 1) s += __shfl_down_sync(0xffffffff, s, o);
        if (lane == 0) atomicAdd(total, (ull)s);   // two's complement: negative sums are fine
    }
}

int main()
{
    const int n = 1 << 20, parts = 3;
    const int chunk = (n + parts - 1) / parts;
    int *ha, *hb, *da, *db;
    ull *dtotal, htotal = 0;

    cudaHostAlloc(&ha, n * sizeof(int), cudaHostAllocDefault);
    cudaHostAlloc(&hb, n * sizeof(int), cudaHostAllocDefault);
    long long want = 0;
    for (int i = 0; i < n; ++i) {
        ha[i] = 100000 - i;
        hb[i] = i % 1000 + 70000;
        want += (long long)ha[i] * hb[i];
    }
    cudaMalloc(&da, n * sizeof(int));
    cudaMalloc(&db, n * sizeof(int));
    cudaMalloc(&dtotal, sizeof(ull));
    cudaMemset(dtotal, 0, sizeof(ull));
    cudaDeviceSynchronize();

    cudaStream_t s[parts];
    for (int p = 0; p < parts; ++p) cudaStreamCreate(&s[p]);
    for (int p = 0; p < parts; ++p) {
        int off = p * chunk;
        int len = off + chunk <= n ? chunk : n - off;
        cudaMemcpyAsync(da + off, ha + off, len * sizeof(int), cudaMemcpyHostToDevice, s[p]);
        cudaMemcpyAsync(db + off, hb + off, len * sizeof(int), cudaMemcpyHostToDevice, s[p]);
        dot_chunk<<<64, 192, 0, s[p]>>>(da + off, db + off, len, dtotal);
    }
    cudaDeviceSynchronize();
    cudaMemcpy(&htotal, dtotal, sizeof(ull), cudaMemcpyDeviceToHost);

    printf("%lld (expected %lld)\n", (long long)htotal, want);
    for (int p = 0; p < parts; ++p) cudaStreamDestroy(s[p]);
    cudaFree(da); cudaFree(db); cudaFree(dtotal);
    cudaFreeHost(ha); cudaFreeHost(hb);
    return (long long)htotal == want ? 0 : 1;
}
