// Assignment 6 (HPC lab, sem 7)
// Many small dot products at once: out[p] = sum_i X[p][i] * Y[p][i]
// inputs are 16 bit integers, answer is 64 bit so no overflow will come.
// One block = one pair. Any len >= 1, any count >= 1.
#include <iostream>
#include <vector>
#include <cstdint>
#include <cuda_runtime.h>
using namespace std;

struct DotJob {
    const int16_t *x;
    const int16_t *y;
    long long *out;
    int len;        // elements in each vector
    int pitch;      // distance between starting of two vectors (pitch >= len)
};

__global__ void manyDots(DotJob job)
{
    extern __shared__ long long buf[];   // blockDim.x entries

    size_t start = (size_t)blockIdx.x * job.pitch;
    long long mine = 0;
    for (int i = threadIdx.x; i < job.len; i += blockDim.x) {
        int prod = (int)job.x[start + i] * (int)job.y[start + i];
        mine += prod;
    }
    buf[threadIdx.x] = mine;
    __syncthreads();

    // works for any block size, half is rounded up
    unsigned int active = blockDim.x;
    while (active > 1) {
        unsigned int half = (active + 1) / 2;
        if (threadIdx.x + half < active)
            buf[threadIdx.x] += buf[threadIdx.x + half];
        __syncthreads();
        active = half;
    }

    if (threadIdx.x == 0)
        job.out[blockIdx.x] = buf[0];
}

int main()
{
    const int count = 300, len = 1234, pitch = 1280, threads = 96;
    vector<int16_t> x((size_t)count * pitch, 0), y((size_t)count * pitch, 0);
    vector<long long> expected(count, 0), got(count);

    for (int p = 0; p < count; p++)
        for (int i = 0; i < len; i++) {
            int16_t a = (int16_t)((p * 131 + i * 17) % 30000 - 15000);
            int16_t b = (int16_t)((p * 7 + i * 29) % 20000 - 10000);
            x[(size_t)p * pitch + i] = a;
            y[(size_t)p * pitch + i] = b;
            expected[p] += (long long)a * b;
        }

    int16_t *dx, *dy;
    long long *dout;
    size_t bytes = x.size() * sizeof(int16_t);
    cudaMalloc(&dx, bytes);
    cudaMalloc(&dy, bytes);
    cudaMalloc(&dout, count * sizeof(long long));
    cudaMemcpy(dx, x.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y.data(), bytes, cudaMemcpyHostToDevice);

    DotJob job;
    job.x = dx;
    job.y = dy;
    job.out = dout;
    job.len = len;
    job.pitch = pitch;
    manyDots<<<count, threads, threads * sizeof(long long)>>>(job);
    cudaMemcpy(got.data(), dout, count * sizeof(long long), cudaMemcpyDeviceToHost);

    int bad = 0;
    for (int p = 0; p < count; p++)
        if (got[p] != expected[p]) bad++;
    cout << (bad ? "NOT OK, bad = " : "ALL OK, bad = ") << bad << endl;

    cudaFree(dx);
    cudaFree(dy);
    cudaFree(dout);
    return 0;
}
