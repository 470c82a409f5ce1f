// Histogram with a number of bins chosen at run time (shared copy per block).
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void histogram(const int *values, int n, unsigned int *bins, int numBins)
{
    extern __shared__ unsigned int local[];

    for (int b = threadIdx.x; b < numBins; b += blockDim.x)
        local[b] = 0;
    __syncthreads();

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = values[i];
        if (v >= 0 && v < numBins)
            atomicAdd(&local[v], 1u);
    }
    __syncthreads();

    for (int b = threadIdx.x; b < numBins; b += blockDim.x)
        if (local[b] > 0)
            atomicAdd(&bins[b], local[b]);
}

int main()
{
    const int n = 200000, numBins = 300;
    std::vector<int> values(n);
    std::vector<unsigned int> expected(numBins, 0), got(numBins);
    for (int &v : values) {
        v = rand() % (numBins + 20) - 10;   // some values lie outside
        if (v >= 0 && v < numBins)
            ++expected[v];
    }

    int *dValues;
    unsigned int *dBins;
    cudaMalloc(&dValues, n * sizeof(int));
    cudaMalloc(&dBins, numBins * sizeof(unsigned int));
    cudaMemcpy(dValues, values.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(dBins, 0, numBins * sizeof(unsigned int));

    histogram<<<24, 160, numBins * sizeof(unsigned int)>>>(dValues, n, dBins, numBins);
    cudaMemcpy(got.data(), dBins, numBins * sizeof(unsigned int), cudaMemcpyDeviceToHost);

    std::printf("%s\n", got == expected ? "equal" : "different");
    cudaFree(dValues);
    cudaFree(dBins);
    return got == expected ? 0 : 1;
}
