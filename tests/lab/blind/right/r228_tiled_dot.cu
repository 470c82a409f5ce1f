#include <cuda_runtime.h>
#include <cstdio>

// every block handles a tile of 2 * B elements
template <unsigned B>
__global__ void tiledDot(const float *x, const float *y, float *blockSums, unsigned n)
{
    __shared__ float tx[2 * B];
    __shared__ float ty[2 * B];
    unsigned base = blockIdx.x * 2 * B;

    for (unsigned e = threadIdx.x; e < 2 * B; e += B) {
        tx[e] = (base + e < n) ? x[base + e] : 0.0f;
        ty[e] = (base + e < n) ? y[base + e] : 0.0f;
    }
    __syncthreads();

    tx[threadIdx.x] = tx[threadIdx.x] * ty[threadIdx.x]
                    + tx[threadIdx.x + B] * ty[threadIdx.x + B];
    __syncthreads();

    for (unsigned w = B / 2; w > 0; w >>= 1) {
        if (threadIdx.x < w)
            tx[threadIdx.x] += tx[threadIdx.x + w];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        blockSums[blockIdx.x] = tx[0];
}

int main()
{
    const unsigned n = 1500, B = 64;
    const unsigned blocks = (n + 2 * B - 1) / (2 * B);
    float *x, *y, *s;
    cudaMallocManaged(&x, n * sizeof(float));
    cudaMallocManaged(&y, n * sizeof(float));
    cudaMallocManaged(&s, blocks * sizeof(float));
    for (unsigned i = 0; i < n; ++i) { x[i] = 3.0f; y[i] = 1.0f; }
    tiledDot<B><<<blocks, B>>>(x, y, s, n);
    cudaDeviceSynchronize();
    float total = 0;
    for (unsigned i = 0; i < blocks; ++i) total += s[i];
    printf("%f\n", total);
    return 0;
}
