#include <cuda_runtime.h>
#include <vector>
// Dot product, partial sum per block; the host adds the partial sums.
// Works with every block size, also those that are no power of two.

__global__ void partialDot(const double *u, const double *v, double *part, int n)
{
    extern __shared__ double buf[];
    int t = threadIdx.x;
    int g = blockIdx.x * blockDim.x + t;

    buf[t] = g < n ? u[g] * v[g] : 0.0;
    __syncthreads();

    int active = blockDim.x;
    while (active > 1) {
        int half = (active + 1) / 2;          // the middle one of an odd number stays as it is
        if (t + half < active)
            buf[t] += buf[t + half];
        active = half;
        __syncthreads();
    }
    if (t == 0)
        part[blockIdx.x] = buf[0];
}

double dot(const double *dU, const double *dV, int n, int threads = 192)
{
    if (n <= 0) return 0.0;
    int blocks = (n + threads - 1) / threads;
    double *dPart;
    cudaMalloc(&dPart, blocks * sizeof(double));
    partialDot<<<blocks, threads, threads * sizeof(double)>>>(dU, dV, dPart, n);
    std::vector<double> part(blocks);
    cudaMemcpy(part.data(), dPart, blocks * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(dPart);
    double s = 0;
    for (double p : part) s += p;
    return s;
}
