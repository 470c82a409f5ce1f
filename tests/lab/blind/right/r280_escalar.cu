// Producto escalar: bucle con paso de malla + shuffle + atomicAdd
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define CUDA_OK(e) if ((e) != cudaSuccess) { puts("fallo de CUDA"); return 2; }

static const int HILOS = 256;

__device__ float sumaWarp(float v) {
    for (int d = 16; d > 0; d >>= 1)
        v += __shfl_down_sync(0xffffffffu, v, d);
    return v;
}

__global__ void productoEscalar(const float *x, const float *y, float *res, int n) {
    __shared__ float parcial[32];
    float s = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        s += x[i] * y[i];

    int carril = threadIdx.x & 31;
    int warp = threadIdx.x >> 5;
    s = sumaWarp(s);
    if (carril == 0) parcial[warp] = s;
    __syncthreads();

    if (warp == 0) {
        s = carril < (blockDim.x + 31) / 32 ? parcial[carril] : 0.0f;
        s = sumaWarp(s);
        if (carril == 0) atomicAdd(res, s);
    }
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 1000003;
    float *hx = new float[n], *hy = new float[n];
    double ref = 0;
    for (int i = 0; i < n; i++) {
        hx[i] = (i % 100) / 100.0f;
        hy[i] = ((i * 3) % 50) / 50.0f;
        ref += (double)hx[i] * hy[i];
    }
    float *dx, *dy, *dr, hr;
    CUDA_OK(cudaMalloc(&dx, n * sizeof(float)));
    CUDA_OK(cudaMalloc(&dy, n * sizeof(float)));
    CUDA_OK(cudaMalloc(&dr, sizeof(float)));
    CUDA_OK(cudaMemcpy(dx, hx, n * sizeof(float), cudaMemcpyHostToDevice));
    CUDA_OK(cudaMemcpy(dy, hy, n * sizeof(float), cudaMemcpyHostToDevice));
    CUDA_OK(cudaMemset(dr, 0, sizeof(float)));

    int bloques = (n + HILOS - 1) / HILOS;
    if (bloques > 512) bloques = 512;
    productoEscalar<<<bloques, HILOS>>>(dx, dy, dr, n);
    CUDA_OK(cudaGetLastError());
    CUDA_OK(cudaMemcpy(&hr, dr, sizeof(float), cudaMemcpyDeviceToHost));

    printf("gpu %f  cpu %f\n", hr, ref);
    int mal = fabs(hr - ref) > 1e-3 * fabs(ref);
    cudaFree(dx); cudaFree(dy); cudaFree(dr);
    delete[] hx;
    delete[] hy;
    return mal;
}
