// Laboratorio 3: prodotto scalare con le istruzioni shuffle
#include <cuda_runtime.h>
#include <cstdio>

#define THREAD_PER_BLOCCO 256
#define NUM_WARP (THREAD_PER_BLOCCO / 32)

__global__ void scalare(const float *u, const float *v, float *ris, int n)
{
    __shared__ float sommeWarp[NUM_WARP];

    float s = 0.f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        s += u[i] * v[i];

    // riduzione dentro il warp
    s += __shfl_down_sync(0xffffffff, s, 16);
    s += __shfl_down_sync(0xffffffff, s, 8);
    s += __shfl_down_sync(0xffffffff, s, 4);
    s += __shfl_down_sync(0xffffffff, s, 2);
    s += __shfl_down_sync(0xffffffff, s, 1);

    int lane = threadIdx.x & 31;
    int warp = threadIdx.x >> 5;
    if (lane == 0) sommeWarp[warp] = s;
    __syncthreads();

    // il primo warp somma i risultati degli altri
    if (warp == 0) {
        s = (lane < NUM_WARP) ? sommeWarp[lane] : 0.f;
        s += __shfl_down_sync(0xffffffff, s, 2);
        s += __shfl_down_sync(0xffffffff, s, 1);
        if (lane == 0) atomicAdd(ris, s);
    }
}

float prodottoScalare(const float *hu, const float *hv, int n)
{
    float *du, *dv, *dr, r = 0.f;
    size_t byte = n * sizeof(float);
    cudaMalloc(&du, byte);
    cudaMalloc(&dv, byte);
    cudaMalloc(&dr, sizeof(float));
    cudaMemcpy(du, hu, byte, cudaMemcpyHostToDevice);
    cudaMemcpy(dv, hv, byte, cudaMemcpyHostToDevice);
    cudaMemset(dr, 0, sizeof(float));

    int blocchi = (n + THREAD_PER_BLOCCO - 1) / THREAD_PER_BLOCCO;
    if (blocchi > 256) blocchi = 256;
    scalare<<<blocchi, THREAD_PER_BLOCCO>>>(du, dv, dr, n);

    cudaMemcpy(&r, dr, sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(du); cudaFree(dv); cudaFree(dr);
    return r;
}
