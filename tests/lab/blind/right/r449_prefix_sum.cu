#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define BS 256
#define OK(e) do { cudaError_t r = (e); if (r) { std::fprintf(stderr, "cuda %d @%d\n", (int)r, __LINE__); std::exit(1); } } while (0)

// inclusive scan of one value per thread
__device__ int scan_block(int v, int* buf)
{
    int t = threadIdx.x;
    int in = 0;
    buf[t] = v;
    __syncthreads();
    for (int d = 1; d < BS; d *= 2) {
        int out = 1 - in;
        int w = buf[in * BS + t];
        if (t >= d) w += buf[in * BS + t - d];
        buf[out * BS + t] = w;
        in = out;
        __syncthreads();
    }
    return buf[in * BS + t];
}

__global__ void scan_parts(const int* src, int* dst, int* totals, int n)
{
    __shared__ int buf[2 * BS];
    int i = blockIdx.x * BS + threadIdx.x;
    int s = scan_block(i < n ? src[i] : 0, buf);
    if (i < n) dst[i] = s;
    if (threadIdx.x == BS - 1) totals[blockIdx.x] = s;
}

// one block, walks over all totals and turns them into exclusive offsets
__global__ void scan_totals(int* totals, int count)
{
    __shared__ int buf[2 * BS];
    __shared__ int carry;
    if (threadIdx.x == 0) carry = 0;
    __syncthreads();

    for (int base = 0; base < count; base += BS) {
        int i = base + threadIdx.x;
        int v = i < count ? totals[i] : 0;
        int s = scan_block(v, buf);
        int before = carry;
        if (i < count) totals[i] = before + s - v;
        __syncthreads();
        if (threadIdx.x == BS - 1) carry = before + s;
        __syncthreads();
    }
}

__global__ void add_offsets(int* dst, const int* totals, int n)
{
    int i = blockIdx.x * BS + threadIdx.x;
    if (i < n) dst[i] += totals[blockIdx.x];
}

void inclusive_scan(const std::vector<int>& in, std::vector<int>& out)
{
    int n = (int)in.size();
    out.resize(n);
    if (n == 0) return;
    int blocks = (n - 1) / BS + 1;
    int *a, *b, *t;
    OK(cudaMalloc(&a, n * sizeof(int)));
    OK(cudaMalloc(&b, n * sizeof(int)));
    OK(cudaMalloc(&t, blocks * sizeof(int)));
    OK(cudaMemcpy(a, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    scan_parts<<<blocks, BS>>>(a, b, t, n);
    scan_totals<<<1, BS>>>(t, blocks);
    add_offsets<<<blocks, BS>>>(b, t, n);
    OK(cudaGetLastError());
    OK(cudaMemcpy(out.data(), b, n * sizeof(int), cudaMemcpyDeviceToHost));
    OK(cudaFree(a)); OK(cudaFree(b)); OK(cudaFree(t));
}

int main(int argc, char** argv)
{
    int n = argc > 1 ? std::atoi(argv[1]) : 100003;
    std::vector<int> in(n), out;
    for (int i = 0; i < n; ++i) in[i] = i % 11 - 4;
    inclusive_scan(in, out);
    int run = 0, bad = 0;
    for (int i = 0; i < n; ++i) {
        run += in[i];
        bad += run != out[i];
    }
    std::printf("%d elements, %d wrong\n", n, bad);
    return bad > 0;
}
