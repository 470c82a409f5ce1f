// Iloczyn zredukowany w dwóch etapach:
//   1) AP = sumy par wierszy A,  BP = sumy par kolumn B
//   2) C = AP * BP
// A: (2p) x k, B: k x (2q), C: p x q; wymiary od 1 do 20000
#include <cuda_runtime.h>

__global__ void paryWierszy(const float *A, float *AP, int p, int k)
{
    for (int i = blockIdx.y; i < p; i += gridDim.y)
        for (int l = blockIdx.x * blockDim.x + threadIdx.x; l < k; l += gridDim.x * blockDim.x)
            AP[(size_t)i * k + l] = A[(size_t)(2 * i) * k + l] + A[(size_t)(2 * i + 1) * k + l];
}

__global__ void paryKolumn(const float *B, float *BP, int k, int q)
{
    const size_t razem = (size_t)k * q;
    const size_t krok = (size_t)gridDim.x * blockDim.x;
    for (size_t e = (size_t)blockIdx.x * blockDim.x + threadIdx.x; e < razem; e += krok)
        BP[e] = B[2 * e] + B[2 * e + 1];
}

__global__ void iloczyn(const float *AP, const float *BP, float *C, int p, int q, int k)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    const int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= p && j >= q)
        return;

    const float *wiersz = AP + (size_t)i * k;
    float suma = 0.0f;
    for (int l = 0; l < k; l++)
        suma += wiersz[l] * BP[(size_t)l * q + j];
    C[(size_t)i * q + j] = suma;
}

cudaError_t zredukowany(const float *A, const float *B, float *C, int p, int q, int k)
{
    float *AP = 0, *BP = 0;
    cudaError_t e = cudaMalloc((void **)&AP, (size_t)p * k * sizeof(float));
    if (e != cudaSuccess)
        return e;
    e = cudaMalloc((void **)&BP, (size_t)k * q * sizeof(float));
    if (e != cudaSuccess) {
        cudaFree(AP);
        return e;
    }

    paryWierszy<<<dim3((k + 127) / 128, p < 1024 ? p : 1024), 128>>>(A, AP, p, k);
    paryKolumn<<<512, 256>>>(B, BP, k, q);

    dim3 watki(32, 8);
    dim3 bloki((q + 31) / 32, (p + 7) / 8);
    iloczyn<<<bloki, watki>>>(AP, BP, C, p, q, k);

    e = cudaDeviceSynchronize();
    cudaFree(AP);
    cudaFree(BP);
    return e;
}
