#include <cstdio>
#include <cmath>
#include <vector>

__inline__ __device__ double warpReduce(double v)
{
    for (int d = warpSize / 2; d > 0; d /= 2)
        v += __shfl_down_sync(0xffffffff, v, d);
    return v;
}

// *result must be 0 before the launch; blockDim.x is a multiple of 32, at most 1024
__global__ void dotKernel(const double *x, const double *y, double *result, int n)
{
    __shared__ double perWarp[32];
    double s = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        s += x[i] * y[i];

    s = warpReduce(s);
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (lane == 0) perWarp[warp] = s;
    __syncthreads();

    if (warp == 0) {
        s = lane < blockDim.x / 32 ? perWarp[lane] : 0;
        s = warpReduce(s);
        if (lane == 0) atomicAdd(result, s);
    }
}

int main()
{
    const int n = 3001;
    std::vector<double> x(n), y(n);
    double expected = 0;
    for (int i = 0; i < n; i++) {
        x[i] = (i % 13) * 0.5;
        y[i] = (i % 7) - 3.0;
        expected += x[i] * y[i];
    }

    double *dx, *dy, *dr, r;
    cudaMalloc((void **)&dx, n * sizeof(double));
    cudaMalloc((void **)&dy, n * sizeof(double));
    cudaMalloc((void **)&dr, sizeof(double));
    cudaMemcpy(dx, x.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemset(dr, 0, sizeof(double));

    dotKernel<<<6, 192>>>(dx, dy, dr, n);

    cudaMemcpy(&r, dr, sizeof(double), cudaMemcpyDeviceToHost);
    printf("gpu %f cpu %f\n", r, expected);
    cudaFree(dx);
    cudaFree(dy);
    cudaFree(dr);
    return std::fabs(r - expected) > 1e-9 * n;
}
