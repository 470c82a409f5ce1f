#include <cuda_runtime.h>

// inner product of two int vectors, many blocks, one atomic per block
constexpr int HILOS = 192;

__global__ void producto_punto(const int* a, const int* b, size_t n, int* total)
{
    __shared__ int sumas[HILOS];
    const int id = threadIdx.x;
    int local = 0;

    for (size_t i = (size_t)blockIdx.x * HILOS + id; i < n; i += (size_t)gridDim.x * HILOS)
        local += a[i] * b[i];
    sumas[id] = local;
    __syncthreads();

    for (int mitad = HILOS / 2; mitad > 0; mitad /= 2) {
        if (id < mitad)
            sumas[id] += sumas[id + mitad];
        __syncthreads();
    }
    if (id == 0)
        atomicAdd(total, sumas[0]);
}

int punto(const int* d_a, const int* d_b, size_t n)
{
    int *d_total, h_total = 0;
    cudaMalloc(&d_total, sizeof(int));
    cudaMemcpy(d_total, &h_total, sizeof(int), cudaMemcpyHostToDevice);
    int bloques = (int)((n + HILOS - 1) / HILOS);
    if (bloques > 80) bloques = 80;
    if (bloques > 0)
        producto_punto<<<bloques, HILOS>>>(d_a, d_b, n, d_total);
    cudaMemcpy(&h_total, d_total, sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_total);
    return h_total;
}
