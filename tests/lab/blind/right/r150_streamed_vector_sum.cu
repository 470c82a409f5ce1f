// z = x + y in pieces, each piece with its own copies in one of three streams.
#include <cstdio>
#include <cstdlib>
#include <algorithm>

__global__ void add(const double* x, const double* y, double* z, int count)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += blockDim.x * gridDim.x)
        z[i] = x[i] + y[i];
}

int main()
{
    const int n = 250007;
    const int piece = 40000;
    const int numStreams = 3;

    double *hx, *hy, *hz, *dx, *dy, *dz;
    cudaMallocHost((void**)&hx, n * sizeof(double));
    cudaMallocHost((void**)&hy, n * sizeof(double));
    cudaMallocHost((void**)&hz, n * sizeof(double));
    cudaMalloc((void**)&dx, n * sizeof(double));
    cudaMalloc((void**)&dy, n * sizeof(double));
    cudaMalloc((void**)&dz, n * sizeof(double));
    for (int i = 0; i < n; ++i) {
        hx[i] = i * 0.5;
        hy[i] = n - i;
    }

    cudaStream_t streams[numStreams];
    for (int s = 0; s < numStreams; ++s)
        cudaStreamCreate(&streams[s]);

    for (int start = 0, p = 0; start < n; start += piece, ++p) {
        cudaStream_t st = streams[p % numStreams];
        int count = std::min(piece, n - start);
        size_t bytes = count * sizeof(double);
        cudaMemcpyAsync(dx + start, hx + start, bytes, cudaMemcpyHostToDevice, st);
        cudaMemcpyAsync(dy + start, hy + start, bytes, cudaMemcpyHostToDevice, st);
        add<<<32, 256, 0, st>>>(dx + start, dy + start, dz + start, count);
        cudaMemcpyAsync(hz + start, dz + start, bytes, cudaMemcpyDeviceToHost, st);
    }
    cudaDeviceSynchronize();

    int wrong = 0;
    for (int i = 0; i < n; ++i)
        if (hz[i] != hx[i] + hy[i])
            ++wrong;
    std::printf("wrong: %d of %d\n", wrong, n);

    for (int s = 0; s < numStreams; ++s)
        cudaStreamDestroy(streams[s]);
    cudaFreeHost(hx); cudaFreeHost(hy); cudaFreeHost(hz);
    cudaFree(dx); cudaFree(dy); cudaFree(dz);
    return wrong != 0;
}
