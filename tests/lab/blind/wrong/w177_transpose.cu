// Matrix transpose through shared memory (32x8 threads, padding against bank conflicts)
#include <cstdio>
#include <vector>

#define TDIM 32
#define BROWS 8

__global__ void transpose(const float *in, float *out, int width, int height)
{
    __shared__ float tile[TDIM][TDIM + 1];

    int x = blockIdx.x * TDIM + threadIdx.x;
    int y = blockIdx.y * TDIM + threadIdx.y;

    for (int j = 0; j < TDIM; j += BROWS)
        if (x < width && y + j < height)
            tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];

    __syncthreads();

    x = blockIdx.y * TDIM + threadIdx.x;
    y = blockIdx.x * TDIM + threadIdx.y;

    for (int j = 0; j < TDIM; j += BROWS)
        if (x < height && y + j < width)
            out[(y + j) * height + x] = tile[threadIdx.y + j][threadIdx.x];
}

int main()
{
    const int width = 200, height = 70;
    std::vector<float> h(width * height), r(width * height);
    for (int i = 0; i < width * height; i++)
        h[i] = (float)i;

    float *din, *dout;
    cudaMalloc(&din, h.size() * sizeof(float));
    cudaMalloc(&dout, h.size() * sizeof(float));
    cudaMemcpy(din, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);

    dim3 block(TDIM, BROWS);
    dim3 grid((width + TDIM - 1) / TDIM, (height + TDIM - 1) / TDIM);
    transpose<<<grid, block>>>(din, dout, width, height);
    cudaMemcpy(r.data(), dout, r.size() * sizeof(float), cudaMemcpyDeviceToHost);

    int bad = 0;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            if (r[x * height + y] != h[y * width + x])
                bad++;
    printf("bad = %d\n", bad);
    cudaFree(din);
    cudaFree(dout);
    return 0;
}
