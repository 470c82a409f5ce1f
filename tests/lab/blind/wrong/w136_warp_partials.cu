// Dot product of doubles: shuffles inside the warps, one value per warp in
// shared memory, the first warp adds these up.
#include <cmath>
#include <cstdio>
#include <vector>

constexpr int kThreads = 256;

__global__ void dot(const double* x, const double* y, double* result, int n)
{
    __shared__ double warpSums[32];

    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;

    double v = 0.0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        v += x[i] * y[i];

    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(0xffffffffu, v, d);
    if (lane == 0)
        warpSums[warp] = v;
    __syncthreads();

    if (warp == 0) {
        v = warpSums[lane];
        for (int d = 16; d > 0; d /= 2)
            v += __shfl_down_sync(0xffffffffu, v, d);
        if (lane == 0)
            atomicAdd(result, v);
    }
}

int main()
{
    const int n = 54321;
    std::vector<double> x(n), y(n);
    double ref = 0.0;
    for (int i = 0; i < n; ++i) {
        x[i] = 1.0 / (i + 1);
        y[i] = i % 3 + 1;
        ref += x[i] * y[i];
    }

    double *dx, *dy, *dr;
    cudaMalloc(&dx, n * sizeof(double));
    cudaMalloc(&dy, n * sizeof(double));
    cudaMalloc(&dr, sizeof(double));
    cudaMemcpy(dx, x.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemset(dr, 0, sizeof(double));
    dot<<<20, kThreads>>>(dx, dy, dr, n);

    double r = 0.0;
    cudaMemcpy(&r, dr, sizeof(double), cudaMemcpyDeviceToHost);
    std::printf("%.10f (host %.10f)\n", r, ref);
    cudaFree(dx);
    cudaFree(dy);
    cudaFree(dr);
    return std::fabs(r - ref) < 1e-9 ? 0 : 1;
}
