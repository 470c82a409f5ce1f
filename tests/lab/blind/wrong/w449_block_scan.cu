#include <cstdio>
#include <cuda_runtime.h>

// Inclusive prefix sums of the rows of a table, one block per row, width <= 1024.
__global__ void scan_rows(float *table, int width)
{
    __shared__ float s[1024];
    int t = threadIdx.x;
    float *row = table + (size_t)blockIdx.x * width;

    s[t] = t < width ? row[t] : 0.0f;
    __syncthreads();

    for (int hop = 1; hop < width; hop <<= 1) {
        if (t >= hop)
            s[t] += s[t - hop];
        __syncthreads();
    }

    if (t < width)
        row[t] = s[t];
}

int main()
{
    const int rows = 20, width = 700;
    float *table;
    cudaMallocManaged(&table, rows * width * sizeof(float));
    for (int i = 0; i < rows * width; ++i)
        table[i] = 1.0f + i / width;

    scan_rows<<<rows, (width + 31) / 32 * 32>>>(table, width);
    cudaDeviceSynchronize();

    int bad = 0;
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < width; ++c)
            bad += table[r * width + c] != (1.0f + r) * (c + 1);
    printf("%d bad entries\n", bad);
    cudaFree(table);
    return bad != 0;
}
