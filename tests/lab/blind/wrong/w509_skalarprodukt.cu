// Skalarprodukt mit Grid-Stride-Schleife, Warp-Shuffle und atomicAdd.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

constexpr int FADEN = 256;

__device__ float warpSumme(float w)
{
    w += __shfl_down_sync(0xffffffff, w, 16);
    w += __shfl_down_sync(0xffffffff, w, 8);
    w += __shfl_down_sync(0xffffffff, w, 4);
    w += __shfl_down_sync(0xffffffff, w, 2);
    w += __shfl_down_sync(0xffffffff, w, 1);
    return w;
}

__global__ void skalar(const float *x, const float *y, int n, float *ergebnis)
{
    __shared__ float warps[FADEN / 32];
    float s = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x)
        s += x[i] * y[i];

    s = warpSumme(s);
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = s;
    __syncthreads();

    if (threadIdx.x < 32) {
        s = threadIdx.x < FADEN / 32 ? warps[threadIdx.x] : 0.0f;
        s = warpSumme(s);
        if (threadIdx.x == 0)
            atomicAdd(ergebnis, s);
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 500000;
    if (n < 1) return 2;
    size_t bytes = n * sizeof(float);
    float *x = (float *)malloc(bytes), *y = (float *)malloc(bytes);
    double soll = 0.0;
    for (int i = 0; i < n; ++i) {
        x[i] = (float)(i % 10) * 0.1f;
        y[i] = (float)(i % 3 + 1) * 0.5f;
        soll += (double)x[i] * y[i];
    }

    float *dx, *dy, *dr, ist = 0.0f;
    cudaMalloc(&dx, bytes);
    cudaMalloc(&dy, bytes);
    cudaMalloc(&dr, sizeof(float));
    cudaMemcpy(dx, x, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y, bytes, cudaMemcpyHostToDevice);
    cudaMemset(dr, 0, sizeof(float));

    int bloecke = (n + FADEN - 1) / FADEN;
    if (bloecke > 64) bloecke = 64;
    skalar<<<bloecke, FADEN>>>(dx, dy, n, dr);
    cudaMemcpy(&ist, dr, sizeof(float), cudaMemcpyDeviceToHost);

    bool gut = std::fabs(ist - soll) <= 1e-4 * soll + 1e-5;
    printf("GPU %f, CPU %f: %s\n", ist, soll, gut ? "gut" : "schlecht");
    cudaFree(dx);
    cudaFree(dy);
    cudaFree(dr);
    free(x);
    free(y);
    return gut ? 0 : 1;
}
