// dot product: every block reduces its share with a tree in shared memory and
// adds it to the result with one atomic
#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

template <unsigned THREADS>
__global__ void dot_tree(const float* x, const float* y, double* result, size_t n)
{
    static_assert((THREADS & (THREADS - 1)) == 0, "power of two");
    __shared__ double cache[THREADS];
    double mine = 0.0;
    for (size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x; i < n;
         i += (size_t)gridDim.x * THREADS)
        mine += (double)x[i] * y[i];
    cache[threadIdx.x] = mine;

    for (unsigned half = THREADS / 2; half > 0; half >>= 1) {
        __syncthreads();
        if (threadIdx.x < half)
            cache[threadIdx.x] += cache[threadIdx.x + half];
    }
    // thread 0 wrote cache[0] itself
    if (threadIdx.x == 0)
        atomicAdd(result, cache[0]);
}

double dot_gpu(const std::vector<float>& x, const std::vector<float>& y)
{
    const size_t n = x.size();
    const size_t bytes = n * sizeof(float);
    float *dx, *dy;
    double* dr;
    cudaMalloc(&dx, bytes);
    cudaMalloc(&dy, bytes);
    cudaMalloc(&dr, sizeof(double));
    cudaMemcpy(dx, x.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemset(dr, 0, sizeof(double));

    constexpr unsigned T = 256;
    size_t blocks = (n + T - 1) / T;
    if (blocks > 432) blocks = 432;
    if (blocks == 0) blocks = 1;
    dot_tree<T><<<(unsigned)blocks, T>>>(dx, dy, dr, n);

    double r = 0;
    cudaMemcpy(&r, dr, sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(dx);
    cudaFree(dy);
    cudaFree(dr);
    return r;
}

int main()
{
    const size_t sizes[] = {1, 31, 256, 257, 1000, 123457, 5000000};
    bool ok = true;
    for (size_t n : sizes) {
        std::vector<float> x(n), y(n);
        double ref = 0;
        for (size_t i = 0; i < n; ++i) {
            x[i] = 0.001f * (float)(i % 1000);
            y[i] = 1.0f - 0.002f * (float)(i % 700);
            ref += (double)x[i] * y[i];
        }
        double got = dot_gpu(x, y);
        bool good = std::fabs(got - ref) <= 1e-6 * (1.0 + std::fabs(ref));
        printf("n=%zu gpu=%.9g cpu=%.9g %s\n", n, got, ref, good ? "ok" : "BAD");
        ok = ok && good;
    }
    return ok ? 0 : 1;
}
