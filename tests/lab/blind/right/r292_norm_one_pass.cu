// Euclidean norm of a double vector in a single launch: the block that finishes
// last adds up the partial sums ("threadfence reduction").
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace {
constexpr unsigned BLOCK = 256;
constexpr unsigned MAX_BLOCKS = 128;

__device__ double       g_partial[MAX_BLOCKS];
__device__ unsigned int g_done = 0;

// every thread of the block must call this; the result is in buf[0]
__device__ void blockSum(double *buf, double v)
{
    const unsigned t = threadIdx.x;
    buf[t] = v;
    __syncthreads();
    for (unsigned s = BLOCK / 2; s > 0; s >>= 1) {
        if (t < s) buf[t] += buf[t + s];
        __syncthreads();
    }
}

__global__ void norm2(const double *x, int n, double *result)
{
    __shared__ double buf[BLOCK];
    __shared__ bool last;

    double v = 0;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
        v += x[i] * x[i];
    blockSum(buf, v);

    if (threadIdx.x == 0) {
        g_partial[blockIdx.x] = buf[0];
        __threadfence();                               // partial visible before the ticket
        unsigned ticket = atomicInc(&g_done, gridDim.x - 1);   // wraps to 0 by itself
        last = (ticket == gridDim.x - 1);
    }
    __syncthreads();

    if (last) {                                        // same value for the whole block
        __threadfence();
        const volatile double *part = g_partial;
        v = 0;
        for (unsigned b = threadIdx.x; b < gridDim.x; b += BLOCK)
            v += part[b];
        blockSum(buf, v);
        if (threadIdx.x == 0) *result = sqrt(buf[0]);
    }
}

void die(cudaError_t e, int line)
{
    std::fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(e));
    std::exit(1);
}
#define CK(e) do { cudaError_t r_ = (e); if (r_ != cudaSuccess) die(r_, __LINE__); } while (0)
} // namespace

int main()
{
    const int n = 1000003;
    double *x, *r;
    CK(cudaMallocManaged(&x, n * sizeof(double)));
    CK(cudaMallocManaged(&r, sizeof(double)));

    double ref = 0;
    for (int i = 0; i < n; ++i) {
        x[i] = std::sin(0.001 * i);
        ref += x[i] * x[i];
    }
    ref = std::sqrt(ref);

    unsigned blocks = (n + BLOCK - 1) / BLOCK;
    if (blocks > MAX_BLOCKS) blocks = MAX_BLOCKS;

    bool good = true;
    for (int rep = 0; rep < 3; ++rep) {                // the counter must be reusable
        *r = -1;
        norm2<<<blocks, BLOCK>>>(x, n, r);
        CK(cudaGetLastError());
        CK(cudaDeviceSynchronize());
        std::printf("run %d: %.12f (ref %.12f)\n", rep, *r, ref);
        good = good && std::fabs(*r - ref) < 1e-8 * ref;
    }
    CK(cudaFree(x));
    CK(cudaFree(r));
    return good ? 0 : 1;
}
